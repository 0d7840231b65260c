/**
 * Changes of identity that users make: splitting a person, undoing a merge, deleting a person. The processor writes what
 * events change (`ingest-store.ts`). Every change here queues a reassignment for the event store (`reassignment.ts`).
 */
import type { Person } from '../../core/persons/person.ts';
import type { HistoryEntry } from '../../core/persons/person-changes.ts';
import type { MergeKind } from '../../core/persons/plan-merge.ts';
import type { DistinctIdMove, Reassignment } from '../events/reassignment.ts';
import type { LogProgress } from '../ingest/log-progress.ts';
import type { Page, Paged } from './page.ts';
import type { StoredPerson } from './persons.ts';

export interface MergeRecord {
  id: number;
  projectId: number;
  kind: MergeKind;
  /** Both as they were just before the merge. */
  source: Person;
  target: Person;
  /** The source's id, if known. */
  sourceId: number | null;
  movedIds: string[];
  eventUuid: string;
  at: number;
  undoneAt: number | null;
}

/** A person and everyone merged into it, directly or indirectly. */
export interface MergedPersons {
  uuids: string[];
  /** Their ids, as far as known. */
  ids: number[];
}

type WithoutId<T> = T extends unknown ? Omit<T, 'id'> : never;
type NewReassignment = WithoutId<Reassignment>;

/** Number of removed records, by kind. */
export type RemovedCounts = Readonly<Record<string, number>>;

export interface PersonIdentityStore {
  /** How far events have been processed. */
  progress(): Promise<LogProgress>;
  /** In the order they were added; with `among`, only those. */
  listDistinctIds(personId: number, among?: readonly string[]): Promise<string[]>;
  /** A person with an id gets that id again; it must have been theirs. */
  create(persons: readonly (Person & { id?: number | null })[]): Promise<void>;
  update(person: Person): Promise<void>;
  /** Moves distinct ids to other persons of the project. */
  moveDistinctIds(projectId: number, moves: readonly DistinctIdMove[]): Promise<void>;
  addHistory(history: readonly HistoryEntry[]): Promise<void>;
  /** Deletes what one event wrote about these properties. */
  deleteHistory(personUuid: string, eventUuid: string, names: readonly string[]): Promise<void>;
  /** Queues a change of events; `deletionId` names the deletion that records the number of events. */
  queueReassignment(refiling: NewReassignment, deletionId?: string): Promise<void>;
  /** Merges into this person and into those merged into it, newest first. */
  listMerges(projectId: number, personUuid: string, page: Page): Promise<Paged<MergeRecord>>;
  getMerge(projectId: number, id: number): Promise<MergeRecord | null>;
  /** Merges into a person that were not undone, oldest first. */
  listMergesInto(projectId: number, targetUuid: string): Promise<MergeRecord[]>;
  /** The merge that ended a person; null if there is none or it was undone. */
  getMergeBySource(projectId: number, sourceUuid: string): Promise<MergeRecord | null>;
  /** Also restores the source's cohort memberships and flag overrides. */
  markMergeUndone(id: number, at: number): Promise<void>;
  /** Corrects the state of the target that the merge recorded. */
  updateMergeTarget(id: number, target: Person): Promise<void>;
  /** The uuid is in use again. */
  reviveUuid(uuid: string): Promise<void>;
  getMergedPersons(projectId: number, personUuid: string): Promise<MergedPersons>;
  /** Deletes a person with distinct ids, property history and merges. The uuid is never used again. */
  delete(person: StoredPerson, merged: MergedPersons): Promise<RemovedCounts>;
  /** Removes or blanks other records with these ids: dead letters, warnings, activity. */
  removeReferences(projectId: number, merged: MergedPersons, distinctIds: readonly string[]): Promise<RemovedCounts>;
  /** Blanks activity on definitions that contains one of these texts, ignoring the case of Latin letters. */
  blankDefinitionActivity(projectId: number, texts: readonly string[]): Promise<void>;
}
