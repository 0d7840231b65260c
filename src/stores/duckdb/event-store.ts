import { stat } from 'node:fs/promises';
import type { Range } from '../../core/time/range.ts';
import type { AddressPlace } from '../events/address-place.ts';
import type { AddedSince, ChangeMark, EventChanges, PartReader, SqlStatement } from '../events/event-changes.ts';
import type {
  BatchTotals,
  ColumnTable,
  EventBatch,
  EventStore,
  ParquetCompression,
  PersonOverride,
  PromotedProperty,
  SqlRow,
  SqlValue,
} from '../events/event-store.ts';
import type { MirrorBatch, MirrorPosition } from '../events/person-mirror.ts';
import type { ProjectCopier, ProjectCopyRequest } from '../events/project-copy.ts';
import type { Reassigned, Reassignment } from '../events/reassignment.ts';
import { aheadToText, isPast, type LogProgress } from '../ingest/log-progress.ts';
import { addPlacesInDuckDb } from './add-places.ts';
import { appendChunks } from './append-chunks.ts';
import { CheckpointPlan } from './checkpoint-plan.ts';
import { checkpoint, journalBytes } from './commit.ts';
import { copyDatabaseFile, READ_EVERYTHING_SQL, rewriteFile, swapFile } from './copy-file.ts';
import {
  CHECKPOINT_BYTES,
  closeEngine,
  type DuckDbEngine,
  type EventStoreOptions,
  openEngine,
  removeRewrite,
} from './engine.ts';
import { eventChunks } from './event-rows.ts';
import { inTransaction } from './in-transaction.ts';
import { EventStoreInvalidated, wrapFatalErrors } from './invalidated.ts';
import { splitLargeEvents, writeLargeTexts } from './large-events.ts';
import { deleteLargeTextsSql } from './large-events-sql.ts';
import { deleteDuckDbMirror, readDuckDbMirrorPosition, readMirroredProjects, writeDuckDbMirror } from './mirror.ts';
import { writeDuckDbOverrides } from './overrides.ts';
import { PersonChangeLog } from './person-change-log.ts';
import { writeProjectCopy } from './project-copy.ts';
import { loadPromotedColumns, type PromotedColumn, type PromotedColumns, saveMarks } from './promoted-columns.ts';
import { DuckDbPromotion } from './promotion.ts';
import { type ResolvedStatement, resolveProperties } from './read-properties.ts';
import { reassignInDuckDb } from './reassign-events.ts';
import { countRows, readStoredProgress } from './schema.ts';
import { DuckDbSessions } from './session-rows.ts';
import { differingSessionsSql } from './session-rows-sql.ts';
import { writeParquetFile } from './write-parquet.ts';

export type { EventStoreOptions } from './engine.ts';

interface EventFileState {
  progress: LogProgress;
  /** Null in a file that an earlier version wrote to last. */
  totals: BatchTotals | null;
  /** How many events there should be and how many there are. */
  expectedRows: number;
  rows: number;
}

interface RecoveredState {
  progress: LogProgress;
  totals: BatchTotals | null;
  overrides: readonly PersonOverride[];
}

export interface EventFileStore extends EventStore, ProjectCopier, EventChanges {
  /** What this file says about itself, to compare with the other stores. */
  fileState(): Promise<EventFileState>;
  /** Sets how far it is, whatever it was before, and adds overrides. */
  continueFrom(state: RecoveredState): Promise<void>;
  /** Copies the file; writes wait. Fast on file systems with copy-on-write. */
  copyTo(target: string): Promise<void>;
  /** Reads every block; rejects if one is damaged. Returns the number of events. */
  verify(): Promise<number>;
  /** Compares sessions with their events, and has those made anew that differ; null where not all have been made yet. */
  verifySessions(): Promise<{ sessions: number; differing: number } | null>;
}

export async function openEventStore(path: string, options: EventStoreOptions = {}): Promise<EventFileStore> {
  const engine = await openEngine(path, options);
  const progress = await readStoredProgress(engine.writer);
  const columns = await loadPromotedColumns(engine.writer);
  return new DuckDbEventStore(path, options, engine, {
    progress,
    columns,
    sessions: await DuckDbSessions.load(engine.writer, options),
  });
}

