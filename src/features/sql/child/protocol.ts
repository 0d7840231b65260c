/**
 * What the server and the process that runs statements say to each other: requests as messages of Node, responses through
 * a pipe (see `response-pipe.ts`).
 */

import type { ClickHousePart } from '../rules/clickhouse-sql.ts';
import type { Placeholders, SqlScalar } from '../rules/prepare-text.ts';
import type { RefusalCode } from '../rules/refusal.ts';

export interface SqlRequest {
  id: number;
  /** The copy of the project's data; null: the statement is checked and written for ClickHouse. */
  path: string | null;
  /** The project, for ClickHouse. */
  projectId?: number;
  sql: string;
  placeholders: Placeholders;
  rows: { byDefault: number; max: number };
  /** In the words of PostgreSQL: with its catalog, and `$1` for values. */
  isPostgres: boolean;
  /** Only checks the statement. */
  checkOnly: boolean;
  /** Of the answer, or of the file. */
  maxBytes: number;
  /** A Parquet file to write the rows to, instead of answering with them. */
  file?: string;
}

export interface SqlAnswer {
  /** As it is run. */
  sql: string;
  columns: string[];
  types: [string, string][];
  /** JSON: an array of arrays. Most are sent on to a client as they are; `parseRows` is for whoever needs the values. */
  rows: Buffer;
  /** How many rows there are, in the answer or in the file. */
  rowCount: number;
  limit: number;
  offset: number;
  hasMore: boolean;
  checkMs: number;
  runMs: number;
  /** What is still to be run. */
  clickhouse?: ClickHouseStatement;
}

export interface ClickHouseStatement {
  parts: ClickHousePart[];
  parameters: Readonly<Record<string, SqlScalar>>;
}

export type SqlResponse = { id: number } & (
  | { answer: SqlAnswer }
  | { refusal: { code: RefusalCode; message: string; position?: number | undefined } }
  /** The process cannot go on. */
  | { fault: string }
);

/** The first response of the process. */
export interface ChildReady {
  isReady: true;
}

/** Limits of the process, as its arguments. */
export interface ChildLimits {
  memoryMb: number;
  /** Of the whole process; it ends itself beyond. */
  residentMb: number;
  threads: number;
}
