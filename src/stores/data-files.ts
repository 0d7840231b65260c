/** Files of the data folder. */
export const DATA_FILES = {
  metadata: 'metadata.sqlite',
  log: 'ingest-log.sqlite',
  events: 'events.duckdb',
  /** Unfinished copies; emptied at start. */
  work: 'work',
} as const;
