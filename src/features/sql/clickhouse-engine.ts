/**
 * Runs statements on ClickHouse. A process of its own checks them, as it does where it runs them, and writes them anew;
 * rows that ClickHouse does not have are sent along.
 */
import { join } from 'node:path';
import { Failure } from '../../core/errors.ts';
import { SECOND_MS } from '../../core/time/units.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import { timeoutSignal } from '../../lib/timeout-signal.ts';
import type { CopySource } from '../../stores/events/project-copy.ts';
import type { SqlReader, SqlReaderProblem, SqlReaderStatement } from '../../stores/events/sql-reader.ts';
import type { ClickHouseStatement, SqlAnswer } from './child/protocol.ts';
import { readClickHouseValue } from './rules/clickhouse-values.ts';
import type { SentTable } from './rules/clickhouse-views.ts';
import { SqlRefusal } from './rules/refusal.ts';
import { joinRows } from './sql-rows.ts';
import type { SqlRunner } from './sql-runner.ts';
import type { Statement, StatementEngine } from './statement-engine.ts';
import type { StatementSlots } from './statement-slots.ts';

/** Where statements are run in a cluster. */
export interface ClickHouseSql {
  reader: SqlReader;
  /** Of distinct ids, groups and cohorts. */
  source: CopySource;
  /** Events that were accepted until then can be read; ms UTC. */
  freshUntil(): Promise<number>;
}

interface ClickHouseEngineDeps extends ClickHouseSql {
  runner: SqlRunner;
  slots: StatementSlots;
  clock: Clock;
  ids: Pick<Ids, 'uuid'>;
  timeoutSeconds: number;
  mirrorPersons(projectId: number): Promise<void>;
}

const MAX_SENT_ROWS = 50_000;
const MAX_SENT_BYTES = 8_000_000;
/** A field of a request may have 128 KiB. At most three bytes per character. */
const PIECE_LENGTH = 30_000;

export function clickhouseEngine(deps: ClickHouseEngineDeps): StatementEngine {
  const { runner, slots, ids } = deps;
  const check = onceChecked(deps.reader);
  return {
    async open(projectId) {
      await check();
      await deps.mirrorPersons(projectId);
      return { version: null, freshUntil: await deps.freshUntil(), eventsFrom: null };
    },
    run: (projectId, _source, statement, signal, file) =>
      slots.run(projectId, signal, async () => {
        const checked = await runner.run({ ...statement, path: null, projectId }, signal);
        // What PostgreSQL's clients ask of the catalog is answered by then.
        if (checked.clickhouse === undefined || statement.checkOnly) return checked;
        return run(deps, projectId, checked, checked.clickhouse, { statement, signal, file });
      }),
    newFile: () => join(runner.folder, `${ids.uuid()}.parquet`),
  };
}

/** A user that could read more than it should is not used. */
function onceChecked(reader: SqlReader): () => Promise<void> {
  let isChecked = false;
  return async () => {
    if (isChecked) return;
    const problem = await reader.check();
    if (problem !== null) {
      throw new Failure(
        'unavailable',
        `The user of CLICKHOUSE_SQL_URL cannot be used for SQL: ${problem}. See "ClickHouse" in the SQL guide.`,
        { code: 'sql_unavailable' },
      );
    }
    isChecked = true;
  };
}

interface Running {
  statement: Statement;
  signal: AbortSignal;
  file: string | undefined;
}

async function run(
  deps: ClickHouseEngineDeps,
  projectId: number,
  checked: SqlAnswer,
  written: ClickHouseStatement,
  { statement, signal, file }: Running,
): Promise<SqlAnswer> {
  const { clickhouse: _, ...answer } = checked;
  const start = performance.now();
  const timeout = timeoutSignal(deps.timeoutSeconds * SECOND_MS);
  const { sql, params } = await bindRows(deps.source, projectId, written);
  const request: SqlReaderStatement = {
    projectId,
    sql,
    params,
    maxBytes: statement.maxBytes,
    signal: AbortSignal.any([signal, timeout]),
  };
  try {
    if (file !== undefined) {
      // Without the row that tells whether there are more.
      await deps.reader.writeParquet({ ...request, sql: `select * from (${sql}) limit ${answer.limit}` }, file);
      return { ...answer, runMs: performance.now() - start };
    }
    const found = await deps.reader.readRows(request);
    const values = found
      .slice(0, answer.limit)
      .map((row) => row.map((value, i) => readClickHouseValue(value, typeAt(answer, i))));
    const hasMore = found.length > answer.limit;
    const rows = joinRows(values.map((row) => JSON.stringify(row)));
    return { ...answer, rows, rowCount: values.length, hasMore, runMs: performance.now() - start };
  } catch (error) {
    signal.throwIfAborted();
    throw timeout.aborted ? tooSlow(deps) : explain(deps, deps.reader.problemOf(error), error);
  }
}

