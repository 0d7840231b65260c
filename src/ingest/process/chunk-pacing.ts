/**
 * How large chunks are, and how fast small ones follow each other. A commit costs the same for one event as for a
 * hundred; without a pause, single requests would be committed one by one on the CPU that should be answering them.
 */
import type { LogEntry } from '../../stores/ingest/ingest-log.ts';

/** Large enough to share the fixed costs, small enough that other writers do not wait long. */
export const MAX_CHUNK_EVENTS = 5000;
export const MAX_CHUNK_BYTES = 8 * 1024 * 1024;

/** Half of a full chunk: with so much waiting there is no need to wait for more. */
const SMALL_CHUNK_EVENTS = MAX_CHUNK_EVENTS / 2;
const SMALL_CHUNK_BYTES = MAX_CHUNK_BYTES / 2;
const SMALL_CHUNK_INTERVAL_MS = 50;
/** From so many events on, there is a load. */
const LOADED_CHUNK_EVENTS = 50;
const MAX_PAUSE_MS = 200;

const countEvents = (entries: readonly LogEntry[]): number => entries.reduce((sum, entry) => sum + entry.events, 0);

const countBytes = (entries: readonly LogEntry[]): number =>
  entries.reduce((sum, { payload }) => sum + payload.length, 0);

export const isSmallChunk = (entries: readonly LogEntry[]): boolean =>
  countEvents(entries) < SMALL_CHUNK_EVENTS && countBytes(entries) < SMALL_CHUNK_BYTES;

/**
 * Under load, processing takes a third of the time at most: the events of the next chunk share the cost of a commit, which
 * is as much as that of hundreds of events, and the requests get the CPU. `arrivedInMs`: how long it took until this chunk
 * had come together.
 */
export function pauseAfter(entries: readonly LogEntry[], tookMs: number, arrivedInMs = Infinity): number {
  if (!isSmallChunk(entries)) return 0;
  const rest = SMALL_CHUNK_INTERVAL_MS - tookMs;
  const events = countEvents(entries);
  if (events < LOADED_CHUNK_EVENTS) return rest;
  const untilEnough = (SMALL_CHUNK_EVENTS / events) * arrivedInMs - tookMs;
  return Math.max(rest, Math.min(2 * tookMs, untilEnough, MAX_PAUSE_MS));
}

export class ChunkPacing {
  #skipPause = false;
  /** When the last chunk was begun. */
  #lastStart = -Infinity;
  #endPause: (() => void) | null = null;

  /** Somebody waits for what is in the log now: no pause before the next chunk. */
  processNow(): void {
    this.#skipPause = true;
    this.#endPause?.();
  }

  /** Processes the entries, then pauses if they were few. */
  async run(entries: readonly LogEntry[], work: () => Promise<void>): Promise<void> {
    const start = performance.now();
    const arrivedInMs = start - this.#lastStart;
    this.#lastStart = start;
    await work();
    const pause = pauseAfter(entries, performance.now() - start, arrivedInMs);
    if (pause > 0) await this.#pause(pause);
  }

  /** Skipped also when `processNow` was called while the chunk was being processed. */
  async #pause(ms: number): Promise<void> {
    if (!this.#skipPause) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        this.#endPause = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      this.#endPause = null;
    }
    this.#skipPause = false;
  }
}
