/** Whatever is killed at any moment (SIGKILL), nothing of it is left: the next statement is answered. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { seeded } from '../../src/features/demo/rules/seeded-random.ts';
import { removeAbandonedFolders } from '../../src/features/sql/abandoned-folders.ts';
import { call } from '../support/client.ts';
import { isRunning, sqlProcessesOf } from '../support/process-tree.ts';
import { isEmbedded } from '../support/server.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';

const KEY = 'phx_faults_personal_key';
const QUERY = '/api/projects/1/query/';
const COUNT = 'select count() from events';
/** More than there is time for. */
const ENDLESS =
  'select count() from events a, events b, events c, events d where a.uuid <> b.uuid and c.uuid <> d.uuid';
const KILLS = Number(process.env['KILLS'] ?? 4);

let folder: string;
let dataDir: string;
let temporary: string;
let running: ServerProcess | null;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cairn-kill-sql-'));
  [dataDir, temporary] = [join(folder, 'data'), join(folder, 'tmp')];
  mkdirSync(temporary);
  running = null;
});
afterEach(async () => {
  await running?.kill();
  rmSync(folder, { recursive: true, force: true });
});

async function start(): Promise<ServerProcess> {
  // Nothing here is about time: on a busy machine, a statement may take long.
  running = await startServerProcess(dataDir, { env: { TMPDIR: temporary, SQL_TIMEOUT_SECONDS: '300' } });
  return running;
}

const send = (server: ServerProcess, count: number) =>
  server.send(Array.from({ length: count }, (_, i) => ({ event: 'seen', distinct_id: `user-${i % 7}` })));

const ask = (server: ServerProcess, sql: string, more: object = {}) =>
  call(server.url, 'POST', QUERY, {
    key: KEY,
    body: { query: { kind: 'HogQLQuery', query: sql }, refresh: 'force_blocking', ...more },
  });

const pidOf = ({ child }: ServerProcess): number => child.pid ?? 0;
const processes = (server: ServerProcess) => sqlProcessesOf(pidOf(server));
const temporaryFolders = () => readdirSync(temporary).filter((name) => name.startsWith('cairn-sql-'));

/** Runs without end, until something is killed. */
async function runEndless(server: ServerProcess): Promise<void> {
  expect((await ask(server, ENDLESS, { async: true, client_query_id: 'endless' })).status).toBe(202);
  await expect.poll(() => processes(server).children.length).toBe(1);
}

const endlessState = async (server: ServerProcess) =>
  (await call(server.url, 'GET', `${QUERY}endless/`, { key: KEY })).body.query_status;

describe.skipIf(!isEmbedded || process.platform !== 'linux')('SIGKILL', () => {
  it('of the server leaves no process, and its files are removed at the next start', async () => {
    const server = await start();
    await send(server, 100);
    await server.drain();
    expect((await ask(server, COUNT)).body.results).toEqual([[100]]);
    await runEndless(server);
    const { launchers, children } = processes(server);
    expect([launchers.length, children.length, temporaryFolders().length]).toEqual([1, 1, 1]);
    await server.kill();
    await expect.poll(() => [...launchers, ...children].filter(isRunning)).toEqual([]);
    // As if it had been writing one.
    const half = ['sql/1-half.duckdb', 'events.duckdb.copy', 'events.duckdb.copy.wal'].map((name) =>
      join(dataDir, name),
    );
    for (const path of half) writeFileSync(path, 'half a copy');

    const next = await start();
    await expect.poll(temporaryFolders).toEqual([]);
    expect([...half, join(dataDir, 'sql')].filter(existsSync)).toEqual([]);
    expect((await ask(next, COUNT)).body.results).toEqual([[100]]);
  });

  it('of the server at any moment of a statement leaves no lock', async () => {
    const random = seeded(1);
    let server = await start();
    let sent = 0;
    for (let round = 0; round < KILLS; round++) {
      expect(await send(server, 50)).toBe(200);
      sent += 50;
      const asked = Promise.allSettled([ask(server, COUNT), ask(server, 'select * from persons')]);
      await sleep(random() * 1500);
      await server.kill();
      await asked;
      server = await start();
      await server.drain();
      expect([round, (await ask(server, COUNT)).body.results]).toEqual([round, [[sent]]]);
    }
    await expect.poll(temporaryFolders).toHaveLength(1);
    expect(readdirSync(join(dataDir, 'sql')).every((name) => name.endsWith('.duckdb'))).toBe(true);
  });

  it.each(['children', 'launchers'] as const)('of its %s ends the statement, and not the next one', async (which) => {
    const server = await start();
    await send(server, 100);
    await server.drain();
    await runEndless(server);
    const before = processes(server);
    // Again and again: one that is killed before it takes statements is replaced.
    while (!(await endlessState(server)).complete) {
      for (const pid of processes(server)[which]) process.kill(pid, 'SIGKILL');
      await sleep(100);
    }
    expect(await endlessState(server)).toMatchObject({ error: true, results: null });
    expect((await ask(server, COUNT)).body.results).toEqual([[100]]);
    await expect.poll(() => before.children.filter(isRunning)).toEqual([]);
    // Also while they wait for a statement.
    for (const pid of processes(server)[which]) process.kill(pid, 'SIGKILL');
    expect((await ask(server, COUNT)).body.results).toEqual([[100]]);
    expect(temporaryFolders()).toHaveLength(1);
  });
});

describe('a temporary folder', () => {
  it('is removed unless its server listens', async () => {
    for (const name of ['cairn-sql-dead', 'cairn-sql-empty', 'cairn-sql-live', 'cairn-sql-odd', 'other']) {
      mkdirSync(join(temporary, name));
    }
    writeFileSync(join(temporary, 'cairn-sql-odd', 'note'), 'not a socket');
    const listen = async (name: string) => {
      const server = createServer();
      await new Promise<void>((resolve) => server.listen(join(temporary, name, 's'), resolve));
      return server;
    };
    const live = await listen('cairn-sql-live');
    // Once it is closed, the socket is gone; a file that is none refuses connections as that of a killed server does.
    writeFileSync(join(temporary, 'cairn-sql-dead', 's'), '');
    writeFileSync(join(temporary, 'cairn-sql-dead', 'rows.parquet'), '');
    try {
      await removeAbandonedFolders(temporary);
      expect(readdirSync(temporary).sort()).toEqual(['cairn-sql-live', 'cairn-sql-odd', 'other']);
    } finally {
      await new Promise((resolve) => live.close(resolve));
    }
  });
});
