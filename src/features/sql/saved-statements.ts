/** Statements of saved insights: checked when they are saved, answered for readers, dashboards, shared pages and alerts. */
import { Failure } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json/json.ts';
import { MINUTE_MS } from '../../core/time/units.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Project } from '../../stores/metadata/accounts.ts';
import type { ResultCache } from '../insights/result-cache.ts';
import { FILE_ROWS, readSqlQuery, type SqlQuery } from './rules/read-sql-query.ts';
import { readSavedQuery, withFiltersOf } from './rules/saved-query.ts';
import type { AnsweredSql, SqlFile, SqlQueries } from './sql-queries.ts';
import { readRows } from './sql-rows.ts';

interface SavedStatementsDeps {
  sql: SqlQueries;
  /** The same as that of other insights. */
  results: ResultCache;
  clock: Clock;
}

interface AnswerOptions {
  /** Filters of the dashboard that it is on. */
  dashboard?: JsonObject;
  /** Who asks, for their limit; null: nobody, as for a shared page or an alert. */
  userId: number | null;
  refresh: boolean;
  signal: AbortSignal;
}

type StatementAnswer = Pick<AnsweredSql, 'columns' | 'types' | 'hasMore' | 'warnings'> & {
  results: unknown[][];
  isCached: boolean;
  computedAt: number;
};

/** It becomes part of a larger answer, such as that of a dashboard, which is written at once. */
const MAX_ANSWER_BYTES = 4_000_000;

export class SavedStatements {
  readonly #deps: SavedStatementsDeps;

  constructor(deps: SavedStatementsDeps) {
    this.#deps = deps;
  }

  /** As it is kept. Fails where it could not be run. */
  async check(project: Project, query: JsonObject, userId: number, signal: AbortSignal): Promise<JsonObject> {
    const saved = readSavedQuery(query);
    const read = this.#read(project, saved);
    await this.#deps.sql.run(project.id, userId, { ...read, checkOnly: true }, signal);
    return saved;
  }

  async answer(
    project: Project,
    query: JsonObject,
    { dashboard = {}, userId, refresh, signal }: AnswerOptions,
  ): Promise<StatementAnswer> {
    const { sql, results, clock } = this.#deps;
    const read = this.#read(project, withFiltersOf(query, dashboard));
    const { sql: text, placeholders } = read;
    // A statement may ask for the time, and copies of large projects are some seconds old: kept for a minute at most.
    const question = JSON.stringify(['sql', Math.floor(clock.now() / MINUTE_MS), text, placeholders]);
    const cached = await results.getOrCompute({ projectId: project.id, question, refresh, signal }, async (stopped) => {
      const answered = await sql.run(project.id, userId, { ...read, maxBytes: MAX_ANSWER_BYTES }, stopped);
      const { columns, types, hasMore, warnings } = answered;
      return { columns, types, results: await readRows(answered), hasMore, warnings };
    });
    return { ...cached.answer, isCached: cached.isCached, computedAt: cached.computedAt };
  }

  /** All its rows, as many as a file may have. */
  rows(project: Project, query: JsonObject, userId: number, signal: AbortSignal): Promise<AnsweredSql> {
    return this.#deps.sql.run(project.id, userId, this.#readForFile(project, query), signal);
  }

  /** The same as a Parquet file, which is gone once it is closed. */
  parquet(project: Project, query: JsonObject, userId: number, signal: AbortSignal): Promise<SqlFile> {
    return this.#deps.sql.runToFile(project.id, userId, this.#readForFile(project, query), signal);
  }

  #readForFile(project: Project, query: JsonObject): SqlQuery {
    return { ...this.#read(project, query), rows: FILE_ROWS };
  }

  #read({ timezone }: Project, query: JsonObject) {
    return readSqlQuery({ query }, { timezone, now: this.#deps.clock.now() });
  }
}

/** For a tile: what is wrong with this one statement, rather than with the server. */
export const isStatementFailure = (error: unknown): error is Failure =>
  error instanceof Failure && (error.kind === 'invalid' || error.kind === 'timeout' || error.kind === 'unavailable');
