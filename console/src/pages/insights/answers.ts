/** What the API answers, by kind of question, and who stands behind each number of it. */
import type { RetentionRow, TrendItem } from '../../api/insights.ts';
import { formatNumber } from '../../lib/format.ts';
import { eventWord, lifecycleWord, tickWord } from './labels.ts';
import type { Interval, Question } from './question.ts';

export interface FunnelStep {
  action_id: string | number | null;
  name: string;
  order: number;
  count: number;
  average_conversion_time: number | null;
  median_conversion_time: number | null;
  converted_people_url: string;
  dropped_people_url: string | null;
  breakdown_value?: unknown;
  breakdown?: unknown;
}
export interface FunnelTrend {
  data: number[];
  days: string[];
  labels: string[];
  persons_urls: { converted_people_url: string; dropped_people_url: string }[];
  breakdown_value?: unknown;
}
export interface ConversionTimes {
  bins: [from: number, count: number][];
  average_conversion_time: number | null;
}
export interface PathEdge {
  source: string;
  target: string;
  value: number;
  average_conversion_time: number;
  people_url: string;
}

/** An answer together with the question that it answers: the one on the screen may have changed since. */
export type Answer =
  | { view: 'trend'; items: TrendItem[] }
  | { view: 'steps'; groups: FunnelGroup[] }
  | { view: 'conversion'; trends: FunnelTrend[] }
  | { view: 'times'; times: ConversionTimes }
  | { view: 'retention'; rows: RetentionRow[] }
  | { view: 'paths'; edges: PathEdge[] };

export interface FunnelGroup {
  /** The value of the breakdown; null where there is none. */
  value: string | null;
  steps: FunnelStep[];
}

export function readAnswer({ kind, funnel, breakdown }: Question, result: unknown): Answer {
  if (kind === 'retention') return { view: 'retention', rows: result as RetentionRow[] };
  if (kind === 'paths') return { view: 'paths', edges: result as PathEdge[] };
  if (kind !== 'funnel') return { view: 'trend', items: result as TrendItem[] };
  if (funnel.view === 'trends') return { view: 'conversion', trends: result as FunnelTrend[] };
  if (funnel.view === 'time_to_convert') return { view: 'times', times: result as ConversionTimes };
  const isDivided = breakdown !== null || Array.isArray((result as unknown[])[0]);
  const groups = isDivided ? (result as FunnelStep[][]) : [result as FunnelStep[]];
  return { view: 'steps', groups: groups.map((steps) => ({ value: isDivided ? groupName(steps[0]) : null, steps })) };
}

/** Of a cohort the name stands in `breakdown`, of a property the value. */
const groupName = (step: FunnelStep | undefined): string => valueWord(step?.breakdown ?? step?.breakdown_value);

export function valueWord(value: unknown): string {
  const texts = [value].flat().map((one) => (one === '' || one == null ? 'none' : String(one)));
  return texts.join(', ');
}

export const isEmpty = (answer: Answer): boolean => {
  switch (answer.view) {
    case 'trend':
      return answer.items.every(
        ({ data, aggregated_value }) => !aggregated_value && data.every((value) => value === 0),
      );
    case 'steps':
      return answer.groups.every(({ steps }) => steps.every(({ count }) => count === 0));
    case 'conversion':
      return answer.trends.every(({ data }) => data.every((value) => value === 0));
    case 'times':
      return answer.times.bins.every(([, count]) => count === 0);
    case 'retention':
      return answer.rows.every(({ values }) => values.every(({ count }) => count === 0));
    case 'paths':
      return answer.edges.length === 0;
  }
};

export interface People {
  title: string;
  url: string;
  /** Of a retention: only those who were there again so many periods after they came. */
  appears?: number;
}

/** Everybody that can be asked for, by a short key that fits into an address: `0.3` is series 0, tick 3. */
export function peopleBehind(answer: Answer, { interval }: Question): ReadonlyMap<string, People> {
  const people = new Map<string, People>();
  const put = (key: string, title: string, url: string | null | undefined): void => {
    if (url) people.set(key, { title, url });
  };
  switch (answer.view) {
    case 'trend':
      for (const [at, item] of answer.items.entries()) putTrend(put, at, item, interval);
      break;
    case 'steps':
      for (const [at, group] of answer.groups.entries()) putSteps(put, at, group);
      break;
    case 'conversion':
      for (const [at, { days, persons_urls }] of answer.trends.entries()) {
        for (const [tick, { converted_people_url, dropped_people_url }] of persons_urls.entries()) {
          const day = tickWord(days[tick] ?? '', interval);
          put(`${at}.${tick}`, `Came through, begun ${day}`, converted_people_url);
          put(`${at}.${tick}.d`, `Dropped out, begun ${day}`, dropped_people_url);
        }
      }
      break;
    case 'retention':
      for (const [at, { label, values, people_url }] of answer.rows.entries()) {
        put(`${at}`, `Came: ${label}`, people_url);
        for (const period of values.keys()) {
          if (period > 0) people.set(`${at}.${period}`, { ...came(label, period), url: people_url, appears: period });
        }
      }
      break;
    case 'paths':
      for (const [at, { source, target, people_url }] of answer.edges.entries()) {
        put(`${at}`, `${placeOf(source)} → ${placeOf(target)}`, people_url);
      }
      break;
    case 'times':
      break;
  }
  return people;
}

const came = (label: string, period: number): { title: string } => ({
  title: `Came: ${label}, and again ${period} later`,
});

type Put = (key: string, title: string, url: string | null | undefined) => void;

function putTrend(put: Put, at: number, item: TrendItem, interval: Interval): void {
  const name = itemName(item);
  put(`${at}`, name, item.persons?.url);
  for (const [tick, { url }] of (item.persons_urls ?? []).entries()) {
    put(`${at}.${tick}`, `${name}, ${tickName(item, tick, interval)}`, url);
  }
}

function putSteps(put: Put, at: number, { value, steps }: FunnelGroup): void {
  const of = value === null ? '' : `, ${value}`;
  for (const [step, { name, converted_people_url, dropped_people_url }] of steps.entries()) {
    put(`${at}.${step}`, `Reached ${step + 1}. ${eventWord(name)}${of}`, converted_people_url);
    put(`${at}.${step}.d`, `Dropped out before ${step + 1}. ${eventWord(name)}${of}`, dropped_people_url);
  }
}

/** Stickiness counts intervals: its ticks are numbers with words of their own. */
export const tickName = (
  { days, labels }: Pick<TrendItem, 'days' | 'labels'>,
  tick: number,
  interval: Interval,
): string => (typeof days[tick] === 'number' ? (labels[tick] ?? '') : tickWord(days[tick] ?? '', interval));

/** The API writes '$pageview - none' for a value that is missing, which is said better here. */
export function itemName({ label, status, compare_label, action, breakdown_value }: TrendItem): string {
  const own = status === undefined ? label : lifecycleWord(status);
  const plain = breakdown_value === '' && typeof action?.['name'] === 'string' ? `${action['name']} - none` : own;
  return compare_label === 'previous' ? `${plain} (before)` : plain;
}

/** `2_/pricing` is the place /pricing, second on the way. */
export const placeOf = (key: string): string => key.slice(key.indexOf('_') + 1);

/** '3 of 12' */
export const ofCount = (part: number, whole: number): string => `${formatNumber(part)} of ${formatNumber(whole)}`;