class DuckDbEventStore implements EventFileStore {
  readonly #path: string;
  readonly #options: EventStoreOptions;
  #engine: DuckDbEngine;
  #progress: LogProgress;
  readonly #columns: PromotedColumns;
  readonly #promotion: DuckDbPromotion;
  readonly #sessions: DuckDbSessions;
  /** Settles with the last queued write. */
  #lastWrite: Promise<unknown> = Promise.resolve();
  /** Settles with the last queued copy of a project, or export. */
  #lastCopy: Promise<unknown> = Promise.resolve();
  /** The copy that is being written. */
  #copying: Promise<unknown> | null = null;
  #generation = 0;
  readonly #personChanges = new PersonChangeLog();
  readonly #checkpoints: CheckpointPlan;
  /** Since `#checkpoints` was asked. */
  #addedRows = 0;
  /** While the file is being replaced, queries wait for this. */
  #replacing: Promise<void> | null = null;
  #closing: Promise<void> | undefined;

  constructor(
    path: string,
    options: EventStoreOptions,
    engine: DuckDbEngine,
    { progress, columns, sessions }: { progress: LogProgress; columns: PromotedColumns; sessions: DuckDbSessions },
  ) {
    this.#path = path;
    this.#options = options;
    this.#engine = engine;
    this.#progress = progress;
    this.#columns = columns;
    this.#promotion = new DuckDbPromotion(columns, options);
    this.#sessions = sessions;
    this.#checkpoints = new CheckpointPlan(options.checkpointBytes ?? CHECKPOINT_BYTES);
  }

  async position(): Promise<number> {
    return this.#progress.position;
  }

  async progress(): Promise<LogProgress> {
    return this.#progress;
  }

  async fileState(): Promise<EventFileState> {
    const [row] = await this.query(STATE_SQL, []);
    const { received_at: receivedAt, counts, row_count: expected, found } = row ?? {};
    const isKnown = typeof counts === 'string' && receivedAt !== null;
    return {
      progress: this.#progress,
      totals: isKnown ? { receivedAt: Number(receivedAt), counts: JSON.parse(counts) } : null,
      expectedRows: Number(expected),
      rows: Number(found),
    };
  }

