/** Asks the engine for the events that paths are made of, as numbers: who, when, which item. */
import type { PathsQuestion } from '../core/insights/questions/question.ts';
import type { InsightSql } from '../stores/dialect.ts';
import { type ActorRows, placed, rowsByActor } from './actor-rows.ts';
import { type AskedDeps, AskedEvents } from './asked-events.ts';
import { MOST_CODED, PathCodes } from './path-codes.ts';
import { slicesOf } from './sliced.ts';

export interface PathEvents extends ActorRows {
  readonly codes: PathCodes;
  /** Place → code of its item. */
  readonly items: Int32Array;
  /** The person's id; only where names were asked for. */
  nameOf(actor: number): string;
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
  for await (const { at: slice, count } of slicesOf(events, codes.sliceEvents)) {
    const sql = deps.dialect.begin('e');
    const { column, join } = codes.columns(sql, itemSql(sql));
    const name = hasNames ? ', p.person_id as name' : '';
    const isOwn = count === 1 ? 'true' : `${sql.slice('p.person_id', count)} = ${sql.param(slice)}`;
    const table = await deps.events.columns(
      `select p.number as actor, ${sql.toDouble(sql.millis('e.timestamp'))} as at, e.uuid as uuid, ${column}${name}
      ${asked.source(sql, PERSON, question.range, join)} and ${isOwn}
        and ${includedSql(sql, question)} and ${asked.holds(sql, question.filter)}`,
      sql.values,
    );
    const uuids = table.uuids('uuid');
    const names = hasNames ? table.uuids('name') : null;
    const rows = rowsByActor(table, (a, b) => uuids.compare(a, b));
    yield {
      ...rows,
      codes,
      items: placed(rows, codes.read(table)),
      nameOf: (actor) => names?.textAt(rows.rows[rows.starts[actor] as number] as number) ?? '',
    };
  }
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
