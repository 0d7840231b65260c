import { rmSync } from 'node:fs';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { checkpoint, useJournal } from './commit.ts';
import { QueryConnections } from './query-connections.ts';
import { migrateDuckDb } from './schema.ts';

/**
 * The embedded event store: one DuckDB file. Exactly one thread may open it: a second engine in the same process would
 * corrupt the file without an error.
 */
export interface EventStoreOptions {
  /** Memory limit, without a few tens of megabytes of overhead; default 256MB. */
  memoryLimit?: string;
  /** Threads of the engine; default 2. */
  threads?: number;
  /** Size of the journal that triggers a checkpoint; default 256 MB. */
  checkpointBytes?: number;
  /** Default 2. */
  concurrentQueries?: number;
  /** The number of events from which on usual properties get columns. */
  minEventsForUsual?: number;
  /** So many earlier events are made to sessions at once when the first question about them comes. */
  maxWaitEvents?: number;
}

export interface DuckDbEngine {
  instance: DuckDBInstance;
  writer: DuckDBConnection;
  queries: QueryConnections;
}

/** The default would not allow the newer compressions. */
export const STORAGE_VERSION = 'v1.5.0';

/** The unfinished rewritten file. */
export const rewritePath = (path: string): string => `${path}.fresh`;

/** The unfinished copy of one project, see `project-copy.ts`. */
export const copyPath = (path: string): string => `${path}.copy`;

/** The unfinished file of an export, see `write-parquet.ts`. */
export const exportPath = (path: string): string => `${path}.export`;

/** All files of a database. */
export const filesOf = (path: string): string[] =>
  ['', '.wal', '.wal.checkpoint', '.wal.recovery'].map((end) => path + end);

/** Removes what an interrupted rewrite has left. */
export function removeRewrite(path: string): void {
  for (const file of filesOf(rewritePath(path))) rmSync(file, { force: true });
}

export async function openEngine(path: string, options: EventStoreOptions): Promise<DuckDbEngine> {
  removeRewrite(path);
  for (const file of [...filesOf(copyPath(path)), exportPath(path)]) rmSync(file, { force: true });
  // What a killed process has spilled to disk.
  rmSync(`${path}.tmp`, { recursive: true, force: true });
  const instance = await DuckDBInstance.create(path, settings(options));
  try {
    const writer = await instance.connect();
    useJournal(writer, `${path}.wal`);
    await writer.run(`set global TimeZone = 'UTC'`);
    await restrictAccess(writer, path);
    await migrateDuckDb(writer, path);
    const queries = await QueryConnections.open(instance, options.concurrentQueries ?? 2, memoryLimitOf(options));
    return { instance, writer, queries };
  } catch (error) {
    instance.closeSync();
    throw error;
  }
}

/** Waits for running queries, checkpoints and closes the file. */
export async function closeEngine({ instance, writer, queries }: DuckDbEngine): Promise<void> {
  await queries.close();
  // An invalidated engine cannot checkpoint; its journal is read at the next start.
  await checkpoint(writer).catch(() => undefined);
  writer.closeSync();
  instance.closeSync();
}

const memoryLimitOf = ({ memoryLimit = '256MB' }: EventStoreOptions): string => memoryLimit;

/** Of large events: with others, a row group is full before (`CheckpointPlan`). */
export const CHECKPOINT_BYTES = 256 * 1024 * 1024;

/** Only a transaction that writes more than this makes its checkpoint itself: its journal would be as large as the rows. */
const OWN_CHECKPOINT = '1GB';

const settings = (options: EventStoreOptions): Record<string, string> => ({
  memory_limit: memoryLimitOf(options),
  threads: String(options.threads ?? 2),
  // What does not fit into memory is spilled to a folder beside the file.
  max_temp_directory_size: '10GB',
  checkpoint_threshold: OWN_CHECKPOINT,
  storage_compatibility_version: STORAGE_VERSION,
  autoinstall_known_extensions: 'false',
});

/** Denies access to the network and to files other than the rewritten one, copies and exports. */
async function restrictAccess(connection: DuckDBConnection, path: string): Promise<void> {
  const files = [...[rewritePath(path), copyPath(path)].flatMap(filesOf), exportPath(path)];
  const allowed = files.map(quoteText).join(', ');
  await connection.run(`set global allowed_paths = [${allowed}]`);
  await connection.run('set global enable_external_access = false');
}

export const quoteText = (text: string): string => `'${text.replaceAll("'", "''")}'`;