  continueFrom({ progress, totals, overrides }: RecoveredState): Promise<void> {
    return this.#oneAtATime(async () => {
      const { writer } = this.#engine;
      const merged = await inTransaction(writer, async () => {
        const touched = await writeDuckDbOverrides(writer, overrides);
        await this.#writeState(progress, totals);
        return touched;
      });
      this.#noteMerged(merged);
      this.#progress = progress;
    });
  }

  write(batch: EventBatch): Promise<void> {
    return this.#inTurn(async () => {
      const progress = { position: batch.position, ahead: batch.ahead ?? new Map() };
      if (!isPast(progress, this.#progress)) return;
      const write = () => this.#writeBatch(batch);
      this.#noteMerged(await this.#writeRows(this.#columns.ofOwner('event'), write, batch.whileCommitting));
      this.#promotion.noteAdded(batch.events.length);
      this.#addedRows += batch.events.length;
      this.#progress = progress;
    });
  }

  query(sql: string, values: readonly SqlValue[], signal?: AbortSignal): Promise<SqlRow[]> {
    return this.#read([{ sql, values }], ([resolved = NO_STATEMENT]) =>
      this.#engine.queries.query(resolved.sql, resolved.values, signal),
    );
  }

  queryColumns(sql: string, values: readonly SqlValue[], signal?: AbortSignal): Promise<ColumnTable> {
    return this.#read([{ sql, values }], ([resolved = NO_STATEMENT]) =>
      this.#engine.queries.queryColumns(resolved.sql, resolved.values, signal),
    );
  }

  queryTogether(statements: readonly SqlStatement[], signal?: AbortSignal): Promise<ColumnTable[]> {
    return this.#read(statements, (resolved) => this.#engine.queries.queryTogether(resolved, signal));
  }

  queryParts<T extends PartReader>(
    statements: readonly SqlStatement[],
    parts: readonly SqlStatement[],
    begin: (tables: readonly ColumnTable[]) => T,
    signal?: AbortSignal,
  ): Promise<T> {
    return this.#read([...statements, ...parts], (resolved) => {
      const [first, rest] = [resolved.slice(0, statements.length), resolved.slice(statements.length)];
      return this.#engine.queries.queryParts(first, rest, begin, signal);
    });
  }

  /** Rows are numbered in the order in which they were added. */
  sliceRows({ lastRow }: ChangeMark, size: number): string[] {
    const count = Math.max(1, Math.ceil((lastRow + 1) / size));
    const starts = Array.from({ length: count }, (_, at) => Math.floor((at * (lastRow + 1)) / count));
    return starts.map((start, at) => {
      const next = starts[at + 1];
      return `e.rowid >= ${start}${next === undefined ? '' : ` and e.rowid < ${next}`}`;
    });
  }

  /** Resolves placeholders and runs statements; again if a column that they read has changed meanwhile. */
  async #read<T>(
    statements: readonly SqlStatement[],
    run: (resolved: readonly ResolvedStatement[]) => Promise<T>,
  ): Promise<T> {
    for (let isCounted = false; ; isCounted = true) {
      while (this.#replacing !== null) await this.#replacing.catch(() => undefined);
      if (this.#closing !== undefined) throw new Error('The event store is closed.');
      const resolved = statements.map(({ sql, values, ...rest }) => ({
        ...resolveProperties(sql, values, this.#columns),
        ...rest,
      }));
      if (!isCounted) for (const { reads } of resolved) this.#columns.recordReads(reads);
      const isCurrent = (): boolean => resolved.every((one) => one.isCurrent());
      try {
        const answer = await wrapFatalErrors(() => run(resolved));
        if (isCurrent()) return answer;
      } catch (error) {
        // A column was dropped meanwhile: run it again.
        if (isCurrent()) throw error;
      }
    }
  }

  writeParquet(
    sql: string,
    values: readonly SqlValue[],
    target: string,
    compression: ParquetCompression,
  ): Promise<number> {
    // In turn with copies of projects: neither may run while the file is replaced.
    return this.#oneCopyAtATime(async () => {
      const resolved = resolveProperties(sql, values, this.#columns);
      this.#columns.recordReads(resolved.reads);
      const file = { path: this.#path, target, compression };
      const rows = await wrapFatalErrors(() => writeParquetFile(this.#engine.instance, resolved, file));
      if (!resolved.isCurrent()) throw new Error('A column was dropped while a file was written.');
      return rows;
    });
  }

  needsMaintenance(now: number): boolean {
    return this.#sessions.isDue() || this.#promotion.isDue(now);
  }

  maintain(now: number): Promise<boolean> {
    return this.#oneAtATime(async () => {
      const { writer, queries } = this.#engine;
      if (await this.#sessions.step(writer)) return true;
      return this.#promotion.step({ writer, query: (sql) => queries.query(sql, []) }, Math.trunc(now));
    });
  }

  async prepareSessions(projectId: number): Promise<boolean> {
    // Without waiting for writes: a purge takes long.
    if (this.#sessions.isCurrent()) return true;
    return this.#oneAtATime(() => this.#sessions.prepare(this.#engine.writer, projectId));
  }

  async listPromotedProperties(): Promise<PromotedProperty[]> {
    return this.#promotion.describe();
  }

  async mirrorPosition(projectId: number): Promise<MirrorPosition> {
    return readDuckDbMirrorPosition((sql, values) => this.query(sql, values), projectId);
  }

  async listMirroredProjects(): Promise<number[]> {
    return readMirroredProjects((sql, values) => this.query(sql, values));
  }

  mirrorPersons(batch: MirrorBatch): Promise<void> {
    const columns = (): PromotedColumn[] => this.#columns.ofOwner('person');
    return this.#oneAtATime(async () => {
      await this.#writeRows(columns(), () => writeDuckDbMirror(this.#engine.writer, batch, columns()));
      this.#personChanges.note(batch.projectId, [...batch.removed, ...batch.persons.map(({ uuid }) => uuid)]);
    });
  }

  deleteMirror(projectId: number): Promise<void> {
    return this.#changeRows(() =>
      inTransaction(this.#engine.writer, () => deleteDuckDbMirror(this.#engine.writer, projectId)),
    );
  }

  deleteBefore(projectId: number, timestamp: number): Promise<number> {
    const condition = 'project_id = $1 and timestamp < make_timestamp_ms($2)';
    const values = [projectId, Math.trunc(timestamp)];
    return this.#changeRows(() => {
      // Of the file as it is when its turn comes: a purge before it replaces the engine.
      const { writer } = this.#engine;
      return inTransaction(writer, async () => {
        await this.#sessions.noteChanged(writer, condition, values);
        await writer.run(deleteLargeTextsSql(condition), values);
        const { rowsChanged } = await writer.run(`delete from event_rows where ${condition}`, values);
        await countRows(writer, -rowsChanged);
        return rowsChanged;
      });
    });
  }

  addPlaces(projectId: number, range: Range, places: readonly AddressPlace[]): Promise<number> {
    return this.#changeRows(() => {
      const deps = { writer: this.#engine.writer, columns: this.#columns, sessions: this.#sessions };
      return inTransaction(deps.writer, () => addPlacesInDuckDb(deps, projectId, range, places));
    });
  }

  reassign(reassignments: readonly Reassignment[]): Promise<Reassigned[]> {
    if (reassignments.length === 0) return Promise.resolve([]);
    return this.#changeRows(async () => {
      const done: Reassigned[] = [];
      for (const reassignment of reassignments) {
        await inTransaction(this.#engine.writer, async () => {
          done.push(await reassignInDuckDb(this.#engine.writer, this.#sessions, reassignment));
        });
      }
      return done;
    });
  }

  purge(): Promise<void> {
    return this.#changeRows(async () => {
      await this.#sessions.settle(this.#engine.writer);
      await rewriteFile(this.#engine.instance, this.#path).catch((error: unknown) => {
        removeRewrite(this.#path);
        throw error;
      });
      this.#replacing = this.#replaceFile();
      try {
        await this.#replacing;
      } finally {
        this.#replacing = null;
      }
    });
  }

  get generation(): number {
    return this.#generation;
  }

  /**
   * For what changes or deletes rows. The generation changes twice: who reads it meanwhile may read rows as they were
   * before, or as they are after, and both are outdated.
   */
  #changeRows<T>(work: () => Promise<T>): Promise<T> {
    return this.#oneAtATime(async () => {
      this.#generation++;
      try {
        return await work();
      } finally {
        this.#generation++;
      }
    });
  }

  async mark(): Promise<ChangeMark> {
    const [generation, personChanges] = [this.#generation, this.#personChanges.count];
    const [row] = await this.query(LAST_ROW_SQL, []);
    return { generation, lastRow: Number(row?.['last_row']), rowCount: Number(row?.['row_count']), personChanges };
  }

  havePersonsChanged({ personChanges }: ChangeMark, projectId: number): boolean {
    return this.#personChanges.since(personChanges, projectId)?.length !== 0;
  }

  async queryAdded(
    since: ChangeMark,
    projectId: number,
    statement: (added: AddedSince) => SqlStatement,
    signal?: AbortSignal,
  ): ReturnType<EventChanges['queryAdded']> {
    const [generation, personChanges] = [this.#generation, this.#personChanges.count];
    const persons = this.#personChanges.since(since.personChanges, projectId);
    if (persons === null) return null;
    const added = { sql: ADDED_ROWS_SQL, values: [BigInt(since.lastRow)] };
    const asked = statement({ isAdded: `e.rowid > ${Math.trunc(since.lastRow)}`, persons });
    const [rows, table] = await this.queryTogether([added, asked], signal);
    const [rowCount = 0, addedRows = 0, lastRow = 0] = ['row_count', 'added', 'last_row'].map(
      (name) => rows?.doubles(name)[0],
    );
    // Rows are numbered anew after a deletion, at some later checkpoint. They stay in their order, so that as many rows
    // after the last one as were added since are the same rows.
    const isSame = rowCount - since.rowCount === addedRows;
    if (table === undefined || !isSame || since.generation !== generation || generation !== this.#generation)
      return null;
    return { table, mark: { generation, lastRow, rowCount, personChanges } };
  }

  async copyProject(request: ProjectCopyRequest): ReturnType<ProjectCopier['copyProject']> {
    let generation = this.#generation;
    const written = await this.#oneCopyAtATime(() => {
      generation = this.#generation;
      return writeProjectCopy(this.#engine.instance, this.#path, request);
    });
    return { ...written, generation };
  }

  #oneCopyAtATime<T>(copy: () => Promise<T>): Promise<T> {
    const turn = this.#lastCopy
      .catch(() => undefined)
      .then(async () => {
        while (this.#replacing !== null) await this.#replacing.catch(() => undefined);
        if (this.#closing !== undefined) throw new Error('The event store is closed.');
        const copying = this.#engine.queries.withUsualMemory(copy).finally(() => {
          this.#copying = null;
        });
        this.#copying = copying;
        return copying;
      });
    this.#lastCopy = turn;
    return turn;
  }

  copyTo(target: string): Promise<void> {
    return this.#oneAtATime(() => copyDatabaseFile(this.#engine.writer, this.#path, target));
  }

  async verify(): Promise<number> {
    await this.query(READ_EVERYTHING_SQL, []);
    const { rows, expectedRows } = await this.fileState();
    if (rows !== expectedRows) throw new Error(`${this.#path} should have ${expectedRows} events, but has ${rows}.`);
    return rows;
  }

  async verifySessions(): Promise<{ sessions: number; differing: number } | null> {
    if (!this.#sessions.areMade) return null;
    const { sql, values } = differingSessionsSql(MAX_DIFFERING_SESSIONS);
    const differing = (await this.query(sql, values)).map((row) => ({
      projectId: Number(row['project_id']),
      session: String(row['session']),
    }));
    await this.#oneAtATime(() => this.#sessions.noteDiffering(this.#engine.writer, differing));
    const [row] = await this.query(
      'select count(distinct number) as sessions from session_rows where labels_included > 0',
      [],
    );
    return { sessions: Number(row?.['sessions']), differing: differing.length };
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
    await this.#copying?.catch(() => undefined);
    await closeEngine(this.#engine);
  }

  /** Whether or not the swap succeeds, there is a complete file to open; if that fails, the store is unusable. */
  async #replaceFile(): Promise<void> {
    await this.#copying?.catch(() => undefined);
    await closeEngine(this.#engine);
    try {
      swapFile(this.#path);
    } finally {
      this.#engine = await openEngine(this.#path, this.#options).catch((error: unknown) => {
        throw new EventStoreInvalidated(error);
      });
    }
  }

  #noteMerged(overrides: readonly PersonOverride[]): void {
    for (const { projectId, from, to } of overrides) this.#personChanges.note(projectId, [from, to]);
  }

  /** Returns the overrides of persons whose events may belong to another person now. */
  async #writeBatch({ events, overrides, position, ahead, totals }: EventBatch): Promise<readonly PersonOverride[]> {
    const { writer } = this.#engine;
    const { rows, large } = splitLargeEvents(events);
    if (rows.length > 0) await appendChunks(writer, 'event_rows', eventChunks(rows, this.#columns.ofOwner('event')));
    await writeLargeTexts(writer, large);
    await this.#sessions.note(writer, rows);
    const merged = await writeDuckDbOverrides(writer, overrides);
    await this.#writeState({ position, ahead: ahead ?? new Map() }, totals ?? null, events.length);
    return merged;
  }

  /** `added`: how many events the transaction adds. */
  async #writeState({ position, ahead }: LogProgress, totals: BatchTotals | null, added = 0): Promise<void> {
    await this.#engine.writer.run(STATE_UPDATE_SQL, [
      position,
      aheadToText(ahead),
      totals ? BigInt(totals.receivedAt) : null,
      totals ? JSON.stringify(totals.counts) : null,
      added,
    ]);
  }

  /** Writes rows, and records in the same transaction which promoted columns got their first mark. */
  async #writeRows<T>(columns: readonly PromotedColumn[], write: () => Promise<T>, meanwhile?: () => void): Promise<T> {
    const { writer, queries } = this.#engine;
    const work = async () => ({ written: await write(), marks: await saveMarks(writer, columns) });
    const wasMemoryLow = queries.watchMemory();
    const { written, marks } = await inTransaction(writer, work, meanwhile).catch(async (error) => {
      // A scan has left less memory than large events need; none does until they are written.
      if (!wasMemoryLow()) throw error;
      return queries.withUsualMemory(() => inTransaction(writer, work));
    });
    marks.saved();
    return written;
  }

  /** With the usual memory: unlike a chunk of events, this may be work of any size. */
  #oneAtATime<T>(work: () => Promise<T>): Promise<T> {
    return this.#inTurn(() => this.#engine.queries.withUsualMemory(work));
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#closing !== undefined) return Promise.reject(new Error('The event store is closed.'));
    const turn = this.#lastWrite.catch(() => undefined).then(() => wrapFatalErrors(work));
    this.#lastWrite = turn.catch(() => undefined).then(() => this.#checkpointIfDue());
    return turn;
  }

  /**
   * Apart from commits, so that nobody waits for it but the next write. One that fails, mostly because a query is reading,
   * is made after that write; if it has made the engine unusable, that write reports it.
   */
  async #checkpointIfDue(): Promise<void> {
    const { writer, queries } = this.#engine;
    const added = this.#addedRows;
    this.#addedRows = 0;
    if (!this.#checkpoints.isDue(added, journalBytes(writer))) return;
    await queries.withUsualMemory(() => checkpoint(writer)).catch(() => undefined);
  }
}

const STATE_UPDATE_SQL = `
  update log_position
  set position = $1, ahead = $2, received_at = $3, counts = $4, row_count = row_count + $5`;

/** More are found the next time. */
const MAX_DIFFERING_SESSIONS = 10_000;

const NO_STATEMENT: SqlStatement = { sql: '', values: [] };

const LAST_ROW_SQL = 'select count(*) as row_count, coalesce(max(rowid), -1) as last_row from event_rows';

/** The same, and the rows after one. */
const ADDED_ROWS_SQL = `select count(*)::double as added, coalesce(max(rowid), $1)::double as last_row,
    (select count(*) from event_rows)::double as row_count
  from event_rows where rowid > $1`;

/** Counting reads no column. */
const STATE_SQL = 'select *, (select count(*) from event_rows) as found from log_position';

async function fileSize(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch {
    return 0;
  }
}
