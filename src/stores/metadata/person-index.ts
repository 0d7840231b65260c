/**
 * Persons by columns (`core/persons/person-columns.ts`), so that a question about their properties need not read them.
 *
 * Blocks of some thousand persons are written once. Whoever changes or goes is struck out of the block where they stand,
 * and stands in a later one; blocks in which few are left are put together. This is done behind the changes of persons,
 * in the background: whoever has changed since is read as they are. So an answer is always up to date, and how far the
 * index lags only decides how quick it is.
 */
export interface PersonIndexWriter {
  /** Does a piece of what is due, in any project; false where there is nothing. */
  catchUp(): Promise<boolean>;
  /** Afterwards no block tells anything of those who have gone. */
  purgeDeleted(): Promise<void>;
}

export interface PersonIndexSizes {
  /** Persons in one block, unless there are fewer. */
  blockSize: number;
  /** So many changes wait for each other before a block is written. */
  minChanges: number;
}

/** To write a block takes some 60 ms; to read persons who are in none yet, 10 µs each. */
export const DEFAULT_INDEX_SIZES: PersonIndexSizes = { blockSize: 4096, minChanges: 1000 };

/** Where more have changed since, it is better to go through the list. */
export const MAX_UNINDEXED_PERSONS = 4000;
