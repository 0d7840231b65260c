/** Trends, lifecycle and stickiness as a chart. */
import type { TrendItem } from '../../../api/insights.ts';
import type { ChartSeries, ChartTick, Colour, Point } from '../../../charts/chart-data.ts';
import { firstUnfinished } from '../../../charts/rules/unfinished.ts';
import { formatTickTitle } from '../../../lib/dates.ts';
import { propertyLabel } from '../../../lib/friendly-names.ts';
import { seriesName, tickName, valueLabel } from '../answers.ts';
import { letterOf, MATH_OPTIONS } from '../labels.ts';
import { needsProperty, type Question } from '../question.ts';

export interface TrendData {
  ticks: ChartTick[];
  /** The starts of the ticks' periods, as the API has them; of stickiness numbers. */
  starts: readonly (string | number)[];
  series: ChartSeries[];
  unfinished: number | null;
  /** The key of the persons behind a point. */
  keyOf(point: Point): string;
}

/** A series, with its counterpart in the previous period. The numbers are their indexes in the response. */
interface ItemPair {
  current: TrendItem | null;
  previous: TrendItem | null;
  currentIndex: number;
  previousIndex: number;
}

export function trendData(
  items: readonly TrendItem[],
  question: Question,
  now: string,
  coloursFor: (names: readonly string[]) => Colour[],
): TrendData {
  const pairs = ordered(pairItems(items), question);
  const longest = pairs.reduce<TrendItem | null>(
    (best, { current }) => (current && current.days.length > (best?.days.length ?? -1) ? current : best),
    null,
  );
  const names = seriesNames(pairs.map(({ current, previous }) => current ?? previous).filter((item) => item !== null));
  const colours = seriesColours(names, question, coloursFor);
  const ticks = longest?.days.map((day, tick) => tickOf(longest, day, tick, question)) ?? [];
  return {
    ticks,
    starts: longest?.days ?? [],
    unfinished: longest ? firstUnfinished(longest.days, question.interval, now) : null,
    series: pairs.map(({ current, previous }, at) => ({
      name: names[at] ?? '',
      colour: colours[at] ?? 0,
      values: ticks.map((_, tick) => current?.data[tick] ?? null),
      ...(previous && {
        previous: {
          values: ticks.map((_, tick) => previous.data[tick] ?? null),
          titles: previous.days.map((day, tick) => tickOf(previous, day, tick, question).title),
        },
      }),
    })),
    keyOf: ({ series, tick, isPrevious }) =>
      `${isPrevious ? pairs[series]?.previousIndex : pairs[series]?.currentIndex}.${tick}`,
  };
}

/** The ticks of stickiness are numbers of intervals, with their own labels. */
function tickOf(item: TrendItem, day: string | number, tick: number, { interval }: Question): ChartTick {
  const label = tickName(item, tick, interval);
  return { label, title: typeof day === 'number' ? label : formatTickTitle(day, interval) };
}

export function pairItems(items: readonly TrendItem[]): ItemPair[] {
  const pairs = new Map<string, ItemPair>();
  for (const [index, item] of items.entries()) {
    const key = JSON.stringify([item.label, item.action?.['order'], item.breakdown_value]);
    const pair = pairs.get(key) ?? { current: null, previous: null, currentIndex: -1, previousIndex: -1 };
    if (item.compare_label === 'previous') Object.assign(pair, { previous: item, previousIndex: index });
    else Object.assign(pair, { current: item, currentIndex: index });
    pairs.set(key, pair);
  }
  return [...pairs.values()];
}

const STATUSES = ['returning', 'resurrecting', 'new', 'dormant'];

/** Sorts the statuses of a lifecycle, with returning users at the bottom of the bars. */
function ordered(pairs: ItemPair[], { kind }: Question): ItemPair[] {
  const rank = ({ current }: ItemPair): number => STATUSES.indexOf(current?.status ?? '');
  return kind === 'lifecycle' ? pairs.sort((a, b) => rank(a) - rank(b)) : pairs;
}

/** Only the value of the breakdown where the event is the same throughout. */
export function seriesNames(items: readonly TrendItem[]): string[] {
  const isOneEvent = new Set(items.map(({ action }) => action?.['order'] ?? action?.['name'])).size === 1;
  const names = items.map((item) =>
    isOneEvent && item.breakdown_value !== undefined && items.length > 1
      ? valueLabel(breakdownName(item))
      : seriesName(item),
  );
  return tellApart(tellApart(names, items, measureOf), items, ({ action }) => letterOf(Number(action?.['order'] ?? 0)));
}

/** Adds to names that occur more than once, so that each series has a name and a colour of its own. */
const tellApart = (
  names: readonly string[],
  items: readonly TrendItem[],
  addition: (item: TrendItem) => string,
): string[] =>
  names.map((name, at) => {
    const item = items[at];
    const isAlone = names.indexOf(name) === names.lastIndexOf(name);
    return isAlone || item === undefined ? name : `${name} · ${addition(item)}`;
  });

/** 'unique users', 'property value sum of price' */
function measureOf({ action }: TrendItem): string {
  const math = String(action?.['math'] ?? 'total');
  const label = (MATH_OPTIONS.find(({ value }) => value === math)?.label ?? math).toLowerCase();
  return needsProperty(math) ? `${label} of ${propertyLabel(String(action?.['math_property'] ?? ''))}` : label;
}

/** The value of a cohort breakdown is an ID; its name is in the label. */
const breakdownName = ({ label, action, breakdown_value }: TrendItem): unknown => {
  const prefix = `${action?.['name'] ?? ''} - `;
  return typeof breakdown_value === 'number' && label.startsWith(prefix) ? label.slice(prefix.length) : breakdown_value;
};

/** As STATUSES: the same hues as elsewhere in the console for good and bad. */
const LIFECYCLE_COLOURS = [0, 5, 7, 11];

function seriesColours(
  names: readonly string[],
  { kind }: Question,
  coloursFor: (names: readonly string[]) => Colour[],
) {
  if (kind === 'lifecycle') return names.map((_, at) => LIFECYCLE_COLOURS[at] ?? at);
  return names.length === 1 ? [0] : coloursFor(names);
}

/** What the value axis counts. */
export function unitOf({ kind, series, formula }: Question): string {
  if (kind !== 'trends') return 'Users';
  const maths = new Set(series.map(({ math }) => math));
  if (formula !== '' || maths.size !== 1) return '';
  const [math = ''] = maths;
  return MATH_OPTIONS.find(({ value }) => value === math)?.label ?? math;
}

const ADDITIVE = ['total', 'sum'];

/** Which sums over time mean something: no user is counted twice, and nothing is added up already. */
export function meaningfulSums({ kind, display, series, formula }: Question): ('total' | 'average' | 'change')[] {
  if (kind === 'stickiness') return [];
  if (kind === 'lifecycle') return ['average', 'change'];
  if (display === 'cumulative') return ['change'];
  const isAdditive = formula === '' && series.every(({ math }) => ADDITIVE.includes(math));
  return isAdditive ? ['total', 'average', 'change'] : ['average', 'change'];
}
