import { stat } from 'node:fs/promises';
import type { ColumnTable, EventBatch, EventStore, PromotedProperty, SqlRow, SqlValue } from '../events/event-store.ts';
import type { MirrorPosition, MirrorSlice } from '../events/person-mirror.ts';
import type { Refiled, Refiling } from '../events/reassignment.ts';
import { appendChunks } from './append-chunks.ts';
import { copyFile, copyWhole, READ_THROUGH, swapFile } from './copy-file.ts';
import { closeEngine, type Engine, type EventStoreOptions, openEngine, removeFresh } from './engine.ts';
import { eventChunks } from './event-rows.ts';
import { inTransaction } from './in-transaction.ts';
import { EventStoreInvalidated, surfacingFatal } from './invalidated.ts';
import { forgetPersons, mirroredProjects, readMirrorPosition, writeMirror } from './mirror.ts';
import { writeOverrides } from './overrides.ts';
import { loadPromoted, type PromotedColumn, type PromotedColumns, saveMarks } from './promoted-columns.ts';
import { Promotion } from './promotion.ts';
import { type Resolved, resolveProperties } from './read-properties.ts';
import { refile } from './reassign-events.ts';
import { readNumber } from './schema.ts';

export type { EventStoreOptions } from './engine.ts';

/** An event store that is a file, and can be copied as one. */
export interface EventFile extends EventStore {
  /** Writes a copy to `target`. Writes wait for it; on file systems that share blocks between copies, hardly. */
  copyTo(target: string): Promise<void>;
  /** Reads every block, which the engine checks while it reads; rejects where one is damaged. Says how many events. */
  readThrough(): Promise<number>;
}

export async function openEventStore(path: string, options: EventStoreOptions = {}): Promise<EventFile> {
  const engine = await openEngine(path, options);
  const position = await readNumber(engine.writer, 'select position from log_position');
  return new DuckDbEventStore(path, options, engine, position, await loadPromoted(engine.writer));
}

class DuckDbEventStore implements EventFile {
  readonly #path: string;
  readonly #options: EventStoreOptions;
  #engine: Engine;
  #position: number;
  readonly #columns: PromotedColumns;
  readonly #promotion: Promotion;
  /** Ends when the last write that was asked for has ended. */
  #lastWrite: Promise<unknown> = Promise.resolve();
  /** While the file is exchanged for a fresh one, questions wait for this. */
  #exchange: Promise<void> | null = null;
  #closing: Promise<void> | undefined;

  constructor(path: string, options: EventStoreOptions, engine: Engine, position: number, columns: PromotedColumns) {
    this.#path = path;
    this.#options = options;
    this.#engine = engine;
    this.#position = position;
    this.#columns = columns;
    this.#promotion = new Promotion(columns);
  }

  async position(): Promise<number> {
    return this.#position;
  }

  write(batch: EventBatch): Promise<void> {
    return this.#oneAtATime(async () => {
      if (batch.position <= this.#position) return;
      await this.#writeRows(this.#columns.of('event'), () => this.#writeBatch(batch), batch.meanwhile);
      this.#position = batch.position;
    });
  }

  query(sql: string, values: readonly SqlValue[], signal?: AbortSignal): Promise<SqlRow[]> {
    return this.#asking(sql, values, (resolved) => this.#engine.queries.query(resolved.sql, resolved.values, signal));
  }

  columns(sql: string, values: readonly SqlValue[], signal?: AbortSignal): Promise<ColumnTable> {
    return this.#asking(sql, values, (resolved) => this.#engine.queries.columns(resolved.sql, resolved.values, signal));
  }

  /** Runs a statement with its properties resolved; once more if a column that it reads has changed meanwhile. */
  async #asking<T>(sql: string, values: readonly SqlValue[], run: (resolved: Resolved) => Promise<T>): Promise<T> {
    for (let isNoted = false; ; isNoted = true) {
      while (this.#exchange !== null) await this.#exchange.catch(() => undefined);
      if (this.#closing !== undefined) throw new Error('The event store is closed.');
      const resolved = resolveProperties(sql, values, this.#columns);
      if (!isNoted) this.#columns.note(resolved.reads);
      try {
        const answer = await surfacingFatal(() => run(resolved));
        if (resolved.isCurrent()) return answer;
      } catch (error) {
        // A column may have gone from under it, and then it is asked again.
        if (resolved.isCurrent()) throw error;
      }
    }
  }

  needsTending(now: number): boolean {
    return this.#promotion.isDue(now);
  }

  tend(now: number): Promise<boolean> {
    return this.#oneAtATime(() =>
      this.#promotion.step(
        { writer: this.#engine.writer, query: (sql) => this.#engine.queries.query(sql, []) },
        Math.trunc(now),
      ),
    );
  }

  async promoted(): Promise<PromotedProperty[]> {
    return this.#promotion.describe();
  }

  async mirrorPosition(projectId: number): Promise<MirrorPosition> {
    return readMirrorPosition((sql, values) => this.query(sql, values), projectId);
  }

  async mirroredProjects(): Promise<number[]> {
    return mirroredProjects((sql, values) => this.query(sql, values));
  }

  mirror(slice: MirrorSlice): Promise<void> {
    const columns = (): PromotedColumn[] => this.#columns.of('person');
    return this.#oneAtATime(() => this.#writeRows(columns(), () => writeMirror(this.#engine.writer, slice, columns())));
  }

  forgetPersons(projectId: number): Promise<void> {
    return this.#oneAtATime(() =>
      inTransaction(this.#engine.writer, () => forgetPersons(this.#engine.writer, projectId)),
    );
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
        await inTransaction(this.#engine.writer, async () => {
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

  copyTo(target: string): Promise<void> {
    return this.#oneAtATime(() => copyWhole(this.#engine.writer, this.#path, target));
  }

  async readThrough(): Promise<number> {
    const [row] = await this.query(READ_THROUGH, []);
    return Number(row?.['events'] ?? 0);
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
    if (events.length > 0) await appendChunks(writer, 'event_rows', eventChunks(events, this.#columns.of('event')));
    await writeOverrides(writer, overrides);
    await writer.run('update log_position set position = $1', [position]);
  }

  /** Rows with columns of their own: what these hold from now on is written down with the rows. */
  async #writeRows(
    columns: readonly PromotedColumn[],
    write: () => Promise<void>,
    meanwhile?: () => void,
  ): Promise<void> {
    const { writer } = this.#engine;
    let marks: Awaited<ReturnType<typeof saveMarks>> | undefined;
    const work = async (): Promise<void> => {
      await write();
      marks = await saveMarks(writer, columns);
    };
    await inTransaction(writer, work, meanwhile);
    marks?.saved();
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
