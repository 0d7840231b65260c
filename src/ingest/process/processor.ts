/**
 * Reads the log and processes it chunk by chunk, for as long as the process lives. While a store is unavailable it tries
 * again; an entry that cannot be processed becomes dead letters (`process-entries.ts`), also if processing it ends the
 * process (`suspects.ts`).
 */
import { type Loop, startLoop } from '../../lib/loop.ts';
import type { MaybePromise } from '../../lib/maybe-async.ts';
import { WorkQueue } from '../../lib/work-queue.ts';
import type { EventStore } from '../../stores/events/event-store.ts';
import type { ChunkAttempt } from '../../stores/ingest/chunk-attempts.ts';
import type { ChunkReader, LogEntry, PlannedChunk } from '../../stores/ingest/ingest-log.ts';
import { isPast, isProcessed, type LogProgress, progressAt } from '../../stores/ingest/log-progress.ts';
import { ChunkPacing, isSmallChunk, MAX_CHUNK_BYTES, MAX_CHUNK_EVENTS } from './chunk-pacing.ts';
import type { Projects } from './normalise-entries.ts';
import type { ProcessedChunk } from './process-chunk.ts';
import { type ProcessDeps, processEntries, setAside } from './process-entries.ts';
import { type ReadAheadChunk, readAhead } from './read-ahead.ts';
import { eventStoreSink } from './sink.ts';
import { Suspects } from './suspects.ts';

export interface ProcessorDeps extends Omit<ProcessDeps, 'sink'> {
  events: EventStore;
  log: ChunkReader;
  /** The mark of the current chunk, which outlives the process. */
  attempts: { read(): ChunkAttempt | null; write(attempt: ChunkAttempt): void; clear(): void };
  /** Called after both commits. */
  onProcessed(chunk: ProcessedChunk): void;
  onIdle(position: number): void;
  /** Why processing pauses; it goes on by itself. */
  onOutage?(error: unknown): void;
  /** Before an entry that has ended the process on its own is tried once more; default 10 s. */
  suspectPauseMs?: number;
}

const SUSPECT_PAUSE_MS = 10_000;

/** A defect of the event engine that these very entries may have caused: they are suspects after the restart. */
const ENGINE_DEFECT = /INTERNAL Error/;

export class Processor {
  readonly #deps: ProcessorDeps & ProcessDeps;
  readonly #pacing = new ChunkPacing();
  #progress: LogProgress = progressAt(0);
  #chunk: PlannedChunk | null = null;
  #readAhead: ReadAheadChunk | null = null;
  #suspects = new Suspects(null, 0);
  #waking: NodeJS.Timeout | undefined;
  #loop: Loop | null = null;
  readonly #queue = new WorkQueue();

  constructor(deps: ProcessorDeps) {
    this.#deps = { ...deps, sink: eventStoreSink(deps.events, (entries) => this.#progressAfter(entries)) };
  }

