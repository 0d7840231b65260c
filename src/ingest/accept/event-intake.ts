import type { JsonObject } from '../../core/json/json.ts';
import type { NewLogEntry } from '../../stores/ingest/ingest-log.ts';

/** Ingestion as the rest of the house sees it, whichever set of stores is behind it. */
export interface EventIntake {
  /**
   * Resolves when the request's events are on disk. Rejects with `unavailable` when they cannot be kept; nothing of
   * them is kept then.
   * `subjects`: those whose flags the events may change, see `changedSubjects`.
   * `events`: what the payload holds, where the caller has it at hand.
   */
  accept(entry: NewLogEntry, subjects?: readonly string[], events?: readonly JsonObject[]): Promise<void>;
  /** Resolves when everything accepted so far is visible to queries. */
  drain(): Promise<void>;
  /** Resolves when everything accepted before this call has been processed, however much comes in meanwhile. */
  whenProcessed(): Promise<void>;
}
