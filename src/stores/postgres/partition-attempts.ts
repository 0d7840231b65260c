import type pg from 'pg';
import type { PartitionAttempts } from '../ingest/chunk-attempts.ts';
import { queryRows } from './log-pool.ts';

/** One small statement for each chunk, which does not wait for the disk. */
export const postgresAttempts = (pool: pg.Pool): PartitionAttempts => ({
  async read(partitions) {
    interface Row {
      partition: number;
      entries: string;
      tries: number;
    }
    const rows = await queryRows<Row>(pool, 'read_attempts', READ, [[...partitions]]);
    return new Map(rows.map(({ partition, entries, tries }) => [partition, { entries: JSON.parse(entries), tries }]));
  },
  async write(attempts) {
    const rows = [...attempts].map(([partition, { entries, tries }]) => ({ partition, entries, tries }));
    await queryRows(pool, 'write_attempts', WRITE, [JSON.stringify(rows)]);
  },
  async clear(partitions) {
    await queryRows(pool, 'clear_attempts', CLEAR, [[...partitions]]);
  },
});

const READ = `
  select partition, array_to_json(entries)::text as entries, tries from log_attempts
  where partition = any($1::integer[])`;

const WRITE = `
  insert into log_attempts (partition, entries, tries)
  select r.partition, array(select jsonb_array_elements_text(r.entries)::bigint), r.tries
  from jsonb_to_recordset($1::jsonb) as r(partition integer, entries jsonb, tries integer)
  order by r.partition
  on conflict (partition) do update set entries = excluded.entries, tries = excluded.tries`;

const CLEAR = 'delete from log_attempts where partition = any($1::integer[])';
