/** Reads the events of paths as numbers: actor, time, item. */

import type { EventQuery } from '../../../query/event-query.ts';
import type { EventStatement } from '../../../query/event-statement.ts';
import { prepareEventQuery } from '../../../query/prepare-event-query.ts';
import type { ScanDeps } from '../../../query/query-deps.ts';
import type { SqlBuilder } from '../../../stores/events/dialect.ts';
import type { ColumnTable } from '../../../stores/events/event-store.ts';
import type { PathsQuestion } from '../rules/question.ts';
import { ActorKeys, fitsInKey, type KeyEncoding, type RowOptions } from '../shared/actor-keys.ts';
import { actorBatches, reorderColumn, rowsByActor } from '../shared/actor-rows.ts';
import { batchSql } from '../shared/batch-sql.ts';
import type { PathKeys } from './count-paths.ts';
import { MAX_CODED_ITEMS, PathCodes } from './path-codes.ts';
import type { ActorItems } from './split-paths.ts';

interface PathEventBatch {
  readonly codes: PathCodes;
  /** The events as columns of numbers; null where they do not fit into these. */
  readonly keys: PathKeys | null;
  byActor(): Promise<PathsByActor>;
}

export interface PathsByActor {
  readonly codes: PathCodes;
  readonly actors: number;
  /** Valid until the next call. */
  of(actor: number): ActorItems;
  /** The person's id; only with `hasNames`. */
  nameOf(actor: number): string;
}

const PERSON = { kind: 'person' } as const;

export async function* pathEvents(
  deps: ScanDeps,
  projectId: number,
  question: PathsQuestion,
  hasNames: boolean,
): AsyncGenerator<PathEventBatch> {
  const { filter, range, timezone } = question;
  const parts = { filters: [filter], sessionRange: range, timezone, hasActors: true };
  const query = await prepareEventQuery(deps, projectId, parts);
  const { items, events } = await findItems(query, question);
  const codes = new PathCodes(question, items);
  const base = 2 ** Math.ceil(Math.log2(codes.count + 1));
  const isKeyed = codes.isComplete && fitsInKey(question.range, base);
  for await (const batch of actorBatches(events, codes.maxBatchEvents)) {
    const statement = query.begin();
    const { sql } = statement;
    const { columns, join } = columnsOf(sql, question, codes, isKeyed ? base : null);
    const name = hasNames ? ', p.person_id as name' : '';
    const table = await deps.events.queryColumns(
      `select p.number as actor, ${columns}, e.uuid as uuid${name}
      ${statement.fromActors(PERSON, question.range, join)} and ${batchSql(sql, PERSON, batch)}
        and ${includedSql(sql, question)} and ${statement.matches(question.filter)}`,
      sql.values,
    );
    const uuids = table.uuids('uuid');
    const names = hasNames ? table.uuids('name') : null;
    const reading: RowReading = {
      tieOrder: (a, b) => uuids.compare(a, b),
      hasNames,
      nameAt: (row) => names?.textAt(row) ?? '',
    };
    const encoding = { base, from: question.range.from };
    const keys = isKeyed ? keysOf(table, codes, encoding) : null;
    yield {
      codes,
      keys,
      byActor: () => (keys === null ? columnItems(table, codes, reading) : packedItems(keys, codes, reading)),
    };
  }
}

interface RowReading extends RowOptions {
  nameAt(row: number): string;
}

/** Time and item in one column, where both fit into one number; otherwise in two. */
function columnsOf(
  sql: SqlBuilder,
  { range }: PathsQuestion,
  codes: PathCodes,
  base: number | null,
): { columns: string; join: string } {
  const at = sql.ms('e.timestamp');
  const join = codes.isComplete ? codes.join(sql, itemSql(sql)) : '';
  if (base !== null) {
    const since = `(${at} - ${sql.integer(range.from)})`;
    return { columns: `${sql.toDouble(`(${since} * ${sql.integer(base)} + c.code)`)} as key`, join };
  }
  return { columns: `${sql.toDouble(at)} as at, ${codes.isComplete ? 'c.code' : itemSql(sql)} as item`, join };
}

const keysOf = (table: ColumnTable, codes: PathCodes, encoding: KeyEncoding): PathKeys => ({
  actor: table.integers('actor'),
  key: table.doubles('key'),
  uuids: table.uuids('uuid').words,
  encoding,
  items: codes.count,
});

async function packedItems(
  { actor: actors, key, encoding }: PathKeys,
  codes: PathCodes,
  reading: RowReading,
): Promise<PathsByActor> {
  const keys = await ActorKeys.group(actors, key, encoding, reading);
  return {
    codes,
    actors: keys.actors,
    of: (actor) => {
      const { count, at, rest } = keys.of(actor);
      return { from: 0, to: count, at, items: rest };
    },
    nameOf: (actor) => reading.nameAt(keys.anyRowOf(actor)),
  };
}

async function columnItems(
  table: ColumnTable,
  codes: PathCodes,
  { tieOrder, nameAt }: RowReading,
): Promise<PathsByActor> {
  const rows = await rowsByActor(table, tieOrder);
  const { actors, at, starts } = rows;
  const items = await reorderColumn(rows, codes.isComplete ? table.integers('item') : codes.read(table.texts('item')));
  return {
    codes,
    actors,
    of: (actor) => ({ from: starts[actor] as number, to: starts[actor + 1] as number, at, items }),
    nameOf: (actor) => nameAt(rows.rows[starts[actor] as number] as number),
  };
}

/** All items, or null where there are too many, and the number of events. */
async function findItems(
  query: EventQuery,
  question: PathsQuestion,
): Promise<{ items: string[] | null; events: number }> {
  const statement = query.begin();
  const { sql } = statement;
  const rows = await statement.query(
    `select ${itemSql(sql)} as item, count(*) as n ${includedEvents(statement, question)}
    group by 1 limit ${sql.integer(MAX_CODED_ITEMS + 1)}`,
  );
  if (rows.length <= MAX_CODED_ITEMS) {
    const events = rows.reduce((total, row) => total + Number(row['n']), 0);
    return { items: rows.map((row) => String(row['item'])), events };
  }
  const counting = query.begin();
  const [all] = await counting.query(`select count(*) as n ${includedEvents(counting, question)}`);
  return { items: null, events: Number(all?.['n'] ?? 0) };
}

const includedEvents = (statement: EventStatement, question: PathsQuestion): string =>
  `from event_rows e where ${statement.inProject()} and ${statement.during(question.range)}
    and ${includedSql(statement.sql, question)}`;

/** The address without its last slash, the screen, or the name of the event. */
function itemSql(sql: SqlBuilder): string {
  const url = `coalesce(${sql.property('$current_url')}, '')`;
  const address = `case when length(${url}) > 1 and right(${url}, 1) = '/' then left(${url}, length(${url}) - 1) else ${url} end`;
  return `(case e.event when '$pageview' then ${address}
    when '$screen' then coalesce(${sql.property('$screen_name')}, '') else e.event end)`;
}

function includedSql(sql: SqlBuilder, { eventTypes, customEvents }: PathsQuestion): string {
  if (eventTypes.length === 0 && customEvents.length === 0) return 'true';
  const kinds = eventTypes.map((type) =>
    type === 'custom_event' ? `left(e.event, 1) <> '$'` : `e.event = ${sql.param(type)}`,
  );
  return `(${[...kinds, ...customEvents.map((name) => `e.event = ${sql.param(name)}`)].join(' or ')})`;
}
