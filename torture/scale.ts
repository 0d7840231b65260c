/**
 * Crash tests of a cluster: two web nodes and one worker, later two, on a PostgreSQL that it starts and a ClickHouse
 * behind a proxy. Nodes are killed at random, PostgreSQL is restarted and ClickHouse is unreachable for a while; then
 * everything is checked.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ClickHouseLogLevel, createClient } from '@clickhouse/client';
import pg from 'pg';
import { startOwnPostgres } from '../test/support/own-postgres.ts';
import { checkAll } from './check.ts';
import type { MetadataRows } from './check-persons.ts';
import type { StoredRow } from './check-rows.ts';
import { Client } from './client.ts';
import { Ledger } from './ledger.ts';
import type { TortureResult } from './run-torture.ts';
import { SeededRandom } from './seeded-random.ts';
import { PROJECT_KEY, ServerProcess } from './server-process.ts';
import { TcpProxy } from './tcp-proxy.ts';

export interface ScaleOptions {
  seed: number;
  rounds: number;
  /** How long ClickHouse is unreachable. */
  awayMs: number;
  paceMs: number;
  maxEvents: number;
  clickhouseUrl: string;
  clickhouseOptions: string;
}

const QUIET = { level: ClickHouseLogLevel.OFF };
const MAX_PAUSE_MS = 1500;

interface Cluster {
  webs: ServerProcess[];
  workers: ServerProcess[];
  all: ServerProcess[];
  postgres: Awaited<ReturnType<typeof startOwnPostgres>>;
  databaseUrl: string;
  clickhouseDatabase: string;
  proxy: TcpProxy;
  close(): Promise<void>;
}

interface ScaleRun extends Cluster {
  options: ScaleOptions;
  random: SeededRandom;
  ledger: Ledger;
  violations: string[];
}

const log = (line: string): void => console.log(`[scale] ${line}`);

export async function runScaleTorture(options: ScaleOptions): Promise<TortureResult> {
  const random = new SeededRandom(options.seed);
  const run: ScaleRun = { ...(await openCluster(options)), options, random, ledger: new Ledger(), violations: [] };
  const { ledger, violations, all } = run;
  try {
    const clients = await startClients(run);
    await causeFailures(run);
    await disconnectClickHouse(run);
    for (const client of clients) await client.stop();
    for (const one of all) if (!one.isRunning) await one.start();
    for (const client of clients) await client.finish();
    const findings = await checkStored(run);
    checkStatusCodes(run);
    for (const one of all) await stopGracefully(one, violations);
    return {
      scenario: 'scale',
      requests: ledger.requests,
      acknowledged: ledger.acknowledgedEvents,
      stored: findings.events,
      answers: Object.fromEntries(ledger.answers),
      violations: [...violations, ...findings.violations],
    };
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : error}\n${all.map(({ output }) => output).join('\n')}`);
  } finally {
    await run.close();
  }
}

async function openCluster(options: ScaleOptions): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-torture-scale-'));
  const postgres = await startOwnPostgres({ fsync: false });
  const databaseUrl = await postgres.freshDatabase();
  const clickhouseDatabase = `cairn_torture_${process.pid}`;
  const clickhouse = createClient({ url: options.clickhouseUrl, request_timeout: 600_000, log: QUIET });
  await clickhouse.command({ query: `create database ${clickhouseDatabase}` });
  const proxy = await TcpProxy.to(options.clickhouseUrl);
  const env = {
    DATABASE_URL: databaseUrl,
    CLICKHOUSE_URL: `${proxy.url}/${clickhouseDatabase}`,
    CAIRN_CLICKHOUSE_OPTIONS: options.clickhouseOptions,
  };
  const node = (role: string): Promise<ServerProcess> => ServerProcess.on(folder, { ...env, ROLE: role });
  const webs = [await node('web'), await node('web')];
  const workers = [await node('worker'), await node('worker')];
  const all = [...webs, ...workers];
  const close = async (): Promise<void> => {
    for (const one of all) await one.kill();
    proxy.end();
    await clickhouse.command({ query: `drop database if exists ${clickhouseDatabase}` }).catch(() => undefined);
    await clickhouse.close();
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  return { webs, workers, all, postgres, databaseUrl, clickhouseDatabase, proxy, close };
}

/** Starts both web nodes and the first worker, and a client of each web node. */
async function startClients({ webs, workers, ledger, random, options }: ScaleRun): Promise<Client[]> {
  for (const web of webs) await web.start();
  await workers[0]?.start();
  const clients = webs.map((web, n) => new Client(web.url, ledger, random, `${'ab'[n]}-`));
  for (const client of clients) {
    client.paceMs = options.paceMs;
    client.maxEvents = options.maxEvents;
    client.start();
  }
  return clients;
}

async function causeFailures(run: ScaleRun): Promise<void> {
  const { random, workers } = run;
  const { rounds } = run.options;
  const failures = Object.entries(failuresOf(run));
  for (let round = 0; round < rounds; round++) {
    if (round === Math.ceil(rounds / 2)) {
      log('a second worker joins');
      await workers[1]?.start();
    }
    const [name, fail] = random.oneOf(failures);
    log(`${round + 1}/${rounds}: ${name}`);
    await fail();
    await sleep(random.between(200, MAX_PAUSE_MS));
  }
}

function failuresOf({ webs, workers, postgres, random, violations }: ScaleRun): Record<string, () => Promise<void>> {
  const kill = async (victim: ServerProcess): Promise<void> => {
    if (!victim.isRunning) return;
    await victim.kill();
    await sleep(random.between(0, 300));
    await victim.start();
  };
  return {
    'a web node is killed': () => kill(random.oneOf(webs)),
    'a worker is killed': () => kill(random.oneOf(workers)),
    'a worker is restarted gracefully': async () => {
      const one = random.oneOf(workers.filter(({ isRunning }) => isRunning));
      await stopGracefully(one, violations);
      await one.start();
    },
    'PostgreSQL is restarted': async () => {
      // A node that was just started has no flags in memory yet.
      for (const web of webs.filter(({ isRunning }) => isRunning)) await post(web, '/decide/?v=3', PROJECT_KEY);
      await postgres.halt();
      await checkWithoutPostgres(webs, violations);
      await postgres.resume();
    },
  };
}

async function disconnectClickHouse({ webs, ledger, proxy, options, violations }: ScaleRun): Promise<void> {
  log(`ClickHouse is unreachable for ${options.awayMs / 1000} s`);
  proxy.close();
  await checkWithoutClickHouse(webs, ledger, options.awayMs, violations);
  await proxy.open();
}

async function checkStored(run: ScaleRun): ReturnType<typeof checkAll> {
  const status = await (run.webs[0] as ServerProcess).settled(300_000);
  const metadata = await openMetadata(run.databaseUrl);
  const parts = readEvents(run.options.clickhouseUrl, run.clickhouseDatabase);
  const findings = await checkAll({ parts, isOrdered: false }, metadata, run.ledger, status);
  await metadata.close();
  return findings;
}

function checkStatusCodes({ ledger, violations }: ScaleRun): void {
  for (const [status, count] of ledger.answers) {
    if (![0, 200, 503].includes(status)) violations.push(`${count} responses with status ${status}`);
  }
}

async function stopGracefully(node: ServerProcess, violations: string[]): Promise<void> {
  const code = await node.stop();
  if (code === 0) return;
  violations.push(`a graceful stop ended with exit code ${code}; the last output was:\n${node.output.slice(-1500)}`);
}

/** Flags work from memory, capture answers 503, and unknown keys are not rejected. */
async function checkWithoutPostgres(webs: readonly ServerProcess[], violations: string[]): Promise<void> {
  for (const web of webs.filter(({ isRunning }) => isRunning)) {
    const unknown = await post(web, '/capture/', 'phc_nobody_knows_this_key');
    const { code } = (await unknown.json()) as { code?: string };
    if (unknown.status !== 503 || code !== 'fetch_team_fail') {
      violations.push(`without PostgreSQL a key that is not in memory got ${unknown.status} ${code}`);
    }
    const known = await post(web, '/capture/', PROJECT_KEY);
    if (known.status !== 503) violations.push(`without PostgreSQL capture answered ${known.status}`);
    const decided = await post(web, '/decide/?v=3', PROJECT_KEY);
    if (decided.status !== 200) violations.push(`without PostgreSQL /decide/ answered ${decided.status}`);
  }
}

const post = (web: ServerProcess, path: string, token: string): Promise<Response> =>
  fetch(`${web.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token, api_key: token, distinct_id: 'ada', event: 'ping' }),
  });

