/**
 * The user that runs SQL of users. It may read three tables, and of these the rows of one project: a row policy compares
 * with a setting, which is all that a request can set. Everything else is fixed by the user's own settings.
 */
import { createWriteStream } from 'node:fs';
import { Transform } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { type ClickHouseClient, ClickHouseLogLevel, type ClickHouseSettings, createClient } from '@clickhouse/client';
import type { SqlReader, SqlReaderProblem, SqlReaderStatement } from '../events/sql-reader.ts';
import { ClickHouseFailure, hasCode } from './failure.ts';

/** Only settings with this prefix, ClickHouse's default, may be made up. */
const PROJECT_SETTING = 'SQL_cairn_project';
const TABLES = ['event_rows', 'person_versions', 'person_override_rows'] as const;

interface SqlUserLimits {
  timeoutSeconds: number;
  memoryMb: number;
}

interface SqlUserOptions extends SqlUserLimits {
  /** `http(s)://user:password@host:8123/database`. */
  url: string;
  /** Where the settings of the user are; a server for tests has no users, so they are sent. */
  settings: 'of the user' | 'sent';
}

/** What a statement means (as DuckDB reads it), and how much it may take. */
const settingsOf = ({ timeoutSeconds, memoryMb }: SqlUserLimits): Record<string, string | number> => ({
  join_use_nulls: 1,
  aggregate_functions_null_for_empty: 1,
  cast_keep_nullable: 1,
  prefer_column_name_to_alias: 1,
  enable_extended_results_for_datetime_functions: 1,
  session_timezone: 'UTC',
  prefer_global_in_and_join: 1,
  output_format_json_quote_64bit_integers: 1,
  output_format_json_quote_decimals: 0,
  output_format_json_quote_denormals: 0,
  output_format_parquet_string_as_string: 1,
  cancel_http_readonly_queries_on_client_close: 1,
  max_execution_time: timeoutSeconds,
  max_memory_usage: memoryMb * 1024 * 1024,
  max_threads: 2,
  max_result_rows: 1_000_001,
  max_ast_elements: 50_000,
  max_expanded_ast_elements: 500_000,
  allow_ddl: 0,
  allow_introspection_functions: 0,
});

const settingList = (limits: SqlUserLimits): string[] =>
  Object.entries(settingsOf(limits)).map(
    ([name, value]) => `${name} = ${typeof value === 'number' ? value : `'${value}'`}`,
  );

/** Statements for an administrator of ClickHouse, with `PASSWORD` in the place of one. */
export function sqlUserStatements(
  { name, database, cluster }: { name: string; database: string; cluster: string | null },
  limits: SqlUserLimits,
): string[] {
  const everywhere = cluster === null ? '' : ` on cluster "${cluster}"`;
  const settings = settingList(limits).map((setting) => `${setting} const`);
  const all = ['readonly = 1 const', ...settings, `${PROJECT_SETTING} = 0 changeable_in_readonly`];
  const tables = cluster === null ? TABLES : [...TABLES, 'event_rows_local'];
  return [
    `create user if not exists "${name}"${everywhere} identified with sha256_password by 'PASSWORD' settings ${all.join(', ')}`,
    ...tables.map((table) => `grant${everywhere} select on "${database}"."${table}" to "${name}"`),
    ...tables.map(
      (table) =>
        `create row policy if not exists "${name}"${everywhere} on "${database}"."${table}" using project_id = getSetting('${PROJECT_SETTING}') to "${name}"`,
    ),
    // Others go on reading all rows: a policy for one user hides them from everybody else.
    ...tables.map(
      (table) =>
        `create row policy if not exists "${name}_others"${everywhere} on "${database}"."${table}" using 1 to all except "${name}"`,
    ),
  ];
}

export class ClickHouseSqlUser implements SqlReader {
  readonly #client: ClickHouseClient;
  readonly #options: SqlUserOptions;

