/** Backups while events come in, and what is restored from them. */
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { cairn, cairnJson, makeScratch, startCommand, startProcess } from '../support/cairn.ts';
import { call } from '../support/client.ts';
import { sendJson } from '../support/send.ts';
import { startServer, type TestServer } from '../support/server.ts';

const KEY = 'phc_test_project_key';
const scratch = makeScratch();
afterAll(() => scratch.remove());

const anEvent = (n: number) => ({
  event: 'step',
  distinct_id: `walker-${n % 40}`,
  uuid: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
  properties: { n, $set: { last: n } },
});

const LARGE_EVENTS = 2000;

/** Four megabytes that cannot be compressed: a backup of less is done before it can be interrupted. */
async function sendLargeEvents(url: string): Promise<void> {
  const batch = Array.from({ length: LARGE_EVENTS }, (_, n) => ({
    event: 'large',
    distinct_id: `walker-${n % 40}`,
    properties: { text: randomBytes(1500).toString('base64') },
  }));
  expect((await sendJson(url, '/batch/', { api_key: KEY, batch })).status).toBe(200);
}

/** Enough of a pause that a slow machine gets on with its work, and little enough that something always waits. */
const PAUSE_MS = 50;

/** Sends batches until it is told to stop; says how many events were acknowledged by which time. */
function storm(url: string) {
  let [isOver, next] = [false, 0];
  const acknowledged = { events: 0 };
  const run = async (): Promise<void> => {
    while (!isOver) {
      const batch = Array.from({ length: 100 }, () => anEvent(next++));
      const { status } = await call(url, 'POST', '/batch/', { key: null, body: { api_key: KEY, batch } });
      expect(status).toBe(200);
      acknowledged.events += batch.length;
      await sleep(PAUSE_MS);
    }
  };
  const running = run();
  return {
    acknowledged,
    end: () => {
      isOver = true;
      return running;
    },
  };
}

interface Books {
  accepted: number;
  stored: number;
  duplicate: number;
  pending: number;
}

/** A server on a restored folder: its books, and what can be read. */
async function lookInto(dataDir: string): Promise<Books & { events: number; uuids: number; lastOf0: number }> {
  const server = await startServer({ dataDir });
  try {
    await server.drain();
    const { accepted, stored, duplicate, pending } = await server.counters();
    const [row] = await server.query('select count(*) as events, count(distinct uuid) as uuids from events');
    const found = await call(server.url, 'GET', '/api/projects/1/persons/?distinct_id=walker-0', {});
    const lastOf0 = Number(found.body.results[0]?.properties.last);
    return {
      accepted,
      stored,
      duplicate,
      pending,
      events: Number(row?.['events']),
      uuids: Number(row?.['uuids']),
      lastOf0,
    };
  } finally {
    await server.close();
  }
}

describe('a backup while events come in', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.close());

  it('holds everything that was acknowledged before, once, and its books add up', async () => {
    const load = storm(server.url);
    await sleep(400);
    const counts: { before: number; file: string; accepted: number }[] = [];
    for (const name of ['one', 'two']) {
      const before = load.acknowledged.events;
      const file = scratch.path(`${name}.tar.gz`);
      const made = await cairnJson(['backup', file, '--data-dir', server.dataDir]);
      expect(made).toMatchObject({ file, verified: true });
      expect(made.counts.accepted).toBe(made.counts.settled + made.counts.pending);
      counts.push({ before, file, accepted: made.counts.accepted });
    }
    await load.end();
    for (const { before, file, accepted } of counts) {
      const folder = `${file}.restored`;
      expect((await cairnJson(['restore', file, '--data-dir', folder])).restored).toBe(true);
      const found = await lookInto(folder);
      expect(accepted).toBeGreaterThanOrEqual(before);
      expect(found).toMatchObject({ accepted, stored: accepted, duplicate: 0, pending: 0 });
      expect([found.events, found.uuids]).toEqual([accepted, accepted]);
      // What was processed and what waited in the log come to the same person.
      expect(found.lastOf0).toBe(Math.floor((accepted - 1) / 40) * 40);
    }
  });

  it('is noted in the status, readable by its owner alone, and leaves nothing behind', async () => {
    const { body } = await call(server.url, 'GET', '/_status', {});
    expect(body.last_backup_at).toBe('2026-01-15T12:00:00.000Z');
    expect(statSync(scratch.path('one.tar.gz')).mode & 0o777).toBe(0o600);
    expect(readdirSync(`${server.dataDir}/work`)).toEqual([]);
    expect(readdirSync(scratch.path('.')).filter((name) => /partial|verify/.test(name))).toEqual([]);
  });

  it('is not written over by accident', async () => {
    const { code, stderr } = await cairn(['backup', scratch.path('one.tar.gz'), '--data-dir', server.dataDir]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('Choose another name, or use --overwrite.')]);
  });

  it('is not restored under a running server', async () => {
    const args = ['restore', scratch.path('one.tar.gz'), '--replace', '--data-dir', server.dataDir];
    const { code, stderr } = await cairn(args);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(`A server is running on ${server.dataDir}. Stop it first`),
    ]);
  });
});

