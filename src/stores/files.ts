/** What lies in the data folder. */
export const FILES = {
  metadata: 'metadata.sqlite',
  log: 'ingest-log.sqlite',
  events: 'events.duckdb',
} as const;
