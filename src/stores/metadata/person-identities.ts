/**
 * Who is who, as people change it: splitting a person, undoing a merge, deleting somebody. What events tell of persons is
 * written by the processor (`ingest-store.ts`). Every change here goes with an order to the event store (`refiling.ts`).
 */
import type { Person } from '../../core/persons/person.ts';
import type { HistoryEntry } from '../../core/persons/person-changes.ts';
import type { MergeKind } from '../../core/persons/plan-merge.ts';
import type { DistinctIdMove, Reassignment } from '../events/reassignment.ts';
import type { Page, Paged } from './page.ts';
import type { StoredPerson } from './persons.ts';

export interface MergeRecord {
  id: number;
  projectId: number;
  kind: MergeKind;
  /** Both as they were just before. */
  source: Person;
  target: Person;
  /** The number that the source had, where it is known. */
  sourceId: number | null;
  movedIds: string[];
  eventUuid: string;
  at: number;
  undoneAt: number | null;
}

/** Somebody and all who were merged into them, directly or by way of others. */
export interface MergedPersons {
  uuids: string[];
  /** Their numbers, where they are known. */
  ids: number[];
}

type WithoutId<T> = T extends unknown ? Omit<T, 'id'> : never;
type NewReassignment = WithoutId<Reassignment>;

/** How many of each kind of record are gone. */
export type RemovedCounts = Readonly<Record<string, number>>;

export interface PersonIdentityStore {
  /** The log position up to which events have told of persons. */
  position(): Promise<number>;
  /** In the order in which they came; with `among`, only those of them. */
  listDistinctIds(personId: number, among?: readonly string[]): Promise<string[]>;
  /** New persons. One with a number gets that number back, which must have been theirs. */
  create(persons: readonly (Person & { id?: number | null })[]): Promise<void>;
  update(person: Person): Promise<void>;
  /** Gives distinct ids of the project to other persons of it. */
  moveDistinctIds(projectId: number, moves: readonly DistinctIdMove[]): Promise<void>;
  addHistory(history: readonly HistoryEntry[]): Promise<void>;
  /** Forgets that an event changed these properties of a person. */
  deleteHistory(personUuid: string, eventUuid: string, names: readonly string[]): Promise<void>;
  /** Orders the event store to follow; a deletion hears how many events it came to. */
  queueReassignment(refiling: NewReassignment, deletionId?: string): Promise<void>;
  /** Merges that made this person, and those that made the ones merged into it; newest first. */
  listMerges(projectId: number, personUuid: string, page: Page): Promise<Paged<MergeRecord>>;
  getMerge(projectId: number, id: number): Promise<MergeRecord | null>;
  /** Merges into a person that stand, oldest first. */
  listMergesInto(projectId: number, targetUuid: string): Promise<MergeRecord[]>;
  /** The merge by which a person ended; null where none did, or it was undone. */
  getMergeBySource(projectId: number, sourceUuid: string): Promise<MergeRecord | null>;
  /** Also gives back what went along with the source: places in cohorts, and the identifiers that keep flags' values. */
  markMergeUndone(id: number, at: number): Promise<void>;
  /** Corrects what a merge says of its target as it was just before. */
  updateMergeTarget(id: number, target: Person): Promise<void>;
  /** The uuid has its person back. */
  reviveUuid(uuid: string): Promise<void>;
  getMergedPersons(projectId: number, personUuid: string): Promise<MergedPersons>;
  /** Removes a person with distinct ids, property history and merges; the uuid is never given again. */
  delete(person: StoredPerson, family: MergedPersons): Promise<RemovedCounts>;
  /** Removes or blanks what else speaks of these ids: dead letters, warnings, activity. */
  removeReferences(projectId: number, family: MergedPersons, distinctIds: readonly string[]): Promise<RemovedCounts>;
}
