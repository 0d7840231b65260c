import type { JsonObject } from '../../core/json/json.ts';
import type { NewLogEntry } from '../../stores/ingest/ingest-log.ts';

/** Where accepted events go, on one machine or in a cluster. */
export interface EventIntake {
  /**
   * Resolves when the request's events are on disk. Rejects with `unavailable` when they cannot be stored; then none is.
   * `subjects`: those whose flags the events may change, see `changedSubjects`.
   * `events`: the payload parsed, where the caller has it.
   */
  accept(entry: NewLogEntry, subjects?: readonly string[], events?: readonly JsonObject[]): Promise<void>;
  /** Resolves when everything accepted so far is visible to queries. */
  drain(): Promise<void>;
  /** Resolves when everything accepted before this call has been processed. */
  whenProcessed(): Promise<void>;
}
