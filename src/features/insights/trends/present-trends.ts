import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts';
import { activeWindow } from '../../../core/time/active-window.ts';
import type { Range } from '../../../core/time/range.ts';
import { type Tick, ticksOf } from '../../../core/time/ticks.ts';
import type { TrendItem } from '../rules/answers.ts';
import type { Series, TrendsQuestion } from '../rules/question.ts';
import { rangeFields } from '../rules/read-dates.ts';
import {
  linkWithFilter,
  type PresentContext,
  presentPeriod,
  presentSeries,
  seriesFields,
  seriesTable,
  type Table,
  withoutOffset,
} from '../shared/present.ts';

export function presentTrends(question: TrendsQuestion, items: readonly TrendItem[], context: PresentContext) {
  const series = presentSeries(context);
  return items.map((item) => ({
    ...(item.series === null ? {} : presentSource(question, item, context, series[item.series] ?? null)),
    label: item.label,
    count: item.count,
    data: item.data,
    labels: item.labels,
    days: item.days,
    ...(question.display === 'total' ? { aggregated_value: item.aggregated } : {}),
    ...(item.value === null ? {} : { breakdown_value: item.value.value }),
    ...presentPeriod(item.period),
  }));
}

function presentSource(question: TrendsQuestion, item: TrendItem, context: PresentContext, action: object | null) {
  const source = { action, filter: question.fields };
  if (question.display !== 'total') {
    const links = trendLinks(question, item).map((fields) => linkWithFilter(context, fields));
    return { ...source, persons_urls: links };
  }
  const total = trendLink(question, item, null);
  return total === null ? source : { ...source, persons: linkWithFilter(context, total) };
}

/** The persons of one point, or of the total; null for a formula, which counts no persons. */
export function trendLink(question: TrendsQuestion, item: TrendItem, point: number | null): JsonObject | null {
  const tick = point === null ? undefined : ticksOf(item.range, question.interval, question.timezone)[point];
  return linkFields(question, item, tick);
}

/** The persons of every point: the ticks are computed once. */
const trendLinks = (question: TrendsQuestion, item: TrendItem): JsonObject[] =>
  ticksOf(item.range, question.interval, question.timezone)
    .map((tick) => linkFields(question, item, tick))
    .filter((fields) => fields !== null);

function linkFields(question: TrendsQuestion, item: TrendItem, tick: Tick | undefined): JsonObject | null {
  const series = item.series === null ? undefined : question.series[item.series];
  if (item.series === null || series === undefined) return null;
  return {
    ...withoutOffset(question.fields),
    ...seriesFields(series, item.series),
    ...rangeFields(tick === undefined ? item.range : pointRange(question, series, item.range, tick)),
    ...(item.value === null ? {} : { breakdown_value: item.value.value }),
  };
}

function pointRange(question: TrendsQuestion, { math }: Series, range: Range, tick: Tick): Range {
  const { display, interval, timezone } = question;
  const from = display === 'cumulative' ? range.from : Math.max(tick.start, range.from);
  if (math.kind !== 'active') return { from, until: Math.min(tick.end, range.until) };
  const { until } = activeWindow(tick.start, math.days, interval, timezone);
  return { from: tick.start, until: Math.min(until, range.until) };
}

/** For trends, stickiness and lifecycle, which share an endpoint. */
export function trendsTable(result: Json): Table {
  const items = result as JsonObject[];
  const [first] = items;
  if (first === undefined) return [['series']];
  if ('aggregated_value' in first) {
    return [['series', 'total count'], ...items.map((item) => [nameOf(item), withFraction(item['aggregated_value'])])];
  }
  const rows = items.map((item) => ({ ...item, data: ((item['data'] ?? []) as Json[]).map(withFraction) }));
  return seriesTable(rows, nameOf);
}

/** Clients expect whole numbers with a fraction in this table. */
const withFraction = (value: Json | undefined): Json => (Number.isInteger(value) ? `${value}.0` : (value ?? null));

/** A series with a name of its own is shown under it; the label adds the value of the breakdown or the status. */
function nameOf({ label = '', action, compare_label: period }: JsonObject): Json {
  const { name = '', custom_name: custom } = isJsonObject(action) ? action : {};
  const hasName = custom && String(label).startsWith(String(name));
  const shown = hasName ? `${custom}${String(label).slice(String(name).length)}` : label;
  return period === undefined ? shown : `${shown} - ${period}`;
}
