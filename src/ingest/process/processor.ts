/**
 * Reads the log and processes it chunk by chunk, for as long as the process lives. While a store is unavailable it tries
 * again; an entry that cannot be processed becomes dead letters (`process-entries.ts`).
 */
import { type Loop, startLoop } from '../../lib/loop.ts';
import type { MaybePromise } from '../../lib/maybe-async.ts';
import { WorkQueue } from '../../lib/work-queue.ts';
import type { EventStore } from '../../stores/events/event-store.ts';
import type { IngestLogReader, LogEntry } from '../../stores/ingest/ingest-log.ts';
import { ChunkPacing, isSmallChunk, MAX_CHUNK_BYTES, MAX_CHUNK_EVENTS } from './chunk-pacing.ts';
import type { Projects } from './normalise-entries.ts';
import type { ProcessedChunk } from './process-chunk.ts';
import { type ProcessDeps, processEntries } from './process-entries.ts';
import { type ReadAheadChunk, readAhead } from './read-ahead.ts';
import { eventStoreSink, lastSeq } from './sink.ts';

export interface ProcessorDeps extends Omit<ProcessDeps, 'sink'> {
  events: EventStore;
  log: IngestLogReader;
  /** Called after both commits. */
  onProcessed(chunk: ProcessedChunk): void;
  onIdle(position: number): void;
  /** Why processing pauses; it goes on by itself. */
  onOutage?(error: unknown): void;
}

export class Processor {
  readonly #deps: ProcessorDeps & ProcessDeps;
  readonly #pacing = new ChunkPacing();
  #position = 0;
  #readAhead: ReadAheadChunk | null = null;
  #loop: Loop | null = null;
  readonly #queue = new WorkQueue();

  constructor(deps: ProcessorDeps) {
    this.#deps = { ...deps, sink: eventStoreSink(deps.events) };
  }

  /**
   * Finishes what a crash between the two commits has left: then the event store is ahead. The entries up to its position
   * are processed as one chunk, so that no chunk reaches across that position. Returns the position to go on from.
   */
  async recover(): Promise<number> {
    const { ingest, events } = this.#deps;
    this.#position = await ingest.position();
    const ahead = await events.position();
    if (ahead <= this.#position) return this.#position;
    const entries = await this.#entriesUpTo(ahead);
    if (entries.at(-1)?.seq !== ahead) {
      throw new Error(
        `The ingest log is missing entries ${this.#position + 1} to ${ahead}, whose events are stored but whose ` +
          'persons are not. Put the log file back in its place, or restore a backup.',
      );
    }
    await this.#process(entries);
    this.#deps.logger.info(
      { entries: entries.length },
      'finished the chunk that was being processed when the process ended',
    );
    return this.#position;
  }

  /** There may be entries in the log. The first call starts processing; call `recover` before it. */
  wake(): void {
    this.#loop ??= startLoop({
      step: () => this.#step(),
      onIdle: () => this.#deps.onIdle(this.#position),
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

  /**
   * The event store is also ahead when the second commit failed and no process died. A chunk with entries that came
   * since would reach past the event store's position, and what it has already would be stored again.
   */
  async #step(): Promise<boolean> {
    await this.#queue.runAll();
    await this.#reassign();
    const ahead = await this.#deps.events.position();
    const entries = await (ahead > this.#position ? this.#entriesUpTo(ahead) : this.#nextEntries());
    if (entries.length === 0) return false;
    await this.#pacing.run(entries, () => this.#process(entries));
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

  #nextEntries(): MaybePromise<readonly LogEntry[]> {
    if (this.#readAhead?.after === this.#position) return this.#readAhead.entries;
    return this.#deps.log.read(this.#position, MAX_CHUNK_EVENTS, MAX_CHUNK_BYTES);
  }

  async #entriesUpTo(seq: number): Promise<LogEntry[]> {
    return (await this.#deps.log.read(this.#position, Infinity, Infinity)).filter((entry) => entry.seq <= seq);
  }

  async #process(entries: readonly LogEntry[]): Promise<void> {
    const current = this.#readAhead?.entries === entries ? this.#readAhead : null;
    this.#readAhead = null;
    let next: MaybePromise<ReadAheadChunk | null> = null;
    await processEntries(this.#deps, entries, {
      readAhead: current,
      whileCommitting: (projects: Projects) => {
        // After a small chunk it is better to wait for more entries.
        if (!isSmallChunk(entries)) next = readAhead(this.#deps, lastSeq(entries), projects);
      },
      onProcessed: (chunk) => this.#advance(chunk),
    });
    this.#readAhead = await next;
  }

  #advance(chunk: ProcessedChunk): void {
    this.#position = lastSeq(chunk.entries);
    this.#deps.onProcessed(chunk);
  }
}
