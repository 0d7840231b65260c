import type { Breakdown } from '../../../../core/actions/breakdown.ts';
import type { Entity } from '../../../../core/actions/entity.ts';
import { invalid } from '../../../../core/errors.ts';
import { addTo, floorTo } from '../../../../core/time/interval.ts';
import { PERIODS, type Period, periodUnit } from '../../../../core/time/period.ts';
import type { Range } from '../../../../core/time/range.ts';
import { parseDate } from '../../../../core/time/relative-date.ts';
import type { QuestionContext } from '../../rules/context.ts';
import {
  type Fields,
  knownFields,
  quote,
  readChoice,
  readInteger,
  readObject,
  readText,
  readTexts,
} from '../../rules/fields.ts';
import type { RetentionPeopleQuestion, RetentionQuestion } from '../../rules/question.ts';
import { readBreakdown } from '../../rules/read-breakdown.ts';
import { dateContext } from '../../rules/read-dates.ts';
import { checkAction, readEntity } from '../../rules/read-entity.ts';
import { allOf, readQuestionFilter, readSearch } from '../../rules/read-filter.ts';

export const RETENTION_FIELDS = [
  'insight',
  'properties',
  'filter_test_accounts',
  'date_to',
  'period',
  'total_intervals',
  'target_entity',
  'returning_entity',
  'retention_type',
  'display',
  'breakdowns',
  'breakdown',
  'breakdown_type',
  'breakdown_group_type_index',
  'aggregation_group_type_index',
] as const;

const MOST_INTERVALS = 500;

/** Who came back, how long after they came. */
export function readRetentionQuestion(fields: Fields, context: QuestionContext): RetentionQuestion {
  const { timezone } = dateContext(context);
  const period = readPeriod(fields);
  const intervals = readInteger(fields, 'total_intervals', { min: 1, max: MOST_INTERVALS }) ?? 11;
  const target = readTarget(fields, 'target_entity', context) ?? PAGEVIEW;
  const type = readChoice(fields, 'retention_type', ['retention_recurring', 'retention_first_time']);
  const isFirstTime = type === 'retention_first_time';
  return {
    kind: 'retention',
    fields: knownFields(fields, RETENTION_FIELDS),
    timezone,
    filter: readQuestionFilter(fields, context),
    range: retentionRange(readEnd(fields, context, timezone), period, intervals, timezone),
    target,
    returning: readTarget(fields, 'returning_entity', context) ?? target,
    period,
    intervals,
    isFirstTime,
    isFirstCohortOnly: readText(fields, 'display') === 'ActionsLineGraph' && !isFirstTime,
    breakdown: readValues(fields, context),
  };
}

function readValues(fields: Fields, context: QuestionContext): Breakdown | null {
  const breakdown = readBreakdown(fields, context);
  if (breakdown?.kind === 'cohort') throw invalid('breakdown_type', 'Retention can be divided by properties only.');
  return breakdown;
}

const PAGEVIEW: Entity = {
  kind: 'event',
  id: '$pageview',
  name: '$pageview',
  customName: null,
  filter: { kind: 'and', filters: [] },
};

function readPeriod(fields: Fields): Period {
  const given = readText(fields, 'period') ?? 'Day';
  const period = PERIODS.find((one) => one === given);
  if (period === undefined) throw invalid('period', `Period ${quote(given).slice(1, -1)} is unsupported.`);
  return period;
}

/** Only type and id count: an entity's own filters are not asked for here. */
function readTarget(fields: Fields, name: string, context: QuestionContext): Entity | undefined {
  const given = readObject(fields, name);
  if (given === undefined) return undefined;
  const { id = null, type = 'events' } = given;
  const entity = readEntity({ id, type }, name, context);
  checkAction(entity);
  return entity;
}

function readEnd(fields: Fields, { now }: QuestionContext, timezone: string): number {
  const text = readText(fields, 'date_to');
  const at = text === undefined ? now : parseDate(text, now, timezone);
  if (at === undefined) throw invalid('date_to', 'date_to is not a date: use 2024-01-31, an ISO time, or -7d.');
  return at;
}

/** As many periods as asked for, the last of which holds the end. */
function retentionRange(end: number, period: Period, intervals: number, timezone: string): Range {
  const unit = periodUnit(period);
  const after = addTo(end, 1, unit, timezone);
  const until = floorTo(after, unit === 'hour' ? 'hour' : 'day', timezone);
  const from = addTo(until, -intervals, unit, timezone);
  if (unit !== 'week') return { from, until };
  const sunday = floorTo(from, 'week', timezone);
  return { from: sunday, until: addTo(sunday, intervals, 'week', timezone) };
}

export function readRetentionPeopleQuestion(fields: Fields, context: QuestionContext): RetentionPeopleQuestion {
  const retention = readRetentionQuestion(fields, context);
  const values = readTexts(fields, 'breakdown_values');
  const interval = readInteger(fields, 'selected_interval', { min: 0, max: retention.intervals - 1 }) ?? 0;
  return {
    kind: 'retention_people',
    retention: { ...retention, filter: allOf([retention.filter, readSearch(fields)]) },
    cohort: readCohort(values, interval, retention),
  };
}

/** Without a breakdown its values are the intervals themselves. */
function readCohort(values: string[] | undefined, interval: number, { breakdown, intervals }: RetentionQuestion) {
  if (values === undefined) return { kind: 'interval', interval } as const;
  if (breakdown !== null) return { kind: 'values', values } as const;
  const number = Number(values[0]);
  if (Number.isInteger(number) && number >= 0 && number < intervals)
    return { kind: 'interval', interval: number } as const;
  throw invalid('breakdown_values', `breakdown_values has to be an interval from 0 to ${intervals - 1}.`);
}
