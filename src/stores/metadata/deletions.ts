/** Deletions of persons with their events: what was asked, what was removed, and whether it is over. */
import type { Page, Paged } from './page.ts';
import type { RemovedCounts } from './person-identities.ts';

/** What was looked at after everything was written afresh. */
export interface DeletionScan {
  /** Records and events that still belong to the person; a deletion is complete when there are none. */
  rows: number;
  files: number;
  bytes: number;
  /** Files that spell one of the person's ids: somebody else mentions it. Null where the ids were no longer known. */
  mentionedIn: string[] | null;
}

export interface PersonDeletion {
  id: string;
  projectId: number;
  personUuid: string;
  requestedBy: number | null;
  requestedAt: number;
  removed: RemovedCounts;
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
  /** How many records of the shelf still belong to a person who is gone. */
  countRemainingData(projectId: number, personUuid: string): Promise<number>;
}
