import type { JsonObject } from '../../../core/json/json.ts';
import { ticksOf } from '../../../core/time/ticks.ts';
import type { LifecycleItem } from '../rules/answers.ts';
import type { LifecycleQuestion, LifecycleStatus } from '../rules/question.ts';
import { rangeFields } from '../rules/read-dates.ts';
import { linkWithFilter, type PresentContext, presentSeries, withoutOffset } from '../shared/present.ts';

export function presentLifecycle(
  question: LifecycleQuestion,
  items: readonly LifecycleItem[],
  context: PresentContext,
) {
  const [action = null] = presentSeries(context);
  const ticks = ticksOf(question.range, question.interval, question.timezone, 'monday');
  return items.map((item) => ({
    action,
    ...item,
    filter: question.fields,
    persons_urls: ticks.map(({ start }) => linkWithFilter(context, lifecycleLink(question, item.status, start))),
  }));
}

export const lifecycleLink = (question: LifecycleQuestion, status: LifecycleStatus, at: number): JsonObject => ({
  ...withoutOffset(question.fields),
  ...rangeFields(question.range),
  target_date: new Date(at).toISOString(),
  lifecycle_type: status,
});
