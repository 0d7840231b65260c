/**
 * A ClickHouse for tests: `CLICKHOUSE_URL`, or what `CLICKHOUSE_COMMAND start` prints (by default a command beside the
 * repository); with `CLICKHOUSE_CLUSTER` they run on that cluster.
 */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { clickhouseDialect } from '../../src/stores/clickhouse/dialect.ts';
import { type ClickHouseOptions, openClickHouseEventStore } from '../../src/stores/clickhouse/event-store.ts';
import type { EventStoreSetup } from '../contract/event-store.ts';

const COMMAND = resolve(process.env['CLICKHOUSE_COMMAND'] ?? '../shared/tools/clickhouse/clickhouse');
const PORT = '18124';

/** A statement takes a second where the engine is emulated. */
export const TIMEOUTS = { testTimeout: 600_000, hookTimeout: 600_000 };

const START_TIMEOUT_MS = 120_000;

let found: Promise<ClickHouseOptions | null> | undefined;

export const findClickHouse = (): Promise<ClickHouseOptions | null> => {
  found ??= find();
  return found;
};

async function find(): Promise<ClickHouseOptions | null> {
  const url = process.env['CLICKHOUSE_URL'] ?? start();
  const cluster = process.env['CLICKHOUSE_CLUSTER'] ?? null;
  if (url !== null) return { url, cluster, ...(await limitsOf(url)) };
  return null;
}

function start(): string | null {
  if (!existsSync(COMMAND)) return null;
  // Where the server is a program of Node's, this lets it take long addresses.
  const env = { ...process.env, NODE_OPTIONS: '--max-http-header-size=33554432' };
  return execFileSync(COMMAND, ['start', PORT], { env, encoding: 'utf8' }).trim();
}

/** The engine without its server keeps settings from one statement to the next, and reads no bodies in parts. */
async function limitsOf(url: string): Promise<Partial<ClickHouseOptions>> {
  const answer = await untilAnswered(new URL('/?query=select+1', url));
  await answer.arrayBuffer();
  const isBare = answer.headers.get('x-clickhouse-server-display-name') === 'clickhouse-for-tests';
  return isBare ? { longValues: 'in the address', settings: { readonly: '0' } } : {};
}

/** Another file may have started it a moment ago. */
async function untilAnswered(url: URL): Promise<Response> {
  const end = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    try {
      return await fetch(url);
    } catch (error) {
      if (Date.now() > end) throw error;
      await sleep(500);
    }
  }
}

export interface TestDatabase {
  options: ClickHouseOptions;
  /** One setup after the other: each starts empty, in the same database. */
  makeSetup(): EventStoreSetup;
  run(sql: string): Promise<void>;
  drop(): Promise<void>;
}

export async function makeDatabase(server: ClickHouseOptions): Promise<TestDatabase> {
  const name = `cairn_test_${randomBytes(6).toString('hex')}`;
  const client = createClient({ url: server.url, request_timeout: 600_000, log: { level: ClickHouseLogLevel.OFF } });
  const onCluster = server.cluster ? ` on cluster "${server.cluster}"` : '';
  await client.command({ query: `create database ${name}${onCluster}` });
  const options = { ...server, url: new URL(name, server.url).href };
  const run = async (sql: string): Promise<void> => {
    await client.command({ query: sql });
  };
  return {
    options,
    run,
    makeSetup: () =>
      setupIn(options, async () => {
        const events = server.cluster ? 'event_rows_local' : 'event_rows';
        for (const table of [events, 'person_override_rows', 'person_versions'])
          await run(`truncate table ${name}.${table}${onCluster}`);
        await run(
          `insert into ${name}.store_notes select name, '' from ${name}.store_notes where name != 'schema_version'`,
        );
      }),
    async drop() {
      await run(`drop database ${name}${onCluster}`);
      await client.close();
    },
  };
}

/** A power cut of ours leaves the server as it is: the same database, opened by somebody else. */
const setupIn = (options: ClickHouseOptions, empty: () => Promise<void>): EventStoreSetup => ({
  openStore: () => openClickHouseEventStore(options),
  dialect: clickhouseDialect,
  copy: () => setupIn(options, async () => undefined),
  remove: empty,
});
