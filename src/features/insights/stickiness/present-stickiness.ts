import type { JsonObject } from '../../../core/json/json.ts';
import type { StickinessItem } from '../rules/answers.ts';
import type { Series, StickinessQuestion } from '../rules/question.ts';
import { rangeFields } from '../rules/read-dates.ts';
import {
  linkWithFilter,
  type PresentContext,
  presentPeriod,
  presentSeries,
  seriesFields,
  withoutOffset,
} from '../shared/present.ts';

export function presentStickiness(
  question: StickinessQuestion,
  items: readonly StickinessItem[],
  context: PresentContext,
) {
  const actions = presentSeries(context);
  return items.map(({ series, period, ...item }) => ({
    action: actions[series] ?? null,
    ...item,
    filter: question.fields,
    persons_urls: item.days.map((day) => linkWithFilter(context, stickinessLink(question, { series, period }, day))),
    ...presentPeriod(period),
  }));
}

/** The persons who were active in `intervals` intervals. */
export const stickinessLink = (
  question: StickinessQuestion,
  { series, period }: Pick<StickinessItem, 'series' | 'period'>,
  intervals: number,
): JsonObject => ({
  ...withoutOffset(question.fields),
  ...seriesFields(question.series[series] as Series, series),
  ...rangeFields(period === 'previous' ? (question.previous ?? question.range) : question.range),
  stickiness_days: intervals,
});
