import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { buffer as readAll } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { type ClickHouseClient, ClickHouseLogLevel, type ClickHouseSettings, createClient } from '@clickhouse/client';
import type { ColumnTable, ParquetCompression, SqlRow, SqlValue } from '../events/event-store.ts';
import { type BoundStatement, bind, checkReadOnly } from './bind.ts';
import { ClickHouseFailure } from './failure.ts';
import { readNativeColumns } from './native-columns.ts';

export interface ConnectionOptions {
  /** `http(s)://user:password@host:8123/database`. */
  url: string;
  /** The cluster's name, if any. */
  cluster?: string | null;
  /** The server ends a query soon after this, if it was not aborted before; default 600. */
  queryTimeoutSeconds?: number;
  /** Memory limit of a query; default: the server's profile. */
  queryMemoryMb?: number;
  /** Further settings for every statement; they override ours. */
  settings?: ClickHouseSettings;
  /** How values too long for the URL are sent: in a multipart body, unless the server cannot read that. */
  longValues?: 'in parts' | 'in the address';
}

/** Standard SQL semantics: joins, aggregates and casts return null for missing values. */
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
  // Errors come as errors, not in the middle of rows.
  wait_end_of_query: 1,
};

/** Proxies close connections that are idle for minutes. */
const KEEP_ALIVE: ClickHouseSettings = {
  send_progress_in_http_headers: 1,
  http_headers_progress_interval_ms: '20000',
};

const READ_ONLY_SETTINGS: ClickHouseSettings = { readonly: '2', cancel_http_readonly_queries_on_client_close: 1 };

/** The right side of a join is computed once and sent to all shards. */
const CLUSTER_SETTINGS: ClickHouseSettings = { prefer_global_in_and_join: 1 };

/** A replica that lacks the latest write fails instead of returning old data. */
const CONSISTENT_READS: ClickHouseSettings = { select_sequential_consistency: '1' };

const WRITE_SETTINGS: ClickHouseSettings = {
  async_insert: 0,
  // Device clocks may be wrong by years, so one block may contain any number of months.
  max_partitions_per_insert_block: '0',
  // The next query sees the change.
  mutations_sync: '1',
  lightweight_deletes_sync: '1',
};

const CLUSTER_WRITE_SETTINGS: ClickHouseSettings = {
  // Views use a new column right away, on every node.
  alter_sync: '2',
  mutations_sync: '2',
  lightweight_deletes_sync: '2',
  // A deletion reads all events; the default of three minutes may not be enough.
  distributed_ddl_task_timeout: '900',
  distributed_foreground_insert: 1,
  insert_quorum: 'auto',
  // Required for consistent reads; there is one writer at a time anyway.
  insert_quorum_parallel: 0,
};

/** Queries are normally aborted by a signal; the server's timeout is the fallback. */
const GRACE_SECONDS = 15;

/** A deletion reads all events and may take very long. */
const WRITE_TIMEOUT_MS = 6 * 3_600_000;

/** Rejects with `ClickHouseFailure`, or with the reason of the abort signal. */
export class ClickHouseConnection {
  /** `currentDatabase()` of this node. */
  readonly database: string;
  readonly #reader: ClickHouseClient;
  readonly #writer: ClickHouseClient;
  readonly #querySettings: ClickHouseSettings;
  readonly #consistentSettings: ClickHouseSettings;
  readonly #writeSettings: ClickHouseSettings;

