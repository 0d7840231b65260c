/** The real process, as `npm start` runs it. (`--built` only skips the bundling, which the test run has done already.) */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, readdirSync, rmSync, statSync, writeSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { configHelp } from '../../src/config.ts';
import { call } from '../support/client.ts';
import { cookieOf } from '../support/people.ts';
import { send, sendJson } from '../support/send.ts';

const root = new URL('../..', import.meta.url).pathname;

let dataDir: string;
let running: Cairn[];
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'cairn-process-'));
  running = [];
});
afterEach(async () => {
  for (const { child } of running) child.kill('SIGKILL');
  await Promise.all(running.map((one) => one.ended));
  rmSync(dataDir, { recursive: true, force: true });
});

interface Cairn {
  child: ChildProcess;
  output: { stdout: string; stderr: string };
  ended: Promise<number | null>;
  /** Resolves with the address once it is ready. */
  ready: Promise<string>;
}

function start(env: Record<string, string> = {}, args: string[] = []): Cairn {
  const child = spawn(process.execPath, ['scripts/start.js', '--built', ...args], {
    cwd: root,
    env: { PATH: process.env['PATH'] ?? '', HOST: '127.0.0.1', PORT: '0', DATA_DIR: dataDir, ...env },
  });
  const output = { stdout: '', stderr: '' };
  const ended = once(child, 'close').then(([code]) => code as number | null);
  const ready = new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      output.stdout += chunk;
      const address = /"address":"([^"]+)".*"msg":"ready"/.exec(output.stdout)?.[1];
      if (address) resolve(address);
    });
    child.stderr.on('data', (chunk) => {
      output.stderr += chunk;
    });
    ended.then((code) => reject(new Error(`ended with ${code}: ${output.stderr}`)), reject);
  });
  ready.catch(() => {});
  const one = { child, output, ended, ready };
  running.push(one);
  return one;
}

async function stop({ child, ended }: Cairn): Promise<number | null> {
  child.kill('SIGTERM');
  return ended;
}

it('loads packages that it needs rarely when they are needed', async () => {
  const address = await start().ready;
  const { status, body } = await call(address, 'POST', '/api/webauthn/login/begin', { body: {} });
  expect([status, body.rpId]).toEqual([200, '127.0.0.1']);
});

