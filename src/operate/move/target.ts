/** The PostgreSQL database that is moved to. Progress is stored in it, together with what was copied. */
import type pg from 'pg';
import { MOVE_FINISHED, MOVE_PREFIX, MOVE_SOURCE } from '../../stores/metadata/move-marks.ts';
import { openPostgresMetadataStore } from '../../stores/postgres/metadata-store.ts';
import { openPartitionedLog } from '../../stores/postgres/partitioned-log.ts';
import { openPool } from '../../stores/postgres/pool.ts';
import type { FeatureTables } from '../../stores/sql/feature-tables.ts';
import { MoveError } from './move-error.ts';
import type { SourceIdentity } from './source.ts';

/** Advisory lock of a move; those of the stores are in `sql/postgres-dialect.ts`. */
const MOVE_LOCK = 7_204;

interface TargetOptions {
  databaseUrl: string;
  logPartitions: number;
  now: number;
  tables: FeatureTables;
}

export class MoveTarget {
  readonly client: pg.PoolClient;
  readonly partitions: number;
  readonly #pool: pg.Pool;

  private constructor(pool: pg.Pool, client: pg.PoolClient, partitions: number) {
    this.#pool = pool;
    this.client = client;
    this.partitions = partitions;
  }

  /** Migrates the database to this version. */
  static async open({ databaseUrl, logPartitions, now, tables }: TargetOptions): Promise<MoveTarget> {
    const stores = await openPostgresMetadataStore(databaseUrl, now, { size: 1 }, tables);
    await stores.metadata.close();
    const log = await openPartitionedLog(databaseUrl, { maxBytes: 0, partitions: logPartitions });
    await log.close();
    const pool = await openPool(databaseUrl, { size: 1 });
    const client = await pool.connect();
    // The next query fails if the connection is lost.
    client.on('error', () => undefined);
    const target = new MoveTarget(pool, client, log.partitions);
    const [row] = await target.rows<{ ours: boolean }>('select pg_try_advisory_lock($1) as ours', [MOVE_LOCK]);
    if (row?.ours) return target;
    await target.close();
    throw new MoveError('Another move to this database is running.');
  }

  async rows<R extends pg.QueryResultRow>(sql: string, values: readonly unknown[] = []): Promise<R[]> {
    return (await this.client.query<R>(sql, [...values])).rows;
  }

  async getMark<T>(name: string): Promise<T | null> {
    const [row] = await this.rows<{ value: string }>('select value from installation where name = $1', [
      markName(name),
    ]);
    return row === undefined ? null : (JSON.parse(row.value) as T);
  }

  async setMark(name: string, value: unknown): Promise<void> {
    await this.client.query(
      'insert into installation (name, value) values ($1, $2) on conflict (name) do update set value = excluded.value',
      [markName(name), JSON.stringify(value)],
    );
  }

  async transaction(work: () => Promise<void>): Promise<void> {
    await this.client.query('begin');
    try {
      await work();
      await this.client.query('commit');
    } catch (error) {
      await this.client.query('rollback').catch(() => undefined);
      throw error;
    }
  }

  async close(): Promise<void> {
    this.client.release(true);
    await this.#pool.end();
  }
}

const markName = (name: string): string => (name.startsWith(MOVE_PREFIX) ? name : MOVE_PREFIX + name);

/** Records the source, or checks that an earlier run had the same. */
export async function claimTarget(
  target: MoveTarget,
  source: SourceIdentity,
  tables: readonly string[],
): Promise<void> {
  await requireUnused(target);
  const begun = await target.getMark<SourceIdentity>(MOVE_SOURCE);
  if (begun === null) {
    for (const table of tables) {
      if (await hasRows(target, table)) throw targetNotEmpty(`its table ${table} is not empty`);
    }
    await target.setMark(MOVE_SOURCE, source);
    return;
  }
  if (begun.installation !== source.installation) throw targetNotEmpty('another installation was moved to it');
  if (begun.state === source.state) return;
  throw new MoveError(
    'The source has changed since the move started: a server has run on it. Empty both databases and start again.',
  );
}

/** Once a server has used the target, nothing can be copied or compared. */
async function requireUnused(target: MoveTarget): Promise<void> {
  if (!(await hasRows(target, 'leases')) && !(await hasRows(target, 'nodes'))) return;
  throw (await target.getMark(MOVE_FINISHED)) === null
    ? targetNotEmpty('a server has been started on it')
    : new MoveError('The move is complete, and a server has used the target since. There is nothing left to do.');
}

export const targetNotEmpty = (why: string): MoveError =>
  new MoveError(`The target is not empty: ${why}. Use an empty PostgreSQL and an empty ClickHouse database.`);

const hasRows = async (target: MoveTarget, table: string): Promise<boolean> =>
  (await target.rows(`select 1 as found from "${table}" limit 1`)).length > 0;
