/** Statements of users: their limits, what runs them, and answers that are kept. */
import { createHash } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { Failure } from '../../core/errors.ts';
import { MINUTE_MS, SECOND_MS } from '../../core/time/units.ts';
import type { Clock } from '../../lib/clock.ts';
import { Throttle } from '../../lib/throttle.ts';
import type { SqlAnswer } from './child/protocol.ts';
import type { RecordStatement } from './record-statement.ts';
import type { SqlQuery } from './rules/read-sql-query.ts';
import { SqlRefusal } from './rules/refusal.ts';
import { type StatementWarning, statementWarnings } from './rules/statement-warnings.ts';
import type { Statement, StatementEngine, StatementSource } from './statement-engine.ts';

export interface AnsweredSql extends SqlAnswer {
  isCached: boolean;
  /** The same for the same user, statement, values and data. */
  cacheKey: string;
  /** Ms UTC. */
  computedAt: number;
  freshUntil: number;
  warnings: StatementWarning[];
}

/** Rows of a statement in a file. */
export interface SqlFile {
  file: FileHandle;
  warnings: StatementWarning[];
}

/** As they are set. */
interface StatementLimits {
  seconds: number;
  memoryMb: number;
}

interface SqlQueriesDeps {
  clock: Clock;
  /** Null where statements cannot be run. */
  engine: StatementEngine | null;
  staleSeconds: number;
  limits: Readonly<StatementLimits>;
  /** Whether users may run any number of statements. */
  isUnlimited: boolean;
  record: RecordStatement;
}

const MAX_ANSWER_BYTES = 50_000_000;
const MAX_FILE_BYTES = 2_000_000_000;
const MAX_KEPT = 50;
const MAX_KEPT_BYTES = 1_000_000;
const MAX_STATEMENTS_PER_MINUTE = 120;

export class SqlQueries {
  readonly #deps: SqlQueriesDeps;
  readonly #kept = new Map<string, AnsweredSql>();
  readonly #statements: Throttle;

  constructor(deps: SqlQueriesDeps) {
    this.#deps = deps;
    this.#statements = new Throttle(deps.clock, MAX_STATEMENTS_PER_MINUTE, MINUTE_MS);
  }

  /** For those who write statements. */
  get limits() {
    return { ...this.#deps.limits, answerBytes: MAX_ANSWER_BYTES, perMinute: MAX_STATEMENTS_PER_MINUTE };
  }

  /** `userId`: who asks, for their limit; null for nobody. */
  async run(projectId: number, userId: number | null, query: SqlQuery, signal: AbortSignal): Promise<AnsweredSql> {
    const { source, engine } = await this.#open(projectId, userId, query);
    const { sql, placeholders, rows, checkOnly = false, explain = false, isPostgres = false } = query;
    const key = JSON.stringify([source.version, userId, sql, placeholders, rows, checkOnly, explain, isPostgres]);
    const kept = query.refresh || source.version === null ? undefined : this.#kept.get(key);
    if (kept !== undefined) return { ...kept, isCached: true };
    const { maxBytes = MAX_ANSWER_BYTES } = query;
    const statement = { sql, placeholders, rows, checkOnly, explain, isPostgres, maxBytes };
    const answer = await this.#record(projectId, userId, statement, () =>
      engine.run(projectId, source, statement, signal),
    );
    const answered = {
      ...answer,
      isCached: false,
      cacheKey: `sql_${createHash('sha256').update(key).digest('hex').slice(0, 32)}`,
      computedAt: this.#deps.clock.now(),
      freshUntil: source.freshUntil,
      warnings: warningsOf(answer, source, query),
    };
    if (source.version !== null) this.#keep(key, answered);
    return answered;
  }

  /** Writes the rows to a Parquet file and opens it. Nothing of it is left on the disk once it is closed. */
  async runToFile(projectId: number, userId: number | null, query: SqlQuery, signal: AbortSignal): Promise<SqlFile> {
    const { source, engine } = await this.#open(projectId, userId, query);
    const { sql, placeholders, rows } = query;
    const file = engine.newFile(source);
    const statement = { sql, placeholders, rows, checkOnly: false, isPostgres: false, maxBytes: MAX_FILE_BYTES };
    try {
      const answer = await this.#record(projectId, userId, statement, () =>
        engine.run(projectId, source, statement, signal, file),
      );
      return { file: await open(file), warnings: warningsOf(answer, source, query) };
    } finally {
      for (const end of ['', '.rows', '.rows.wal']) await rm(`${file}${end}`, { force: true });
    }
  }

  async #open(
    projectId: number,
    userId: number | null,
    { refresh }: SqlQuery,
  ): Promise<{ source: StatementSource; engine: StatementEngine }> {
    const { engine, staleSeconds } = this.#deps;
    if (engine === null) {
      throw new Failure(
        'unavailable',
        'SQL needs a user of its own in ClickHouse: set CLICKHOUSE_SQL_URL. See "ClickHouse" in the SQL guide.',
        { code: 'sql_unavailable' },
      );
    }
    if (userId !== null) this.#count(userId);
    return { source: await engine.open(projectId, refresh ? 0 : staleSeconds * SECOND_MS), engine };
  }

  async #record(
    projectId: number,
    userId: number | null,
    { sql, checkOnly }: Statement,
    run: () => Promise<SqlAnswer>,
  ): Promise<SqlAnswer> {
    const start = performance.now();
    const record = (outcome: string, rows: number): void => {
      if (userId === null || checkOnly) return;
      this.#deps.record({ projectId, userId, sql, outcome, rows, ms: performance.now() - start });
    };
    try {
      const answer = await run();
      record('completed', answer.rowCount);
      return answer;
    } catch (error) {
      record(error instanceof SqlRefusal ? error.code : 'failed', 0);
      throw toFailure(sql, error);
    }
  }

  #keep(key: string, answered: AnsweredSql): void {
    if (answered.rows.length > MAX_KEPT_BYTES) return;
    this.#kept.set(key, answered);
    const oldest = this.#kept.keys().next().value;
    if (this.#kept.size > MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest);
  }

  #count(userId: number): void {
    if (this.#deps.isUnlimited) return;
    const retryAfter = this.#statements.secondsUntilAllowed(String(userId));
    if (retryAfter > 0) {
      throw new Failure('throttled', `A user may run ${MAX_STATEMENTS_PER_MINUTE} statements a minute.`, {
        retryAfter,
      });
    }
    this.#statements.record(String(userId));
  }
}

/** Whoever chose how many rows there may be is told by `hasMore`. */
const warningsOf = (answer: SqlAnswer, source: StatementSource, { rows }: SqlQuery): StatementWarning[] =>
  statementWarnings(rows.isChosen === true ? { ...answer, isLimitLowered: false } : answer, source);

const ATTR = 'query.query';

function toFailure(sql: string, error: unknown): unknown {
  if (!(error instanceof SqlRefusal)) return error;
  const { code, message } = error;
  const at = error.position;
  const place = at === undefined || at > sql.length ? undefined : placeOf(sql, at);
  if (code === 'too_slow') return new Failure('timeout', message, { code, attr: ATTR });
  const shown = place === undefined ? message : `${message} (line ${place.line}, column ${place.column})`;
  return new Failure('invalid', shown, { code, attr: ATTR, extra: place });
}

/** The statement that is parsed differs only where placeholders and names with `$` stand, so the line is right. */
function placeOf(sql: string, position: number): { line: number; column: number } {
  const before = sql.slice(0, position).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
