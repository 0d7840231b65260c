/**
 * Asks the engine for the events that a funnel looks at, reduced to numbers: who, when, which steps, which value. Actors
 * come in slices, so that the memory used depends on a slice and not on how much happened.
 */

import type { Entity } from '../../../core/actions/entity.ts';
import type { Filter } from '../../../core/filters/property-filter.ts';
import type { EventQuery } from '../../../query/event-query.ts';
import { actorColumn, type EventStatement } from '../../../query/event-statement.ts';
import type { ScanDeps } from '../../../query/query-deps.ts';
import type { SqlBuilder } from '../../../stores/events/dialect.ts';
import type { ColumnTable } from '../../../stores/events/event-store.ts';
import type { FunnelQuestion } from '../rules/question.ts';
import { ActorKeys, fitsInKey, type RowOptions } from '../shared/actor-keys.ts';
import { reorderColumn, rowsByActor } from '../shared/actor-rows.ts';
import { type ActorBatch, actorBatches } from '../shared/actor-slices.ts';
import type { FunnelCodes } from './funnel-codes.ts';
import { BITS_PER_WORD, needsTieOrder, type StepEvents } from './funnel-matcher.ts';
import { funnelEntities, funnelSourceSql } from './funnel-source-sql.ts';

export interface FunnelEvents {
  readonly actors: number;
  /** What an actor did, until the next one is asked for. */
  of(actor: number): ActorEvents;
  /** The id of a person, or the key of a group; only where names were asked for. */
  nameOf(actor: number): string;
}

/** The places from `from` to before `to` are the actor's. */
export interface ActorEvents extends StepEvents {
  readonly from: number;
  readonly to: number;
  /** Place → code of its value of the breakdown; empty where there is none. */
  readonly values: Float64Array;
}

export async function* funnelEvents(
  deps: ScanDeps,
  query: EventQuery,
  question: FunnelQuestion,
  codes: FunnelCodes,
): AsyncGenerator<FunnelEvents> {
  for await (const slice of actorBatches(await countEvents(query, question))) {
    yield await readSlice(deps, query, question, codes, slice);
  }
}

async function readSlice(
  deps: ScanDeps,
  query: EventQuery,
  question: FunnelQuestion,
  codes: FunnelCodes,
  slice: ActorBatch,
): Promise<FunnelEvents> {
  const statement = query.begin();
  const { sql } = statement;
  const minds = needsTieOrder(question) || codes.needsTieOrder;
  const isPerson = question.actor.kind === 'person';
  const isPacked = !codes.hasValues && fitsInKey(question.range, baseOf(question));
  const columns = [
    isPerson ? 'p.number as actor' : 'cast(g.number as integer) as actor',
    `${isPacked ? sql.ms('e.timestamp') : sql.toDouble(sql.ms('e.timestamp'))} as at`,
    ...wordsOf(question).map((entities, i) => `${bitsSql(statement, entities)} as bits${i}`),
    ...(codes.hasValues ? [`${codes.valueSql(sql)} as value`] : []),
    ...(minds ? ['e.uuid as uuid'] : []),
    ...(isPerson && codes.hasNames ? ['p.person_id as name'] : []),
  ];
  const words = wordsOf(question).map((_, i) => `d.bits${i} <> 0`);
  const areAll = question.order === 'strict' || funnelEntities(question).every((entity) => plainName(entity) !== null);
  const from = `${funnelSourceSql(statement, question, codes.joins(statement))} and ${sliceSql(sql, question, slice)}`;
  const ids = [...(minds ? ['d.uuid as uuid'] : []), ...(isPerson && codes.hasNames ? ['d.name as name'] : [])];
  const shown = isPacked ? ['d.actor as actor', `${keySql(sql, question)} as key`, ...ids] : ['*'];
  const table = await deps.events.queryColumns(
    `select ${shown.join(', ')}
    from (select ${columns.join(', ')} ${from}) d
    where ${areAll ? 'true' : words.join(' or ')}`,
    sql.values,
  );
  const uuids = minds ? table.uuids('uuid') : null;
  const named = isPerson && codes.hasNames ? table.uuids('name') : null;
  const how: RowReading = {
    tieOrder: uuids && ((a, b) => uuids.compare(a, b)),
    hasNames: named !== null,
    nameAt: (actor, row) => named?.textAt(row()) ?? codes.groupAt(actor),
  };
  return isPacked ? packedEvents(table, question, how) : columnEvents(table, question, codes.hasValues, how);
}

