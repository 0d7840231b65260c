/** What lies in the data folder. */
export const DATA_FILES = {
  metadata: 'metadata.sqlite',
  log: 'ingest-log.sqlite',
  events: 'events.duckdb',
  /** Copies on their way out; emptied at start. */
  work: 'work',
} as const;
