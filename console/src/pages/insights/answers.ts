/** The responses of the API by insight type, and the links to the persons behind each number. */
import { withParameters } from '../../api/insight-persons.ts';
import type { RetentionRow, TrendItem } from '../../api/insights.ts';
import { OTHER } from '../../charts/rules/colours.ts';
import { formatTick } from '../../lib/dates.ts';
import { eventLabel } from '../../lib/friendly-names.ts';
import { eventName, lifecycleLabel } from './labels.ts';
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
interface FunnelTrend {
  data: number[];
  days: string[];
  labels: string[];
  /** Absent on shared pages, as all links to persons. */
  persons_urls?: { converted_people_url: string; dropped_people_url: string }[];
  breakdown_value?: unknown;
}
interface ConversionTimes {
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

export type Answer =
  | { view: 'trend'; items: TrendItem[] }
  | { view: 'steps'; groups: FunnelGroup[] }
  | { view: 'conversion'; trends: FunnelTrend[] }
  | { view: 'times'; times: ConversionTimes }
  | { view: 'retention'; rows: RetentionRow[] }
  | { view: 'paths'; edges: PathEdge[] };

export interface FunnelGroup {
  /** The breakdown value; null for all users together. */
  value: string | null;
  steps: FunnelStep[];
}

/** `overall` is the result of the same funnel without its breakdown. */
export function readAnswer({ kind, funnel, breakdown }: Question, result: unknown, overall?: unknown): Answer {
  if (kind === 'retention') return { view: 'retention', rows: result as RetentionRow[] };
  if (kind === 'paths') return { view: 'paths', edges: result as PathEdge[] };
  if (kind !== 'funnel') return { view: 'trend', items: result as TrendItem[] };
  if (funnel.view === 'trends') return { view: 'conversion', trends: result as FunnelTrend[] };
  if (funnel.view === 'time_to_convert') return { view: 'times', times: result as ConversionTimes };
  const hasBreakdown = breakdown !== null || Array.isArray((result as unknown[])[0]);
  if (!hasBreakdown) return { view: 'steps', groups: [{ value: null, steps: result as FunnelStep[] }] };
  const groups = (result as FunnelStep[][]).map((steps) => ({ value: groupName(steps[0]), steps })).sort(compareGroups);
  const all = overall === undefined ? [] : [{ value: null, steps: overall as FunnelStep[] }];
  return { view: 'steps', groups: [...all, ...groups] };
}

/** The most common value first, 'Other' last. */
function compareGroups(a: FunnelGroup, b: FunnelGroup): number {
  const isOther = ({ value }: FunnelGroup): number => (value === OTHER ? 1 : 0);
  return isOther(a) - isOther(b) || (b.steps[0]?.count ?? 0) - (a.steps[0]?.count ?? 0);
}

/** Whether readers need the result without the breakdown beside it. */
export const needsOverall = ({ kind, funnel, breakdown }: Question): boolean =>
  kind === 'funnel' && funnel.view === 'steps' && breakdown !== null;

/** `breakdown` has the name of a cohort, `breakdown_value` the value of a property. */
const groupName = (step: FunnelStep | undefined): string => valueLabel(step?.breakdown ?? step?.breakdown_value);

const NO_VALUE = 'None';

export function valueLabel(value: unknown): string {
  const labels = [value].flat().map((one) => (one === '' || one == null ? NO_VALUE : String(one)));
  return labels.join(', ');
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

export interface PersonsLink {
  title: string;
  url: string;
  /** Retention: only those who returned in this period. */
  appears?: number;
}

/** By a short key that fits into a URL: `0.3` is series 0, tick 3. */
export function personsLinks(answer: Answer, { interval }: Question): ReadonlyMap<string, PersonsLink> {
  const links = new Map<string, PersonsLink>();
  const put = (key: string, title: string, url: string | null | undefined): void => {
    if (url) links.set(key, { title, url });
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
        for (const [tick, { converted_people_url, dropped_people_url }] of (persons_urls ?? []).entries()) {
          const day = formatTick(days[tick] ?? '', interval);
          put(`${at}.${tick}`, `Converted, entered ${day}`, converted_people_url);
          put(`${at}.${tick}.d`, `Dropped off, entered ${day}`, dropped_people_url);
        }
      }
      break;
    case 'retention':
      for (const [at, { label, values, people_url }] of answer.rows.entries()) {
        put(`${at}`, `Cohort ${label}`, people_url);
        for (const period of values.keys()) {
          if (period > 0 && people_url)
            links.set(`${at}.${period}`, {
              title: `Cohort ${label}, returned in period ${period}`,
              url: people_url,
              appears: period,
            });
        }
      }
      break;
    case 'paths':
      for (const [at, { source, target, people_url }] of answer.edges.entries()) {
        put(`${at}`, `${nodeLabel(source)} → ${nodeLabel(target)}`, people_url);
        if (people_url) put(`d.${target}`, `Dropped off after ${nodeLabel(target)}`, dropOffUrl(people_url, target));
      }
      break;
    case 'times':
      break;
  }
  return links;
}

const dropOffUrl = (url: string, key: string): string =>
  withParameters(url, { path_start_key: '', path_end_key: '', path_dropoff_key: key });

type Put = (key: string, title: string, url: string | null | undefined) => void;

function putTrend(put: Put, at: number, item: TrendItem, interval: Interval): void {
  const name = itemName(item);
  put(`${at}`, name, item.persons?.url);
  for (const [tick, { url }] of (item.persons_urls ?? []).entries()) {
    put(`${at}.${tick}`, `${name}, ${tickName(item, tick, interval)}`, url);
  }
}

function putSteps(put: Put, at: number, { value, steps }: FunnelGroup): void {
  const suffix = value === null ? '' : `, ${value}`;
  for (const [step, { name, converted_people_url, dropped_people_url }] of steps.entries()) {
    put(`${at}.${step}`, `Completed step ${step + 1}: ${eventName(name)}${suffix}`, converted_people_url);
    put(`${at}.${step}.d`, `Dropped off before step ${step + 1}: ${eventName(name)}${suffix}`, dropped_people_url);
  }
}

/** The ticks of stickiness are numbers of intervals, with their own labels. */
export const tickName = (
  { days, labels }: Pick<TrendItem, 'days' | 'labels'>,
  tick: number,
  interval: Interval,
): string => (typeof days[tick] === 'number' ? (labels[tick] ?? '') : formatTick(days[tick] ?? '', interval));

/** The API labels a series `$pageview - Chrome`, and previous periods with `compare_label`. */
export const itemName = (item: TrendItem): string =>
  item.compare_label === 'previous' ? `${seriesName(item)} (previous)` : seriesName(item);

/** Without the period. */
export const seriesName = ({ label, status, action, breakdown_value }: TrendItem): string =>
  status === undefined ? labelName(label, action?.['name'], breakdown_value) : lifecycleLabel(status);

function labelName(label: string, event: unknown, breakdownValue: unknown): string {
  if (typeof event !== 'string') return label;
  if (breakdownValue === '') return `${eventLabel(event)} - ${NO_VALUE}`;
  return label.startsWith(event) ? eventLabel(event) + label.slice(event.length) : label;
}

/** A node of user paths: `2_/pricing` is /pricing at step 2. */
export const nodeItem = (key: string): string => key.slice(key.indexOf('_') + 1);
export const nodeLabel = (key: string): string => eventLabel(nodeItem(key));
export const nodeStep = (key: string): number => Number.parseInt(key, 10) || 0;

/** As many edges as the API returns unless it is asked for others. */
const USUAL_EDGE_LIMIT = 50;

/**
 * How many went no further from each node, by its key. Not for the last step, behind which paths may continue, and not if
 * edges were left out: whoever took these did not drop off.
 */
export function pathDropOffs(edges: readonly PathEdge[], { rest }: Question): ReadonlyMap<string, number> {
  const limit = Number(rest['edge_limit'] ?? USUAL_EDGE_LIMIT);
  const isCut = edges.length >= limit || rest['min_edge_weight'] !== undefined || rest['max_edge_weight'] !== undefined;
  const [came, left] = [new Map<string, number>(), new Map<string, number>()];
  const add = (map: Map<string, number>, key: string, value: number): void =>
    void map.set(key, (map.get(key) ?? 0) + value);
  for (const { source, target, value } of edges) {
    add(came, target, value);
    add(left, source, value);
  }
  const last = Math.max(0, ...[...came.keys()].map(nodeStep));
  const dropped = [...came].map(([key, count]) => [key, count - (left.get(key) ?? 0)] as const);
  return new Map(isCut ? [] : dropped.filter(([key, count]) => nodeStep(key) < last && count > 0));
}