  /**
   * Finishes what a crash between the two commits has left: then the event store is ahead. The entries that it has are
   * processed as one chunk, so that no chunk reaches across its progress. If they were no longer in the log,
   * `reconcileStores` has dealt with that. Returns the position to go on from.
   */
  async recover(): Promise<number> {
    const { ingest, events, attempts, suspectPauseMs = SUSPECT_PAUSE_MS } = this.#deps;
    this.#suspects = new Suspects(attempts.read(), suspectPauseMs);
    this.#progress = await ingest.progress();
    const stored = await events.progress();
    if (!isPast(stored, this.#progress)) return this.#progress.position;
    const chunk = await this.#chunkUpTo(stored);
    await this.#process(chunk);
    this.#deps.logger.info(
      { entries: chunk.entries.length },
      'finished the chunk that was being processed when the process ended',
    );
    return this.#progress.position;
  }

  /** There may be entries in the log. The first call starts processing; call `recover` before it. */
  wake(): void {
    this.#loop ??= startLoop({
      step: () => this.#step(),
      onIdle: () => this.#deps.onIdle(this.#progress.position),
      onError: (err, pauseMs) => {
        this.#deps.logger.error({ err, pauseMs }, 'events could not be processed; trying again');
        this.#deps.onOutage?.(err);
      },
    });
    this.#loop.wake();
  }

  /** Somebody waits for what is in the log now: no pause before the next chunk. */
  processNow(): void {
    this.#pacing.processNow();
    this.wake();
  }

  async stop(): Promise<void> {
    clearTimeout(this.#waking);
    await this.#loop?.stop();
    this.#queue.rejectAll(new Error('The processor has stopped.'));
  }

  /** Runs `work` between two chunks, while nothing else writes to either store. */
  runExclusive<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#queue.push(work);
    this.wake();
    return done;
  }

  /** Carries out pending reassignments; resolves when queries show them. */
  reassign(): Promise<void> {
    return this.runExclusive(() => this.#reassign());
  }

  async #step(): Promise<boolean> {
    await this.#queue.runAll();
    await this.#reassign();
    const chunk = await this.#nextChunk();
    if (chunk.entries.length === 0) return false;
    await this.#pacing.run(chunk.entries, () => this.#process(chunk));
    return true;
  }

  /** Needs no lock while the event store works: only this loop writes to it. */
  async #reassign(): Promise<void> {
    const { ingest, events } = this.#deps;
    const pending = await ingest.pendingReassignments();
    if (pending.length === 0) return;
    const done = await events.reassign(pending);
    await ingest.transaction((store) => store.completeReassignments(done));
  }

  /**
   * The event store is also ahead when the second commit failed and no process died. A chunk with entries that came
   * since would reach past the event store's progress, and what it has already would be stored again.
   */
  async #nextChunk(): Promise<PlannedChunk> {
    const stored = await this.#deps.events.progress();
    if (isPast(stored, this.#progress)) return this.#chunkUpTo(stored);
    const suspect = await this.#nextSuspect();
    if (suspect && this.#suspects.waitMs > 0) return this.#nothingYet(this.#suspects.waitMs);
    if (suspect) return { entries: [suspect], progress: await this.#progressAfter([suspect]) };
    if (this.#readAhead?.after === this.#progress) return this.#readAhead;
    return this.#deps.log.next(this.#progress, MAX_CHUNK_EVENTS, MAX_CHUNK_BYTES);
  }

  /** Entries behind a suspect wait with it: their order matters. */
  #nothingYet(ms: number): PlannedChunk {
    clearTimeout(this.#waking);
    this.#waking = setTimeout(() => this.wake(), ms).unref();
    return { entries: [], progress: this.#progress };
  }

  async #chunkUpTo(stored: LogProgress): Promise<PlannedChunk> {
    const { log } = this.#deps;
    const { position } = this.#progress;
    const entries = await log.between(this.#progress, stored);
    const isComplete = stored.position <= position || (await log.get(stored.position)) !== null;
    if (isComplete && entries.length > 0) return { entries, progress: stored };
    throw new Error(
      `The ingest log is missing entries ${position + 1} to ${stored.position}, whose events are stored but whose ` +
        'persons are not. Put the log file back in its place, or restore a backup.',
    );
  }

  async #nextSuspect(): Promise<LogEntry | null> {
    for (let seq = this.#suspects.first; seq !== undefined; seq = this.#suspects.first) {
      const entry = await this.#deps.log.get(seq);
      if (entry && !isProcessed(this.#progress, entry)) return entry;
      this.#suspects.removeFirst();
    }
    return null;
  }

  #progressAfter(entries: readonly LogEntry[]): MaybePromise<LogProgress> {
    return this.#chunk?.entries === entries
      ? this.#chunk.progress
      : this.#deps.log.afterProcessing(this.#progress, entries);
  }

  async #process(chunk: PlannedChunk): Promise<void> {
    this.#chunk = chunk;
    const { attempts } = this.#deps;
    attempts.write(this.#suspects.attemptOf(chunk.entries.map(({ seq }) => seq)));
    try {
      await this.#processOrSetAside(chunk);
    } catch (error) {
      if (!ENGINE_DEFECT.test(String(error))) attempts.clear();
      throw error;
    }
  }

  async #processOrSetAside(chunk: PlannedChunk): Promise<void> {
    const [first] = chunk.entries;
    const isSuspect = first !== undefined && first.seq === this.#suspects.first && chunk.entries.length === 1;
    // What the event store has already got through once is not what ends the process.
    const isStored = !isPast(chunk.progress, await this.#deps.events.progress());
    if (isSuspect && this.#suspects.isFirstPoisonous && !isStored) this.#advance(await setAside(this.#deps, first));
    else await this.#processEntries(chunk);
    if (isSuspect) this.#suspects.removeFirst();
  }

  async #processEntries({ entries, progress }: PlannedChunk): Promise<void> {
    const current = this.#readAhead?.entries === entries ? this.#readAhead : null;
    this.#readAhead = null;
    let next: MaybePromise<ReadAheadChunk | null> = null;
    await processEntries(this.#deps, entries, {
      readAhead: current,
      whileCommitting: (projects: Projects) => {
        // After a small chunk it is better to wait for more entries.
        if (!isSmallChunk(entries) && this.#suspects.areNone) next = readAhead(this.#deps, progress, projects);
      },
      onProcessed: (chunk) => this.#advance(chunk),
    });
    this.#readAhead = await next;
  }

  #advance(chunk: ProcessedChunk): void {
    this.#progress = chunk.progress ?? this.#progress;
    this.#deps.onProcessed(chunk);
  }
}
