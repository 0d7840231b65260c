/** The state of the cluster, from any node. The counts come from one statement, so that they add up. */
import type pg from 'pg';
import { listNodes } from './lease-store.ts';
import { queryRows } from './log-pool.ts';

export interface ClusterStatus {
  accepted: number;
  fates: Record<string, number>;
  /** Processed events that are not in the event store yet. */
  shipping: number;
  /** Whether any block or reassignment is pending. */
  isShipping: boolean;
  oldestReceivedAt: number | null;
  parts: ClusterParts;
}

interface ClusterParts {
  nodes: { id: string; role: string; host: string; version: string; started_at: string; silent_ms: number }[];
  partitions: { partition: number; worker: string | null; waiting: number }[];
  /** The leader, which also owns the event store. */
  keeper: string | null;
  blocks_waiting: number;
}

interface Row {
  accepted: number;
  fates: Record<string, number>;
  shipping: number;
  blocks: number;
  orders: number;
  oldest: number | null;
  partitions: ClusterParts['partitions'];
  keeper: string | null;
}

export async function readClusterStatus(pool: pg.Pool): Promise<ClusterStatus> {
  const [row] = await queryRows<Row>(pool, 'whole', STATUS_SQL);
  if (row === undefined) throw new Error('The database did not respond.');
  const nodes = await listNodes(pool);
  const { accepted, fates, shipping, blocks, orders, oldest, partitions, keeper } = row;
  return {
    accepted,
    fates,
    shipping,
    isShipping: blocks + orders > 0,
    oldestReceivedAt: oldest,
    parts: {
      nodes: nodes.map(({ id, role, host, version, startedAt, silentMs }) => ({
        id,
        role,
        host,
        version,
        started_at: new Date(startedAt).toISOString(),
        silent_ms: silentMs,
      })),
      partitions,
      keeper,
      blocks_waiting: blocks,
    },
  };
}

const STATUS_SQL = `
  select
    (select coalesce(sum(events), 0)::bigint from log_partitions) as accepted,
    (select coalesce(jsonb_object_agg(fate, n), '{}')
      from (select fate, sum(count) as n from event_counters group by fate) f) as fates,
    b.shipping, b.blocks,
    (select count(*) from person_refilings) as orders,
    least(b.oldest, (
      select min(o.received_at) from log_progress d cross join lateral (
        select e.received_at from log_entries e where e.partition = d.partition and e.seq > d.position
        order by e.seq limit 1
      ) o
    )) as oldest,
    (select holder from leases where name = 'chores' and expires_at > clock_timestamp()) as keeper,
    (select coalesce(jsonb_agg(jsonb_build_object('partition', p.partition, 'worker', l.holder,
        'waiting', p.events - d.events) order by p.partition), '[]')
      from log_partitions p join log_progress d using (partition)
      left join leases l on l.name = 'log:' || p.partition and l.expires_at > clock_timestamp()) as partitions
  from (
    select coalesce(sum(events), 0)::bigint as shipping, count(*) as blocks, min(received_at) as oldest from event_blocks
  ) b`;
