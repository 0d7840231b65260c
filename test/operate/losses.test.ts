/** A store that is behind what the others say was stored: the start finds it, and nothing hides it. */
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type LogFolder, readLogFolder } from '../../src/stores/segment-log/log-folder.ts';
import { type WholeLog, writeSegments } from '../../src/stores/segment-log/write-segments.ts';
import { cairn } from '../support/cairn.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';

// Each starts the server several times.
vi.setConfig({ testTimeout: 300_000 });

let dataDir: string;
let server: ServerProcess | null = null;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'cairn-losses-'));
});
afterEach(async () => {
  await server?.kill();
  server = null;
  rmSync(dataDir, { recursive: true, force: true });
});

const file = (name: string): string => join(dataDir, name);
const some = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => ({
    event: 'step',
    distinct_id: `walker-${(from + i) % 7}`,
    uuid: `00000000-0000-4000-8000-${String(from + i).padStart(12, '0')}`,
  }));

async function start(): Promise<ServerProcess> {
  server = await startServerProcess(dataDir);
  return server;
}

async function sendAll(running: ServerProcess, from: number, to: number): Promise<void> {
  for (let at = from; at < to; at += 100) {
    expect(await running.send(some(at, Math.min(at + 100, to)))).toBe(200);
    await running.drain();
  }
}

const countEvents = async (running: ServerProcess): Promise<number> => {
  const { body } = await running.get('/api/projects/1/insights/trend/?events=[{"id":"step"}]&date_from=-1d');
  return body.result[0].count;
};

/** A folder with 300 stored events, whose first 100 are in the event file and the rest in its journal. */
async function killedWithJournal(): Promise<void> {
  const first = await start();
  await sendAll(first, 0, 100);
  expect(await first.stop()).toBe(0);
  const second = await start();
  await sendAll(second, 100, 300);
  await second.kill();
  expect(statSync(file('events.duckdb.wal')).size).toBeGreaterThan(0);
}

const loseJournal = (): void => rmSync(file('events.duckdb.wal'));

it('a lost journal is found at the start: how many events, and when', async () => {
  await killedWithJournal();
  loseJournal();
  const running = await start();
  const { losses, ingest } = await running.status();
  expect(losses).toMatchObject([{ store: 'events', events: 200 }]);
  expect(Date.parse(losses[0].received_from)).toBeLessThanOrEqual(Date.parse(losses[0].received_to));
  expect(losses[0].detail).toMatch(/^200 stored events, received between .*Z and .*Z, are missing in the event store$/);
  expect(ingest).toMatchObject({ accepted: 300, stored: 100, lost: 200, pending: 0 });
  expect((await running.get('/_readyz')).body).toEqual({ status: 'attention', problems: [losses[0].detail] });
  expect(running.output.stdout).toMatch(/"level":"error".*200 stored events/);
  const doctor = await cairn(['doctor', '--data-dir', dataDir]);
  expect(doctor).toMatchObject({
    code: 3,
    stdout: expect.stringMatching(/^BAD {3}losses: 200 stored events.*\n.*--accept-loss$/m),
  });
});

it('half a journal, too', async () => {
  await killedWithJournal();
  truncateSync(file('events.duckdb.wal'), Math.floor(statSync(file('events.duckdb.wal')).size / 2));
  const running = await start();
  const { losses, ingest } = await running.status();
  const stored = await countEvents(running);
  expect(losses).toMatchObject([{ store: 'events', events: 300 - stored }]);
  expect(ingest).toMatchObject({ accepted: 300, stored, lost: 300 - stored, pending: 0 });
});

it('an older event file, too, and one that is gone', async () => {
  const first = await start();
  await sendAll(first, 0, 100);
  await first.stop();
  copyFileSync(file('events.duckdb'), file('older'));
  const second = await start();
  await sendAll(second, 100, 300);
  await second.stop();
  copyFileSync(file('older'), file('events.duckdb'));
  const third = await start();
  expect((await third.status()).losses).toMatchObject([{ store: 'events', events: 200 }]);
  await third.stop();
  rmSync(file('events.duckdb'));
  const fourth = await start();
  expect((await fourth.status()).losses).toMatchObject([
    { store: 'events', events: 200 },
    { store: 'events', events: 100 },
  ]);
});

it('a backup of a folder with a loss does not count as one, until the loss is accepted', async () => {
  await killedWithJournal();
  loseJournal();
  const running = await start();
  const target = join(dataDir, '..', `${process.pid}-backup.tar.gz`);
  try {
    const incomplete = await cairn(['backup', target, '--overwrite', '--data-dir', dataDir]);
    expect(incomplete).toMatchObject({ code: 3, stderr: expect.stringContaining('not complete: 200 stored events') });
    expect((await running.status()).last_backup_at).toBeNull();
    expect((await cairn(['recover', '--accept-loss', '--data-dir', dataDir])).code).toBe(0);
    expect((await cairn(['backup', target, '--overwrite', '--data-dir', dataDir])).code).toBe(0);
    expect((await running.status()).last_backup_at).not.toBeNull();
  } finally {
    rmSync(target, { force: true });
  }
});

it('once the loss is accepted, lost events can be sent again, and others stay duplicates', async () => {
  await killedWithJournal();
  loseJournal();
  const running = await start();
  // While it is not: everything was stored before.
  await sendAll(running, 290, 300);
  expect((await running.status()).ingest).toMatchObject({ stored: 100, duplicate: 10 });
  const listed = await cairn(['recover', '--data-dir', dataDir]);
  expect(listed).toMatchObject({ code: 3, stdout: expect.stringContaining('200 stored events') });
  const accepted = await cairn(['recover', '--accept-loss', '--data-dir', dataDir]);
  expect(accepted).toMatchObject({ code: 0, stdout: expect.stringContaining('200 events can be sent again.') });
  await sendAll(running, 0, 300);
  expect(await countEvents(running)).toBe(300);
  const { ingest, losses } = await running.status();
  expect(losses).toEqual([]);
  expect(ingest).toMatchObject({ accepted: 610, stored: 300, duplicate: 110, lost: 200, pending: 0 });
  expect((await running.get('/_readyz')).body).toEqual({ status: 'ok' });
  expect((await cairn(['recover', '--data-dir', dataDir])).code).toBe(0);
});

