/** Files of the data folder. */
export const DATA_FILES = {
  metadata: 'metadata.sqlite',
  /** A folder of segments. */
  log: 'ingest-log',
  /** The log of earlier versions, until it is converted. */
  oldLog: 'ingest-log.sqlite',
  events: 'events.duckdb',
  /** Which entries of the log are being processed. */
  attempt: 'ingest-attempt.json',
  /** A folder with the salts of cookieless visitors, one file a day; in no backup. */
  salts: 'cookieless-salts',
  /** A newer table of countries than the one that ships, see `cairn geoip`; in no backup. */
  countries: 'countries.br',
  /** With which secrets in the metadata are encrypted; in no backup. */
  secretKey: 'secret-key',
  /** Copies of projects for statements of users; emptied at start, in no backup. */
  sql: 'sql',
  /** Files of exports that are being written; in no backup. */
  exports: 'export-parts',
  /** Unfinished copies; emptied at start. */
  work: 'work',
} as const;
