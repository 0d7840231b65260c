/**
 * Evaluations of flags are counted in memory and written every ten seconds: a server that is stopped writes all of them,
 * one that is killed loses only what was not written, and none is ever counted twice.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { call } from '../support/client.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';

const KEY = 'phx_faults_personal_key';
const PROJECT_KEY = 'phc_faults_project_key';
const FLAGS = '/api/projects/1/feature_flags/';

let dataDir: string;
let server: ServerProcess;
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'cairn-usage-'));
  server = await startServerProcess(dataDir);
});
afterEach(async () => {
  await server.kill();
  rmSync(dataDir, { recursive: true, force: true });
});

it('counts every evaluation once, through stops and kills', async () => {
  const { id } = (await call(server.url, 'POST', FLAGS, { key: KEY, body: { key: 'a', filters: { groups: [{}] } } }))
    .body;
  const decide = async (times: number): Promise<void> => {
    for (let i = 0; i < times; i++) {
      const body = { api_key: PROJECT_KEY, distinct_id: `user-${i % 7}` };
      const { status } = await call(server.url, 'POST', '/decide/?v=3', { key: null, body });
      expect(status).toBe(200);
    }
  };
  const total = async (): Promise<number> =>
    (await call(server.url, 'GET', `${FLAGS}${id}/usage/`, { key: KEY })).body.total;
  const restart = async (end: () => Promise<unknown>): Promise<void> => {
    await end();
    server = await startServerProcess(dataDir);
  };

  await decide(30);
  await restart(() => server.stop());
  expect(await total()).toBe(30);

  await decide(20);
  await expect.poll(total, { timeout: 60_000, interval: 500 }).toBe(50);
  await decide(15);
  await restart(() => server.kill());
  const afterKill = await total();
  expect(afterKill).toBeGreaterThanOrEqual(50);
  expect(afterKill).toBeLessThanOrEqual(65);

  await decide(10);
  await restart(() => server.stop());
  expect(await total()).toBe(afterKill + 10);
});
