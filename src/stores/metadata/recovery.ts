/** For finding out what a store has lost, and going on without it. */

import type { PersonOverride } from '../events/event-store.ts';
import type { EventId } from '../ingest/ingest-store.ts';
import type { LogProgress } from '../ingest/log-progress.ts';

/** How far the metadata store is. */
export interface MetadataProgress {
  /** Of the log of the embedded backend. */
  progress: LogProgress;
  /** Number of events by fate. */
  counts: Record<string, number>;
}

export interface RecoveryStore {
  getProgress(): Promise<MetadataProgress>;
  setProgress(progress: MetadataProgress): Promise<void>;
  /** So many stored events are lost. */
  countLost(events: number): Promise<void>;
  /** When the latest of the events that came with their own id was processed. */
  latestProcessedAt(): Promise<number | null>;
  /**
   * Events with their own id that were processed within a range, in batches of about `limit`. Some are listed twice, and
   * some that were processed a little before the range.
   */
  listSeen(processed: { from: number; to: number }, limit: number): AsyncIterable<EventId[]>;
  /** They may be sent again. Their dead letters are deleted too: processing them again makes new ones. */
  forgetSeen(events: readonly EventId[]): Promise<void>;
  /** All merges that were not undone, oldest first. */
  listOverrides(): Promise<PersonOverride[]>;
  /** Queues the removal of the events of everyone who was deleted with their events. */
  repeatDeletions(): Promise<void>;
}
