/** What a run reads: rows in an order that never changes, a piece at a time, so that it goes on after a crash. */
import type { QueryDeps } from '../../../query/query-deps.ts';
import type { SqlValue } from '../../../stores/events/event-store.ts';
import type { IngestStore } from '../../../stores/ingest/ingest-store.ts';
import type { Project } from '../../../stores/metadata/accounts.ts';
import type { BatchExport, ExportRun } from '../store/batch-export-store.ts';

export interface ReaderDeps extends QueryDeps {
  ingest: Pick<IngestStore, 'listChangedPersons'>;
}

export interface ReadRun {
  project: Project;
  batchExport: BatchExport;
  run: ExportRun;
}

/** At least one row, and not much more than either of these. */
export interface SliceLimits {
  rows: number;
  bytes: number;
}

/** Some rows, which are not read yet. */
export interface Slice {
  /** Where the next one begins; JSON. */
  position: string;
  /** Their size as text, about. */
  bytes: number;
  /** Each is a line of JSON. */
  lines(): Promise<string[]>;
  /** The statement that has them as columns. */
  statement(): { sql: string; values: readonly SqlValue[] };
}

export interface ModelReader {
  /** The rows behind a position; null at the end. */
  next(position: string | null, limits: SliceLimits): Promise<Slice | null>;
  /**
   * Called in a transaction when a file with rows of this reader has been written: whether it may have rows that belong
   * into another file.
   */
  isOutdated(store: QueryDeps['metadata']): Promise<boolean>;
}
