/**
 * Small chunks come no faster than this. A commit costs the same for one event as for a hundred, and single requests
 * that arrive in a stream would otherwise be committed one by one, on the CPU that should be answering them.
 */
import type { LogEntry } from '../../stores/ingest/ingest-log.ts';

const SMALL_CHUNK_EVENTS = 500;
const SMALL_CHUNK_INTERVAL_MS = 50;

export const isSmallChunk = (entries: readonly LogEntry[]): boolean =>
  entries.reduce((sum, entry) => sum + entry.events, 0) < SMALL_CHUNK_EVENTS;

export class ChunkPacing {
  #hurried = false;
  #endPause: (() => void) | null = null;

  /** Somebody waits for what is in the log now: no pause before the next chunk. */
  processNow(): void {
    this.#hurried = true;
    this.#endPause?.();
  }

  /** Does the work on the entries, and then waits for company if they were few. */
  async run(entries: readonly LogEntry[], work: () => Promise<void>): Promise<void> {
    const start = performance.now();
    await work();
    const early = SMALL_CHUNK_INTERVAL_MS - (performance.now() - start);
    if (isSmallChunk(entries) && early > 0) await this.#pause(early);
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
}
