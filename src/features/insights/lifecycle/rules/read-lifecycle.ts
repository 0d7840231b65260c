import { invalid } from '../../../../core/errors.ts';
import { parseDate } from '../../../../core/time/relative-date.ts';
import type { QuestionContext } from '../../rules/context.ts';
import { type Fields, knownFields, readChoice, readText } from '../../rules/fields.ts';
import { LIFECYCLE_STATUSES, type LifecyclePeopleQuestion, type LifecycleQuestion } from '../../rules/question.ts';
import { dateContext, readInterval, readTickedRange } from '../../rules/read-dates.ts';
import { readEntities } from '../../rules/read-entity.ts';
import { allOf, readQuestionFilter, readSearch } from '../../rules/read-filter.ts';
import { TREND_FIELDS } from '../../trends/rules/read-trends.ts';

/** New, returning, resurrecting and dormant persons; only the first series is looked at. */
export const readLifecycleQuestion = (fields: Fields, context: QuestionContext): LifecycleQuestion => ({
  kind: 'lifecycle',
  fields: knownFields(fields, TREND_FIELDS),
  timezone: dateContext(context).timezone,
  filter: readQuestionFilter(fields, context),
  range: readTickedRange(fields, context),
  entity: readEntities(fields, context)[0]?.entity ?? null,
  interval: readInterval(fields),
});

export function readLifecyclePeopleQuestion(fields: Fields, context: QuestionContext): LifecyclePeopleQuestion {
  const date = readText(fields, 'target_date');
  if (date === undefined) throw invalid('target_date', 'Must include specified date');
  const status = readChoice(fields, 'lifecycle_type', LIFECYCLE_STATUSES);
  if (status === undefined) throw invalid('lifecycle_type', 'Must include lifecycle type');
  const lifecycle = readLifecycleQuestion(fields, context);
  const target = parseDate(date, context.now, lifecycle.timezone);
  if (target === undefined) throw invalid('target_date', 'target_date is not a date: use 2024-01-31.');
  return {
    kind: 'lifecycle_people',
    lifecycle: { ...lifecycle, filter: allOf([lifecycle.filter, readSearch(fields)]) },
    target,
    status,
  };
}
