/**
 * Reads the events of a funnel as numbers: actor, time, steps, value of the breakdown. Actors come in batches, so that
 * the memory used does not depend on the number of events.
 */

import type { Entity } from '../../../core/actions/entity.ts';
import type { EventQuery } from '../../../query/event-query.ts';
import type { ScanDeps } from '../../../query/query-deps.ts';
import type { SqlBuilder } from '../../../stores/events/dialect.ts';
import type { ColumnTable } from '../../../stores/events/event-store.ts';
import type { FunnelQuestion } from '../rules/question.ts';
import { ActorKeys, fitsInKey, type KeyEncoding, type RowOptions } from '../shared/actor-keys.ts';
import { type ActorBatch, actorBatches, reorderColumn, rowsByActor } from '../shared/actor-rows.ts';
import { batchSql, countEventsIn } from '../shared/batch-sql.ts';
import { entityBitsSql, plainName } from '../shared/entity-bits.ts';
import type { FunnelKeys } from './count-funnel.ts';
import type { FunnelCodes } from './funnel-codes.ts';
import { BITS_PER_WORD, needsTieOrder, type StepEvents } from './funnel-matcher.ts';
import { funnelEntities, funnelSourceSql } from './funnel-source-sql.ts';

export interface FunnelEvents {
  readonly actors: number;
  /** Valid until the next call. */
  of(actor: number): ActorEvents;
  /** The id of a person, or the key of a group; only with `hasNames`. */
  nameOf(actor: number): string;
}

/** The positions from `from` to before `to` are the actor's. */
export interface ActorEvents extends StepEvents {
  readonly from: number;
  readonly to: number;
  /** Position → code of the value of the breakdown; empty without a breakdown. */
  readonly values: Float64Array;
}

export async function* funnelEvents(
  deps: ScanDeps,
  query: EventQuery,
  question: FunnelQuestion,
  codes: FunnelCodes,
): AsyncGenerator<FunnelEvents> {
  for await (const batch of actorBatches(await countEventsIn(query, question.range))) {
    const table = await readBatch(deps, query, question, codes, batch);
    const reading = readingOf(table, question, codes);
    yield isPacked(question, codes)
      ? await packedEvents(table, question, reading)
      : await columnEvents(table, question, codes.hasValues, reading);
  }
}

/** The same as columns of numbers; null where they are not enough: with a breakdown, with names, or if ties matter. */
export function funnelKeys(
  deps: ScanDeps,
  query: EventQuery,
  question: FunnelQuestion,
  codes: FunnelCodes,
): AsyncGenerator<FunnelKeys> | null {
  if (question.breakdown !== null || codes.hasNames || ordersTies(question, codes)) return null;
  return isPacked(question, codes) ? readKeys(deps, query, question, codes) : null;
}

async function* readKeys(
  deps: ScanDeps,
  query: EventQuery,
  question: FunnelQuestion,
  codes: FunnelCodes,
): AsyncGenerator<FunnelKeys> {
  for await (const batch of actorBatches(await countEventsIn(query, question.range))) {
    const table = await readBatch(deps, query, question, codes, batch);
    yield { actor: table.integers('actor'), key: table.doubles('key'), encoding: encodingOf(question) };
  }
}

const ordersTies = (question: FunnelQuestion, codes: FunnelCodes): boolean =>
  needsTieOrder(question) || codes.needsTieOrder;

/** Whether time and steps of an event are one number. */
const isPacked = (question: FunnelQuestion, codes: FunnelCodes): boolean =>
  !codes.hasValues && fitsInKey(question.range, baseOf(question));

const encodingOf = (question: FunnelQuestion): KeyEncoding => ({ base: baseOf(question), from: question.range.from });

async function readBatch(
  deps: ScanDeps,
  query: EventQuery,
  question: FunnelQuestion,
  codes: FunnelCodes,
  batch: ActorBatch,
): Promise<ColumnTable> {
  const statement = query.begin();
  const { sql } = statement;
  const hasTies = ordersTies(question, codes);
  const isPerson = question.actor.kind === 'person';
  const hasKeys = isPacked(question, codes);
  const columns = [
    isPerson ? 'p.number as actor' : 'cast(g.number as integer) as actor',
    `${hasKeys ? sql.ms('e.timestamp') : sql.toDouble(sql.ms('e.timestamp'))} as at`,
    ...wordsOf(question).map((entities, i) => `${entityBitsSql(statement, entities)} as bits${i}`),
    ...(codes.hasValues ? [`${codes.valueSql(statement)} as value`] : []),
    ...(hasTies ? ['e.uuid as uuid'] : []),
    ...(isPerson && codes.hasNames ? ['p.person_id as name'] : []),
  ];
  const words = wordsOf(question).map((_, i) => `d.bits${i} <> 0`);
  const allMatch =
    question.order === 'strict' || funnelEntities(question).every((entity) => plainName(entity) !== null);
  const from = `${funnelSourceSql(statement, question, codes.joins(statement))} and ${batchSql(sql, question.actor, batch)}`;
  const ids = [...(hasTies ? ['d.uuid as uuid'] : []), ...(isPerson && codes.hasNames ? ['d.name as name'] : [])];
  const selected = hasKeys ? ['d.actor as actor', `${keySql(sql, question)} as key`, ...ids] : ['*'];
  return deps.events.queryColumns(
    `select ${selected.join(', ')}
    from (select ${columns.join(', ')} ${from}) d
    where ${allMatch ? 'true' : words.join(' or ')}`,
    sql.values,
  );
}

function readingOf(table: ColumnTable, question: FunnelQuestion, codes: FunnelCodes): RowReading {
  const uuids = ordersTies(question, codes) ? table.uuids('uuid') : null;
  const names = question.actor.kind === 'person' && codes.hasNames ? table.uuids('name') : null;
  return {
    tieOrder: uuids && ((a, b) => uuids.compare(a, b)),
    hasNames: names !== null,
    nameAt: (actor, row) => names?.textAt(row()) ?? codes.groupAt(actor),
  };
}

interface RowReading extends RowOptions {
  /** The name of an actor, read from one of their rows. */
  nameAt(actor: number, row: () => number): string;
}

/** Time and steps are packed into one number per event. */
async function packedEvents(table: ColumnTable, question: FunnelQuestion, reading: RowReading): Promise<FunnelEvents> {
  const keys = await ActorKeys.group(table.integers('actor'), table.doubles('key'), encodingOf(question), reading);
  return {
    actors: keys.actors,
    of: (actor) => {
      const { count, at, rest } = keys.of(actor);
      return { at, bits: [rest], values: NO_VALUES, from: 0, to: count };
    },
    nameOf: (actor) => reading.nameAt(actor, () => keys.anyRowOf(actor)),
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

/** The time within the range, then the bits. */
function keySql(sql: SqlBuilder, question: FunnelQuestion): string {
  const since = `(d.at - ${sql.integer(question.range.from)})`;
  return sql.toDouble(`(${since} * ${sql.integer(baseOf(question))} + d.bits0)`);
}

/** The entities, as many per word as it has bits. */
function wordsOf(question: FunnelQuestion): Entity[][] {
  const entities = funnelEntities(question);
  return Array.from({ length: Math.ceil(entities.length / BITS_PER_WORD) }, (_, i) =>
    entities.slice(i * BITS_PER_WORD, (i + 1) * BITS_PER_WORD),
  );
}