describe('restoring', () => {
  const folder = scratch.path('home');
  const file = scratch.path('home.tar.gz');
  const damaged = scratch.path('damaged.tar.gz');
  beforeAll(async () => {
    await cairn(['projects', 'create', 'Kept', '--data-dir', folder]);
    await cairnJson(['backup', file, '--data-dir', folder]);
  });
  const state = () => readdirSync(folder).map((name) => [name, statSync(`${folder}/${name}`).mtimeMs]);

  it.each<[string, (whole: Buffer) => Buffer, string]>([
    ['cut off', (whole) => whole.subarray(0, whole.length / 2), 'is not a valid backup: unexpected end of file'],
    ['with a bit that fell over', flipPlain, 'in it is not what was backed up'],
    ['packed from something else', () => gzipSync(Buffer.alloc(2048)), 'is not a valid backup: it ends too early'],
    ['that is no archive', () => Buffer.from('hello'), 'is not a valid backup: incorrect header check'],
  ])('a file %s changes nothing and says why', async (_name, damage, words) => {
    writeFileSync(damaged, damage(readFileSync(file)));
    const before = state();
    const { code, stderr } = await cairn(['restore', damaged, '--replace', '--data-dir', folder]);
    expect([code, stderr]).toEqual([1, expect.stringContaining(words)]);
    expect(state().filter(([name]) => name !== 'lock')).toEqual(before.filter(([name]) => name !== 'lock'));
  });

  it('refuses a folder with data; with --replace it moves that aside', async () => {
    const refused = await cairn(['restore', file, '--data-dir', folder]);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('Use --replace to move it aside')]);
    await cairn(['projects', 'create', 'Later', '--data-dir', folder]);
    const { replaced } = await cairnJson(['restore', file, '--replace', '--data-dir', folder]);
    expect(readdirSync(replaced).sort()).toEqual([
      'events.duckdb',
      'ingest-attempt.json',
      'ingest-log',
      'metadata.sqlite',
    ]);
    const names = async (dataDir: string) =>
      (await cairnJson(['projects', 'list', '--data-dir', dataDir])).map(({ name }: { name: string }) => name);
    expect(await names(folder)).toEqual(['Default project', 'Kept']);
    expect(await names(replaced)).toEqual(['Default project', 'Kept', 'Later']);
  });

  it('only looks at it with --check', async () => {
    const { code, stdout } = await cairn(['restore', file, '--check', '--data-dir', folder]);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^The backup is valid: 0 events and 0 persons as of /)]);
  });
});

/** A byte in the middle of what is packed. */
function flipPlain(whole: Buffer): Buffer {
  const plain = gunzipSync(whole);
  const at = Math.floor(plain.length / 2);
  plain.writeUInt8(plain.readUInt8(at) ^ 1, at);
  return gzipSync(plain);
}

it('a folder that does not exist is told in one line', async () => {
  const missing = scratch.path('nowhere/backup.tar.gz');
  const { code, stdout, stderr } = await cairn(['backup', missing, '--data-dir', scratch.path('any')]);
  expect([code, stdout, stderr]).toEqual([
    2,
    '',
    `There is no folder ${scratch.path('nowhere')}. Create it first, or choose another one.\nSee: cairn help backup\n`,
  ]);
});

describe('kill -9', () => {
  it('of the command leaves no file and no copy; of the server, neither after the next start', async () => {
    const dataDir = scratch.path('killed');
    let server = await startProcess(dataDir);
    const load = storm(server.url);
    await sleep(500);
    const file = scratch.path('killed.tar.gz');
    const inWork = (): number => (existsSync(`${dataDir}/work`) ? readdirSync(`${dataDir}/work`).length : 0);
    const partials = () => readdirSync(scratch.path('.')).filter((name) => name.endsWith('.partial'));
    const isWriting = (): boolean => readdirSync(scratch.path('.')).some((name) => name.startsWith('killed.tar.gz'));
    // Before it connects, while the stores are copied, while the file is written.
    for (const isTime of [() => true, () => inWork() > 0, isWriting]) {
      for (const name of partials()) rmSync(scratch.path(name));
      const { child, ended } = startCommand(['backup', file, '--data-dir', dataDir]);
      await sleep(100);
      while (!isTime()) await sleep(2);
      child.kill('SIGKILL');
      await ended;
      expect(existsSync(file)).toBe(false);
      // The server deletes the copy when the command is gone.
      await vi.waitFor(() => expect(inWork()).toBe(0), { timeout: 20_000 });
    }
    await load.end();
    expect((await fetch(`${server.url}/_readyz`)).status).toBe(200);
    await sendLargeEvents(server.url);

    const { ended } = startCommand(['backup', file, '--data-dir', dataDir]);
    while (inWork() === 0) await sleep(2);
    server.child.kill('SIGKILL');
    await server.ended;
    const { code, stderr } = await ended;
    expect([code, existsSync(file)]).toEqual([1, false]);
    expect(stderr).toContain('The server stopped before the command was done.');

    server = await startProcess(dataDir);
    expect(readdirSync(`${dataDir}/work`)).toEqual([]);
    const { counts } = await cairnJson(['backup', file, '--data-dir', dataDir]);
    expect(counts.accepted).toBe(load.acknowledged.events + LARGE_EVENTS);
    expect(partials()).toEqual([]);
    server.child.kill('SIGKILL');
    await server.ended;
  });
});
