/**
 * Reads the log and processes it, chunk after chunk, for as long as the process lives. A store that refuses means
 * another try a little later; an entry that cannot be processed for a reason of its own is set aside, so that it never
 * blocks those behind it.
 */

import { type Loop, startLoop } from '../../lib/loop.ts';
import type { MaybePromise } from '../../lib/maybe-async.ts';
import type { EventStore } from '../../stores/events/event-store.ts';
import type { IngestLogReader, LogEntry } from '../../stores/ingest/ingest-log.ts';
import { ChunkPacing, isSmallChunk } from './pace.ts';
import type { ProcessedChunk } from './process-chunk.ts';
import { type ProcessDeps, processEntries } from './process-entries.ts';
import { type Projects, type ReadChunk, readAhead } from './read-ahead.ts';
import { eventStoreSink, lastSeq } from './sink.ts';

export interface ProcessorDeps extends Omit<ProcessDeps, 'sink'> {
  events: EventStore;
  log: IngestLogReader;
  /** Hears of each chunk after both commits. */
  onProcessed(chunk: ProcessedChunk): void;
  onIdle(position: number): void;
  /** Hears why the work pauses; it is tried again by itself. */
  onOutage?(error: unknown): void;
}

interface QueuedWork {
  run(): Promise<void>;
  reject(error: unknown): void;
}

/** A chunk: large enough to share its fixed costs, small enough that other writers do not wait long for their turn. */
const MAX_CHUNK_EVENTS = 2500;
const MAX_CHUNK_BYTES = 8 * 1024 * 1024;

export class Processor {
  readonly #deps: ProcessorDeps & ProcessDeps;
  readonly #pace = new ChunkPacing();
  #position = 0;
  #ahead: ReadChunk | null = null;
  #loop: Loop | null = null;
  readonly #errands: QueuedWork[] = [];

  constructor(deps: ProcessorDeps) {
    this.#deps = { ...deps, sink: eventStoreSink(deps.events) };
  }

  /**
   * Finishes what a crash may have left between the two commits; returns the position from which work goes on.
   * The event store is ahead when the process died between the two commits. The entries in between are taken as one
   * chunk, so that none reaches from before the event store's position to after it.
   */
  async recover(): Promise<number> {
    const { ingest, events } = this.#deps;
    this.#position = await ingest.position();
    const ahead = await events.position();
    if (ahead <= this.#position) return this.#position;
    const entries = await this.#upTo(ahead);
    if (entries.at(-1)?.seq !== ahead) {
      throw new Error(
        `The ingest log is missing entries ${this.#position + 1} to ${ahead}, whose events are stored but whose ` +
          'persons are not. Put the log file back in its place, or restore a backup.',
      );
    }
    await this.#take(entries);
    this.#deps.logger.info({ entries: entries.length }, 'finished what was under way when the process ended');
    return this.#position;
  }

  /** There may be something in the log. The first call starts the work; before it, `recover`. */
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
    this.#pace.processNow();
    this.wake();
  }

  async stop(): Promise<void> {
    await this.#loop?.stop();
    for (const { reject } of this.#errands.splice(0)) reject(new Error('The processor has stopped.'));
  }

  /** Runs `work` between two chunks, when nothing is under way in either store. */
  runExclusive<T>(work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#errands.push({ run: async () => resolve(await work()), reject });
      this.wake();
    });
  }

  /** Does what has been ordered of the event store; resolves when queries show it. */
  reassign(): Promise<void> {
    return this.runExclusive(() => this.#refile());
  }

  /**
   * The event store is ahead also when the second commit was refused and no process died. Meanwhile more entries have
   * come; taking them along would make a batch that reaches past the event store's position, and what it has already
   * would be stored again.
   */
  async #step(): Promise<boolean> {
    await this.#runErrands();
    await this.#refile();
    const ahead = await this.#deps.events.position();
    const entries = await (ahead > this.#position ? this.#upTo(ahead) : this.#nextEntries());
    if (entries.length === 0) return false;
    await this.#pace.run(entries, () => this.#take(entries));
    return true;
  }

  async #runErrands(): Promise<void> {
    for (let errand = this.#errands.shift(); errand; errand = this.#errands.shift()) {
      await errand.run().catch(errand.reject);
    }
  }

  /** No lock is held while the event store works: this loop alone writes to it, so no event comes in between. */
  async #refile(): Promise<void> {
    const { ingest, events } = this.#deps;
    const orders = await ingest.pendingReassignments();
    if (orders.length === 0) return;
    const done = await events.reassign(orders);
    await ingest.transaction((store) => store.completeReassignments(done));
  }

  #nextEntries(): MaybePromise<readonly LogEntry[]> {
    if (this.#ahead?.after === this.#position) return this.#ahead.entries;
    return this.#deps.log.read(this.#position, MAX_CHUNK_EVENTS, MAX_CHUNK_BYTES);
  }

  async #upTo(seq: number): Promise<LogEntry[]> {
    return (await this.#deps.log.read(this.#position, Infinity, Infinity)).filter((entry) => entry.seq <= seq);
  }

  async #take(entries: readonly LogEntry[]): Promise<void> {
    const read = this.#ahead?.entries === entries ? this.#ahead : null;
    this.#ahead = null;
    let ahead: MaybePromise<ReadChunk | null> = null;
    const meanwhile = (projects: Projects): void => {
      // After a small chunk it is better to wait for company.
      if (!isSmallChunk(entries))
        ahead = readAhead(this.#deps.log, lastSeq(entries), MAX_CHUNK_EVENTS, MAX_CHUNK_BYTES, projects);
    };
    await processEntries(this.#deps, entries, {
      readAhead: read,
      whileCommitting: meanwhile,
      onProcessed: (chunk) => this.#advance(chunk),
    });
    this.#ahead = await ahead;
  }

  #advance(chunk: ProcessedChunk): void {
    this.#position = lastSeq(chunk.entries);
    this.#deps.onProcessed(chunk);
  }
}
