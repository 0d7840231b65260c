/** Answers of trends, lifecycle, stickiness and retention in the words of the wire. */
import type { Json } from '../../../core/json/json.ts';
import { ticksOf } from '../../../core/time/ticks.ts';
import { iso } from '../../../http/schemas/common.ts';
import type { LifecycleItem, RetentionRow, StickinessItem, TrendItem } from '../rules/answers.ts';
import * as link from '../rules/people-links.ts';
import type { LifecycleQuestion, RetentionQuestion, StickinessQuestion, TrendsQuestion } from '../rules/question.ts';
import type { ListedEntity } from '../rules/read-entity.ts';
import type { LinkTo } from './insight-request.ts';

/** What the presenters need beside question and answer: the series as they were sent, and where links lead. */
interface Presenting {
  listed: readonly ListedEntity[];
  linkTo: LinkTo;
}

export function presentTrend(question: TrendsQuestion, item: TrendItem, { listed, linkTo }: Presenting) {
  const { label, count, data, labels, days, aggregated, series } = item;
  const isTotal = question.display === 'total';
  const total = link.trendLink(question, item, null);
  const linked = isTotal
    ? total && { persons: linkTo('trends', total) }
    : { persons_urls: link.trendLinks(question, item).map((fields) => linkTo('trends', fields)) };
  return {
    ...(series === null ? {} : { action: actionOf(listed, series), filter: question.fields, ...linked }),
    label,
    count,
    data: [...data],
    labels: [...labels],
    days: [...days],
    ...(isTotal ? { aggregated_value: aggregated } : {}),
    ...(item.value === null ? {} : { breakdown_value: item.value.value }),
    ...periodOf(item),
  };
}

const periodOf = ({ period }: Pick<TrendItem, 'period'>) =>
  period === null ? {} : { compare: true, compare_label: period };

/** The series as it was sent, with what it did not say. */
function actionOf(listed: readonly ListedEntity[], index: number) {
  const one = listed[index];
  if (one === undefined) return null;
  const { entity, given } = one;
  const said = (name: string): Json => given[name] ?? null;
  return {
    id: entity.id,
    type: `${entity.kind}s`,
    order: index,
    name: entity.name,
    custom_name: entity.customName,
    math: said('math'),
    math_property: said('math_property'),
    math_group_type_index: said('math_group_type_index'),
    properties: said('properties') ?? [],
  };
}

export function presentLifecycle(question: LifecycleQuestion, item: LifecycleItem, { listed, linkTo }: Presenting) {
  const { range, interval, timezone } = question;
  const ticks = ticksOf(range, interval, timezone, 'monday');
  return {
    action: actionOf(listed, 0),
    ...item,
    data: [...item.data],
    days: [...item.days],
    labels: [...item.labels],
    filter: question.fields,
    persons_urls: ticks.map(({ start }) => linkTo('lifecycle', link.lifecycleLink(question, item.status, start))),
  };
}

export function presentStickiness(question: StickinessQuestion, item: StickinessItem, { listed, linkTo }: Presenting) {
  return {
    action: actionOf(listed, item.series),
    label: item.label,
    count: item.count,
    data: [...item.data],
    labels: [...item.labels],
    days: [...item.days],
    filter: question.fields,
    persons_urls: item.days.map((day) => linkTo('stickiness', link.stickinessLink(question, item, day))),
    ...periodOf(item),
  };
}

export function presentRetention(question: RetentionQuestion, row: RetentionRow, at: number, linkTo: LinkTo) {
  const people_url = `/${linkTo('retention', link.retentionLink(question, row, at)).url}`;
  return {
    label: row.label,
    ...(row.date === null ? {} : { date: iso(row.date) }),
    ...(row.breakdownValues === null ? {} : { breakdown_values: [...row.breakdownValues] }),
    values: row.counts.map((count) => ({ count, people: [], ...(count === 0 ? {} : { people_url }) })),
    people_url,
  };
}
