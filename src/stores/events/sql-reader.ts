/** Reads the event store as statements of users do: rows of one project, within limits. */

export interface SqlReaderStatement {
  projectId: number;
  sql: string;
  params: Readonly<Record<string, string | number | boolean>>;
  /** Of the answer. */
  maxBytes: number;
  signal: AbortSignal;
}

/** Why a statement failed: a limit, the statement itself, or the server. */
export type SqlReaderProblem = 'memory' | 'time' | 'size' | 'depth' | 'column' | 'statement' | 'outage';

export interface SqlReader {
  /** Rows of values. Whole numbers of 64 bits are texts. */
  readRows(statement: SqlReaderStatement): Promise<unknown[][]>;
  writeParquet(statement: SqlReaderStatement, target: string): Promise<void>;
  /** What is wrong with how it is set up; null if nothing is. */
  check(): Promise<string | null>;
  /** The text of an error is never shown: it may have values. */
  problemOf(error: unknown): SqlReaderProblem;
  close(): Promise<void>;
}
