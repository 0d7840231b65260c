import { stat } from 'node:fs/promises';
import type { ColumnTable, EventBatch, EventStore, SqlRow, SqlValue } from '../event-store.ts';
import type { MirrorPosition, MirrorSlice } from '../person-mirror.ts';
import type { Refiled, Refiling } from '../refiling.ts';
import { appendChunks } from './append-chunks.ts';
import { copyFile, swapFile } from './copy-file.ts';
import { closeEngine, type Engine, type EventStoreOptions, openEngine, removeFresh } from './engine.ts';
import { eventChunks } from './event-rows.ts';
import { EventStoreInvalidated, surfacingFatal } from './invalidated.ts';
import { forgetPersons, mirroredProjects, readMirrorPosition, writeMirror } from './mirror.ts';
import { writeOverrides } from './overrides.ts';
import { refile } from './refile.ts';
import { readNumber } from './schema.ts';

export type { EventStoreOptions } from './engine.ts';

export async function openEventStore(path: string, options: EventStoreOptions = {}): Promise<EventStore> {
  const engine = await openEngine(path, options);
  const position = await readNumber(engine.writer, 'select position from log_position');
  return new DuckDbEventStore(path, options, engine, position);
}

class DuckDbEventStore implements EventStore {
  readonly #path: string;
  readonly #options: EventStoreOptions;
  #engine: Engine;
  #position: number;
  /** Ends when the last write that was asked for has ended. */
  #lastWrite: Promise<unknown> = Promise.resolve();
  /** While the file is exchanged for a fresh one, questions wait for this. */
  #exchange: Promise<void> | null = null;
  #closing: Promise<void> | undefined;

  constructor(path: string, options: EventStoreOptions, engine: Engine, position: number) {
    this.#path = path;
    this.#options = options;
    this.#engine = engine;
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
    return this.#ask((queries) => queries.query(sql, values));
  }

  columns(sql: string, values: readonly SqlValue[]): Promise<ColumnTable> {
    return this.#ask((queries) => queries.columns(sql, values));
  }

  async #ask<T>(question: (queries: Engine['queries']) => Promise<T>): Promise<T> {
    while (this.#exchange !== null) await this.#exchange.catch(() => undefined);
    if (this.#closing !== undefined) throw new Error('The event store is closed.');
    return surfacingFatal(() => question(this.#engine.queries));
  }

  async mirrorPosition(projectId: number): Promise<MirrorPosition> {
    return readMirrorPosition((sql, values) => this.query(sql, values), projectId);
  }

  async mirroredProjects(): Promise<number[]> {
    return mirroredProjects((sql, values) => this.query(sql, values));
  }

  mirror(slice: MirrorSlice): Promise<void> {
    return this.#oneAtATime(() => this.#inTransaction(() => writeMirror(this.#engine.writer, slice)));
  }

  forgetPersons(projectId: number): Promise<void> {
    return this.#oneAtATime(() => this.#inTransaction(() => forgetPersons(this.#engine.writer, projectId)));
  }

  deleteBefore(projectId: number, timestamp: number): Promise<number> {
    return this.#oneAtATime(async () => {
      const result = await this.#engine.writer.run(
        'delete from event_rows where project_id = $1 and timestamp < make_timestamp_ms($2)',
        [projectId, Math.trunc(timestamp)],
      );
      return result.rowsChanged;
    });
  }

  refile(refilings: readonly Refiling[]): Promise<Refiled[]> {
    return this.#oneAtATime(async () => {
      const done: Refiled[] = [];
      for (const order of refilings) {
        await this.#inTransaction(async () => {
          done.push(await refile(this.#engine.writer, order));
        });
      }
      return done;
    });
  }

  scrub(): Promise<void> {
    return this.#oneAtATime(async () => {
      await copyFile(this.#engine.instance, this.#path).catch((error: unknown) => {
        removeFresh(this.#path);
        throw error;
      });
      this.#exchange = this.#takeFresh();
      try {
        await this.#exchange;
      } finally {
        this.#exchange = null;
      }
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
    await closeEngine(this.#engine);
  }

  /** Whether or not the exchange succeeds, there is a whole file to open; if that fails, there is no store any more. */
  async #takeFresh(): Promise<void> {
    await closeEngine(this.#engine);
    try {
      swapFile(this.#path);
    } finally {
      this.#engine = await openEngine(this.#path, this.#options).catch((error: unknown) => {
        throw new EventStoreInvalidated(error);
      });
    }
  }

  async #writeBatch({ events, overrides, position }: EventBatch): Promise<void> {
    const { writer } = this.#engine;
    if (events.length > 0) await appendChunks(writer, 'event_rows', eventChunks(events));
    await writeOverrides(writer, overrides);
    await writer.run('update log_position set position = $1', [position]);
  }

  async #inTransaction(work: () => Promise<void>, meanwhile?: () => void): Promise<void> {
    const { writer } = this.#engine;
    await writer.run('begin');
    try {
      await work();
      const committed = writer.run('commit');
      meanwhile?.();
      await committed;
    } catch (error) {
      // A commit that failed has ended the transaction already: then there is nothing to roll back.
      await writer.run('rollback').catch(() => undefined);
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
