import type { IngestChanges, IngestStore } from '../ingest-store.ts';
import type { MetadataStore } from '../metadata-store.ts';

/** Both sides of one relational shelf. */
export interface RelationalPlace {
  metadata: MetadataStore;
  ingest: IngestStore;
  remove(): Promise<void>;
}

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
  firstEvents: [],
  counts: {},
  position: 0,
};
