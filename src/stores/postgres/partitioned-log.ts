/**
 * The partitioned log in PostgreSQL. Concurrent requests share one statement and one commit.
 */
import type pg from 'pg';
import type { ChangedSubjects } from '../cluster/node-messages.ts';
import type { NewPartitionEntry, PartitionedLog, PartitionedState, Positions } from '../cluster/partitioned-log.ts';
import { unavailable } from '../unavailable.ts';
import { GroupCommit } from './group-commit.ts';
import { openLogPool, queryRows } from './log-pool.ts';
import { readPositions, readProgress } from './read-partitions.ts';

interface PartitionedLogOptions {
  /** This node's id, sent with notifications. */
  node?: string;
  /** Maximum size of pending payloads, over all partitions and nodes. */
  maxBytes: number;
  /** Number of partitions of a new log. */
  partitions?: number;
  /** How often the size of pending payloads is read. */
  pollIntervalMs?: number;
}

const DEFAULT_PARTITIONS = 16;
const POLL_INTERVAL_MS = 1000;
/** For the running group, for polling, and one to spare. */
const CONNECTIONS = 3;

interface Request {
  entries: readonly NewPartitionEntry[];
  changed: readonly ChangedSubjects[];
}

export async function openPartitionedLog(url: string, options: PartitionedLogOptions): Promise<PartitionedLog> {
  const pool = await openLogPool(url, CONNECTIONS);
  try {
    const partitions = await ensurePartitions(pool, options.partitions ?? DEFAULT_PARTITIONS);
    const log = new PostgresLog(pool, partitions, options);
    await log.poll();
    return log;
  } catch (error) {
    await pool.end();
    throw error;
  }
}

/** The first start decides the number: an id must stay in its partition while entries are pending. */
async function ensurePartitions(pool: pg.Pool, wanted: number): Promise<number> {
  await pool.query(
    `with fresh as (
      insert into log_partitions (partition) select n - 1 from generate_series(1, $1::integer) n
      where not exists (select from log_partitions) on conflict do nothing returning partition
    ) insert into log_progress (partition) select partition from fresh on conflict do nothing`,
    [wanted],
  );
  const { rows } = await pool.query('select count(*)::integer as n from log_partitions');
  return rows[0].n;
}

class PostgresLog implements PartitionedLog {
  readonly partitions: number;
  readonly #pool: pg.Pool;
  readonly #options: PartitionedLogOptions;
  readonly #groups: GroupCommit<Request, Positions>;
  readonly #polling: NodeJS.Timeout;
  /** Bytes pending at the last poll, written here since, and being written. */
  #polledBytes = 0;
  #writtenBytes = 0;
  #runningBytes = 0;
  #poll: Promise<void> | null = null;
  #closed = false;

  constructor(pool: pg.Pool, partitions: number, options: PartitionedLogOptions) {
    this.#pool = pool;
    this.partitions = partitions;
    this.#options = options;
    this.#groups = new GroupCommit({ write: (group) => this.#write(group), sizeOf });
    // A failed poll needs no handling: appends report an unavailable database.
    this.#polling = setInterval(
      () => void this.poll().catch(() => undefined),
      options.pollIntervalMs ?? POLL_INTERVAL_MS,
    );
    this.#polling.unref();
  }

  async append(entries: readonly NewPartitionEntry[], changed: readonly ChangedSubjects[] = []): Promise<Positions> {
    if (this.#closed) throw unavailable('The server is stopping.');
    const request = { entries, changed };
    const bytes = sizeOf(request);
    if (this.#polledBytes + this.#writtenBytes + this.#runningBytes + bytes > this.#options.maxBytes) {
      throw unavailable('Too many events are waiting to be processed. Try again in a moment.');
    }
    this.#runningBytes += bytes;
    try {
      const reached = await this.#groups.add(request);
      this.#writtenBytes += bytes;
      return reached;
    } finally {
      this.#runningBytes -= bytes;
    }
  }

  async state(): Promise<PartitionedState> {
    const [row] = await queryRows<Record<keyof PartitionedState, number | null>>(this.#pool, 'log_state', STATE);
    const { accepted, events, bytes, oldestReceivedAt } = row ?? {};
    return {
      accepted: Number(accepted ?? 0),
      events: Number(events ?? 0),
      bytes: Number(bytes ?? 0),
      oldestReceivedAt: oldestReceivedAt ?? null,
    };
  }

  heads(): Promise<Positions> {
    return readPositions(this.#pool, 'log_heads', 'select partition, head as at from log_partitions');
  }

  positions(): Promise<Positions> {
    return readProgress(this.#pool);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    clearInterval(this.#polling);
    await this.#groups.finish();
    await this.#pool.end();
  }

  /** Reads the pending size. Concurrent writes may count twice until the next poll, but are never missed. */
  poll(): Promise<void> {
    // One at a time: overlapping polls would subtract the same bytes twice.
    this.#poll ??= this.#readPending().finally(() => {
      this.#poll = null;
    });
    return this.#poll;
  }

  async #readPending(): Promise<void> {
    const before = this.#writtenBytes;
    const { bytes } = await this.state();
    this.#polledBytes = bytes;
    this.#writtenBytes -= before;
  }

  async #write(group: readonly Request[]): Promise<Positions[]> {
    const rows = await appendGroup(this.#pool, group, this.#options.node ?? '').catch((cause: unknown) => {
      throw unavailable('The log could not be written.', cause);
    });
    return numbersOf(group, new Map(rows.map((row) => [row.of_partition, row.up_to])));
  }
}

