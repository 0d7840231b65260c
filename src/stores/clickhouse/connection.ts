import { Readable } from 'node:stream';
import { buffer as readAll } from 'node:stream/consumers';
import { type ClickHouseClient, ClickHouseLogLevel, type ClickHouseSettings, createClient } from '@clickhouse/client';
import type { ColumnTable, SqlRow, SqlValue } from '../events/event-store.ts';
import { type BoundStatement, bind, checkReadOnly } from './bind.ts';
import { ClickHouseFailure } from './failure.ts';
import { readNativeColumns } from './native-columns.ts';

export interface ConnectionOptions {
  /** `http(s)://user:password@host:8123/database`. */
  url: string;
  /** The cluster's name, where there is one. */
  cluster?: string | null;
  /** Soon after this the server ends a question by itself, should nobody have told it before; default 600. */
  queryTimeoutSeconds?: number;
  /** What one question may take of the server's memory; by default what the server's own profile says. */
  queryMemoryMb?: number;
  /** Further settings for every statement; they win over ours. */
  settings?: ClickHouseSettings;
  /** How values travel that are too long for an address: as parts of the body, unless the server cannot read those. */
  longValues?: 'in parts' | 'in the address';
}

/** What SQL means everywhere else: joins and aggregates say null where there is nothing, and so do casts of null. */
const SQL_SEMANTICS: ClickHouseSettings = {
  join_use_nulls: 1,
  aggregate_functions_null_for_empty: 1,
  cast_keep_nullable: 1,
  union_default_mode: 'DISTINCT',
  session_timezone: 'UTC',
};

const RESULT_SETTINGS: ClickHouseSettings = {
  output_format_json_quote_64bit_integers: 0,
  low_cardinality_allow_in_native_format: 0,
  // An error is told as such, and not in the middle of rows.
  wait_end_of_query: 1,
};

/** A connection that says nothing for minutes is cut by somebody on the way. */
const KEEP_ALIVE: ClickHouseSettings = {
  send_progress_in_http_headers: 1,
  http_headers_progress_interval_ms: '20000',
};

const READ_ONLY_SETTINGS: ClickHouseSettings = { readonly: '2', cancel_http_readonly_queries_on_client_close: 1 };

/** Several shards are asked as one: what a join needs is found once and sent to all of them. */
const CLUSTER_SETTINGS: ClickHouseSettings = { prefer_global_in_and_join: 1 };

/** A replica that lacks what was written last says so. Where there are three, one always lags a little behind. */
const CONSISTENT_READS: ClickHouseSettings = { select_sequential_consistency: '1' };

const WRITE_SETTINGS: ClickHouseSettings = {
  async_insert: 0,
  // Clocks of devices are wrong by years: one block may reach into any number of months.
  max_partitions_per_insert_block: '0',
  // What was changed is changed for the very next question.
  mutations_sync: '1',
  lightweight_deletes_sync: '1',
};

const CLUSTER_WRITE_SETTINGS: ClickHouseSettings = {
  // Views are made of a new column next, on every node.
  alter_sync: '2',
  mutations_sync: '2',
  lightweight_deletes_sync: '2',
  // A deletion goes through all events; the three minutes of the default are not enough for many.
  distributed_ddl_task_timeout: '900',
  distributed_foreground_insert: 1,
  insert_quorum: 'auto',
  // Or nobody could read what was written with certainty; one at a time writes anyway.
  insert_quorum_parallel: 0,
};

/** Whoever asks ends a question in time by a signal, and says why; the server does it only where that was not heard. */
const GRACE_SECONDS = 15;

/** Statements that write may take very long: a deletion goes through all events. */
const WRITE_TIMEOUT_MS = 6 * 3_600_000;

/** One client of the server. It speaks only of `ClickHouseFailure`, or of the reason for which it was told to stop. */
export class ClickHouseConnection {
  /** What `currentDatabase()` says here; other nodes of a cluster may say something else. */
  readonly database: string;
  readonly #asking: ClickHouseClient;
  readonly #writing: ClickHouseClient;
  readonly #questions: ClickHouseSettings;
  readonly #certain: ClickHouseSettings;
  readonly #writes: ClickHouseSettings;