describe('the first start', () => {
  it('prints its keys once, and they work; the second start prints none', async () => {
    const first = start();
    const address = await first.ready;
    const { stdout } = first.output;
    expect(stdout).toContain(`Cairn is ready at ${address}`);
    expect(stdout).toContain(`${address}/setup#token=`);
    const projectKey = /phc_[0-9A-Za-z]{43}/.exec(stdout)?.[0];
    const personalKey = /phx_[0-9A-Za-z]{43}/.exec(stdout)?.[0];
    const me = await call(address, 'GET', '/api/users/@me/', { key: personalKey ?? '' });
    expect([me.status, me.body.team.id, me.body.team.api_token]).toEqual([200, 1, projectKey]);
    expect(await stop(first)).toBe(0);

    const second = start();
    const again = await second.ready;
    expect(second.output.stdout).not.toMatch(/ph[cx]_|Cairn is ready|setup/);
    expect((await call(again, 'GET', '/api/users/@me/', { key: personalKey ?? '' })).status).toBe(200);
    expect(await stop(second)).toBe(0);
  });

  it('makes files that only its own user can read', async () => {
    const cairn = start();
    const address = await cairn.ready;
    const projectKey = /phc_[0-9A-Za-z]{43}/.exec(cairn.output.stdout)?.[0];
    await sendJson(address, '/capture/', { api_key: projectKey, event: 'seen', distinct_id: 'ada' });
    const names = readdirSync(dataDir, { recursive: true, encoding: 'utf8' });
    expect(names).toEqual(expect.arrayContaining(['metadata.sqlite', 'metadata.sqlite-wal', 'events.duckdb']));
    const open = names.filter((name) => (statSync(join(dataDir, name)).mode & 0o077) !== 0);
    expect(open).toEqual([]);
    expect(statSync(dataDir).mode & 0o777).toBe(0o700);
    expect(await stop(cairn)).toBe(0);
  });

  it('refuses a first password that anybody would guess', async () => {
    const cairn = start({ INIT_ADMIN_EMAIL: 'ada@example.org', INIT_ADMIN_PASSWORD: 'password123' });
    expect(await cairn.ended).toBe(1);
    expect(cairn.output.stderr).toContain('INIT_ADMIN_PASSWORD cannot be used. This password is too common');
    expect(cairn.output.stderr).not.toContain('password123');
  });

  it('reads keys and the first user from the settings', async () => {
    const cairn = start({
      INIT_PROJECT_API_KEY: 'phc_given_project_key',
      INIT_PERSONAL_API_KEY: 'phx_given_personal_key',
      INIT_ADMIN_EMAIL: 'Ada@example.org',
      INIT_ADMIN_PASSWORD: 'correct horse',
    });
    const address = await cairn.ready;
    expect(cairn.output.stdout).toContain('as set by INIT_PERSONAL_API_KEY');
    expect(cairn.output.stdout).not.toMatch(/setup|correct horse|phc_given|phx_given/);
    const body = { email: 'ada@example.org', password: 'correct horse' };
    const signedIn = await call(address, 'POST', '/api/login/', { key: null, body });
    expect(signedIn.status).toBe(200);
    const byCookie = { key: null, headers: { cookie: cookieOf(signedIn.headers) } };
    const byKey = { key: 'phx_given_personal_key' };
    for (const options of [byCookie, byKey]) {
      const me = await call(address, 'GET', '/api/users/@me/', options);
      expect([me.status, me.body.email, me.body.team.api_token]).toEqual([
        200,
        'ada@example.org',
        'phc_given_project_key',
      ]);
    }
  });

  it('prints its keys even if the port is in use, as they are not stored', async () => {
    const blocker = createServer().listen(0, '127.0.0.1');
    await once(blocker, 'listening');
    const { port } = blocker.address() as { port: number };
    const cairn = start({ PORT: String(port) });
    expect(await cairn.ended).toBe(1);
    blocker.close();
    expect(cairn.output.stderr).toContain(
      `PORT ${port} on 127.0.0.1 is in use by another process. Stop it, or choose another PORT.`,
    );
    const personalKey = /phx_[0-9A-Za-z]{43}/.exec(cairn.output.stdout)?.[0] ?? '';
    const address = await start().ready;
    expect((await call(address, 'GET', '/api/users/@me/', { key: personalKey })).status).toBe(200);
  });
});

describe('settings', () => {
  it('are listed by --help, which starts nothing', async () => {
    const cairn = start({ PORT: 'nonsense' }, ['--help']);
    expect(await cairn.ended).toBe(0);
    expect(cairn.output.stdout.trim()).toBe(configHelp());
  });

  it('that are invalid prevent the start, and each is named', async () => {
    const cairn = start({ PORT: 'http', LOG_LEVEL: 'loud', INIT_PERSONAL_API_KEY: 'secret' });
    expect(await cairn.ended).toBe(1);
    expect(cairn.output.stderr.trim()).toBe(
      [
        'Cairn did not start.',
        '',
        'PORT was given "http"; allowed: a whole number from 0 to 65535.',
        'INIT_PERSONAL_API_KEY was given a value (not shown); allowed: phx_ followed by letters and digits, 10 to 64 characters in all.',
        'LOG_LEVEL was given "loud"; allowed: one of fatal, error, warn, info, debug, trace, silent.',
        '',
        'All settings: npm start -- --help',
      ].join('\n'),
    );
    expect(cairn.output.stdout).toBe('');
  });
});

describe('one folder, one process', () => {
  it('rejects the second, without harm to the first', async () => {
    const address = await start().ready;
    const second = start();
    expect(await second.ended).toBe(1);
    expect(second.output.stderr.trim()).toBe(
      `Cairn did not start.\n\nAnother Cairn process is using ${dataDir}. Stop it first, or give this one a folder of its own with DATA_DIR.`,
    );
    expect((await fetch(`${address}/_readyz`)).status).toBe(200);
  });

  it('starts again after the first was killed', async () => {
    const first = start();
    await first.ready;
    first.child.kill('SIGKILL');
    await first.ended;
    await expect(start().ready).resolves.toMatch(/^http:/);
  });
});

