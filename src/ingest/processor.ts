/**
 * Reads the log and processes it, chunk after chunk, for as long as the process lives. A store that refuses means
 * another try a little later; an entry that cannot be processed for a reason of its own is set aside, so that it never
 * blocks those behind it.
 */
import { type ExtractedEvents, extractEvents } from '../core/events/extract-events.ts';
import { parseJson } from '../core/events/parse-json.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/log.ts';
import { type Loop, startLoop } from '../lib/loop.ts';
import type { IngestLogReader, LogEntry } from '../stores/ingest-log.ts';
import { derivedUuid, readContext } from './accepted.ts';
import { FateBook } from './fate-book.ts';
import { type ChunkDeps, type ProcessedChunk, processChunk } from './process-chunk.ts';
import { type Projects, type ReadChunk, readAhead } from './read-ahead.ts';

export interface ProcessorDeps extends ChunkDeps {
  log: IngestLogReader;
  clock: Clock;
  logger: Logger;
  /** True for errors that are about the store and not about the events: try again. */
  isOutage(error: unknown): boolean;
  /** Hears of each chunk after both commits. */
  onProcessed(chunk: ProcessedChunk): void;
  onIdle(position: number): void;
  /** Hears why the work pauses; it is tried again by itself. */
  onOutage?(error: unknown): void;
}

interface Errand {
  run(): Promise<void>;
  reject(error: unknown): void;
}

/** A chunk: large enough to share its fixed costs, small enough that other writers do not wait long for their turn. */
const CHUNK_EVENTS = 2500;
const CHUNK_BYTES = 8 * 1024 * 1024;

/**
 * Small chunks come no faster than this. A commit costs the same for one event as for a hundred, and single requests
 * that arrive in a stream would otherwise be committed one by one, on the CPU that should be answering them.
 */
const SMALL_CHUNK_EVENTS = 500;
const SMALL_CHUNK_EVERY_MS = 50;

export class Processor {
  readonly #deps: ProcessorDeps;
  #position = 0;
  #ahead: ReadChunk | null = null;
  #loop: Loop | null = null;
  readonly #errands: Errand[] = [];
  #hurried = false;
  #endPause: (() => void) | null = null;

  constructor(deps: ProcessorDeps) {
    this.#deps = deps;
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
    const entries = this.#upTo(ahead);
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
  hurry(): void {
    this.#hurried = true;
    this.#endPause?.();
    this.wake();
  }

  async stop(): Promise<void> {
    await this.#loop?.stop();
    for (const { reject } of this.#errands.splice(0)) reject(new Error('The processor has stopped.'));
  }

  /** Runs `work` between two chunks, when nothing is under way in either store. */
  between<T>(work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#errands.push({ run: async () => resolve(await work()), reject });
      this.wake();
    });
  }

  /** Does what has been ordered of the event store; resolves when queries show it. */
  refile(): Promise<void> {
    return this.between(() => this.#refile());
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
    const entries = ahead > this.#position ? this.#upTo(ahead) : this.#nextEntries();
    if (entries.length === 0) return false;
    const start = performance.now();
    await this.#take(entries);
    const early = SMALL_CHUNK_EVERY_MS - (performance.now() - start);
    if (isSmall(entries) && early > 0) await this.#pause(early);
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
    const orders = await ingest.refilings();
    if (orders.length === 0) return;
    const done = await events.refile(orders);
    await ingest.transaction((store) => store.settleRefilings(done));
  }

  /** Ends at once for whoever is in a hurry, also if they said so while the chunk was under way. */
  async #pause(ms: number): Promise<void> {
    if (!this.#hurried) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        this.#endPause = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      this.#endPause = null;
    }
    this.#hurried = false;
  }

  #nextEntries(): readonly LogEntry[] {
    if (this.#ahead?.after === this.#position) return this.#ahead.entries;
    return this.#deps.log.read(this.#position, CHUNK_EVENTS, CHUNK_BYTES);
  }

  #upTo(seq: number): LogEntry[] {
    return this.#deps.log.read(this.#position, Infinity, Infinity).filter((entry) => entry.seq <= seq);
  }

  async #take(entries: readonly LogEntry[]): Promise<void> {
    try {
      await this.#process(entries);
    } catch (error) {
      if (this.#deps.isOutage(error)) throw error;
      this.#deps.logger.warn({ err: error, entries: entries.length }, 'a chunk failed; taking its entries one by one');
      for (const entry of entries) await this.#processAlone(entry);
    }
  }

  async #process(entries: readonly LogEntry[]): Promise<void> {
    const read = this.#ahead?.entries === entries ? this.#ahead : null;
    this.#ahead = null;
    const now = this.#deps.clock.now();
    const meanwhile = (projects: Projects): void => {
      const last = entries.at(-1);
      // After a small chunk it is better to wait for company.
      if (last && !isSmall(entries)) {
        this.#ahead = readAhead(this.#deps.log, last.seq, CHUNK_EVENTS, CHUNK_BYTES, projects);
      }
    };
    this.#advance(await processChunk(this.#deps, entries, { now, read, meanwhile }));
  }

  async #processAlone(entry: LogEntry): Promise<void> {
    try {
      await this.#process([entry]);
    } catch (error) {
      if (this.#deps.isOutage(error)) throw error;
      this.#deps.logger.error({ err: error, seq: entry.seq }, 'an entry cannot be processed; its events are set aside');
      this.#advance(await this.#setAside(entry, error));
    }
  }

  /** Every event of the entry becomes a dead letter of its own, so that the innocent ones can be replayed. */
  async #setAside(entry: LogEntry, error: unknown): Promise<ProcessedChunk> {
    const { ingest, events, clock } = this.#deps;
    const fates = new FateBook(clock.now());
    const { events: raws, isSingle } = rawEvents(entry);
    const context = readContext(entry.context);
    context.engage &&= isSingle;
    for (const [index, raw] of raws.entries()) {
      const fallbackUuid = derivedUuid(entry, index);
      fates.fail({ entry, context, raw, fallbackUuid, outcome: { kind: 'failed', error } }, error);
    }
    await ingest.transaction(async (store) => {
      await store.apply({ ...NOTHING, ...fates.changes(), position: entry.seq });
      await events.write({ events: [], overrides: [], position: entry.seq });
    });
    return { position: entry.seq, events: entry.events, stored: [], messages: 0, regrouped: [] };
  }

  #advance(chunk: ProcessedChunk): void {
    this.#position = chunk.position;
    this.#deps.onProcessed(chunk);
  }
}

const isSmall = (entries: readonly LogEntry[]): boolean =>
  entries.reduce((sum, entry) => sum + entry.events, 0) < SMALL_CHUNK_EVENTS;

const NOTHING = {
  persons: { persons: [], ops: [], history: [], overrides: [] },
  groupTypes: [],
  groups: [],
  events: [],
  properties: [],
  eventProperties: [],
  messages: [],
  firstEvents: [],
};

function rawEvents(entry: LogEntry): Pick<ExtractedEvents, 'events' | 'isSingle'> {
  const text = entry.payload.toString('utf8');
  try {
    return extractEvents(parseJson(text));
  } catch {
    // It was readable when it was accepted; if it no longer is, at least nothing of it is thrown away.
    return { events: Array.from({ length: entry.events }, () => ({ unreadable: text })), isSingle: false };
  }
}
