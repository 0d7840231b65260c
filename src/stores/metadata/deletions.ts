/** Deletions of persons with their events: what was requested, what was removed, and whether it has finished. */
import type { Page, Paged } from './page.ts';
import type { RemovedCounts } from './person-identities.ts';

/** The check of the data after the deletion. */
export interface DeletionScan {
  /** Records and events that still belong to the person; 0 once the deletion is complete. */
  rows: number;
  files: number;
  bytes: number;
  /** Files that still contain one of the person's ids, in others' data. Null if the ids are no longer known. */
  mentionedIn: string[] | null;
}

/** A run of an export whose files have the person. */
export interface ExportedRun {
  batchExport: string;
  name: string;
  run: string;
  startAt: number;
  endAt: number;
  manifest: string | null;
}

export interface PersonDeletion {
  id: string;
  projectId: number;
  personUuid: string;
  requestedBy: number | null;
  requestedAt: number;
  removed: RemovedCounts;
  /** Files that left before; null where nobody looked. */
  exportedIn: readonly ExportedRun[] | null;
  /** Null until the event store has removed them. */
  eventsRemoved: number | null;
  scan: DeletionScan | null;
  completedAt: number | null;
}

export interface DeletionStore {
  create(deletion: Omit<PersonDeletion, 'eventsRemoved' | 'scan' | 'completedAt'>): Promise<void>;
  get(projectId: number, id: string): Promise<PersonDeletion | null>;
  /** Newest first. */
  list(projectId: number, page: Page): Promise<Paged<PersonDeletion>>;
  /** Of all projects, oldest first. */
  listUnfinished(): Promise<PersonDeletion[]>;
  complete(id: string, scan: DeletionScan, at: number): Promise<void>;
  /** How many records still belong to a deleted person. */
  countRemainingData(projectId: number, personUuid: string): Promise<number>;
}
