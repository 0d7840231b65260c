import { invalid } from '../../../../core/errors.ts';
import { previousRange } from '../../../../core/time/previous-range.ts';
import type { QuestionContext } from '../../rules/context.ts';
import { type Fields, knownFields, nameOf, readBoolean, readInteger } from '../../rules/fields.ts';
import type { Series, StickinessPeopleQuestion, StickinessQuestion } from '../../rules/question.ts';
import { dateContext, readDates, readTickedRange } from '../../rules/read-dates.ts';
import { findListed, type ListedEntity, readEntities } from '../../rules/read-entity.ts';
import { allOf, readQuestionFilter, readSearch } from '../../rules/read-filter.ts';
import { readMath } from '../../rules/read-math.ts';
import { TREND_FIELDS } from '../../trends/rules/read-trends.ts';

/** In how many intervals of the range persons (or groups) were active. */
export function readStickinessQuestion(fields: Fields, context: QuestionContext): StickinessQuestion {
  const { interval, dateFrom, dateTo } = readDates(fields);
  const { timezone } = dateContext(context);
  const range = readTickedRange(fields, context);
  return {
    kind: 'stickiness',
    fields: knownFields(fields, TREND_FIELDS),
    timezone,
    filter: readQuestionFilter(fields, context),
    range,
    series: readEntities(fields, context).map(stickySeries),
    interval,
    previous: readBoolean(fields, 'compare') ? previousRange(range, interval, timezone, dateFrom, dateTo) : null,
  };
}

/** Who is counted, groups or persons, is all that math says here. */
function stickySeries({ entity, given }: Pick<ListedEntity, 'entity' | 'given'>): Series {
  const math = given['math'] === 'unique_group' ? readMath(given) : ({ kind: 'dau' } as const);
  return { entity, math };
}

const MOST_INTERVALS = 100_000;

export function readStickinessPeopleQuestion(fields: Fields, context: QuestionContext): StickinessPeopleQuestion {
  const name = nameOf(fields, 'stickiness_days', 'selected_interval');
  const intervals = readInteger(fields, name, { min: 1, max: MOST_INTERVALS });
  if (intervals === undefined) throw invalid('stickiness_days', 'This field is required.', 'required');
  const stickiness = readStickinessQuestion(fields, context);
  return {
    kind: 'stickiness_people',
    stickiness: { ...stickiness, filter: allOf([stickiness.filter, readSearch(fields)]) },
    series: stickySeries(findListed(fields, readEntities(fields, context), context)),
    intervals,
  };
}
