import type { Breakdown } from '../../../../core/actions/breakdown.ts';
import { invalid } from '../../../../core/errors.ts';
import { earlierRange, previousRange } from '../../../../core/time/previous-range.ts';
import type { Range } from '../../../../core/time/range.ts';
import { type DateFields, roundToInterval } from '../../../../core/time/read-date-range.ts';
import {
  knownFields,
  type QuestionFields,
  quote,
  readBooleanField,
  readIntegerField,
  readTextField,
} from '../../rules/fields.ts';
import { readMath } from '../../rules/math.ts';
import type { Display, QuestionContext, Series, TrendsQuestion } from '../../rules/question.ts';
import { DEFAULT_BREAKDOWN_LIMIT, readBreakdown } from '../../rules/read-breakdown.ts';
import { DATE_FIELDS, dateContext, readDates, readTickedRange } from '../../rules/read-dates.ts';
import { type ListedEntity, readEntities } from '../../rules/read-entity.ts';
import { readQuestionFilter } from '../../rules/read-filter.ts';
import { parseFormula } from './parse-formula.ts';

export const TREND_FIELDS = [
  'insight',
  'events',
  'actions',
  'properties',
  'filter_test_accounts',
  'display',
  'compare',
  'compare_to',
  'formula',
  'smoothing_intervals',
  'breakdown',
  'breakdown_type',
  'breakdown_group_type_index',
  'breakdown_limit',
  'breakdown_normalize_url',
  'breakdown_histogram_bin_count',
  'breakdowns',
  'offset',
  'shown_as',
  ...DATE_FIELDS,
] as const;

const DISPLAYS: Readonly<Record<string, Display>> = {
  ActionsLineGraph: 'line',
  ActionsLineGraphCumulative: 'cumulative',
  ActionsBar: 'line',
  ActionsTable: 'total',
  ActionsPie: 'total',
  ActionsBarValue: 'total',
  WorldMap: 'total',
  BoldNumber: 'total',
};
const WORLD_MAP_BREAKDOWN_LIMIT = 300;
const MAX_SMOOTHING_INTERVALS = 1000;

export function readTrendsQuestion(fields: QuestionFields, context: QuestionContext): TrendsQuestion {
  const dates = readDates(fields);
  const { timezone } = dateContext(context);
  const given = readTickedRange(fields, context);
  const range = roundToInterval(given, dates.interval, timezone);
  const series = readEntities(fields, context).map(seriesOf);
  return {
    kind: 'trends',
    fields: knownFields(fields, TREND_FIELDS),
    timezone,
    filter: readQuestionFilter(fields, context),
    range,
    series,
    interval: dates.interval,
    display: readDisplay(fields),
    previous: readPrevious(fields, range, dates, timezone),
    searchFrom: given.from,
    breakdown: readTrendsBreakdown(fields, context),
    formula: readFormula(fields, series.length),
    smoothing: readIntegerField(fields, 'smoothing_intervals', { min: 1, max: MAX_SMOOTHING_INTERVALS }) ?? 1,
  };
}

/** The period before, or the one that `compare_to` names. */
export function readPrevious(fields: QuestionFields, range: Range, dates: DateFields, timezone: string): Range | null {
  if (!readBooleanField(fields, 'compare')) return null;
  const { interval, dateFrom, dateTo } = dates;
  const ago = readTextField(fields, 'compare_to');
  if (ago === undefined) return previousRange(range, interval, timezone, dateFrom, dateTo);
  const earlier = earlierRange(range, ago, interval, timezone);
  if (earlier !== undefined) return earlier;
  throw invalid('compare_to', `${quote(ago)} is not a length of time: use -30d, -4w, -1m or -1y.`);
}

export const seriesOf = ({ entity, given }: Pick<ListedEntity, 'entity' | 'given'>): Series => ({
  entity,
  math: readMath(given),
});

export function readDisplay(fields: QuestionFields): Display {
  const name = readTextField(fields, 'display') ?? 'ActionsLineGraph';
  const display = Object.hasOwn(DISPLAYS, name) ? DISPLAYS[name] : undefined;
  if (display !== undefined) return display;
  throw invalid('display', `There is no display called ${quote(name)}.`);
}

export function readTrendsBreakdown(fields: QuestionFields, context: QuestionContext): Breakdown | null {
  const display = fields['display'];
  if (display === 'BoldNumber') return null;
  const breakdown = readBreakdown(
    fields,
    context,
    display === 'WorldMap' ? WORLD_MAP_BREAKDOWN_LIMIT : DEFAULT_BREAKDOWN_LIMIT,
  );
  if (breakdown?.kind === 'property' && breakdown.keys.length > 1) {
    throw invalid('breakdown', 'Trends can be broken down by one property at a time.');
  }
  return breakdown;
}

function readFormula(fields: QuestionFields, series: number) {
  const text = readTextField(fields, 'formula');
  return text === undefined ? null : parseFormula(text, series);
}
