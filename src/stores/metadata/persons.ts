/**
 * Persons as the private API reads and changes them. The processor writes them too (`ingest-store.ts`), so reading and
 * then writing needs a transaction.
 */
import type { Person } from '../../core/persons/person.ts';
import type { HistoryEntry } from '../../core/persons/person-changes.ts';
import type { ColumnFilter } from '../../core/persons/person-columns.ts';
import type { SeenPropertyDefinition } from '../ingest/ingest-store.ts';
import type { Page } from './page.ts';

export interface StoredPerson extends Person {
  readonly id: number;
}

/** A person by id or by uuid. */
export type PersonRef = { readonly id: number } | { readonly uuid: string };

/** A position in the person list: newest first, then by uuid. */
export interface PersonCursor {
  createdAt: number;
  uuid: string;
}

/**
 * A cheap condition that skips persons before their properties are read. It may let persons through that do not match,
 * but never skips one that does.
 */
export type Prefilter =
  /** The properties' JSON text contains this. */
  | { kind: 'text'; text: string }
  /** The e-mail's JSON text contains this, in lower case; e-mails beyond ASCII pass. */
  | { kind: 'email'; part: string }
  | { kind: 'person'; id: number };

/** A person's position in the list. */
export interface ListedPerson extends PersonCursor {
  id: number;
}

/** A person's id with some or all properties. */
export type PartialPerson = Pick<StoredPerson, 'id' | 'properties'>;

export interface PersonScan {
  persons: PartialPerson[];
  /** The last person scanned; null at the end of the list. */
  cursor: PersonCursor | null;
}

export interface PersonSize {
  id: number;
  bytes: number;
}

export interface PersonWrite {
  person: StoredPerson;
  history: readonly HistoryEntry[];
  /** Property definitions that may be new to the project. */
  properties: readonly SeenPropertyDefinition[];
}

export interface PersonStore {
  get(projectId: number, ref: PersonRef): Promise<StoredPerson | null>;
  getByDistinctId(projectId: number, distinctId: string): Promise<StoredPerson | null>;
  /** The ids of a page of the list: newest first, then by uuid. */
  listIds(projectId: number, page: Page): Promise<number[]>;
  /** Persons whose e-mail is one of these JSON texts, in list order. */
  listIdsByEmails(projectId: number, emails: readonly string[], page: Page): Promise<number[]>;
  /**
   * Scans the next `size` persons of the list and returns those that pass all prefilters (each a choice of several) with
   * the properties named in `keys` (default: all). The work of one call is bounded, whatever it finds.
   */
  scan(
    projectId: number,
    after: PersonCursor | null,
    size: number,
    clues: readonly (readonly Prefilter[])[],
    keys?: readonly string[],
  ): Promise<PersonScan>;
  /**
   * The first `limit` persons after `after` that match, by the index (`person-index.ts`). Null if the index would not
   * help right now: then use `scan`.
   */
  listMatching(
    projectId: number,
    test: ColumnFilter,
    after: PersonCursor | null,
    limit: number,
  ): Promise<ListedPerson[] | null>;
  /** How large the properties of these persons are, in list order. */
  listSizes(projectId: number, ids: readonly number[]): Promise<PersonSize[]>;
  /** In list order. All are in memory at once: see `listSizes`. */
  listByIds(projectId: number, ids: readonly number[]): Promise<StoredPerson[]>;
  /** Up to `limit` distinct ids of each person, in the order they were added. */
  listDistinctIds(personIds: readonly number[], limit: number): Promise<ReadonlyMap<number, string[]>>;
  /** Distinct ids of one person in the same order, after the one with the id `after`. */
  listDistinctIdsAfter(personId: number, after: number, limit: number): Promise<{ id: number; distinctId: string }[]>;
  /** The person's new state, with what changed. */
  update(change: PersonWrite): Promise<void>;
  /** What is known of the properties of a person at all times, in the order in which it was written. */
  listHistory(projectId: number, uuid: string): Promise<HistoryEntry[]>;
  /** The person just before its latest merge into another; null if it was not merged. */
  getBeforeMerge(projectId: number, uuid: string): Promise<Person | null>;
}
