/**
 * A column index of persons (`core/persons/person-columns.ts`), so that filters on properties need not read every person.
 *
 * Persons are written in immutable blocks of some thousands. A person that changes or is deleted is marked as deleted in
 * its block and, if it still exists, written to a later one; sparse blocks are combined. This happens in the background.
 * Persons that changed since are read directly, so results are always current and a lag only makes them slower.
 */
export interface PersonIndexWriter {
  /** Does one piece of pending work, in any project; false if there is none. */
  catchUp(): Promise<boolean>;
  /** Removes all data of deleted persons from the blocks. */
  purgeDeleted(): Promise<void>;
}

export interface PersonIndexSizes {
  /** Persons in a full block. */
  blockSize: number;
  /** A block is written once so many persons have changed. */
  minChanges: number;
}

/** Writing a block takes about 60 ms; reading a person that is not indexed yet about 10 µs. */
export const DEFAULT_INDEX_SIZES: PersonIndexSizes = { blockSize: 4096, minChanges: 1000 };

/** With more unindexed persons than this, scanning the list is faster. */
export const MAX_UNINDEXED_PERSONS = 4000;