interface RowReading extends RowOptions {
  /** Whose rows they are, told by one of them. */
  nameAt(actor: number, row: () => number): string;
}

/** All that is to be known of an event is in its key. */
async function packedEvents(table: ColumnTable, question: FunnelQuestion, how: RowReading): Promise<FunnelEvents> {
  const parts = { base: baseOf(question), from: question.range.from };
  const keys = await ActorKeys.group(table.integers('actor'), table.doubles('key'), parts, how);
  return {
    actors: keys.actors,
    of: (actor) => {
      const { count, at, rest } = keys.of(actor);
      return { at, bits: [rest], values: NO_VALUES, from: 0, to: count };
    },
    nameOf: (actor) => how.nameAt(actor, () => keys.anyRowOf(actor)),
  };
}

async function columnEvents(
  table: ColumnTable,
  question: FunnelQuestion,
  hasValues: boolean,
  { tieOrder, nameAt }: RowReading,
): Promise<FunnelEvents> {
  const rows = await rowsByActor(table, tieOrder);
  const { actors, at, starts } = rows;
  const words = wordsOf(question).map((_, i) => reorderColumn(rows, table.integers(`bits${i}`)));
  const bits = await Promise.all(words);
  const values = hasValues ? await reorderColumn(rows, table.doubles('value')) : NO_VALUES;
  return {
    actors,
    of: (actor) => ({ at, bits, values, from: starts[actor] as number, to: starts[actor + 1] as number }),
    nameOf: (actor) => nameAt(actor, () => rows.rows[starts[actor] as number] as number),
  };
}

const NO_VALUES = new Float64Array(0);

/** A bit for each step and exclusion. */
const baseOf = (question: FunnelQuestion): number => 2 ** funnelEntities(question).length;

/** Its time within the range, then its bits. */
function keySql(sql: SqlBuilder, question: FunnelQuestion): string {
  const since = `(d.at - ${sql.integer(question.range.from)})`;
  return sql.toDouble(`(${since} * ${sql.integer(baseOf(question))} + d.bits0)`);
}

const sliceSql = (sql: SqlBuilder, { actor }: FunnelQuestion, { at, count }: ActorBatch): string =>
  count === 1 ? 'true' : `${sql.hashSlot(actorColumn(actor), count)} = ${sql.param(at)}`;

/** The entities, as many together as a word has bits. */
function wordsOf(question: FunnelQuestion): Entity[][] {
  const entities = funnelEntities(question);
  return Array.from({ length: Math.ceil(entities.length / BITS_PER_WORD) }, (_, i) =>
    entities.slice(i * BITS_PER_WORD, (i + 1) * BITS_PER_WORD),
  );
}

function bitsSql(statement: EventStatement, entities: readonly Entity[]): string {
  const names = new Map<string, number>();
  const bits: string[] = [];
  for (const [index, entity] of entities.entries()) {
    const name = plainName(entity);
    if (name === null) bits.push(`case when ${statement.isOf(entity)} then ${2 ** index} else 0 end`);
    else names.set(name, (names.get(name) ?? 0) + 2 ** index);
  }
  // Names are compared one after the other until one fits: most events are of the first step.
  const cases = [...names].map(([name, mask]) => `when ${statement.sql.param(name)} then ${mask}`);
  if (cases.length > 0) bits.push(`case e.event ${cases.join(' ')} else 0 end`);
  return `cast(${bits.join(' + ')} as integer)`;
}

/** The name by which alone an entity's events are told; null where there is more to it. */
const plainName = (entity: Entity): string | null =>
  entity.kind === 'event' && isEmpty(entity.filter) ? entity.id : null;

const isEmpty = (filter: Filter): boolean =>
  (filter.kind === 'and' || filter.kind === 'or') && filter.filters.every(isEmpty);

/** At least as many as the funnel looks at, told by their times alone. */
async function countEvents(query: EventQuery, { range }: FunnelQuestion): Promise<number> {
  const statement = query.begin();
  const [row] = await statement.query(
    `select count(*) as n from event_rows e where ${statement.inProject()} and ${statement.during(range)}`,
  );
  return Number(row?.['n'] ?? 0);
}
