import { invalid } from '../../../../core/errors.ts';
import { parseDate } from '../../../../core/time/parse-date.ts';
import { knownFields, type QuestionFields, readChoiceField, readTextField } from '../../rules/fields.ts';
import {
  LIFECYCLE_STATUSES,
  type LifecyclePeopleQuestion,
  type LifecycleQuestion,
  type QuestionContext,
} from '../../rules/question.ts';
import { dateContext, readInterval, readTickedRange } from '../../rules/read-dates.ts';
import { readEntities } from '../../rules/read-entity.ts';
import { andFilters, readQuestionFilter, readSearchFilter } from '../../rules/read-filter.ts';
import { TREND_FIELDS } from '../../trends/rules/read-trends.ts';

/** New, returning, resurrecting and dormant persons of the first series. */
export const readLifecycleQuestion = (fields: QuestionFields, context: QuestionContext): LifecycleQuestion => ({
  kind: 'lifecycle',
  fields: knownFields(fields, TREND_FIELDS),
  timezone: dateContext(context).timezone,
  filter: readQuestionFilter(fields, context),
  range: readTickedRange(fields, context),
  entity: readEntities(fields, context)[0]?.entity ?? null,
  interval: readInterval(fields),
});

export function readLifecyclePeopleQuestion(fields: QuestionFields, context: QuestionContext): LifecyclePeopleQuestion {
  const date = readTextField(fields, 'target_date');
  if (date === undefined) throw invalid('target_date', 'Must include specified date');
  const status = readChoiceField(fields, 'lifecycle_type', LIFECYCLE_STATUSES);
  if (status === undefined) throw invalid('lifecycle_type', 'Must include lifecycle type');
  const lifecycle = readLifecycleQuestion(fields, context);
  const target = parseDate(date, context.now, lifecycle.timezone);
  if (target === undefined) throw invalid('target_date', 'target_date is not a date: use 2024-01-31.');
  return {
    kind: 'lifecycle_people',
    lifecycle: { ...lifecycle, filter: andFilters([lifecycle.filter, readSearchFilter(fields)]) },
    target,
    status,
  };
}
