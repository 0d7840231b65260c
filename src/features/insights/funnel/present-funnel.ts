import type { Json, JsonObject } from '../../../core/json/json.ts';
import { ticksOf } from '../../../core/time/ticks.ts';
import type { FunnelAnswer, FunnelGroup, FunnelStep, FunnelTrend } from '../rules/answers.ts';
import type { FunnelQuestion, FunnelValue } from '../rules/question.ts';
import { rangeFields } from '../rules/read-dates.ts';
import { type PresentContext, pickColumns, seriesTable, type Table } from '../shared/present.ts';

interface FunnelView extends Pick<PresentContext, 'link' | 'isBody'> {
  question: FunnelQuestion;
}

export function presentFunnel(question: FunnelQuestion, answer: FunnelAnswer, { link, isBody }: PresentContext) {
  const view = { question, link, isBody };
  switch (answer.view) {
    case 'time_to_convert':
      return { bins: answer.times.bins, average_conversion_time: answer.times.average };
    case 'trends':
      return answer.trends.map((trend) => presentTrend(view, trend));
    case 'steps': {
      const groups = answer.groups.map((group) => group.steps.map((step) => presentStep(view, group, step)));
      return question.breakdown === null ? (groups[0] ?? []) : groups;
    }
  }
}

function presentTrend({ question, link }: FunnelView, { value, data, days, labels }: FunnelTrend) {
  const { range, interval, timezone } = question;
  const url = (period: number, isDropOff: boolean): string =>
    link(funnelPeriodLink(question, value, period, isDropOff));
  const urls = ticksOf(range, interval, timezone).map(({ start }) => ({
    converted_people_url: url(start, false),
    dropped_people_url: url(start, true),
  }));
  const own = value === null ? {} : { breakdown_value: value };
  return { count: data.length, data, days, labels, persons_urls: urls, ...own };
}

function presentStep(view: FunnelView, { value, label }: FunnelGroup, step: FunnelStep) {
  const { question, link } = view;
  const entity = question.steps[step.order];
  return {
    action_id: question.order === 'unordered' ? null : (entity?.id ?? null),
    name: step.name,
    custom_name: step.customName,
    order: step.order,
    people: [],
    count: step.count,
    type: `${entity?.kind ?? 'event'}s`,
    average_conversion_time: step.averageTime,
    median_conversion_time: step.medianTime,
    converted_people_url: link(funnelLink(question, value, step.order + 1, true)),
    dropped_people_url: step.order === 0 ? null : link(funnelLink(question, value, step.order + 1, false)),
    ...(value === null ? {} : breakdownFields(view, value, label)),
  };
}

/** A body that asks for a funnel gets values in the format in which it named the property. */
function breakdownFields({ question, isBody }: FunnelView, value: FunnelValue, label: string | null): object {
  const { fields, breakdown } = question;
  if (breakdown?.kind === 'cohort') return { breakdown: label, breakdown_value: value };
  const type = fields['breakdown_type'];
  if (!isBody || fields['insight'] !== 'FUNNELS' || (type !== 'event' && type !== 'person')) {
    return { breakdown: value, breakdown_value: value };
  }
  if (fields['breakdowns'] !== undefined) return { breakdowns: value, breakdown_value: value };
  const plain = typeof fields['breakdown'] === 'string' && typeof value === 'object' ? (value[0] ?? '') : value;
  return { breakdown: plain, breakdown_value: plain };
}

/** Those who reached a step, counted from 1, or those who only reached the step before it. */
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

/** Those who entered in one period of the funnel's trend and converted, or did not. */
export const funnelPeriodLink = (
  question: FunnelQuestion,
  value: FunnelValue | null,
  period: number,
  isDropOff: boolean,
): JsonObject => ({
  ...question.fields,
  ...rangeFields(question.range),
  entrance_period_start: new Date(period).toISOString(),
  drop_off: isDropOff,
  ...valueFields(value),
});

const STEP = ['name', 'breakdown_value', 'action_id', 'count', 'median_conversion_time', 'average_conversion_time'];
const STEP_HEADERS = [...STEP.slice(0, 4), 'median_conversion_time (seconds)', 'average_conversion_time (seconds)'];

export function funnelTable(result: Json): Table {
  if (!Array.isArray(result)) return [['from (seconds)', 'persons'], ...(result as { bins: Json[][] }).bins];
  const items = result.flat() as JsonObject[];
  const isTrend = items[0] !== undefined && 'data' in items[0];
  if (isTrend) return seriesTable(items, (item) => joined(item['breakdown_value'] ?? 'percent'));
  const rows = items.map((step) => ({
    ...step,
    name: step['custom_name'] ?? step['name'] ?? null,
    breakdown_value: joined(step['breakdown_value'] ?? null),
  }));
  return [STEP_HEADERS, ...pickColumns(rows, STEP).slice(1)];
}

const joined = (value: Json): Json => (Array.isArray(value) ? value.join('::') : value);