  constructor(options: SqlUserOptions) {
    this.#options = options;
    const isUser = options.settings === 'of the user';
    this.#client = createClient({
      url: options.url,
      application: 'cairn-sql',
      log: { level: ClickHouseLogLevel.OFF },
      request_timeout: (options.timeoutSeconds + 15) * 1000,
      use_multipart_params_auto: isUser,
    });
  }

  async readRows(statement: SqlReaderStatement): Promise<unknown[][]> {
    const body = await this.#run(statement, 'JSONCompactEachRow', (stream) => text(stream));
    const lines = body.split('\n').filter((line) => line !== '');
    return lines.map((line) => JSON.parse(line) as unknown[]);
  }

  async writeParquet(statement: SqlReaderStatement, target: string): Promise<void> {
    await this.#run(statement, 'Parquet', (stream) => pipeline(stream, createWriteStream(target, { flags: 'wx' })));
  }

  /** Whether the user reads nothing without a project, and nothing else at all. Null, or what is wrong. */
  async check(): Promise<string | null> {
    if (this.#options.settings === 'sent') return null;
    const read = (query: string) => this.#client.query({ query, format: 'JSONCompactEachRow' }).then((r) => r.text());
    try {
      if ((await read(`select getSetting('readonly')`)).trim() !== '[1]') return 'it is not read-only (readonly = 1)';
      const rows = await read(`select count() > 0 from ${TABLES[0]}`);
      if (!/^\[(?:0|false)\]/.test(rows)) return 'it reads rows without a project: its row policies are missing';
    } catch (error) {
      return (error as Error).message;
    }
    const isRefused = await read('select count() from system.users').then(
      () => false,
      () => true,
    );
    return isRefused ? null : 'it may read system tables';
  }

  problemOf = problemOf;

  async close(): Promise<void> {
    await this.#client.close();
  }

  /** Of one statement: a server without users keeps those of requests. */
  #sentSettings(): string {
    return settingList(this.#options).join(', ');
  }

  async #run<T>(
    { sql, params, projectId, maxBytes, signal }: SqlReaderStatement,
    format: string,
    read: (stream: NodeJS.ReadableStream & AsyncIterable<Buffer>) => Promise<T>,
  ): Promise<T> {
    const { settings } = this.#options;
    const isUser = settings === 'of the user';
    const own = isUser ? { [PROJECT_SETTING]: String(projectId) } : {};
    try {
      const { stream } = await this.#client.exec({
        query: `${sql}${isUser ? '' : ` settings ${this.#sentSettings()}`} format ${format}`,
        query_params: params,
        // An error comes instead of rows, never among them.
        clickhouse_settings: { wait_end_of_query: 1, ...own } as ClickHouseSettings,
        abort_signal: signal,
      });
      const counted = countBytes(maxBytes);
      const [result] = await Promise.all([read(counted), pipeline(stream, counted)]);
      return result;
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof TooManyBytes) throw error;
      throw new ClickHouseFailure(error);
    }
  }
}

class TooManyBytes extends Error {
  readonly code = 'TOO_MANY_BYTES';
}

function countBytes(max: number): Transform {
  let bytes = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      done(bytes > max ? new TooManyBytes('The answer is too large.') : null, chunk);
    },
  });
}

/** What kind of error it is. Its text is never shown: it may have values. */
function problemOf(error: unknown): SqlReaderProblem {
  if (error instanceof TooManyBytes || hasCode(error, 'TOO_MANY_ROWS_OR_BYTES')) return 'size';
  if (hasCode(error, 'MEMORY_LIMIT_EXCEEDED')) return 'memory';
  if (hasCode(error, 'TIMEOUT_EXCEEDED', 'TOO_SLOW')) return 'time';
  if (hasCode(error, 'TOO_DEEP_RECURSION', 'TOO_DEEP_AST', 'TOO_BIG_AST')) return 'depth';
  if (hasCode(error, 'UNKNOWN_IDENTIFIER', 'NOT_AN_AGGREGATE')) return 'column';
  return hasCode(error, 'UNREACHABLE', 'AUTHENTICATION_FAILED', 'ACCESS_DENIED', 'UNKNOWN_TABLE', 'UNKNOWN_SETTING')
    ? 'outage'
    : 'statement';
}
