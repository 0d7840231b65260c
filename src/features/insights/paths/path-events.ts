/** Asks the engine for the events that paths are made of, as numbers: who, when, which item. */

import { type AskedDeps, AskedEvents } from '../../../query/asked-events.ts';
import type { InsightSql } from '../../../stores/events/dialect.ts';
import type { ColumnTable } from '../../../stores/events/event-store.ts';
import type { PathsQuestion } from '../rules/question.ts';
import { ActorKeys, fitsKey, type KeyParts, type RowWishes } from '../shared/actor-keys.ts';
import { placed, rowsByActor } from '../shared/actor-rows.ts';
import { slicesOf } from '../shared/actor-slices.ts';
import { MOST_CODED, PathCodes } from './path-codes.ts';

export interface PathEvents {
  readonly codes: PathCodes;
  readonly actors: number;
  /** Where an actor came, until the next one is asked for. */
  of(actor: number): OwnItems;
  /** The person's id; only where names were asked for. */
  nameOf(actor: number): string;
}

/** The places from `from` to before `to` are the actor's, in the order of time. */
export interface OwnItems {
  readonly from: number;
  readonly to: number;
  /** Place → time, ms UTC. */
  readonly at: Float64Array;
  /** Place → code of its item. */
  readonly items: Int32Array;
}

const PERSON = { kind: 'person' } as const;

export async function* pathEvents(
  deps: AskedDeps,
  projectId: number,
  question: PathsQuestion,
  hasNames: boolean,
): AsyncGenerator<PathEvents> {
  const asked = await AskedEvents.prepare(deps, projectId, [question.filter], question.range);
  const { items, events } = await findItems(deps, asked, question);
  const codes = new PathCodes(question, items);
  const base = 2 ** Math.ceil(Math.log2(codes.count + 1));
  const isKeyed = codes.areKnown && fitsKey(question.range, base);
  for await (const { at: slice, count } of slicesOf(events, codes.sliceEvents)) {
    const sql = deps.dialect.begin('e');
    const { columns, join } = columnsOf(sql, question, codes, isKeyed ? base : null);
    const name = hasNames ? ', p.person_id as name' : '';
    const isOwn = count === 1 ? 'true' : `${sql.slice('p.person_id', count)} = ${sql.param(slice)}`;
    const table = await deps.events.columns(
      `select p.number as actor, ${columns}, e.uuid as uuid${name}
      ${asked.source(sql, PERSON, question.range, join)} and ${isOwn}
        and ${includedSql(sql, question)} and ${asked.holds(sql, question.filter)}`,
      sql.values,
    );
    const uuids = table.uuids('uuid');
    const names = hasNames ? table.uuids('name') : null;
    const how: Reading = {
      tied: (a, b) => uuids.compare(a, b),
      hasNames,
      nameAt: (row) => names?.textAt(row) ?? '',
    };
    const parts = { base, from: question.range.from };
    yield isKeyed ? await keyedItems(table, codes, parts, how) : await placedItems(table, codes, how);
  }
}

interface Reading extends RowWishes {
  nameAt(row: number): string;
}

/** One column, of time and item, where both go into one number; otherwise one for each. */
function columnsOf(
  sql: InsightSql,
  { range }: PathsQuestion,
  codes: PathCodes,
  base: number | null,
): { columns: string; join: string } {
  const at = sql.millis('e.timestamp');
  const join = codes.areKnown ? codes.join(sql, itemSql(sql)) : '';
  if (base !== null) {
    const since = `(${at} - ${sql.integer(range.from)})`;
    return { columns: `${sql.toDouble(`(${since} * ${sql.integer(base)} + c.code)`)} as key`, join };
  }
  return { columns: `${sql.toDouble(at)} as at, ${codes.areKnown ? 'c.code' : itemSql(sql)} as item`, join };
}

async function keyedItems(table: ColumnTable, codes: PathCodes, parts: KeyParts, how: Reading): Promise<PathEvents> {
  const keys = await ActorKeys.put(table.integers('actor'), table.doubles('key'), parts, how);
  return {
    codes,
    actors: keys.actors,
    of: (actor) => {
      const { count, at, rest } = keys.of(actor);
      return { from: 0, to: count, at, items: rest };
    },
    nameOf: (actor) => how.nameAt(keys.rowOf(actor)),
  };
}

async function placedItems(table: ColumnTable, codes: PathCodes, { tied, nameAt }: Reading): Promise<PathEvents> {
  const rows = await rowsByActor(table, tied);
  const { actors, at, starts } = rows;
  const items = await placed(rows, codes.areKnown ? table.integers('item') : codes.read(table.texts('item')));
  return {
    codes,
    actors,
    of: (actor) => ({ from: starts[actor] as number, to: starts[actor + 1] as number, at, items }),
    nameOf: (actor) => nameAt(rows.rows[starts[actor] as number] as number),
  };
}

/** Every item that there is, whoever came there, or null where there are too many; and how many events there are. */
async function findItems(
  deps: AskedDeps,
  asked: AskedEvents,
  question: PathsQuestion,
): Promise<{ items: string[] | null; events: number }> {
  const sql = deps.dialect.begin('e');
  const rows = await deps.events.query(
    `select ${itemSql(sql)} as item, count(*) as n from event_rows e
    where ${asked.during(sql, question.range)} and ${includedSql(sql, question)}
    group by 1 limit ${sql.integer(MOST_CODED + 1)}`,
    sql.values,
  );
  if (rows.length <= MOST_CODED) {
    const events = rows.reduce((total, row) => total + Number(row['n']), 0);
    return { items: rows.map((row) => String(row['item'])), events };
  }
  const counting = deps.dialect.begin('e');
  const [all] = await deps.events.query(
    `select count(*) as n from event_rows e
    where ${asked.during(counting, question.range)} and ${includedSql(counting, question)}`,
    counting.values,
  );
  return { items: null, events: Number(all?.['n'] ?? 0) };
}

/** Where an event led: an address without its last slash, a screen, or itself. */
function itemSql(sql: InsightSql): string {
  const url = `coalesce(${sql.property('$current_url')}, '')`;
  const address = `case when length(${url}) > 1 and right(${url}, 1) = '/' then left(${url}, length(${url}) - 1) else ${url} end`;
  return `(case e.event when '$pageview' then ${address}
    when '$screen' then coalesce(${sql.property('$screen_name')}, '') else e.event end)`;
}

function includedSql(sql: InsightSql, { eventTypes, customEvents }: PathsQuestion): string {
  if (eventTypes.length === 0 && customEvents.length === 0) return 'true';
  const kinds = eventTypes.map((type) =>
    type === 'custom_event' ? `left(e.event, 1) <> '$'` : `e.event = ${sql.param(type)}`,
  );
  return `(${[...kinds, ...customEvents.map((name) => `e.event = ${sql.param(name)}`)].join(' or ')})`;
}
