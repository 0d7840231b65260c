/** While statements run that are stopped in the end, the server goes on with everything else, and nothing is left after. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call } from '../support/client.ts';
import { residentMb, sqlProcessesOf } from '../support/process-tree.ts';
import { isEmbedded } from '../support/server.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';
import type { RecordedAttacks } from '../support/sql-attacks.ts';
import { describeVectors } from '../support/vectors.ts';

const KEY = 'phx_faults_personal_key';
const MAX_GROWTH_MB = 50;
const EVENTS = 20_000;

/** Each takes more time or memory than there is. */
const HEAVY = [
  ['a join of everything with everything', 'select count() from events a, events b, events c where a.uuid <> b.uuid'],
  ['groups without end', 'select a.uuid, b.uuid, count() from events a, events b group by 1, 2'],
  ['everything in one list', 'select groupArray(a.properties) from events a, events b'],
  ['a sort of everything', 'select a.uuid, b.properties from events a, events b order by b.properties, a.uuid'],
  ['one long text', `select length(string_agg(a.properties, ',')) from events a, events b`],
] as const;

let server: ServerProcess;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cairn-heavy-sql-'));
  mkdirSync(join(folder, 'tmp'));
  server = await startServerProcess(join(folder, 'data'), {
    env: { TMPDIR: join(folder, 'tmp'), SQL_TIMEOUT_SECONDS: '5', SQL_MEMORY_MB: '256' },
  });
  for (let sent = 0; sent < EVENTS; sent += 1000) await send(1000);
  await server.drain();
  // So that nothing is done for the first time while memory is measured.
  await run('select count() from events');
  for (let i = 0; i < 100; i++) await send(1);
});
afterAll(async () => {
  await server?.kill();
  rmSync(folder, { recursive: true, force: true });
});

const send = (count: number) =>
  server.send(
    Array.from({ length: count }, (_, i) => ({
      event: i % 2 ? 'a' : 'load',
      distinct_id: `user-${i % 100}`,
      properties: { note: 'some text of an event', ms: i },
    })),
  );

const run = (sql: string, values: object = {}) =>
  call(server.url, 'POST', '/api/projects/1/query/', {
    key: KEY,
    body: { query: { kind: 'HogQLQuery', query: sql, values } },
  });

const median = (numbers: readonly number[]): number =>
  [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;

/** Sends events one by one, and measures, for as long as `work` takes. */
async function beside<T>(work: Promise<T>) {
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  const statuses: number[] = [];
  const memory: number[] = [];
  do {
    statuses.push(await send(1));
    memory.push(residentMb(server.child.pid ?? 0));
    await sleep(50);
  } while (!isDone);
  return { answer: await done, statuses, memory };
}

/** `codes`: one of them. */
async function requireHarmless(sql: string, codes: readonly string[], values: object = {}): Promise<void> {
  const before = await beside(sleep(500));
  const during = await beside(run(sql, values));
  const { status, body } = during.answer;
  expect([sql, codes.includes(body.code), status]).toEqual([sql, true, body.code === 'too_slow' ? 504 : 400]);
  expect(new Set(during.statuses)).toEqual(new Set([200]));
  expect(median(during.memory) - median(before.memory)).toBeLessThan(MAX_GROWTH_MB);
  if (body.code === 'too_slow' || body.code === 'too_large') {
    await expect.poll(() => sqlProcessesOf(server.child.pid ?? 0).children).toEqual([]);
  }
  expect(readdirSync(join(folder, 'data', 'sql')).filter((name) => !name.endsWith('.duckdb'))).toEqual([]);
  const temporary = readdirSync(join(folder, 'tmp'));
  expect(temporary).toEqual([expect.stringMatching(/^cairn-sql-/)]);
  expect(readdirSync(join(folder, 'tmp', temporary[0] ?? ''))).toEqual(['s']);
}

describe.skipIf(!isEmbedded || process.platform !== 'linux')('beside a statement that is stopped', () => {
  it.each(HEAVY)('capture goes on and no memory is taken: %s', async (_, sql) => {
    await requireHarmless(sql, ['too_slow', 'too_large']);
  });

  it('every event is stored', async () => {
    await server.drain();
    const { ingest } = await server.status();
    expect([ingest.pending, ingest.stored]).toEqual([0, ingest.accepted]);
  });
});

if (isEmbedded && process.platform === 'linux') {
  describeVectors<RecordedAttacks>('beside recorded attacks', 'sql-attacks.json', (vectors) => {
    const heavy = vectors.attacks.filter(({ refusal }) => /too_slow|too_large/.test(refusal));
    it.each(heavy)('capture goes on and no memory is taken: $id', async ({ sql, refusal, values }) => {
      await requireHarmless(sql, refusal.split('|'), values);
    });
  });
}
