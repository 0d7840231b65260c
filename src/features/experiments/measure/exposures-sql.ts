import type { Entity } from '../../../core/actions/entity.ts';
import { NO_FILTER } from '../../../core/filters/property-filter.ts';
import { DAY_MS } from '../../../core/time/units.ts';
import type { EventStatement } from '../../../query/event-statement.ts';
import type { EventMatcher } from '../../../query/filters/action-step-sql.ts';
import type { ActorBatch } from '../../insights/shared/actor-rows.ts';
import { batchSql } from '../../insights/shared/batch-sql.ts';
import {
  type ExposureQuestion,
  type ExposureSplit,
  exposureCode,
  HAS_PAGE_VIEW,
  IS_NEW_PERSON,
} from '../rules/experiment-question.ts';

const FLAG_CALLED = '$feature_flag_called';

/** `from … where …`: the exposures, events of those without an actor among them. */
export function fromExposures(statement: EventStatement, question: ExposureQuestion): string {
  return `${statement.from()}
    where ${statement.inProject()} and ${statement.during(question.range)} and ${isExposure(statement, question)}
      and ${statement.matches(question.filter)}`;
}

/** The same of the persons of a table, who are `p`; see `EventStatement.fromKeys`. */
export function fromExposuresOf(statement: EventStatement, question: ExposureQuestion, table: string): string {
  return `${statement.fromKeys(question.range, table)} and ${isExposure(statement, question)}
    and ${statement.matches(question.filter)}`;
}

/** The events that can be exposures. */
export const exposureMatcher = ({ event }: ExposureQuestion): EventMatcher =>
  event ?? { kind: 'event', id: FLAG_CALLED, filter: NO_FILTER };

/** Everybody of the batch with an exposure: `actor`, and a small `number` for each, the same in every statement. */
export function exposedActorsSql(statement: EventStatement, question: ExposureQuestion, batch: ActorBatch): string {
  const actor = statement.actor(question.actor);
  return `select a.actor as actor, cast(row_number() over (order by a.actor) - 1 as integer) as number
    from (
      select distinct ${actor} as actor ${fromExposures(statement, question)} and ${actor} is not null
        and ${batchSql(statement.sql, question.actor, batch)}
    ) a`;
}

/** The code of an exposure; 0 for other events. */
export function exposureCodeSql(
  statement: EventStatement,
  question: ExposureQuestion,
  split: ExposureSplit | null,
): string {
  const isOne = `${statement.during(question.range)} and ${isExposure(statement, question)}`;
  return `case when ${isOne} then ${codeSql(statement, question, split)} else 0 end`;
}

/** The code of an event that is an exposure. */
export function codeSql(statement: EventStatement, question: ExposureQuestion, split: ExposureSplit | null): string {
  const { sql } = statement;
  const known = question.takesAll ? [] : question.variants;
  const variant = known.map((key, at) => `when ${variantSql(statement, question)} = ${sql.param(key)} then ${at}`);
  const value = split === null ? '0' : partSql(statement, split);
  return `${exposureCode(0, 0)} + ${variant.length === 0 ? '0' : `case ${variant.join(' ')} else 0 end`} + ${exposureCode(0, 1) - 1} * ${value}`;
}

function partSql({ sql }: EventStatement, { property, values }: ExposureSplit): string {
  const cases = values.map(
    (value, at) => `when coalesce(${sql.property(property)}, '') = ${sql.param(value)} then ${at}`,
  );
  return cases.length === 0 ? '0' : `(case ${cases.join(' ')} else ${values.length} end)`;
}

/**
 * Only for choosing events: null where there is no such property. So the engine can leave out whole blocks of events by
 * the values that are in them.
 */
function isExposure(statement: EventStatement, question: ExposureQuestion): string {
  const { sql } = statement;
  const { event, flagKey, variants } = question;
  const isEvent =
    event === null
      ? `e.event = ${sql.param(FLAG_CALLED)} and ${sql.property('$feature_flag')} = ${sql.param(flagKey)}`
      : statement.isOf(event);
  const isVariant = question.takesAll
    ? ['true']
    : variants.map((variant) => `${variantProperty(statement, question)} = ${sql.param(variant)}`);
  return `(${isEvent}) and (${isVariant.join(' or ') || 'false'})`;
}

const variantProperty = ({ sql }: EventStatement, { event, flagKey }: ExposureQuestion): string =>
  sql.property(event === null ? '$feature_flag_response' : `$feature/${flagKey}`);

