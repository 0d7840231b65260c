import type { LogProgress } from '../../stores/ingest/log-progress.ts';

/** What the worker thread reports after each chunk, once both stores have it. */
export interface ProcessedNotice {
  progress: LogProgress;
  events: number;
  /** Projects with new events. */
  projects: readonly number[];
  projectsWithNewGroupTypes: readonly number[];
  /** Uuids of persons who were created, changed or merged away. */
  persons: readonly string[];
}

/** Processing waits for a store: it could not be read or written. */
export interface ProcessingOutage {
  /** Ms UTC. */
  since: number;
  reason: string;
}