describe('after a crash with a long journal', () => {
  const KEYS = { INIT_PROJECT_API_KEY: 'phc_given_project_key', INIT_PERSONAL_API_KEY: 'phx_given_personal_key' };
  /** With 50,000 events properties would get columns, which ends with a checkpoint. */
  const BATCHES = 40;
  const EVENTS_PER_BATCH = 1000;
  const capture = (address: string, path: string, body: object) =>
    sendJson(address, path, { api_key: KEYS.INIT_PROJECT_API_KEY, ...body });

  const pending = async (address: string): Promise<number> =>
    (await send(address, '/_status', GET)).json.ingest.pending;
  const GET = { method: 'GET' };

  /** Some 140 MB, which the engine replays in a second or two. */
  async function crash(): Promise<void> {
    const first = start({ ...KEYS, MONITORING_PUBLIC: 'true' });
    const address = await first.ready;
    const text = 'x'.repeat(3600);
    for (let batch = 0; batch < BATCHES; batch++) {
      const events = Array.from({ length: EVENTS_PER_BATCH }, (_, at) => ({
        event: 'seen',
        distinct_id: `ada-${at}`,
        properties: { text, batch },
      }));
      expect((await capture(address, '/batch/', { batch: events })).status).toBe(200);
    }
    await expect.poll(() => pending(address)).toBe(0);
    first.child.kill('SIGKILL');
    await first.ended;
    expect(statSync(join(dataDir, 'events.duckdb.wal')).size).toBeGreaterThan(100_000_000);
  }

  it('takes events and decides flags while the event store reads it, and questions wait', async () => {
    await crash();
    const address = await start(KEYS).ready;
    const event = { event: 'seen', distinct_id: 'grace' };
    const question = call(address, 'POST', '/api/projects/1/insights/trend/', {
      key: KEYS.INIT_PERSONAL_API_KEY,
      body: { events: [{ id: 'seen' }], date_from: '-1d', interval: 'day' },
    });
    const [ready, captured, decided] = await Promise.all([
      send(address, '/_readyz', GET),
      capture(address, '/capture/', event),
      capture(address, '/decide/?v=3', { distinct_id: 'linus' }),
    ]);
    expect([ready.status, ready.json]).toEqual([
      200,
      { status: 'attention', problems: [expect.stringContaining('is reading its journal after a crash')] },
    ]);
    expect([captured.status, decided.status]).toEqual([200, 200]);
    const { status, body } = await question;
    const counted = body.result[0].count;
    // The event that was captured meanwhile may be among them.
    expect([status, counted === 40_000 || counted === 40_001]).toEqual([200, true]);
    await expect.poll(async () => (await send(address, '/_readyz', GET)).json).toEqual({ status: 'ok' });
  });

  it('ends if the event store cannot be opened', async () => {
    await crash();
    const file = openSync(join(dataDir, 'events.duckdb'), 'r+');
    writeSync(file, Buffer.alloc(12_288, 'x'), 0, 12_288, 0);
    const cairn = start(KEYS);
    expect(await cairn.ended).toBe(1);
    expect(cairn.output.stderr).toContain('Cairn did not start.');
    expect(cairn.output.stderr).toContain('events.duckdb');
  });
});

describe('stopping', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('%s exits with 0, soon', async (signal) => {
    const cairn = start();
    const address = await cairn.ready;
    expect((await fetch(`${address}/_livez`)).status).toBe(200);
    const before = performance.now();
    cairn.child.kill(signal);
    expect(await cairn.ended).toBe(0);
    expect(performance.now() - before).toBeLessThan(10_000);
    expect(cairn.output.stdout).toContain('"msg":"stopped"');
  });

  it('a second signal does not cut it off, and says so in one line', async () => {
    const cairn = start();
    await cairn.ready;
    cairn.child.kill('SIGTERM');
    cairn.child.kill('SIGINT');
    expect(await cairn.ended).toBe(0);
    expect(cairn.output.stdout.match(/already stopping/g)).toHaveLength(1);
    expect(cairn.output.stdout).toContain('"msg":"stopped"');
  });
});
