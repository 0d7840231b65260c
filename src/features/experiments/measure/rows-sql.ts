/** The statements that read the rows of an experiment. */
import type { Actor } from '../../../core/actor.ts';
import { actorColumn, type EventStatement } from '../../../query/event-statement.ts';
import { eventNamesOf, hasNameSql } from '../../../query/filters/action-step-sql.ts';
import type { SqlBuilder } from '../../../stores/events/dialect.ts';
import type { ActorBatch } from '../../insights/shared/actor-rows.ts';
import { entityBitsSql } from '../../insights/shared/entity-bits.ts';
import { exposedActorsSql, exposureCodeSql, exposureMatcher } from './exposures-sql.ts';
import { entityIdentity, type NumberSource } from './metric-plan.ts';
import { NO_NUMBER, type Reading } from './reading.ts';

/** Which of the events of `from` are read. */
export interface ChosenRows {
  /** Events of these names; null: any. */
  names: readonly string[] | null;
  /** Whether rows that are none of the entities are left out. */
  onlyEntities: boolean;
  /** Whether the numbers of the plan are read. */
  hasNumbers: boolean;
  /** Whether each row says what exposure it is. */
  hasExposures: boolean;
}

/** Rows of `actor`, time and entities in one `key`, and what else is read. `from … where …` gives the events. */
export function rowsSql(
  statement: EventStatement,
  { exposure, split, plan, encoding, hasTies }: Reading,
  from: string,
  { names, onlyEntities, hasNumbers, hasExposures }: ChosenRows,
): string {
  const { sql } = statement;
  const numbers = hasNumbers ? [...plan.numbers.values()] : [];
  const columns = [
    `${exposure.actor.kind === 'person' ? 'p' : 'x'}.number as actor`,
    `${sql.ms('e.timestamp')} as at`,
    `${entityBitsSql(statement, plan.entities)} as bits`,
    ...(hasExposures ? [`cast(${exposureCodeSql(statement, exposure, split)} as integer) as exposure`] : []),
    ...numbers.map((source, at) => `${numberSql(statement, source)} as number${at}`),
    ...(hasTies ? ['e.uuid as uuid'] : []),
  ];
  const key = `(d.at - ${sql.integer(encoding.from)}) * ${sql.integer(encoding.base)} + d.bits`;
  const selected = [
    'd.actor as actor',
    `${sql.toDouble(`(${key})`)} as key`,
    ...(hasExposures ? ['d.exposure as exposure'] : []),
    ...numbers.map((_, at) => `d.number${at} as number${at}`),
    ...(hasTies ? ['d.uuid as uuid'] : []),
  ];
  return `select ${selected.join(', ')}
    from (
      select ${columns.join(', ')} ${from}
        and ${hasNameSql(sql, names)}
        and ${statement.matches(exposure.filter)}
    ) d
    where ${onlyEntities ? `d.bits <> 0${hasExposures ? ' or d.exposure <> 0' : ''}` : 'true'}`;
}

/** Everything of the exposed in one statement. */
export function togetherSql(statement: EventStatement, reading: Reading, batch: ActorBatch): string {
  const { exposure, plan } = reading;
  return rowsSql(statement, reading, fromExposed(statement, reading, batch), {
    names: plan.readsAll ? null : eventNamesOf([exposureMatcher(exposure), ...plan.entities]),
    onlyEntities: !plan.readsAll,
    hasNumbers: true,
    hasExposures: true,
  });
}

/** `from … where …`: the events of the exposed in the range. */
function fromExposed(statement: EventStatement, { exposure, range }: Reading, batch: ActorBatch): string {
  const numbered = exposedActorsSql(statement, exposure, batch);
  if (exposure.actor.kind === 'person') return statement.fromPersons(range, numbered);
  const join = `join (${numbered}) x on x.actor = ${statement.actor(exposure.actor)}`;
  return statement.fromActors(exposure.actor, range, join);
}

/** The number of events of these entities. */
function numberSql(statement: EventStatement, { measure, entities }: NumberSource): string {
  const { sql } = statement;
  const different = new Map(entities.map((entity) => [entityIdentity(entity), entity]));
  const isAny = Array.from(different.values(), (entity) => statement.isOf(entity)).join(' or ');
  const number = measure.kind === 'unique' ? uniqueSql(statement, measure.of) : statement.number(measure.property);
  return `coalesce(case when ${isAny} then ${number} end, ${sql.double(NO_NUMBER)})`;
}

/** So many that two of the same actor hardly ever share one. */
const UNIQUE_NUMBERS = 2 ** 52;

/** A number for each session, person or group; null where there is none. */
function uniqueSql(statement: EventStatement, of: 'session' | Actor): string {
  const id =
    of === 'session' ? statement.session() : of.kind === 'person' ? `cast(p.person_id as varchar)` : actorColumn(of);
  const text = `coalesce(${id}, '')`;
  return `case when ${text} <> '' then ${uniqueNumberSql(statement.sql, text)} end`;
}

export const uniqueNumberSql = (sql: SqlBuilder, text: string): string =>
  sql.toDouble(sql.hashSlot(text, UNIQUE_NUMBERS));
