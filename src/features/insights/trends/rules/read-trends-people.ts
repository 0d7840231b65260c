import type { Breakdown, BreakdownSelection } from '../../../../core/actions/breakdown.ts';
import { invalid } from '../../../../core/errors.ts';
import { stringifyExact } from '../../../../core/json/exact-json.ts';
import type { Json } from '../../../../core/json/json.ts';
import { parseId } from '../../../../core/parse-id.ts';
import { readDateRange, readPointRange } from '../../../../core/time/read-date-range.ts';
import { knownFields, type QuestionFields, readJsonField } from '../../rules/fields.ts';
import type { QuestionContext, TrendsPeopleQuestion } from '../../rules/question.ts';
import { dateContext, readDates } from '../../rules/read-dates.ts';
import { findListedEntity, readEntities } from '../../rules/read-entity.ts';
import { andFilters, readQuestionFilter, readSearchFilter } from '../../rules/read-filter.ts';
import { readDisplay, readTrendsBreakdown, seriesOf, TREND_FIELDS } from './read-trends.ts';

const ENTITY_FIELDS = ['entity_id', 'entity_type', 'entity_math', 'entity_order'] as const;

/** The persons behind one number of a trend. */
export function readTrendsPeopleQuestion(fields: QuestionFields, context: QuestionContext): TrendsPeopleQuestion {
  const display = readDisplay(fields);
  const dates = readDates(fields);
  const inContext = dateContext(context);
  const isPoint =
    display === 'line' && !dates.explicit && dates.dateFrom !== undefined && dates.dateFrom === dates.dateTo;
  return {
    kind: 'trends_people',
    fields: knownFields(fields, [...TREND_FIELDS, ...ENTITY_FIELDS, 'breakdown_value', 'search']),
    timezone: inContext.timezone,
    filter: andFilters([readQuestionFilter(fields, context), readSearchFilter(fields)]),
    range: isPoint
      ? readPointRange(dates.dateFrom as string, dates.interval, inContext)
      : readDateRange(dates, inContext),
    series: seriesOf(findListedEntity(fields, readEntities(fields, context), context)),
    interval: dates.interval,
    display,
    selection: readSelection(fields, readTrendsBreakdown(fields, context)),
  };
}

/** `breakdown_value`; without it the number is that of all values together. */
function readSelection(fields: QuestionFields, breakdown: Breakdown | null): BreakdownSelection | null {
  const value = fields['breakdown_value'] === '' ? '' : readJsonField(fields, 'breakdown_value');
  if (breakdown === null || value === undefined || value === null) return null;
  if (breakdown.kind === 'cohort') return { kind: 'cohort', id: cohortId(value) };
  if (breakdown.bins === null) return { kind: 'value', breakdown, value: textOf(value) };
  const [from, until] = Array.isArray(value) ? value : [];
  if (typeof from === 'number' && typeof until === 'number') return { kind: 'bin', breakdown, from, until };
  throw invalid('breakdown_value', 'breakdown_value has to be a pair of numbers, [from, until].');
}

const textOf = (value: Json): string => (typeof value === 'object' ? stringifyExact(value) : String(value));

function cohortId(value: Json): number | 'all' {
  if (value === 'all') return 'all';
  const id = parseId(Array.isArray(value) ? value[0] : value);
  if (id !== null) return id;
  throw invalid('breakdown_value', 'breakdown_value has to be the id of a cohort, or "all".');
}
