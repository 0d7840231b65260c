import type { IngestChanges } from './ingest-store.ts';

/** A chunk that changes nothing. */
export const NO_CHANGES: IngestChanges = {
  persons: { persons: [], ops: [], history: [], overrides: [] },
  groupTypes: [],
  groups: [],
  seen: [],
  repeats: [],
  events: [],
  properties: [],
  eventProperties: [],
  dropped: [],
  deadLetters: [],
  warnings: [],
  messages: [],
  cookielessVisitors: [],
  queued: [],
  late: [],
  firstEvents: [],
  counts: {},
  position: null,
};
