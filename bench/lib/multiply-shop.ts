/**
 * Multiplies the traffic of a made-up shop with all that the event store keeps of it, so that ten million events take
 * minutes to make and not hours. Each copy has persons, sessions and events of its own, a few minutes earlier; what is
 * kept of its sessions is what is kept of the first one's, with other ids, numbers and times.
 */
import { copyFileSync } from 'node:fs';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { DAY_MS, MINUTE_MS } from '../../src/core/time/units.ts';
import { quoteText, STORAGE_VERSION } from '../../src/stores/duckdb/engine.ts';
import { FROM, UNTIL } from './product-traffic.ts';

/** The ids of a shop all have the same digit here, which tells its version; those of copies have others. */
const VERSION_PLACE = 15;
const VERSION = 4;
export const MAX_COPIES = 16 - VERSION;
const SHIFT_MS = 7 * MINUTE_MS;

const id = (text: string): string =>
  `concat(substr(${text}, 1, ${VERSION_PLACE - 1}), printf('%x', ${VERSION} + k), substr(${text}, ${VERSION_PLACE + 1}))`;
const uuid = (column: string): string => `${id(`${column}::varchar`)}::uuid`;
const ms = (column: string): string => `${column} - k * ${SHIFT_MS}`;
const time = (column: string): string => `${column} - to_milliseconds(k * ${SHIFT_MS})`;
const session = (column: string): string => `${column} + k * (select max(number) from base.session_rows)`;
const visitor = (column: string): string => `${column} + k * (select max(number) from base.session_visitors)`;

/** What is different in the copy `k`, by table. All other tables, and columns, stay as they are. */
const CHANGES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  event_rows: {
    uuid: uuid('uuid'),
    distinct_id: id('distinct_id'),
    person_id: uuid('person_id'),
    timestamp: time('timestamp'),
    created_at: time('created_at'),
    properties: `replace(properties, "$session_id", ${id('"$session_id"')})`,
    '"$session_id"': id('"$session_id"'),
  },
  session_rows: {
    session: id('session'),
    person_id: uuid('person_id'),
    started: ms('started'),
    ended: ms('ended'),
    number: session('number'),
    visitor: visitor('visitor'),
  },
  view_rows: { session: session('session'), visitor: visitor('visitor'), happened: ms('happened') },
  read_rows: { session: session('session'), happened: ms('happened') },
  session_visitors: { number: visitor('number'), person_id: uuid('person_id'), first_view: ms('first_view') },
  person_overrides: { from_id: uuid('from_id'), to_id: uuid('to_id') },
  person_rows: { person_id: uuid('person_id') },
};

/** Rows are in the order of time, as if they had come one after the other. */
const ORDER: Readonly<Record<string, string>> = {
  session_rows: 'order by started',
  view_rows: 'order by happened',
  read_rows: 'order by happened',
};

export async function multiplyShop(base: string, target: string, copies: number): Promise<void> {
  if (copies > MAX_COPIES) throw new Error(`There cannot be ${copies} copies, only ${MAX_COPIES}.`);
  copyFileSync(base, target);
  const instance = await DuckDBInstance.create(target, { storage_compatibility_version: STORAGE_VERSION });
  const connection = await instance.connect();
  try {
    await connection.run(`set TimeZone = 'UTC'; attach ${quoteText(base)} as base (read_only)`);
    for (const table of Object.keys(CHANGES)) await multiplyTable(connection, table, copies);
    await connection.run(`update log_position set row_count = row_count * ${copies}; checkpoint`);
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

async function multiplyTable(connection: DuckDBConnection, table: string, copies: number): Promise<void> {
  await connection.run(`delete from ${table}; checkpoint`);
  const changed = Object.entries(CHANGES[table] ?? {}).map(([column, value]) => `${value} as ${column}`);
  const rows = (condition: string): string =>
    `insert into ${table} select r.* replace (${changed.join(', ')})
    from base.${table} r cross join (select unnest(range(${copies})) as k) c where ${condition}`;
  if (table !== 'event_rows') return void (await connection.run(`${rows('true')} ${ORDER[table] ?? ''}`));
  // Day by day: putting the texts of all events into order takes too much memory.
  for (let day = FROM - DAY_MS; day < UNTIL; day += DAY_MS) {
    const at = (ms: number): string => `make_timestamp_ms(${ms})`;
    const near = `r.timestamp >= ${at(day)} and r.timestamp < ${at(day + 2 * DAY_MS)}`;
    const own = time('r.timestamp');
    await connection.run(
      `${rows(`${near} and ${own} >= ${at(day)} and ${own} < ${at(day + DAY_MS)}`)} order by timestamp`,
    );
  }
}
