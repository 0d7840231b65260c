import type pg from 'pg';
import type { Lease, LeaseState, LeaseStore, NodeInfo, NodeStatus } from '../cluster/leases.ts';
import { queryRows } from './log-pool.ts';

/** A lease expires after this unless it is renewed, and so does the heartbeat of a worker. */
const LEASE_MS = 5000;

export class PostgresLeases implements LeaseStore {
  readonly #pool: pg.Pool;
  readonly #leaseMs: number;

  constructor(pool: pg.Pool, leaseMs = LEASE_MS) {
    this.#pool = pool;
    this.#leaseMs = leaseMs;
  }

  async createLeases(names: readonly string[]): Promise<void> {
    await this.#pool.query('insert into leases (name) select unnest($1::text[]) on conflict do nothing', [[...names]]);
  }

  async renew(node: NodeInfo): Promise<{ leases: LeaseState[]; workers: string[] }> {
    await recordNode(this.#pool, node);
    await queryRows(this.#pool, 'renew', RENEW, [node.id, this.#leaseMs]);
    const leases = await queryRows<LeaseState>(this.#pool, 'leases', LOOK);
    const nodes = await queryRows<{ id: string }>(this.#pool, 'workers', WORKERS, [this.#leaseMs]);
    return { leases, workers: nodes.map(({ id }) => id) };
  }

  acquire(node: string, names: readonly string[]): Promise<Lease[]> {
    return queryRows<Lease>(this.#pool, 'take', TAKE, [node, [...names], this.#leaseMs]);
  }

  async release(node: string, leases: readonly Lease[]): Promise<void> {
    const values = [node, leases.map(({ name }) => name), leases.map(({ token }) => token)];
    await queryRows(this.#pool, 'give', GIVE, values);
  }

  async leave(node: string): Promise<void> {
    await queryRows(this.#pool, 'leave', LEAVE, [node]);
  }
}

export async function recordNode(pool: pg.Pool, { id, role, host, version, facts }: NodeInfo): Promise<void> {
  await queryRows(pool, 'note_node', NOTE, [id, role, host, version, JSON.stringify(facts)]);
}

/** Nodes with a heartbeat in the last minute. */
export async function listNodes(pool: pg.Pool): Promise<NodeStatus[]> {
  const rows = await queryRows<Omit<NodeStatus, 'facts'> & { facts: string }>(pool, 'seen_nodes', SEEN);
  return rows.map((row) => ({ ...row, facts: JSON.parse(row.facts) }));
}

const NOTE = `
  insert into nodes (id, role, host, version, facts) values ($1, $2, $3, $4, $5)
  on conflict (id) do update set seen_at = now(), facts = excluded.facts`;

const RENEW = `
  update leases set expires_at = clock_timestamp() + $2 * interval '1 ms'
  where holder = $1 and expires_at > clock_timestamp()`;

const LOOK = `
  select name, token, case when expires_at > clock_timestamp() then holder end as holder from leases order by name`;

const WORKERS = `
  select id from nodes where role <> 'web' and seen_at > now() - $1 * interval '1 ms' order by id`;

/** Skips leases that another worker is acquiring. */
const TAKE = `
  update leases l set holder = $1, token = l.token + 1, expires_at = clock_timestamp() + $3 * interval '1 ms'
  from (
    select name from leases
    where name = any($2::text[]) and (holder is null or expires_at <= clock_timestamp())
    order by name for update skip locked
  ) free
  where l.name = free.name
  returning l.name, l.token`;

const GIVE = `
  update leases l set holder = null, expires_at = '-infinity'
  from unnest($2::text[], $3::bigint[]) as g(name, token)
  where l.name = g.name and l.token = g.token and l.holder = $1`;

const LEAVE = `
  with deleted as (delete from nodes where id = $1)
  update leases set holder = null, expires_at = '-infinity' where holder = $1`;

const SEEN = `
  select id, role, host, version, facts,
    (extract(epoch from started_at) * 1000)::bigint as "startedAt",
    greatest(0, (extract(epoch from now() - seen_at) * 1000))::bigint as "silentMs"
  from nodes where seen_at > now() - interval '1 minute' order by role, id`;
