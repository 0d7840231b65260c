import { invalid } from '../../../../core/errors.ts';
import { previousRange } from '../../../../core/time/previous-range.ts';
import {
  firstGivenName,
  knownFields,
  type QuestionFields,
  readBooleanField,
  readIntegerField,
} from '../../rules/fields.ts';
import { readMath } from '../../rules/math.ts';
import type { QuestionContext, Series, StickinessPeopleQuestion, StickinessQuestion } from '../../rules/question.ts';
import { dateContext, readDates, readTickedRange } from '../../rules/read-dates.ts';
import { findListedEntity, type ListedEntity, readEntities } from '../../rules/read-entity.ts';
import { andFilters, readQuestionFilter, readSearchFilter } from '../../rules/read-filter.ts';
import { TREND_FIELDS } from '../../trends/rules/read-trends.ts';

/** In how many intervals persons, or groups, were active. */
export function readStickinessQuestion(fields: QuestionFields, context: QuestionContext): StickinessQuestion {
  const { interval, dateFrom, dateTo } = readDates(fields);
  const { timezone } = dateContext(context);
  const range = readTickedRange(fields, context);
  return {
    kind: 'stickiness',
    fields: knownFields(fields, TREND_FIELDS),
    timezone,
    filter: readQuestionFilter(fields, context),
    range,
    series: readEntities(fields, context).map(stickinessSeries),
    interval,
    previous: readBooleanField(fields, 'compare') ? previousRange(range, interval, timezone, dateFrom, dateTo) : null,
  };
}

/** The math only says whether persons or groups are counted. */
function stickinessSeries({ entity, given }: Pick<ListedEntity, 'entity' | 'given'>): Series {
  const math = given['math'] === 'unique_group' ? readMath(given) : ({ kind: 'dau' } as const);
  return { entity, math };
}

const MAX_INTERVALS = 100_000;

export function readStickinessPeopleQuestion(
  fields: QuestionFields,
  context: QuestionContext,
): StickinessPeopleQuestion {
  const name = firstGivenName(fields, 'stickiness_days', 'selected_interval');
  const intervals = readIntegerField(fields, name, { min: 1, max: MAX_INTERVALS });
  if (intervals === undefined) throw invalid('stickiness_days', 'This field is required.', 'required');
  const stickiness = readStickinessQuestion(fields, context);
  return {
    kind: 'stickiness_people',
    stickiness: { ...stickiness, filter: andFilters([stickiness.filter, readSearchFilter(fields)]) },
    series: stickinessSeries(findListedEntity(fields, readEntities(fields, context), context)),
    intervals,
  };
}
