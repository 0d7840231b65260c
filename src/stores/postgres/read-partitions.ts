/** Reads the partitioned log. */
import type pg from 'pg';
import type { PartitionEntry, Positions } from '../cluster/partitioned-log.ts';
import { queryRows } from './log-pool.ts';

/** How far each partition has been processed. */
export const readProgress = (pool: pg.Pool): Promise<Positions> =>
  readPositions(pool, 'log_positions', 'select partition, position as at from log_progress');

export async function readPositions(pool: pg.Pool, name: string, text: string): Promise<Positions> {
  const rows = await queryRows<{ partition: number; at: number }>(pool, name, text);
  return new Map(rows.map(({ partition, at }) => [partition, at]));
}

/** Takes entries of the partitions in turn until a limit is reached. Reads the payloads of chosen entries only. */
const READ = `
  with waiting as (
    select e.partition, e.seq, e.events, e.size, row_number() over (partition by e.partition order by e.seq) as turn
    from unnest($1::integer[], $2::bigint[]) as c(partition, after)
    cross join lateral (
      select e.partition, e.seq, e.events, octet_length(e.payload) as size from log_entries e
      where e.partition = c.partition and e.seq > c.after order by e.seq limit $3
    ) e
  ), chosen as (
    select partition, seq, sum(events) over w as events, sum(size) over w as bytes, row_number() over w as nth,
      count(*) over () as waiting
    from waiting window w as (order by turn, partition)
  )
  select e.partition, e.seq, e.project_id as "projectId", e.received_at as "receivedAt", e.events, e.context, e.seed,
    e.payload, c.waiting::integer as waiting
  from chosen c join log_entries e using (partition, seq)
  where c.nth = 1 or (c.events <= $4 and c.bytes <= $5)
  order by c.nth`;

/**
 * Takes entries of the projects in turn, and of each project those of its partitions in turn, so that no project waits
 * for the flood of another. Entries of a project in a partition are taken in order. Finds the projects by one step in
 * the index for each. $6 changes from chunk to chunk, and with it who comes first.
 */
const READ_IN_TURNS = `
  with recursive owners as (
    select c.partition, (
      select e.project_id from log_entries e where e.partition = c.partition order by e.project_id limit 1
    ) as project_id
    from unnest($1::integer[], $2::bigint[]) as c(partition, after)
    union all
    select o.partition, (
      select e.project_id from log_entries e where e.partition = o.partition and e.project_id > o.project_id
      order by e.project_id limit 1
    )
    from owners o where o.project_id is not null
  ), waiting as (
    select e.partition, e.seq, o.project_id, e.events, e.size,
      row_number() over (partition by o.project_id order by e.nth, (e.partition + $6) % 1024) as turn
    from owners o
    cross join lateral (
      select e.partition, e.seq, e.events, octet_length(e.payload) as size, row_number() over (order by e.seq) as nth
      from log_entries e where e.partition = o.partition and e.project_id = o.project_id order by e.seq limit $3
    ) e
  ), chosen as (
    select partition, seq, sum(events) over w as events, sum(size) over w as bytes, row_number() over w as nth
    from waiting window w as (order by turn, (project_id + $6) % 997, project_id)
  )
  select e.partition, e.seq, e.project_id as "projectId", e.received_at as "receivedAt", e.events, e.context, e.seed,
    e.payload
  from chosen c join log_entries e using (partition, seq)
  where c.nth = 1 or (c.events <= $4 and c.bytes <= $5)
  order by c.nth`;

const ENTRY = `
  select partition, seq, project_id as "projectId", received_at as "receivedAt", events, context, seed, payload
  from log_entries where partition = $1 and seq = $2`;

/** PostgreSQL has no infinite integers. */
const UNBOUNDED = Number.MAX_SAFE_INTEGER;
/** Of a project and partition: enough to fill a chunk. */
const MAX_ENTRIES_IN_TURNS = 512;

type Row = PartitionEntry & { waiting?: number };

interface Limits {
  partitions: readonly [number[], number[]];
  /** Of each partition. */
  entries: number;
  events: number;
  bytes: number;
}

function limitsOf(after: Positions, maxEvents: number, maxBytes: number): Limits {
  const events = Math.min(maxEvents, UNBOUNDED);
  // Every entry has at least one event; with many partitions, none gets much more than its share.
  const share = after.size === 1 ? events : Math.min(events, Math.ceil((2 * events) / after.size) + 16);
  return {
    partitions: [[...after.keys()], [...after.values()]],
    entries: Math.min(share + 1, UNBOUNDED),
    events,
    bytes: Math.min(maxBytes, UNBOUNDED),
  };
}

const readOldest = (pool: pg.Pool, { partitions, entries, events, bytes }: Limits): Promise<Row[]> =>
  queryRows<Row>(pool, 'read_entries', READ, [...partitions, entries, events, bytes]);

/** The oldest entries of each partition. */
export async function readPartitionEntries(
  pool: pg.Pool,
  after: Positions,
  maxEvents: number,
  maxBytes: number,
): Promise<PartitionEntry[]> {
  if (after.size === 0) return [];
  const rows = await readOldest(pool, limitsOf(after, maxEvents, maxBytes));
  return rows.map(({ waiting: _, ...entry }) => entry);
}

/** The oldest entries, or, where more are pending, those of the projects in turn; `turn` counts the calls. */
export async function readInTurns(
  pool: pg.Pool,
  after: Positions,
  maxEvents: number,
  maxBytes: number,
  turn: number,
): Promise<PartitionEntry[]> {
  if (after.size === 0) return [];
  const limits = limitsOf(after, maxEvents, maxBytes);
  const oldest = await readOldest(pool, limits);
  if (!isMorePending(oldest, limits.entries)) return oldest;
  const entries = Math.min(limits.entries, MAX_ENTRIES_IN_TURNS);
  const bounds = [entries, limits.events, limits.bytes, turn];
  return queryRows<PartitionEntry>(pool, 'read_in_turns', READ_IN_TURNS, [...limits.partitions, ...bounds]);
}

/** Whether some were found that do not fit, or a partition has so many that not all were looked for. */
function isMorePending(read: readonly Row[], perPartition: number): boolean {
  if ((read[0]?.waiting ?? 0) > read.length) return true;
  const counts = new Map<number, number>();
  for (const { partition } of read) counts.set(partition, (counts.get(partition) ?? 0) + 1);
  return [...counts.values()].some((count) => count >= perPartition);
}

export async function readPartitionEntry(
  pool: pg.Pool,
  partition: number,
  seq: number,
): Promise<PartitionEntry | null> {
  const [entry] = await queryRows<PartitionEntry>(pool, 'read_entry', ENTRY, [partition, seq]);
  return entry ?? null;
}
