/** Files of the data folder. */
export const DATA_FILES = {
  metadata: 'metadata.sqlite',
  log: 'ingest-log.sqlite',
  events: 'events.duckdb',
  /** Which entries of the log are being processed. */
  attempt: 'ingest-attempt.json',
  /** Unfinished copies; emptied at start. */
  work: 'work',
} as const;
