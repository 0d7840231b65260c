/** What the server, the processes that run statements, and the one that starts them say to each other. */

import type { ClickHousePart } from '../rules/clickhouse-sql.ts';
import type { Placeholders, SqlScalar } from '../rules/prepare-text.ts';
import type { RefusalCode } from '../rules/refusal.ts';

export interface SqlRequest {
  /** The copy of the project's data; null: the statement is checked and written for ClickHouse. */
  path: string | null;
  /** A file with events from before those of `path`, if it has not all of them. */
  earlier?: string | null;
  /** The project, for ClickHouse. */
  projectId?: number;
  sql: string;
  placeholders: Placeholders;
  rows: { byDefault: number; max: number };
  /** In the words of PostgreSQL: with its catalog, and `$1` for values. */
  isPostgres: boolean;
  /** Only checks the statement. */
  checkOnly: boolean;
  /** Also how the engine would run it. */
  explain?: boolean;
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
  /** JSON: an array of arrays. Most are sent on to a client as they are; `readRows` is for whoever needs the values. */
  rows: Buffer;
  /** How many rows there are, in the answer or in the file. */
  rowCount: number;
  limit: number;
  /** Whether more rows were asked for than there may be. */
  isLimitLowered: boolean;
  offset: number;
  hasMore: boolean;
  /** Whether the statement reads events, or what is made of them. */
  readsEvents: boolean;
  checkMs: number;
  runMs: number;
  /** How it would be run; undefined if that was not asked for, or is not known. */
  plan?: PlanStep[];
  /** What is still to be run. */
  clickhouse?: ClickHouseStatement;
}

/** A step of a plan, with those whose rows it reads. */
export interface PlanStep {
  name: string;
  /** About how many it has; null: unknown. */
  rows: number | null;
  details: Readonly<Record<string, string>>;
  children: PlanStep[];
}

export interface ClickHouseStatement {
  parts: ClickHousePart[];
  parameters: Readonly<Record<string, SqlScalar>>;
}

export type SqlResponse =
  | { answer: SqlAnswer }
  | { refusal: { code: RefusalCode; message: string; position?: number | undefined } }
  /** The process cannot go on. */
  | { fault: string };

/** The first response of a process, by which the server knows it. */
export interface ChildReady {
  readyProcess: number;
}

export interface ChildLimits {
  memoryMb: number;
  /** Of the whole process; it ends itself beyond. */
  residentMb: number;
  threads: number;
  /** CPU time after which a statement gets the lowest priority. */
  longMs: number;
}

/** The argument of a process that runs statements, as JSON. */
export interface ChildArguments {
  limits: ChildLimits;
  /** Where the server listens. */
  socket: string;
  /** Chosen by the server. */
  process: number;
}

/** The argument of the launcher, as JSON. */
export interface LauncherArguments extends Omit<ChildArguments, 'process'> {
  /** The program of the processes. */
  file: string;
}

/** Processes are known by their numbers. */
export type LauncherRequest = { start: number } | { kill: number };

export interface LauncherEvent {
  ended: number;
  /** Null: by a signal, or it could not be started. */
  code: number | null;
}

/** The exit code of a process that needed more memory than it may use. */
export const OUT_OF_MEMORY = 77;