  constructor(options: ConnectionOptions) {
    const { url, cluster = null, queryTimeoutSeconds = 600, queryMemoryMb, settings = {} } = options;
    const base = {
      url,
      application: 'cairn',
      // Errors are returned to the caller.
      log: { level: ClickHouseLogLevel.OFF },
      clickhouse_settings: { ...SQL_SEMANTICS, ...KEEP_ALIVE, ...(cluster === null ? {} : CLUSTER_SETTINGS) },
    };
    this.database = decodeURIComponent(new URL(url).pathname.slice(1)) || 'default';
    this.#reader = createClient({
      ...base,
      request_timeout: (queryTimeoutSeconds + 2 * GRACE_SECONDS) * 1000,
      use_multipart_params_auto: options.longValues !== 'in the address',
    });
    this.#writer = createClient({ ...base, request_timeout: WRITE_TIMEOUT_MS });
    const querySettings: ClickHouseSettings = {
      ...RESULT_SETTINGS,
      ...READ_ONLY_SETTINGS,
      max_execution_time: queryTimeoutSeconds + GRACE_SECONDS,
      ...(queryMemoryMb === undefined ? {} : { max_memory_usage: String(queryMemoryMb * 1024 * 1024) }),
      ...settings,
    };
    this.#querySettings = querySettings;
    this.#consistentSettings = cluster === null ? querySettings : { ...CONSISTENT_READS, ...querySettings };
    this.#writeSettings = { ...WRITE_SETTINGS, ...(cluster === null ? {} : CLUSTER_WRITE_SETTINGS), ...settings };
  }

  query(sql: string, values: readonly SqlValue[], signal?: AbortSignal): Promise<SqlRow[]> {
    return this.#rows(sql, values, this.#querySettings, signal);
  }

  /** For the store's own state: sees all earlier writes, or fails. */
  queryConsistent(sql: string, values: readonly SqlValue[]): Promise<SqlRow[]> {
    return this.#rows(sql, values, this.#consistentSettings);
  }

  async #rows(
    sql: string,
    values: readonly SqlValue[],
    settings: ClickHouseSettings,
    signal?: AbortSignal,
  ): Promise<SqlRow[]> {
    const result = await this.#run(sql, values, settings, signal, async (request) => {
      const response = await this.#reader.query({ ...request, format: 'JSONCompact' });
      return response.json<SqlValue[]>();
    });
    const names = (result.meta ?? []).map(({ name }) => name);
    return result.data.map((row) => Object.fromEntries(names.map((name, i) => [name, row[i] ?? null])));
  }

  queryColumns(sql: string, values: readonly SqlValue[], signal?: AbortSignal): Promise<ColumnTable> {
    return this.#run(sql, values, this.#querySettings, signal, async (request) => {
      // `query` of the client supports text formats only.
      const response = await this.#reader.exec({ ...request, query: `${request.query} format Native` });
      return readNativeColumns(await readAll(response.stream));
    });
  }

  /** Returns the number of rows. The server answers when it has all of them, so that an error is no half file. */
  writeParquet(
    sql: string,
    values: readonly SqlValue[],
    target: string,
    compression: ParquetCompression,
  ): Promise<number> {
    const settings: ClickHouseSettings = {
      ...this.#querySettings,
      wait_end_of_query: 1,
      output_format_parquet_compression_method: compression,
      output_format_parquet_string_as_string: 1,
    };
    return this.#run(sql, values, settings, undefined, async (request) => {
      const response = await this.#reader.exec({ ...request, query: `${request.query} format Parquet` });
      await pipeline(response.stream, createWriteStream(target, { flags: 'wx' }));
      return Number(response.summary?.result_rows ?? 0);
    });
  }

  async #run<T>(
    sql: string,
    values: readonly SqlValue[],
    settings: ClickHouseSettings,
    signal: AbortSignal | undefined,
    run: (request: {
      query: string;
      query_params: BoundStatement['params'];
      clickhouse_settings: ClickHouseSettings;
    }) => Promise<T>,
  ): Promise<T> {
    signal?.throwIfAborted();
    checkReadOnly(sql);
    const { sql: query, params } = bind(sql, values);
    const request = { query, query_params: params, clickhouse_settings: settings };
    try {
      return await run(signal === undefined ? request : ({ ...request, abort_signal: signal } as typeof request));
    } catch (error) {
      signal?.throwIfAborted();
      throw new ClickHouseFailure(error);
    }
  }

  /** Runs a statement that writes. */
  async run(sql: string, values: readonly SqlValue[] = []): Promise<void> {
    const { sql: query, params } = bind(sql, values);
    await this.#wrapErrors(() =>
      this.#writer.command({ query, query_params: params, clickhouse_settings: this.#writeSettings }),
    );
  }

  /** Starts a mutation without waiting for its end. */
  async startMutation(sql: string): Promise<void> {
    const clickhouse_settings: ClickHouseSettings = { ...this.#writeSettings, mutations_sync: '0' };
    await this.#wrapErrors(() => this.#writer.command({ query: sql, clickhouse_settings }));
  }

  /** Inserts packed rows (see `packRows`). With a token, repeated tries insert once; without one, each try inserts. */
  async insert(table: string, packed: Uint8Array, token?: string): Promise<void> {
    if (packed.length === 0) return;
    const once: ClickHouseSettings =
      token === undefined ? { insert_deduplicate: 0 } : { insert_deduplicate: 1, insert_deduplication_token: token };
    await this.#wrapErrors(async () => {
      const { stream } = await this.#writer.exec({
        query: `insert into ${table} format JSONEachRow`,
        values: Readable.from([packed]),
        http_headers: { 'Content-Encoding': 'gzip' },
        clickhouse_settings: { ...this.#writeSettings, ...once },
      });
      await readAll(stream);
    });
  }

  async #wrapErrors<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw new ClickHouseFailure(error);
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#reader.close(), this.#writer.close()]);
  }
}
