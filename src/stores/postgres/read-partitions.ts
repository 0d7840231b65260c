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

/**
 * Takes entries of the partitions in turn until a limit is reached. Reads the payloads of chosen entries only.
 */
const READ = `
  with waiting as (
    select e.partition, e.seq, e.events, e.size, row_number() over (partition by e.partition order by e.seq) as turn
    from unnest($1::integer[], $2::bigint[]) as c(partition, after)
    cross join lateral (
      select e.partition, e.seq, e.events, octet_length(e.payload) as size from log_entries e
      where e.partition = c.partition and e.seq > c.after order by e.seq limit $3
    ) e
  ), chosen as (
    select partition, seq, sum(events) over w as events, sum(size) over w as bytes, row_number() over w as nth
    from waiting window w as (order by turn, partition)
  )
  select e.partition, e.seq, e.project_id as "projectId", e.received_at as "receivedAt", e.events, e.context, e.seed,
    e.payload
  from chosen c join log_entries e using (partition, seq)
  where c.nth = 1 or (c.events <= $4 and c.bytes <= $5)
  order by c.nth`;

/** PostgreSQL has no infinite integers. */
const UNBOUNDED = Number.MAX_SAFE_INTEGER;

export async function readPartitionEntries(
  pool: pg.Pool,
  after: Positions,
  maxEvents: number,
  maxBytes: number,
): Promise<PartitionEntry[]> {
  if (after.size === 0) return [];
  const events = Math.min(maxEvents, UNBOUNDED);
  // Every entry has at least one event; with many partitions, none gets much more than its share.
  const entries = after.size === 1 ? events : Math.min(events, Math.ceil((2 * events) / after.size) + 16);
  const bounds = [Math.min(entries, UNBOUNDED), events, Math.min(maxBytes, UNBOUNDED)];
  return queryRows<PartitionEntry>(pool, 'read_entries', READ, [[...after.keys()], [...after.values()], ...bounds]);
}
