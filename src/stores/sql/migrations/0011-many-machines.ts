import { sql } from 'kysely';
import type { Migration } from '../migration.ts';

/**
 * What nodes of a cluster share: the partitioned log, leases, event blocks on their way to the event store, and the nodes.
 * Not created for the embedded backend.
 */
export const manyMachines: Migration = {
  number: 11,
  name: 'the log, the leases and the blocks of many machines',
  async up(db, dialect) {
    if (dialect.name !== 'postgres') return;
    for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
  },
};

/**
 * The rows of `log_partitions` fix the number of partitions at the first start. Appended and processed entries are
 * counted in two tables, so that appending never waits for processing.
 */
const LOG = [
  `create table log_partitions (
    partition integer primary key,
    head bigint not null default 0,
    events bigint not null default 0,
    bytes bigint not null default 0
  ) with (fillfactor = 50)`,
  `create table log_progress (
    partition integer primary key,
    position bigint not null default 0,
    events bigint not null default 0,
    bytes bigint not null default 0
  ) with (fillfactor = 50)`,
  `create table log_entries (
    partition integer not null,
    seq bigint not null,
    project_id bigint not null,
    received_at bigint not null,
    events integer not null,
    context text not null,
    seed bytea not null,
    payload bytea not null,
    primary key (partition, seq)
  ) with (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 5000,
    autovacuum_vacuum_insert_scale_factor = 1, toast.autovacuum_vacuum_scale_factor = 0.05)`,
  // Compressed only where that is cheap.
  `do $$ begin
    if exists (select from pg_settings where name = 'default_toast_compression' and 'lz4' = any(enumvals)) then
      alter table log_entries alter column payload set compression lz4;
    else
      alter table log_entries alter column payload set storage external;
    end if;
  end $$`,
];

/**
 * Numbers must become visible in order: a reader that has seen 12 never reads 11. So appending locks the rows of its
 * partitions, in order, until the commit. Each statement of the function has its own snapshot, so what it reads after
 * the lock is current.
 */
const APPEND = `
  create function append_entries(
    partitions integer[], projects bigint[], received bigint[], counts integer[], contexts text[],
    sizes integer[], starts integer[], seeds bytea, payloads bytea, node text, changed text
  ) returns table (of_partition integer, up_to bigint) language plpgsql as $$
  begin
    perform from log_partitions p where p.partition = any(partitions) order by p.partition for update;
    insert into log_entries (partition, seq, project_id, received_at, events, context, seed, payload)
    select r.partition, p.head + row_number() over (partition by r.partition order by r.nth),
      r.project, r.at, r.events, r.context,
      substring(seeds from (r.nth::integer - 1) * 10 + 1 for 10), substring(payloads from r.start + 1 for r.size)
    from unnest(partitions, projects, received, counts, contexts, sizes, starts) with ordinality
      as r(partition, project, at, events, context, size, start, nth)
    join log_partitions p on p.partition = r.partition;
    return query
      update log_partitions p set head = p.head + r.entries, events = p.events + r.events, bytes = p.bytes + r.bytes
      from (
        select s.partition, count(*) as entries, sum(s.events) as events, sum(s.size) as bytes
        from unnest(partitions, counts, sizes) as s(partition, events, size)
        group by s.partition
      ) r
      where p.partition = r.partition
      returning p.partition, p.head;
    perform pg_notify('cairn', jsonb_build_object('came', jsonb_build_object(
      'from', node,
      'heads', (select jsonb_object_agg(p.partition, p.head) from log_partitions p where p.partition = any(partitions)),
      'changed', changed::jsonb))::text);
  end $$`;

/** Blocks and reassignments share one sequence: a reassignment concerns the blocks before it. */
const QUEUE = [
  'create sequence event_queue',
  `select setval('event_queue', (select coalesce(max(id), 0) + 1 from person_refilings))`,
  `alter table person_refilings alter column id set default nextval('event_queue')`,
  `create table event_blocks (
    number bigint primary key default nextval('event_queue'),
    events integer not null,
    projects bigint[] not null,
    received_at bigint not null,
    made_at timestamptz not null default clock_timestamp(),
    overrides text not null,
    rows bytea not null
  )`,
  'alter table event_blocks alter column rows set storage external',
  'create sequence shipment_numbers',
  // The running shipment, if any: inserted before it is sent, deleted once it is stored.
  `create table shipments (number bigint primary key, blocks bigint[] not null)`,
];

const LEASES = [
  `create table leases (
    name text primary key,
    holder text,
    token bigint not null default 0,
    expires_at timestamptz not null default '-infinity'
  ) with (fillfactor = 50)`,
  `create table nodes (
    id text primary key,
    role text not null,
    host text not null,
    version text not null,
    started_at timestamptz not null default now(),
    seen_at timestamptz not null default now(),
    facts text not null
  ) with (fillfactor = 50)`,
  // Tasks for the node that owns the event store.
  `create table errands (
    id bigserial primary key,
    kind text not null,
    arguments text not null,
    asked_at timestamptz not null default now(),
    ended boolean not null default false,
    answer text,
    failure text
  )`,
];

/**
 * The end of a chunk's transaction. Fails for a worker that has lost its lease. The lease's row is locked until the
 * commit, so that nobody acquires it in between.
 */
const SETTLE = `
  create function settle_entries(
    me text, lease_names text[], tokens bigint[], partitions integer[], before bigint[], reached bigint[],
    counts bigint[], sizes bigint[]
  ) returns void language plpgsql as $$
  declare
    held integer;
    moved integer;
  begin
    perform from leases l
      join unnest(lease_names, tokens) as w(name, token) on l.name = w.name and l.token = w.token
      where l.holder = me order by l.name for share of l;
    get diagnostics held = row_count;
    if held < cardinality(lease_names) then
      raise exception 'A lease was lost: another worker has taken it over.' using errcode = 'CAIRN';
    end if;
    update log_progress p
      set position = r.reached, events = p.events + r.events, bytes = p.bytes + r.bytes
      from unnest(partitions, before, reached, counts, sizes) as r(partition, before, reached, events, bytes)
      where p.partition = r.partition and p.position = r.before;
    get diagnostics moved = row_count;
    if moved < cardinality(partitions) then
      raise exception 'The log has been processed further by another worker.' using errcode = 'CAIRN';
    end if;
    delete from log_entries e
      using unnest(partitions, before, reached) as r(partition, before, reached)
      where e.partition = r.partition and e.seq > r.before and e.seq <= r.reached;
  end $$`;

/** Triggers notify all nodes of changes to what they cache, so that no writer can forget to. */
const NEWS = [
  `create table project_versions (project_id bigint primary key, version bigint not null)`,
  `create function tell_redefined() returns trigger language plpgsql as $$
  declare
    changed jsonb := to_jsonb(coalesce(new, old));
    project bigint := (changed ->> tg_argv[0])::bigint;
  begin
    insert into project_versions as v values (project, 1)
      on conflict (project_id) do update set version = v.version + 1;
    perform pg_notify('cairn', json_build_object('redefined', project)::text);
    return null;
  end $$`,
  ...Object.entries({
    projects: 'id',
    feature_flags: 'project_id',
    cohorts: 'project_id',
    group_types: 'project_id',
  }).map(
    ([table, column]) => `create trigger ${table}_redefined after insert or update or delete on ${table}
      for each row execute function tell_redefined('${column}')`,
  ),
];

const STATEMENTS: readonly string[] = [...LOG, APPEND, ...QUEUE, ...LEASES, SETTLE, ...NEWS];
