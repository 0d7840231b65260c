import { rmSync } from 'node:fs';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { QueryConnections } from './query-connections.ts';
import { migrateDuckDb } from './schema.ts';

/**
 * The event store of one machine: one DuckDB file. Exactly one thread may open it: a second engine in the same process
 * gets no error and would ruin the file.
 */
export interface EventStoreOptions {
  /** What the engine may keep in memory, beside a few tens of megabytes of its own; default 256MB. */
  memoryLimit?: string;
  /** Threads of the engine; default 2. */
  threads?: number;
  /** Size of the journal at which it is folded into the file; default 256MB. */
  checkpointThreshold?: string;
  /** Questions that run at the same time; default 2. */
  concurrentQueries?: number;
}

/** One opening of the file. */
export interface DuckDbEngine {
  instance: DuckDBInstance;
  writer: DuckDBConnection;
  queries: QueryConnections;
}

/** The storage version is named because the default would forbid the newer compressions. */
export const STORAGE_VERSION = 'v1.5.0';

/** Where a fresh copy of the file grows until it takes the file's place. */
export const rewritePath = (path: string): string => `${path}.fresh`;

/** The engine's own files beside a database. */
export const filesOf = (path: string): string[] =>
  ['', '.wal', '.wal.checkpoint', '.wal.recovery'].map((end) => path + end);

/** What an interrupted copy has left. */
export function removeRewrite(path: string): void {
  for (const file of filesOf(rewritePath(path))) rmSync(file, { force: true });
}

export async function openEngine(path: string, options: EventStoreOptions): Promise<DuckDbEngine> {
  removeRewrite(path);
  const instance = await DuckDBInstance.create(path, settings(options));
  try {
    const writer = await instance.connect();
    await writer.run(`set global TimeZone = 'UTC'`);
    await restrictAccess(writer, path);
    await migrateDuckDb(writer, path);
    const queries = await QueryConnections.open(instance, options.concurrentQueries ?? 2);
    return { instance, writer, queries };
  } catch (error) {
    instance.closeSync();
    throw error;
  }
}

/** Waits for the questions under way, folds the journal into the file, and lets go of it. */
export async function closeEngine({ instance, writer, queries }: DuckDbEngine): Promise<void> {
  await queries.close();
  // An engine that gave up cannot checkpoint; its journal is read at the next start.
  await writer.run('checkpoint').catch(() => undefined);
  writer.closeSync();
  instance.closeSync();
}

/**
 * A checkpoint rewrites the last, unfinished group of rows. Measured over 400,000 events: at 64MB commits took three
 * times as long as at 256MB and left a file nearly twice as large.
 */
const settings = (options: EventStoreOptions): Record<string, string> => ({
  memory_limit: options.memoryLimit ?? '256MB',
  threads: String(options.threads ?? 2),
  // What does not fit into memory is set aside on disk, in a folder beside the file, up to this much.
  max_temp_directory_size: '10GB',
  checkpoint_threshold: options.checkpointThreshold ?? '256MB',
  storage_compatibility_version: STORAGE_VERSION,
  autoinstall_known_extensions: 'false',
});

/** The engine gets no access to the network or to other files, except the one that may take this file's place. */
async function restrictAccess(connection: DuckDBConnection, path: string): Promise<void> {
  const allowed = filesOf(rewritePath(path)).map(quoteText).join(', ');
  await connection.run(`set global allowed_paths = [${allowed}]`);
  await connection.run('set global enable_external_access = false');
}

export const quoteText = (text: string): string => `'${text.replaceAll("'", "''")}'`;
