/**
 * From a number to its persons: the fields of the request that gives exactly those whom the number counts. Dates are
 * written out, so that a link means tomorrow what it means today.
 */
import type { Json, JsonObject } from '../../../core/json/json.ts';
import { activeWindow } from '../../../core/time/active-window.ts';
import { addUnits } from '../../../core/time/interval.ts';
import { periodUnit } from '../../../core/time/period.ts';
import type { Range } from '../../../core/time/range.ts';
import { type Tick, ticksOf } from '../../../core/time/ticks.ts';
import type { Correlation, PathEdge, RetentionRow, StickinessItem, TrendItem } from './answers.ts';
import { mathName } from './numbers/math.ts';
import type {
  CorrelationQuestion,
  FunnelQuestion,
  FunnelValue,
  LifecycleQuestion,
  LifecycleStatus,
  PathsQuestion,
  RetentionQuestion,
  Series,
  StickinessQuestion,
  TrendsQuestion,
} from './question.ts';
import { rangeFields } from './read-dates.ts';

const iso = (at: number): string => new Date(at).toISOString();

/** Paging of values and paging of persons share a name; a link begins with the first person. */
const withoutOffset = ({ offset: _offset, ...fields }: JsonObject): JsonObject => fields;

/** Of one point of a trend, or of its total; null for a formula, whose numbers count nobody. */
export function trendLink(question: TrendsQuestion, item: TrendItem, at: number | null): JsonObject | null {
  const tick = at === null ? undefined : ticksOf(item.range, question.interval, question.timezone)[at];
  return linkTo(question, item, tick);
}

/** Of every point: the time axis is worked out once for all of them. */
export const trendLinks = (question: TrendsQuestion, item: TrendItem): JsonObject[] =>
  ticksOf(item.range, question.interval, question.timezone)
    .map((tick) => linkTo(question, item, tick))
    .filter((fields) => fields !== null);

function linkTo(question: TrendsQuestion, item: TrendItem, tick: Tick | undefined): JsonObject | null {
  const series = item.series === null ? undefined : question.series[item.series];
  if (item.series === null || series === undefined) return null;
  return {
    ...withoutOffset(question.fields),
    ...entityFields(series, item.series),
    ...rangeFields(tick === undefined ? item.range : pointRange(question, series, item.range, tick)),
    ...(item.value === null ? {} : { breakdown_value: item.value.value }),
  };
}

function pointRange(
  { display, interval, timezone }: TrendsQuestion,
  { math }: Series,
  range: Range,
  tick: Tick,
): Range {
  const from = display === 'cumulative' ? range.from : Math.max(tick.start, range.from);
  if (math.kind !== 'active') return { from, until: Math.min(tick.end, range.until) };
  const { until } = activeWindow(tick.start, math.days, interval, timezone);
  return { from: tick.start, until: Math.min(until, range.until) };
}

/** The series by its place, which tells its filters too. */
const entityFields = ({ entity, math }: Series, index: number): JsonObject => ({
  entity_id: entity.id,
  entity_type: `${entity.kind}s`,
  entity_math: mathName(math),
  entity_order: index,
});

/** Of those who were active in `intervals` intervals. */
export function stickinessLink(question: StickinessQuestion, item: StickinessItem, intervals: number): JsonObject {
  const series = question.series[item.series] as Series;
  return {
    ...withoutOffset(question.fields),
    ...entityFields(series, item.series),
    ...rangeFields(item.period === 'previous' ? (question.previous ?? question.range) : question.range),
    stickiness_days: intervals,
  };
}

export const lifecycleLink = (question: LifecycleQuestion, status: LifecycleStatus, at: number): JsonObject => ({
  ...withoutOffset(question.fields),
  ...rangeFields(question.range),
  target_date: iso(at),
  lifecycle_type: status,
});

/** Of a whole row: who of the cohort came back when is in the answer. */
export const retentionLink = (question: RetentionQuestion, row: RetentionRow, at: number): JsonObject => ({
  ...question.fields,
  date_to: iso(addUnits(question.range.until, -1, periodUnit(question.period), question.timezone)),
  ...(row.breakdownValues === null ? { selected_interval: at } : { breakdown_values: [...row.breakdownValues] }),
});

/** Of a step, counted from 1: those who reached it, or those who reached the one before it and no more. */
export const funnelLink = (
  question: FunnelQuestion,
  value: FunnelValue | null,
  step: number,
  hasReached: boolean,
): JsonObject => ({
  ...question.fields,
  ...rangeFields(question.range),
  funnel_step: hasReached ? step : -step,
  ...valueFields(value),
});

const valueFields = (value: FunnelValue | null): JsonObject =>
  value === null ? {} : { funnel_step_breakdown: typeof value === 'object' ? [...value] : value };

/** Of one period of a funnel's trend: those who came through, or those who did not. */
export const funnelPeriodLink = (
  question: FunnelQuestion,
  value: FunnelValue | null,
  period: number,
  isDropOff: boolean,
): JsonObject => ({
  ...question.fields,
  ...rangeFields(question.range),
  entrance_period_start: iso(period),
  drop_off: isDropOff,
  ...valueFields(value),
});

export const correlationLink = (
  question: CorrelationQuestion,
  { factor }: Correlation,
  hasConverted: boolean,
): JsonObject => ({
  ...question.fields,
  ...rangeFields(question.funnel.range),
  funnel_correlation_person_converted: String(hasConverted),
  ...(factor.event === null
    ? { funnel_correlation_property_values: exactly('person', factor) }
    : { funnel_correlation_person_entity: { id: factor.event, type: 'events', properties: exactly('event', factor) } }),
});

const exactly = (type: 'event' | 'person', { key, value }: Correlation['factor']): Json[] =>
  key === null ? [] : [{ key, value, type, operator: 'exact' }];

export const pathLink = (question: PathsQuestion, { source, target }: PathEdge): JsonObject => ({
  ...question.fields,
  ...rangeFields(question.range),
  path_start_key: source,
  path_end_key: target,
});
