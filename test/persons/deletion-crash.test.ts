/** A deletion whose process is killed at some point: the next start completes it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { personUuid } from '../../src/core/events/uuid.ts';
import { findCanaries } from '../support/canaries.ts';
import { call } from '../support/client.ts';

const root = new URL('../..', import.meta.url).pathname;
const KEYS = { INIT_PROJECT_API_KEY: 'phc_crash_project_key', INIT_PERSONAL_API_KEY: 'phx_crash_personal_key' };
const key = KEYS.INIT_PERSONAL_API_KEY;

let dataDir: string;
let child: ChildProcess | null = null;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'cairn-deletion-crash-'));
});
afterEach(async () => {
  await kill();
  rmSync(dataDir, { recursive: true, force: true });
});

async function kill(): Promise<void> {
  if (!child) return;
  const ended = once(child, 'close');
  child.kill('SIGKILL');
  await ended;
  child = null;
}

function start(): Promise<string> {
  const started = spawn(process.execPath, ['scripts/start.js', '--built'], {
    cwd: root,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOST: '127.0.0.1',
      PORT: '0',
      DATA_DIR: dataDir,
      ERASE_AFTER_SECONDS: '0',
      ...KEYS,
    },
  });
  child = started;
  return new Promise((resolve, reject) => {
    let output = '';
    for (const stream of [started.stdout, started.stderr]) {
      stream.on('data', (chunk) => {
        output += chunk;
        const address = /"address":"([^"]+)".*"msg":"ready"/.exec(output)?.[1];
        if (address) resolve(address);
      });
    }
    started.once('exit', () => reject(new Error(output)));
  });
}

async function send(address: string, batch: object[]): Promise<void> {
  const body = JSON.stringify({ api_key: KEYS.INIT_PROJECT_API_KEY, batch });
  const answer = await fetch(`${address}/batch/`, { method: 'POST', body });
  expect(answer.status).toBe(200);
}

async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (let tries = 0; tries < 400; tries++) {
    const found = await look();
    if (found !== undefined) return found;
    await sleep(25);
  }
  throw new Error('Timed out');
}

const canary = (round: number, what: string): string => `canary-${round}-${what}-4f1c`;
const others = Array.from({ length: 4000 }, (_, n) => ({
  event: 'ping',
  distinct_id: `other ${n % 500}`,
  properties: { $set: { plan: 'free', n: n % 7 }, text: String(n).repeat(20) },
}));
const theirs = (round: number) => [
  { event: 'first', distinct_id: canary(round, 'anon'), properties: { $set: { note: canary(round, 'value') } } },
  {
    event: '$identify',
    distinct_id: canary(round, 'id'),
    properties: { $anon_distinct_id: canary(round, 'anon'), $set: { email: `${canary(round, 'mail')}@example.org` } },
  },
];

it('completes after the next start, whenever the process was killed', async () => {
  let address = await start();
  await send(address, others);
  const planted: string[] = [];
  const rounds = [0, 15, 40, 80, 160, 320];
  for (const [round, delayMs] of rounds.entries()) {
    planted.push(...['anon', 'id', 'value', 'mail'].map((what) => canary(round, what)));
    await send(address, theirs(round));
    // The first distinct id comes first.
    const person = personUuid(1, canary(round, 'anon'));
    const answer = await until(async () => {
      const path = `/api/projects/1/persons/${person}/?delete_events=true`;
      const found = await call(address, 'DELETE', path, { key });
      return found.status === 404 ? undefined : found;
    });
    expect(answer.status).toBe(204);
    await sleep(delayMs);
    await kill();
    address = await start();
    const path = new URL(answer.headers.get('location') ?? '').pathname;
    const deletion = await until(async () => {
      const { body } = await call(address, 'GET', path, { key });
      return body.state === 'complete' ? body : undefined;
    });
    expect(deletion).toMatchObject({ removed: { persons: 1, distinct_ids: 2, events: 2 }, scan: { rows: 0 } });
    expect(findCanaries(dataDir, planted)).toEqual([]);
  }
  const events = await call(address, 'GET', '/api/projects/1/events/?distinct_id=other%207&after=2000-01-01', { key });
  expect(events.body.results).toHaveLength(8);
}, 120_000);
