/** What is new since an earlier question, where the store can tell: a kept answer is brought up to date with it. */
import type { ColumnTable, SqlValue } from './event-store.ts';

/** How far events and persons had come at some time. */
export interface ChangeMark {
  /** Changes when rows were changed or deleted, rather than added. */
  generation: number;
  /** The last row of `event_rows`, and how many there are. */
  lastRow: number;
  rowCount: number;
  /** How many changes of persons there have been. */
  personChanges: number;
}

/** What was added since a mark. */
export interface AddedSince {
  /** A condition on `event_rows e`. */
  isAdded: string;
  /** The ids of persons who were merged or whose copy changed, before and after; perhaps some more. */
  persons: readonly string[];
}

export interface SqlStatement {
  sql: string;
  values: readonly SqlValue[];
  /** Its rows are not returned: they are a temporary table of this name for the statements after it. */
  table?: string;
}

export interface PartReader {
  /** Some rows of the statement at this place; they are overwritten afterwards. */
  add(part: ColumnTable, place: number): void;
}

export interface EventChanges {
  /** Take it before reading what is to be kept: what is written meanwhile is then found as new. */
  mark(): Promise<ChangeMark>;
  /**
   * Runs a statement about what was added, and takes a mark. Null if rows were changed or deleted since, or if so many
   * persons changed that they are not known any more.
   */
  queryAdded(
    since: ChangeMark,
    projectId: number,
    statement: (added: AddedSince) => SqlStatement,
    signal?: AbortSignal,
  ): Promise<{ table: ColumnTable; mark: ChangeMark } | null>;
  /** Whether a person of the project has changed since. */
  havePersonsChanged(since: ChangeMark, projectId: number): boolean;
  /** As `queryColumns`; all statements see the same data. */
  queryTogether(statements: readonly SqlStatement[], signal?: AbortSignal): Promise<ColumnTable[]>;
  /**
   * The same; then the rows of `parts`, one statement after the other, are handed over part by part, without a table of
   * all of them. `begin` gets the tables. It is called once more if everything has to be read again; the last reader is
   * returned.
   */
  queryParts<T extends PartReader>(
    statements: readonly SqlStatement[],
    parts: readonly SqlStatement[],
    begin: (tables: readonly ColumnTable[]) => T,
    signal?: AbortSignal,
  ): Promise<T>;
  /** Conditions on `event_rows e` that split all rows, also those to come, into slices of at most about `size`. */
  sliceRows(mark: ChangeMark, size: number): string[];
}
