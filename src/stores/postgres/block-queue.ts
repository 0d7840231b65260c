import { sql } from 'kysely';
import type pg from 'pg';
import type { BlockQueue, PendingBlocks } from '../cluster/block-queue.ts';
import { SHIPPED_TOTALS, type Shipment, type ShippedTotals } from '../cluster/block-store.ts';
import type { Lease } from '../cluster/leases.ts';
import type { PersonOverride } from '../events/event-store.ts';
import type { Reassigned, Reassignment } from '../events/reassignment.ts';
import { completeReassignments, pendingReassignments } from '../sql/ingest/reassignments.ts';
import { postgresDialect } from '../sql/postgres-dialect.ts';
import type { Db } from '../sql/tables.ts';
import { unavailable } from '../unavailable.ts';
import { queryRows } from './log-pool.ts';

const MAX_BLOCKS = 500;

interface BlockRow {
  number: number;
  events: number;
  bytes: number;
  waitedMs: number;
}

export class PostgresBlockQueue implements BlockQueue {
  readonly #pool: pg.Pool;
  readonly #db: Db;

  /** `db`: the metadata in the same database. */
  constructor(pool: pg.Pool, db: Db) {
    this.#pool = pool;
    this.#db = db;
  }

  async runningShipment(): Promise<Shipment | null> {
    const rows = await queryRows<RunningRow>(this.#pool, 'under_way', RUNNING_SQL);
    const [first] = rows;
    if (first === undefined) return null;
    return {
      position: first.shipment,
      totals: addToTotals(await this.shipped(), first.shipment, rows),
      blocks: rows.map((row) => row.rows).filter(({ length }) => length > 0),
      overrides: rows.flatMap(({ overrides }) => JSON.parse(overrides) as PersonOverride[]),
    };
  }

  /**
   * Blocks before the first reassignment are found in one query: a block that waited for the reassignment's lock becomes
   * visible after it. If there are none, reassignments up to the next block come next.
   */
  async next(maxEvents: number, maxBytes: number): Promise<{ reassignments: Reassignment[] } | PendingBlocks | null> {
    const rows = await queryRows<BlockRow>(this.#pool, 'next_blocks', NEXT_SQL, [MAX_BLOCKS]);
    if (rows.length > 0) return takeBlocks(rows, maxEvents, maxBytes);
    const pending = await pendingReassignments({ db: this.#db, dialect: postgresDialect });
    if (pending[0] === undefined) return null;
    const [after] = await queryRows<{ number: number | null }>(this.#pool, 'block_after', AFTER_SQL, [pending[0].id]);
    const nextBlock = after?.number ?? Number.MAX_SAFE_INTEGER;
    return { reassignments: pending.filter(({ id }) => id < nextBlock) };
  }

  beginShipment(holder: string, lease: Lease, numbers: readonly number[]): Promise<void> {
    return this.#withLease(holder, lease, async (db) => {
      await sql`insert into shipments (number, blocks)
        values (nextval('shipment_numbers'), ${[...numbers]}::bigint[])`.execute(db);
    });
  }

  completeShipment(holder: string, lease: Lease, shipment: number): Promise<void> {
    return this.#withLease(holder, lease, async (db) => {
      const { rows } = await sql<{ projects: number[]; events: number; receivedAt: number }>`
        with shipment as (delete from shipments where number = ${shipment} returning blocks)
        delete from event_blocks b using shipment s where b.number = any(s.blocks)
        returning b.projects, b.events, b.received_at`.execute(db);
      await writeShipped(db, addToTotals(await readShipped(db), shipment, rows));
      await notifyShipped(db, [...new Set(rows.flatMap(({ projects }) => projects.map(Number)))]);
    });
  }

  shipped(): Promise<ShippedTotals | null> {
    return readShipped(this.#db);
  }

  completeReassignments(holder: string, lease: Lease, done: readonly Reassigned[]): Promise<void> {
    return this.#withLease(holder, lease, async (db) => {
      await completeReassignments({ db, dialect: postgresDialect }, done);
      await notifyShipped(db, null);
    });
  }

  async skipTo(position: number): Promise<void> {
    // Also if equal: the last value of an unused sequence is its first number.
    await this.#pool.query(
      `select setval('shipment_numbers', $1) where $1 >= (select last_value from shipment_numbers)`,
      [position],
    );
  }

  /** A holder that has lost its lease writes nothing. */
  #withLease(holder: string, { name, token }: Lease, work: (db: Db) => Promise<void>): Promise<void> {
    return this.#db.transaction().execute(async (db) => {
      const { rows } = await sql`select 1 as held from leases
        where name = ${name} and holder = ${holder} and token = ${token} for share`.execute(db);
      if (rows.length !== 1) throw unavailable('The lease was lost: another worker owns the event store now.');
      await work(db);
    });
  }
}

interface RunningRow {
  shipment: number;
  rows: Buffer;
  overrides: string;
  events: number;
  receivedAt: number;
}

async function readShipped(db: Db): Promise<ShippedTotals | null> {
  const row = await db.selectFrom('installation').select('value').where('name', '=', SHIPPED_TOTALS).executeTakeFirst();
  return row ? (JSON.parse(row.value) as ShippedTotals) : null;
}

async function writeShipped(db: Db, totals: ShippedTotals): Promise<void> {
  const value = JSON.stringify(totals);
  await db
    .insertInto('installation')
    .values({ name: SHIPPED_TOTALS, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute();
}

const addToTotals = (
  before: ShippedTotals | null,
  shipment: number,
  blocks: readonly { events: number; receivedAt: number }[],
): ShippedTotals => ({
  shipment,
  events: blocks.reduce((sum, { events }) => sum + Number(events), before?.events ?? 0),
  receivedAt: blocks.reduce((last, { receivedAt }) => Math.max(last, Number(receivedAt)), 0),
});

/** More project ids would not fit into a notification. */
const MAX_NOTIFIED_PROJECTS = 500;

async function notifyShipped(db: Db, projects: readonly number[] | null): Promise<void> {
  const shipped = projects !== null && projects.length <= MAX_NOTIFIED_PROJECTS ? projects : null;
  await sql`select pg_notify('cairn', ${JSON.stringify({ shipped })})`.execute(db);
}

function takeBlocks(rows: readonly BlockRow[], maxEvents: number, maxBytes: number): PendingBlocks {
  const numbers: number[] = [];
  let events = 0;
  let bytes = 0;
  for (const row of rows) {
    events += row.events;
    bytes += row.bytes;
    if (numbers.length > 0 && (events > maxEvents || bytes > maxBytes)) break;
    numbers.push(row.number);
  }
  return { numbers, events, waitedMs: rows[0]?.waitedMs ?? 0 };
}

const RUNNING_SQL = `
  select s.number as shipment, b.rows, b.overrides, b.events, b.received_at as "receivedAt"
  from shipments s join event_blocks b on b.number = any(s.blocks)
  order by b.number`;

const NEXT_SQL = `
  select number, events, octet_length(rows) as bytes,
    (extract(epoch from clock_timestamp() - made_at) * 1000)::float8 as "waitedMs"
  from event_blocks
  where number < coalesce((select min(id) from person_refilings), 9223372036854775807)
  order by number limit $1`;

const AFTER_SQL = `select min(number) as number from event_blocks where number > $1`;