  constructor(options: ConnectionOptions) {
    const { url, cluster = null, queryTimeoutSeconds = 600, queryMemoryMb, settings = {} } = options;
    const base = {
      url,
      application: 'cairn',
      // What goes wrong is told to whoever asked.
      log: { level: ClickHouseLogLevel.OFF },
      clickhouse_settings: { ...SQL_SEMANTICS, ...KEEP_ALIVE, ...(cluster === null ? {} : CLUSTER_SETTINGS) },
    };
    this.database = decodeURIComponent(new URL(url).pathname.slice(1)) || 'default';
    this.#asking = createClient({
      ...base,
      request_timeout: (queryTimeoutSeconds + 2 * GRACE_SECONDS) * 1000,
      use_multipart_params_auto: options.longValues !== 'in the address',
    });
    this.#writing = createClient({ ...base, request_timeout: WRITE_TIMEOUT_MS });
    const questions: ClickHouseSettings = {
      ...RESULT_SETTINGS,
      ...READ_ONLY_SETTINGS,
      max_execution_time: queryTimeoutSeconds + GRACE_SECONDS,
      ...(queryMemoryMb === undefined ? {} : { max_memory_usage: String(queryMemoryMb * 1024 * 1024) }),
      ...settings,
    };
    this.#questions = questions;
    this.#certain = cluster === null ? questions : { ...CONSISTENT_READS, ...questions };
    this.#writes = { ...WRITE_SETTINGS, ...(cluster === null ? {} : CLUSTER_WRITE_SETTINGS), ...settings };
  }

  query(sql: string, values: readonly SqlValue[], signal?: AbortSignal): Promise<SqlRow[]> {
    return this.#rows(sql, values, this.#questions, signal);
  }

  /** The same for what the store itself goes by: nothing that was written before is missing, or else it fails. */
  queryConsistent(sql: string, values: readonly SqlValue[]): Promise<SqlRow[]> {
    return this.#rows(sql, values, this.#certain);
  }

  async #rows(
    sql: string,
    values: readonly SqlValue[],
    settings: ClickHouseSettings,
    signal?: AbortSignal,
  ): Promise<SqlRow[]> {
    const answer = await this.#ask(sql, values, settings, signal, async (asked) => {
      const result = await this.#asking.query({ ...asked, format: 'JSONCompact' });
      return result.json<SqlValue[]>();
    });
    const names = (answer.meta ?? []).map(({ name }) => name);
    return answer.data.map((row) => Object.fromEntries(names.map((name, i) => [name, row[i] ?? null])));
  }

  queryColumns(sql: string, values: readonly SqlValue[], signal?: AbortSignal): Promise<ColumnTable> {
    return this.#ask(sql, values, this.#questions, signal, async (asked) => {
      // The client's own word for it, `query`, knows formats of text only.
      const result = await this.#asking.exec({ ...asked, query: `${asked.query} format Native` });
      return readNativeColumns(await readAll(result.stream));
    });
  }

  async #ask<T>(
    sql: string,
    values: readonly SqlValue[],
    settings: ClickHouseSettings,
    signal: AbortSignal | undefined,
    run: (asked: {
      query: string;
      query_params: BoundStatement['params'];
      clickhouse_settings: ClickHouseSettings;
    }) => Promise<T>,
  ): Promise<T> {
    signal?.throwIfAborted();
    checkReadOnly(sql);
    const { sql: query, params } = bind(sql, values);
    const asked = { query, query_params: params, clickhouse_settings: settings };
    try {
      return await run(signal === undefined ? asked : ({ ...asked, abort_signal: signal } as typeof asked));
    } catch (error) {
      signal?.throwIfAborted();
      throw new ClickHouseFailure(error);
    }
  }

  /** Runs a statement that changes something. */
  async run(sql: string, values: readonly SqlValue[] = []): Promise<void> {
    const { sql: query, params } = bind(sql, values);
    await this.#told(() => this.#writing.command({ query, query_params: params, clickhouse_settings: this.#writes }));
  }

  /** Begins a change, and does not wait for its end. */
  async startMutation(sql: string): Promise<void> {
    const clickhouse_settings: ClickHouseSettings = { ...this.#writes, mutations_sync: '0' };
    await this.#told(() => this.#writing.command({ query: sql, clickhouse_settings }));
  }

  /**
   * Inserts packed rows (see `packRows`). With a token it is one insert however often it is tried; without one nothing
   * is ever taken for a repetition.
   */
  async insert(table: string, packed: Uint8Array, token?: string): Promise<void> {
    if (packed.length === 0) return;
    const once: ClickHouseSettings =
      token === undefined ? { insert_deduplicate: 0 } : { insert_deduplicate: 1, insert_deduplication_token: token };
    await this.#told(async () => {
      const { stream } = await this.#writing.exec({
        query: `insert into ${table} format JSONEachRow`,
        values: Readable.from([packed]),
        http_headers: { 'Content-Encoding': 'gzip' },
        clickhouse_settings: { ...this.#writes, ...once },
      });
      await readAll(stream);
    });
  }

  async #told<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw new ClickHouseFailure(error);
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#asking.close(), this.#writing.close()]);
  }
}
