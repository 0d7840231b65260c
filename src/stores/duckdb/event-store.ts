import { stat } from 'node:fs/promises';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import type { EventBatch, EventStore, SqlRow, SqlValue } from '../event-store.ts';
import { appendChunks } from './append-chunks.ts';
import { eventChunks } from './event-rows.ts';
import { surfacingFatal } from './invalidated.ts';
import { writeOverrides } from './overrides.ts';
import { QueryConnections } from './query-connections.ts';
import { migrate, readNumber } from './schema.ts';

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

export async function openEventStore(path: string, options: EventStoreOptions = {}): Promise<EventStore> {
  const instance = await DuckDBInstance.create(path, settings(options));
  try {
    const writer = await instance.connect();
    await writer.run(`set global TimeZone = 'UTC'`);
    await migrate(writer, path);
    const position = await readNumber(writer, 'select position from log_position');
    const queries = await QueryConnections.open(instance, options.concurrentQueries ?? 2);
    return new DuckDbEventStore(path, instance, writer, queries, position);
  } catch (error) {
    instance.closeSync();
    throw error;
  }
}

/**
 * A checkpoint rewrites the last, unfinished group of rows. Measured over 400,000 events: at 64MB commits took three
 * times as long as at 256MB and left a file nearly twice as large. The engine gets no access to other files or the
 * network, and the storage version is named because the default would forbid the newer compressions.
 */
const settings = (options: EventStoreOptions): Record<string, string> => ({
  memory_limit: options.memoryLimit ?? '256MB',
  threads: String(options.threads ?? 2),
  checkpoint_threshold: options.checkpointThreshold ?? '256MB',
  storage_compatibility_version: 'v1.5.0',
  enable_external_access: 'false',
  autoinstall_known_extensions: 'false',
});

class DuckDbEventStore implements EventStore {
  readonly #path: string;
  readonly #instance: DuckDBInstance;
  readonly #writer: DuckDBConnection;
  readonly #queries: QueryConnections;
  #position: number;
  /** Ends when the last write that was asked for has ended. */
  #lastWrite: Promise<unknown> = Promise.resolve();
  #closing: Promise<void> | undefined;

  constructor(
    path: string,
    instance: DuckDBInstance,
    writer: DuckDBConnection,
    queries: QueryConnections,
    position: number,
  ) {
    this.#path = path;
    this.#instance = instance;
    this.#writer = writer;
    this.#queries = queries;
    this.#position = position;
  }

  async position(): Promise<number> {
    return this.#position;
  }

  write(batch: EventBatch): Promise<void> {
    return this.#oneAtATime(async () => {
      if (batch.position <= this.#position) return;
      await this.#inTransaction(() => this.#writeBatch(batch), batch.meanwhile);
      this.#position = batch.position;
    });
  }

  query(sql: string, values: readonly SqlValue[]): Promise<SqlRow[]> {
    if (this.#closing !== undefined) return Promise.reject(new Error('The event store is closed.'));
    return surfacingFatal(() => this.#queries.query(sql, values));
  }

  deleteBefore(projectId: number, timestamp: number): Promise<number> {
    return this.#oneAtATime(async () => {
      const result = await this.#writer.run(
        'delete from event_rows where project_id = $1 and timestamp < make_timestamp_ms($2)',
        [projectId, Math.trunc(timestamp)],
      );
      return result.rowsChanged;
    });
  }

  async size(): Promise<number> {
    const sizes = await Promise.all([this.#path, `${this.#path}.wal`].map(fileSize));
    return sizes.reduce((sum, size) => sum + size, 0);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.#lastWrite.catch(() => undefined);
    await this.#queries.close();
    // An engine that gave up cannot checkpoint; its journal is read at the next start.
    await this.#writer.run('checkpoint').catch(() => undefined);
    this.#writer.closeSync();
    this.#instance.closeSync();
  }

  async #writeBatch({ events, overrides, position }: EventBatch): Promise<void> {
    if (events.length > 0) await appendChunks(this.#writer, 'event_rows', eventChunks(events));
    await writeOverrides(this.#writer, overrides);
    await this.#writer.run('update log_position set position = $1', [position]);
  }

  async #inTransaction(work: () => Promise<void>, meanwhile?: () => void): Promise<void> {
    await this.#writer.run('begin');
    try {
      await work();
      const committed = this.#writer.run('commit');
      meanwhile?.();
      await committed;
    } catch (error) {
      // A commit that failed has ended the transaction already: then there is nothing to roll back.
      await this.#writer.run('rollback').catch(() => undefined);
      throw error;
    }
  }

  #oneAtATime<T>(work: () => Promise<T>): Promise<T> {
    if (this.#closing !== undefined) return Promise.reject(new Error('The event store is closed.'));
    const turn = this.#lastWrite.catch(() => undefined).then(() => surfacingFatal(work));
    this.#lastWrite = turn;
    return turn;
  }
}

async function fileSize(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch {
    return 0;
  }
}