const typeAt = ({ types }: SqlAnswer, index: number): string => types[index]?.[1] ?? 'String';

const tooSlow = ({ timeoutSeconds }: ClickHouseEngineDeps): SqlRefusal =>
  new SqlRefusal('too_slow', `The statement took longer than ${timeoutSeconds} s and was stopped.`);

function explain(deps: ClickHouseEngineDeps, problem: SqlReaderProblem, error: unknown): Error {
  switch (problem) {
    case 'memory':
      return new SqlRefusal('too_large', 'The statement needs more memory than it may use.');
    case 'size':
      return new SqlRefusal('too_large', 'The answer is too large. Select fewer columns, or set a lower limit.');
    case 'time':
      return tooSlow(deps);
    case 'depth':
      return new SqlRefusal('too_deep', 'The statement is nested too deeply.');
    case 'column':
      return new SqlRefusal('column_unknown', 'A column does not exist, or must be in GROUP BY or in an aggregate.');
    case 'outage':
      return new Failure('unavailable', 'ClickHouse cannot run statements at the moment.', { cause: error });
    case 'statement':
      return new SqlRefusal('syntax', 'ClickHouse cannot run this statement. See "ClickHouse" in the SQL guide.');
  }
}

/** Puts the rows of metadata tables into a statement, as values. */
async function bindRows(source: CopySource, projectId: number, { parts, parameters }: ClickHouseStatement) {
  const params: Record<string, string | number | boolean> = {};
  for (const [name, value] of Object.entries(parameters)) if (value !== null) params[name] = value;
  const expressions = new Map<SentTable, string>();
  let sql = '';
  for (const part of parts) {
    if (typeof part === 'string') {
      sql += part;
      continue;
    }
    const table = part.rowsOf;
    const known = expressions.get(table);
    const expression = known ?? bindPieces(table, await rowsOf(source, projectId, table), params);
    expressions.set(table, expression);
    sql += expression;
  }
  return { sql, params };
}

function bindPieces(table: string, json: string, params: Record<string, string | number | boolean>): string {
  const pieces: string[] = [];
  for (let at = 0; at < json.length; ) {
    // Surrogate pairs are not split.
    const last = json.charCodeAt(at + PIECE_LENGTH - 1);
    const end = at + PIECE_LENGTH - (last >= 0xd800 && last < 0xdc00 ? 1 : 0);
    const name = `${table}_${pieces.length}`;
    params[name] = json.slice(at, end);
    pieces.push(`{${name}:String}`);
    at = end;
  }
  return pieces.length === 1 ? (pieces[0] ?? `''`) : `concat(${pieces.join(', ')})`;
}

const READ: Readonly<Record<SentTable, (source: CopySource, projectId: number) => AsyncIterable<unknown[][]>>> = {
  async *person_distinct_ids(source, projectId) {
    for await (const page of source.distinctIds(projectId)) yield page.map((row) => [row.distinctId, row.personUuid]);
  },
  async *identified(source, projectId) {
    for await (const page of source.distinctIds(projectId)) {
      yield page.filter(({ isIdentified }) => isIdentified).map(({ personUuid }) => [personUuid]);
    }
  },
  async *groups(source, projectId) {
    for await (const page of source.groups(projectId)) {
      yield page.map((row) => [row.typeIndex, row.type, row.key, Number(row.createdAt), row.properties]);
    }
  },
  async *cohorts(source, projectId) {
    const rows = await source.cohorts(projectId);
    yield rows.map((row) => [row.id, row.name, row.isStatic, row.count, row.lastCalculation]);
  },
  async *cohort_people(source, projectId) {
    for await (const page of source.members(projectId)) yield page.map((row) => [Number(row.cohortId), row.personUuid]);
  },
};

async function rowsOf(source: CopySource, projectId: number, table: SentTable): Promise<string> {
  const lines: string[] = [];
  let bytes = 0;
  for await (const page of READ[table](source, projectId)) {
    for (const row of page) {
      const line = JSON.stringify(row);
      bytes += Buffer.byteLength(line);
      lines.push(line);
    }
    if (lines.length > MAX_SENT_ROWS || bytes > MAX_SENT_BYTES) throw tooManyRows(table);
  }
  return `[${lines.join(',')}]`;
}

const tooManyRows = (table: SentTable): SqlRefusal =>
  new SqlRefusal(
    'too_large',
    `${table === 'identified' ? 'is_identified of persons' : `The table ${table}`} has more than ${MAX_SENT_ROWS} rows, which is too many where events are in ClickHouse. Use events.person_id, or an insight with a cohort.`,
  );
