/** A disk that refuses writes for a while: requests are answered 503, nothing is lost, and it goes on by itself. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { call } from '../support/client.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';

const KEY = 'phx_faults_personal_key';
let dataDir: string;
let server: ServerProcess;
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'cairn-disk-'));
  server = await startServerProcess(dataDir);
});
afterEach(async () => {
  await server.kill();
  rmSync(dataDir, { recursive: true, force: true });
});

/** No file may grow beyond this size; every write past it fails. */
const limitFiles = (bytes: number | 'unlimited'): void =>
  void execFileSync('prlimit', ['--pid', String(server.child.pid), `--fsize=${bytes}:`]);

const anEvent = (n: number) => ({
  event: 'step',
  distinct_id: 'walker',
  uuid: `00000000-0000-4000-8000-00000000000${n}`,
});
const createFlag = (key: string) =>
  call(server.url, 'POST', '/api/projects/1/feature_flags/', { key: KEY, body: { key } });

it('changes and events answer 503 with Retry-After, and /_readyz says why', async () => {
  expect(await server.send([anEvent(1)])).toBe(200);
  await server.drain();
  limitFiles(512);
  const flag = await createFlag('during');
  expect([flag.status, flag.body.type]).toEqual([503, 'server_error']);
  expect(Number(flag.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await server.send([anEvent(2)])).toBe(503);
  const ready = await server.get('/_readyz');
  expect([ready.status, ready.body.status]).toEqual([503, 'unavailable']);
  expect(ready.body.detail).toMatch(/^Events are refused\. The disk of the ingest log/);

  limitFiles('unlimited');
  await vi.waitFor(async () => expect((await server.get('/_readyz')).body).toEqual({ status: 'ok' }), {
    timeout: 20_000,
  });
  expect((await createFlag('afterwards')).status).toBe(201);
  expect(await server.send([anEvent(2), anEvent(3)])).toBe(200);
  await server.drain();
  expect((await server.status()).ingest).toMatchObject({ accepted: 3, stored: 3, dead_lettered: 0, pending: 0 });
  expect((await server.status()).losses).toEqual([]);
});