it('a start that is killed while it records a loss records it once', async () => {
  await killedWithJournal();
  loseJournal();
  for (const delay of [200, 300, 400, 500, 600]) {
    await startServerProcess(dataDir, { wrap: ['timeout', '-s', 'KILL', String(delay / 1000)] }).then(
      (started) => started.ended,
      () => undefined,
    );
  }
  const running = await start();
  expect((await running.status()).losses).toMatchObject([{ store: 'events', events: 200 }]);
  expect((await running.status()).ingest).toMatchObject({ accepted: 300, stored: 100, lost: 200, pending: 0 });
});

it('what is still in the ingest log is stored from there, and nothing is lost', async () => {
  const first = await start();
  await sendAll(first, 0, 100);
  await first.stop();
  copyFileSync(file('events.duckdb'), file('older'));
  const second = await start();
  await sendAll(second, 100, 200);
  await second.stop();
  copyFileSync(file('older'), file('events.duckdb'));
  putBackInLog();
  const third = await start();
  await third.drain();
  expect(await countEvents(third)).toBe(200);
  expect((await third.status()).losses).toEqual([]);
  expect((await third.status()).ingest).toMatchObject({
    accepted: 200,
    stored: 200,
    duplicate: 0,
    lost: 0,
    pending: 0,
  });

  /** As if the last request had not been trimmed when the process ended. */
  function putBackInLog(): void {
    rewriteLog(({ head, accepted }) => {
      const entry = {
        seq: head,
        projectId: 1,
        receivedAt: Date.now(),
        events: 100,
        context: JSON.stringify({ ip: null, sentAt: null, engage: false, historical: false }),
        seed: Buffer.alloc(10),
        payload: Buffer.from(JSON.stringify({ batch: some(100, 200) })),
      };
      return { head, accepted, pending: 100, entries: () => [entry] };
    });
  }
});

function rewriteLog(change: (found: LogFolder) => WholeLog): void {
  const changed = change(readLogFolder(file('ingest-log')));
  rmSync(file('ingest-log'), { recursive: true });
  mkdirSync(file('ingest-log'));
  writeSegments(file('ingest-log'), changed);
}

it('a lost ingest log is told, and the counts still add up', async () => {
  const first = await start();
  await sendAll(first, 0, 200);
  await first.stop();
  rmSync(file('ingest-log'), { recursive: true });
  const second = await start();
  const { losses, ingest } = await second.status();
  expect(losses).toMatchObject([{ store: 'log', events: null }]);
  expect(losses[0].detail).toMatch(/^an unknown number of accepted events, received between/);
  expect(ingest).toMatchObject({ accepted: 200, stored: 200, pending: 0 });
  await sendAll(second, 200, 300);
  expect((await second.status()).ingest).toMatchObject({ accepted: 300, stored: 300, pending: 0 });
  expect((await cairn(['recover', '--accept-loss', '--data-dir', dataDir])).code).toBe(0);
  expect((await second.status()).losses).toEqual([]);
});

it('requests that vanished from the log are counted', async () => {
  const first = await start();
  await sendAll(first, 0, 100);
  await first.stop();
  rewriteLog(({ head, accepted }) => ({ head, accepted: accepted + 7, pending: 0, entries: () => [] }));
  const second = await start();
  expect((await second.status()).losses).toMatchObject([{ store: 'log', events: 7 }]);
  expect((await second.status()).ingest).toMatchObject({ accepted: 107, stored: 100, lost: 7, pending: 0 });
});

it('older metadata is told, and new events are processed', async () => {
  const first = await start();
  await sendAll(first, 0, 100);
  await first.stop();
  copyFileSync(file('metadata.sqlite'), file('older'));
  const second = await start();
  await sendAll(second, 100, 300);
  await second.stop();
  copyFileSync(file('older'), file('metadata.sqlite'));
  const third = await start();
  expect((await third.status()).losses).toMatchObject([{ store: 'metadata', events: 200 }]);
  await sendAll(third, 300, 400);
  expect(await countEvents(third)).toBe(400);
  expect((await third.status()).ingest).toMatchObject({ accepted: 400, stored: 400, pending: 0 });
  expect(existsSync(file('events.duckdb'))).toBe(true);
});

it('who was deleted stays deleted in an older event file', async () => {
  const first = await start();
  await sendAll(first, 0, 100);
  await first.stop();
  copyFileSync(file('events.duckdb'), file('older'));
  const second = await start();
  const { body } = await second.get('/api/projects/1/persons/?distinct_id=walker-3');
  const path = `/api/projects/1/persons/${body.results[0].uuid}/?delete_events=true`;
  await fetch(`${second.url}${path}`, {
    method: 'DELETE',
    headers: { authorization: 'Bearer phx_faults_personal_key' },
  });
  await second.drain();
  const left = await countEvents(second);
  expect(left).toBeLessThan(100);
  await sendAll(second, 100, 101);
  await second.stop();
  copyFileSync(file('older'), file('events.duckdb'));
  const third = await start();
  expect((await third.status()).losses).toMatchObject([{ events: 1 }]);
  await sendAll(third, 101, 102);
  expect(await countEvents(third)).toBe(left + 1);
});