/** Events are accepted and flags decided meanwhile. */
async function checkWithoutClickHouse(
  webs: readonly ServerProcess[],
  ledger: Ledger,
  awayMs: number,
  violations: string[],
): Promise<void> {
  const accepted = (): number => ledger.answers.get(200) ?? 0;
  const before = accepted();
  for (const end = Date.now() + awayMs; Date.now() < end; await sleep(500)) {
    for (const web of webs) {
      const decided = await post(web, '/decide/?v=3', PROJECT_KEY);
      if (decided.status !== 200) violations.push(`without ClickHouse /decide/ answered ${decided.status}`);
    }
  }
  if (accepted() === before) violations.push('no event was accepted while ClickHouse was unreachable');
}

const ROWS_PER_FETCH = 10_000;

async function openMetadata(url: string): Promise<MetadataRows & { close(): Promise<void> }> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  async function* rows<T>(sql: string): AsyncGenerator<T> {
    await client.query(`begin; declare found no scroll cursor for ${sql}`);
    try {
      for (;;) {
        const fetched = (await client.query(`fetch ${ROWS_PER_FETCH} from found`)).rows as T[];
        yield* fetched;
        if (fetched.length < ROWS_PER_FETCH) return;
      }
    } finally {
      await client.query('rollback');
    }
  }
  return { rows, close: () => client.end() };
}

async function* readEvents(url: string, database: string): AsyncGenerator<StoredRow[]> {
  const client = createClient({ url: `${url}/${database}`, request_timeout: 600_000, log: QUIET });
  const result = await client.query({
    query: `select JSONExtractString(properties, 'marker') as marker, toString(uuid) as uuid, distinct_id as distinctId,
        toString(person_id) as personId, JSONExtract(properties, 'number', 'Nullable(Int32)') as number
      from events`,
    format: 'JSONEachRow',
  });
  for await (const rows of result.stream<StoredRow>()) yield rows.map((row) => row.json());
  await client.close();
}
