import { sql } from 'kysely';
import type { Migration } from '../migration.ts';

/**
 * Projects that have been processed further than the log's position, and dead letters that are a whole request: one that
 * could not even be read without ending the process.
 */
export const turnsByProject: Migration = {
  number: 14,
  name: 'turns by project',
  async up(db, dialect) {
    await db.schema
      .alterTable('ingest_position')
      .addColumn('ahead', 'text', (c) => c.notNull().defaultTo('{}'))
      .execute();
    await db.schema.alterTable('dead_letters').addColumn('request_events', 'integer').execute();
    if (dialect.name === 'postgres') for (const statement of CLUSTER) await sql.raw(statement).execute(db);
  },
};

/**
 * The end of a chunk's transaction, in place of `settle_entries`: the chunk's entries need not be the oldest ones, so they
 * are deleted one by one, and the position is the last one before which none is left.
 */
const FINISH = `
  create function finish_entries(
    me text, lease_names text[], tokens bigint[], partitions integer[], counts bigint[], sizes bigint[],
    entry_partitions integer[], entry_seqs bigint[]
  ) returns table (of_partition integer, up_to bigint) language plpgsql as $$
  declare
    held integer;
    gone integer;
  begin
    perform from leases l
      join unnest(lease_names, tokens) as w(name, token) on l.name = w.name and l.token = w.token
      where l.holder = me order by l.name for share of l;
    get diagnostics held = row_count;
    if held < cardinality(lease_names) then
      raise exception 'A lease was lost: another worker has taken it over.' using errcode = 'CAIRN';
    end if;
    delete from log_entries e
      using unnest(entry_partitions, entry_seqs) as r(partition, seq)
      where e.partition = r.partition and e.seq = r.seq;
    get diagnostics gone = row_count;
    if gone < cardinality(entry_seqs) then
      raise exception 'The log has been processed further by another worker.' using errcode = 'CAIRN';
    end if;
    return query
      update log_progress p
      set events = p.events + r.events, bytes = p.bytes + r.bytes,
        position = greatest(p.position, coalesce(
          (select e.seq - 1 from log_entries e where e.partition = p.partition and e.seq > p.position
            order by e.seq limit 1),
          (select l.head from log_partitions l where l.partition = p.partition)))
      from unnest(partitions, counts, sizes) as r(partition, events, bytes)
      where p.partition = r.partition
      returning p.partition, p.position;
  end $$`;

const CLUSTER: readonly string[] = [
  'create index log_entries_by_project on log_entries (partition, project_id, seq)',
  // Unlogged: it costs no wait for the disk, and a crash of PostgreSQL is not the fault of an entry.
  `create unlogged table log_attempts (
    partition integer primary key,
    entries bigint[] not null,
    tries integer not null
  ) with (fillfactor = 50)`,
  FINISH,
];
