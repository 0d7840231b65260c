import type { Breakdown } from '../../../../core/actions/breakdown.ts';
import type { Entity } from '../../../../core/actions/entity.ts';
import { invalid } from '../../../../core/errors.ts';
import { addUnits, startOfInterval } from '../../../../core/time/interval.ts';
import { parseDate } from '../../../../core/time/parse-date.ts';
import { PERIODS, type Period, periodUnit } from '../../../../core/time/period.ts';
import type { Range } from '../../../../core/time/range.ts';
import {
  knownFields,
  type QuestionFields,
  quote,
  readChoiceField,
  readIntegerField,
  readObjectField,
  readTextField,
  readTextListField,
} from '../../rules/fields.ts';
import type { QuestionContext, RetentionPeopleQuestion, RetentionQuestion } from '../../rules/question.ts';
import { readBreakdown } from '../../rules/read-breakdown.ts';
import { dateContext } from '../../rules/read-dates.ts';
import { readEntity, requireKnownAction } from '../../rules/read-entity.ts';
import { andFilters, readQuestionFilter, readSearchFilter } from '../../rules/read-filter.ts';

const RETENTION_FIELDS = [
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

const MAX_INTERVALS = 500;

export function readRetentionQuestion(fields: QuestionFields, context: QuestionContext): RetentionQuestion {
  const { timezone } = dateContext(context);
  const period = readPeriod(fields);
  const intervals = readIntegerField(fields, 'total_intervals', { min: 1, max: MAX_INTERVALS }) ?? 11;
  const target = readRetentionEntity(fields, 'target_entity', context) ?? PAGEVIEW;
  const type = readChoiceField(fields, 'retention_type', ['retention_recurring', 'retention_first_time']);
  const isFirstTime = type === 'retention_first_time';
  return {
    kind: 'retention',
    fields: knownFields(fields, RETENTION_FIELDS),
    timezone,
    filter: readQuestionFilter(fields, context),
    range: retentionRange(readDateTo(fields, context, timezone), period, intervals, timezone),
    target,
    returning: readRetentionEntity(fields, 'returning_entity', context) ?? target,
    period,
    intervals,
    isFirstTime,
    isFirstCohortOnly: readTextField(fields, 'display') === 'ActionsLineGraph' && !isFirstTime,
    breakdown: readRetentionBreakdown(fields, context),
  };
}

function readRetentionBreakdown(fields: QuestionFields, context: QuestionContext): Breakdown | null {
  const breakdown = readBreakdown(fields, context);
  if (breakdown?.kind === 'cohort') throw invalid('breakdown_type', 'Retention can only be broken down by properties.');
  return breakdown;
}

const PAGEVIEW: Entity = {
  kind: 'event',
  id: '$pageview',
  name: '$pageview',
  customName: null,
  filter: { kind: 'and', filters: [] },
};

function readPeriod(fields: QuestionFields): Period {
  const given = readTextField(fields, 'period') ?? 'Day';
  const period = PERIODS.find((one) => one === given);
  if (period === undefined) throw invalid('period', `Period ${quote(given).slice(1, -1)} is unsupported.`);
  return period;
}

/** Only type and id: filters of the entity are ignored. */
function readRetentionEntity(fields: QuestionFields, name: string, context: QuestionContext): Entity | undefined {
  const given = readObjectField(fields, name);
  if (given === undefined) return undefined;
  const { id = null, type = 'events' } = given;
  const entity = readEntity({ id, type }, name, context);
  requireKnownAction(entity);
  return entity;
}

function readDateTo(fields: QuestionFields, { now }: QuestionContext, timezone: string): number {
  const text = readTextField(fields, 'date_to');
  const at = text === undefined ? now : parseDate(text, now, timezone);
  if (at === undefined) throw invalid('date_to', 'date_to is not a date: use 2024-01-31, an ISO time, or -7d.');
  return at;
}

/** The number of periods, the last of which contains the end. */
function retentionRange(end: number, period: Period, intervals: number, timezone: string): Range {
  const unit = periodUnit(period);
  const after = addUnits(end, 1, unit, timezone);
  const until = startOfInterval(after, unit === 'hour' ? 'hour' : 'day', timezone);
  const from = addUnits(until, -intervals, unit, timezone);
  if (unit !== 'week') return { from, until };
  const sunday = startOfInterval(from, 'week', timezone);
  return { from: sunday, until: addUnits(sunday, intervals, 'week', timezone) };
}

export function readRetentionPeopleQuestion(fields: QuestionFields, context: QuestionContext): RetentionPeopleQuestion {
  const retention = readRetentionQuestion(fields, context);
  const values = readTextListField(fields, 'breakdown_values');
  const interval = readIntegerField(fields, 'selected_interval', { min: 0, max: retention.intervals - 1 }) ?? 0;
  return {
    kind: 'retention_people',
    retention: { ...retention, filter: andFilters([retention.filter, readSearchFilter(fields)]) },
    cohort: readCohort(values, interval, retention),
  };
}

/** Without a breakdown the values are intervals. */
function readCohort(values: string[] | undefined, interval: number, { breakdown, intervals }: RetentionQuestion) {
  if (values === undefined) return { kind: 'interval', interval } as const;
  if (breakdown !== null) return { kind: 'values', values } as const;
  const number = Number(values[0]);
  if (Number.isInteger(number) && number >= 0 && number < intervals)
    return { kind: 'interval', interval: number } as const;
  throw invalid('breakdown_values', `breakdown_values has to be an interval from 0 to ${intervals - 1}.`);
}