const appendGroup = (
  on: Pick<pg.Pool, 'query'>,
  group: readonly Request[],
  node: string,
): Promise<{ of_partition: number; up_to: number }[]> => queryRows(on, 'append', APPEND, valuesOf(group, node));

/** Appends within the caller's transaction, without a sending node. */
export async function appendEntries(client: pg.PoolClient, entries: readonly NewPartitionEntry[]): Promise<void> {
  if (entries.length > 0) await appendGroup(client, [{ entries, changed: [] }], '');
}

/** Counted back from where each partition has got to with the whole group. */
function numbersOf(group: readonly Request[], heads: Map<number, number>): Positions[] {
  const numbers = group.map(() => new Map<number, number>());
  for (let index = group.length - 1; index >= 0; index--) {
    for (const { partition } of group[index]?.entries ?? []) {
      const head = heads.get(partition) ?? 0;
      const own = numbers[index];
      if (own && !own.has(partition)) own.set(partition, head);
      heads.set(partition, head - 1);
    }
  }
  return numbers;
}

const sizeOf = ({ entries }: Request): number => entries.reduce((sum, { payload }) => sum + payload.length, 0);

const APPEND = `select * from append_entries($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`;

/** Payloads are sent as one value: an array would be sent as text, twice as long. */
function valuesOf(group: readonly Request[], node: string): unknown[] {
  const entries = group.flatMap((request) => request.entries);
  let start = 0;
  const starts = entries.map(({ payload }) => {
    const own = start;
    start += payload.length;
    return own;
  });
  return [
    entries.map(({ partition }) => partition),
    entries.map(({ projectId }) => projectId),
    entries.map(({ receivedAt }) => receivedAt),
    entries.map(({ events }) => events),
    entries.map(({ context }) => context),
    entries.map(({ payload }) => payload.length),
    starts,
    Buffer.concat(entries.map(({ seed }) => seed)),
    Buffer.concat(entries.map(({ payload }) => payload)),
    node,
    changedText(group.flatMap(({ changed }) => changed)),
  ];
}

/** A notification holds at most 8000 bytes. Longer lists are sent as "any subject of this project". */
const MAX_MESSAGE_BYTES = 6000;

function changedText(changed: readonly ChangedSubjects[]): string {
  const whole = JSON.stringify(changed);
  if (whole.length <= MAX_MESSAGE_BYTES) return whole;
  const places = new Map(
    changed.map(([partition, projectId]) => [`${partition} ${projectId}`, [partition, projectId, null]]),
  );
  const short = JSON.stringify([...places.values()]);
  return short.length <= MAX_MESSAGE_BYTES ? short : '[[-1,-1,null]]';
}

const STATE = `
  select sum(p.events)::bigint as accepted,
    (sum(p.events) - sum(d.events))::bigint as events,
    (sum(p.bytes) - sum(d.bytes))::bigint as bytes,
    min(o.received_at) as "oldestReceivedAt"
  from log_partitions p
  join log_progress d using (partition)
  left join lateral (
    select e.received_at from log_entries e where e.partition = p.partition and e.seq > d.position order by e.seq limit 1
  ) o on true`;