const variantSql = (statement: EventStatement, question: ExposureQuestion): string =>
  `coalesce(${variantProperty(statement, question)}, '')`;

/**
 * Everybody who met a variant: `actor`, the `variant` of the first exposure, when that was (`since` in ms UTC), how many
 * `variants` they met, whether two of these under one distinct id (`same_id`, 1 or 0), and the `value` that a property
 * had at the first exposure.
 */
function firstExposuresSql(statement: EventStatement, question: ExposureQuestion, property: string | null): string {
  const { sql } = statement;
  const value = property === null ? "''" : exposedValueSql(statement, question, property);
  const actor = statement.actor(question.actor);
  const order = 'order by c.happened, c.event_order';
  return `select r.actor as actor, max(case when r.place = 1 then r.variant end) as variant, min(r.happened) as since,
      max(case when r.place = 1 then r.value end) as value, count(distinct r.variant) as variants,
      max(case when r.variant <> r.id_variant then 1 else 0 end) as same_id
    from (
      select c.actor as actor, c.variant as variant, c.value as value, c.happened as happened,
        row_number() over (partition by c.actor ${order}) as place,
        first_value(c.variant) over (partition by c.actor, c.id ${order}) as id_variant
      from (
        select ${actor} as actor, e.distinct_id as id, ${variantSql(statement, question)} as variant,
          ${value} as value, ${sql.ms('e.timestamp')} as happened, ${sql.idOrder('e.uuid')} as event_order
        ${fromExposures(statement, question)} and ${actor} is not null
      ) c
    ) r
    group by r.actor`;
}

/** Of an exposure. `IS_NEW_PERSON` is whether the person was created within the day before it. */
function exposedValueSql({ sql }: EventStatement, { actor }: ExposureQuestion, property: string): string {
  if (property !== IS_NEW_PERSON) return `coalesce(${sql.property(property)}, '')`;
  if (actor.kind !== 'person') return "''";
  return `case when ${sql.ms('p.created_at')} > ${sql.ms('e.timestamp')} - ${DAY_MS} then 'true' else 'false' end`;
}

/** Everybody who was exposed, in the same columns: `since` is the first activation where there has to be one. */
export function exposedSql(
  statement: EventStatement,
  question: ExposureQuestion,
  property: string | null = null,
): string {
  const exposures = firstExposuresSql(statement, question, property);
  const { activation = null } = question;
  if (activation === null) return exposures;
  const { sql } = statement;
  const actor = statement.actor(question.actor);
  const activations = `select ${actor} as actor, ${sql.ms('e.timestamp')} as happened ${statement.from()}
    where ${statement.inProject()} and ${statement.during(question.range)} and ${statement.isOf(activation)}
      and ${statement.matches(question.filter)} and ${actor} is not null`;
  return `select f.actor as actor, max(f.variant) as variant, min(n.happened) as since, max(f.value) as value,
      max(f.variants) as variants, max(f.same_id) as same_id
    from (${exposures}) f
    join (${activations}) n on n.actor = f.actor
    where n.happened >= f.since
    group by f.actor`;
}

/** Everybody who counts with the `value` of a property at the first exposure: `actor`, `variant`, `since`, `value`. */
export function countedBySql(statement: EventStatement, question: ExposureQuestion, property: string): string {
  if (property !== HAS_PAGE_VIEW) return countedSql(statement, question, property);
  const actor = statement.actor(question.actor);
  const views = { ...question, event: PAGE_VIEW, takesAll: true };
  return `select x.actor as actor, x.variant as variant, x.since as since,
      case when v.latest >= x.since then 'true' else 'false' end as value
    from (${countedSql(statement, question)}) x
    left join (
      select ${actor} as actor, max(${statement.sql.ms('e.timestamp')}) as latest
      ${fromExposures(statement, views)} and ${actor} is not null group by 1
    ) v on v.actor = x.actor`;
}

const PAGE_VIEW: Entity = { kind: 'event', id: '$pageview', name: '$pageview', customName: null, filter: NO_FILTER };

/** The same as `exposedSql`, without those who do not count. */
export function countedSql(
  statement: EventStatement,
  question: ExposureQuestion,
  property: string | null = null,
): string {
  const isCounted = question.severalVariants === 'exclude' ? 'x.variants = 1' : 'true';
  return `select x.actor as actor, x.variant as variant, x.since as since, x.value as value
    from (${exposedSql(statement, question, property)}) x where ${isCounted}`;
}
