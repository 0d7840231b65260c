/**
 * How large chunks are, and how fast small ones follow each other. A commit costs the same for one event as for a
 * hundred; without a pause, single requests would be committed one by one on the CPU that should be answering them.
 */
import type { LogEntry } from '../../stores/ingest/ingest-log.ts';

/** Large enough to share the fixed costs, small enough that other writers do not wait long. */
export const MAX_CHUNK_EVENTS = 2500;
export const MAX_CHUNK_BYTES = 8 * 1024 * 1024;

const SMALL_CHUNK_EVENTS = 500;
const SMALL_CHUNK_INTERVAL_MS = 50;

export const isSmallChunk = (entries: readonly LogEntry[]): boolean =>
  entries.reduce((sum, entry) => sum + entry.events, 0) < SMALL_CHUNK_EVENTS;

export class ChunkPacing {
  #skipPause = false;
  #endPause: (() => void) | null = null;

  /** Somebody waits for what is in the log now: no pause before the next chunk. */
  processNow(): void {
    this.#skipPause = true;
    this.#endPause?.();
  }

  /** Processes the entries, then pauses if they were few. */
  async run(entries: readonly LogEntry[], work: () => Promise<void>): Promise<void> {
    const start = performance.now();
    await work();
    const remaining = SMALL_CHUNK_INTERVAL_MS - (performance.now() - start);
    if (isSmallChunk(entries) && remaining > 0) await this.#pause(remaining);
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
