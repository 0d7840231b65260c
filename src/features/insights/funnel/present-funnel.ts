/** Funnels in the words of the wire. */
import type { JsonObject } from '../../../core/json/json.ts';
import { ticksOf } from '../../../core/time/ticks.ts';
import type { FunnelAnswer, FunnelGroup, FunnelStep, FunnelTrend } from '../rules/answers.ts';
import { funnelLink, funnelPeriodLink } from '../rules/people-links.ts';
import type { FunnelQuestion, FunnelValue } from '../rules/question.ts';

interface FunnelView {
  question: FunnelQuestion;
  /** The address of the people whom these fields ask for. */
  link(fields: JsonObject): string;
  /** The body of an insight gets the values of a breakdown back in the shape in which it named the property. */
  isBody: boolean;
}

export function presentFunnel(view: FunnelView, answer: FunnelAnswer): unknown {
  switch (answer.view) {
    case 'time_to_convert':
      return { bins: answer.times.bins, average_conversion_time: answer.times.average };
    case 'trends':
      return answer.trends.map((trend) => presentTrend(view, trend));
    case 'steps': {
      const groups = answer.groups.map((group) => group.steps.map((step) => presentStep(view, group, step)));
      return view.question.breakdown === null ? (groups[0] ?? []) : groups;
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
