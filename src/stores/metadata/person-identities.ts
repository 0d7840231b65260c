/**
 * Who is who, as people change it: splitting a person, undoing a merge, deleting somebody. What events tell of persons is
 * written by the processor (`ingest-store.ts`). Every change here goes with an order to the event store (`refiling.ts`).
 */
import type { Person } from '../../core/persons/person.ts';
import type { HistoryEntry } from '../../core/persons/person-changes.ts';
import type { MergeKind } from '../../core/persons/plan-merge.ts';
import type { Move, Refiling } from '../events/reassignment.ts';
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
export interface Family {
  uuids: string[];
  /** Their numbers, where they are known. */
  ids: number[];
}

type WithoutId<T> = T extends unknown ? Omit<T, 'id'> : never;
export type NewRefiling = WithoutId<Refiling>;

/** How many of each kind of record are gone. */
export type Removed = Readonly<Record<string, number>>;

export interface PersonJournal {
  /** The log position up to which events have told of persons. */
  position(): Promise<number>;
  /** In the order in which they came; with `among`, only those of them. */
  distinctIds(personId: number, among?: readonly string[]): Promise<string[]>;
  /** New persons. One with a number gets that number back, which must have been theirs. */
  add(persons: readonly (Person & { id?: number | null })[]): Promise<void>;
  update(person: Person): Promise<void>;
  /** Gives distinct ids of the project to other persons of it. */
  giveIds(projectId: number, moves: readonly Move[]): Promise<void>;
  remember(history: readonly HistoryEntry[]): Promise<void>;
  /** Forgets that an event changed these properties of a person. */
  forgetHistory(personUuid: string, eventUuid: string, names: readonly string[]): Promise<void>;
  /** Orders the event store to follow; a deletion hears how many events it came to. */
  order(refiling: NewRefiling, deletionId?: string): Promise<void>;
  /** Merges that made this person, and those that made the ones merged into it; newest first. */
  merges(projectId: number, personUuid: string, page: Page): Promise<Paged<MergeRecord>>;
  merge(projectId: number, id: number): Promise<MergeRecord | null>;
  /** Merges into a person that stand, oldest first. */
  mergesInto(projectId: number, targetUuid: string): Promise<MergeRecord[]>;
  /** The merge by which a person ended; null where none did, or it was undone. */
  mergeOf(projectId: number, sourceUuid: string): Promise<MergeRecord | null>;
  /** Also gives back what went along with the source: places in cohorts, and the identifiers that keep flags' values. */
  markUndone(id: number, at: number): Promise<void>;
  /** Corrects what a merge says of its target as it was just before. */
  rebase(id: number, target: Person): Promise<void>;
  /** The uuid has its person back. */
  unretire(uuid: string): Promise<void>;
  family(projectId: number, personUuid: string): Promise<Family>;
  /** Removes a person with distinct ids, property history and merges; the uuid is never given again. */
  remove(person: StoredPerson, family: Family): Promise<Removed>;
  /** Removes or blanks what else speaks of these ids: dead letters, warnings, activity. */
  removeMentions(projectId: number, family: Family, distinctIds: readonly string[]): Promise<Removed>;
}
