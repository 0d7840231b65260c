/**
 * Persons as the private API reads and changes them. The processor writes them too (`ingest-store.ts`): 'look, then
 * write' belongs into a transaction of the shelf, which keeps the processor out meanwhile.
 */
import type { Person } from '../../core/persons/person.ts';
import type { HistoryEntry } from '../../core/persons/person-changes.ts';
import type { ColumnFilter } from '../../core/persons/person-columns.ts';
import type { SeenPropertyDefinition } from '../ingest/ingest-store.ts';
import type { Page } from './page.ts';

export interface StoredPerson extends Person {
  readonly id: number;
}

/** Either of a person's two names. */
export type PersonRef = { readonly id: number } | { readonly uuid: string };

/** Where a reader of the list has got to. */
export interface PersonCursor {
  createdAt: number;
  uuid: string;
}

/**
 * Something that a person must show at first sight: whoever does not is left out before being read. It may let somebody
 * pass who is not meant, never the other way round.
 */
export type Prefilter =
  /** The JSON text of the properties contains this. */
  | { kind: 'text'; text: string }
  /** The JSON text of the e-mail contains this, in lower case; other than plain ASCII passes. */
  | { kind: 'email'; part: string }
  | { kind: 'person'; id: number };

/** A person's place in the list. */
export interface ListedPerson extends PersonCursor {
  id: number;
}

/** As much of a person as a question needs to know: who it is, and some properties. */
export type PartialPerson = Pick<StoredPerson, 'id' | 'properties'>;

export interface PersonScan {
  persons: PartialPerson[];
  /** The last person that was looked at; null at the end of the list. */
  cursor: PersonCursor | null;
}

export interface PersonWrite {
  person: StoredPerson;
  history: readonly HistoryEntry[];
  /** Properties that may be new to the project. */
  properties: readonly SeenPropertyDefinition[];
}

export interface PersonStore {
  get(projectId: number, ref: PersonRef): Promise<StoredPerson | null>;
  getByDistinctId(projectId: number, distinctId: string): Promise<StoredPerson | null>;
  /** A page of the list: newest first, then by uuid. */
  list(projectId: number, page: Page): Promise<StoredPerson[]>;
  /** In the order of the list, those whose e-mail is one of these JSON texts. */
  listByEmails(projectId: number, emails: readonly string[], page: Page): Promise<StoredPerson[]>;
  /**
   * Looks at the next `size` persons of the list, and returns those who show all of the clues, each clue being a choice
   * of several, with the properties that are named (all where `keys` is undefined). Bounds the work of one step,
   * whatever it finds.
   */
  scan(
    projectId: number,
    after: PersonCursor | null,
    size: number,
    clues: readonly (readonly Prefilter[])[],
    keys?: readonly string[],
  ): Promise<PersonScan>;
  /**
   * The first `limit` of the list after `after` who pass, by way of the index (`person-index.ts`). Null where it would
   * not help at the moment: then the list has to be gone through.
   */
  listMatching(
    projectId: number,
    test: ColumnFilter,
    after: PersonCursor | null,
    limit: number,
  ): Promise<ListedPerson[] | null>;
  /** In the order of the list. */
  listByIds(projectId: number, ids: readonly number[]): Promise<StoredPerson[]>;
  /** The first distinct ids of each person, in the order in which they came, at most so many of one. */
  listDistinctIds(personIds: readonly number[], most: number): Promise<ReadonlyMap<number, string[]>>;
  /** Some of one person's distinct ids, in the same order, from after the one with the number `after`. */
  listDistinctIdsAfter(personId: number, after: number, limit: number): Promise<{ id: number; distinctId: string }[]>;
  /** The person's new state, with what changed. */
  update(change: PersonWrite): Promise<void>;
  /** What is known of the properties of a person at all times, in the order in which it was written. */
  listHistory(projectId: number, uuid: string): Promise<HistoryEntry[]>;
  /** The person as it was just before it was merged into another; null for one that was not. The latest time counts. */
  getBeforeMerge(projectId: number, uuid: string): Promise<Person | null>;
}
