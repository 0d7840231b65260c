/** Events that come through a relay are stored once, whoever is killed meanwhile; and what a relay takes in memory. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import { makeTempDir } from '../contract/temp-dir.ts';
import { call } from '../support/client.ts';
import { freePort } from '../support/free-port.ts';
import { sendJson } from '../support/send.ts';

const KEYS = { INIT_PROJECT_API_KEY: 'phc_relay_project_key', INIT_PERSONAL_API_KEY: 'phx_relay_personal_key' };
const folder = makeTempDir();
const running = new Set<ChildProcess>();
afterAll(async () => {
  for (const child of running) await kill(child);
  folder.remove();
});

async function start(env: Record<string, string>): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['dist/main.js'], {
    cwd: new URL('../..', import.meta.url).pathname,
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  running.add(child);
  let text = '';
  await new Promise<void>((resolve, reject) => {
    child.once('exit', () => reject(new Error(text)));
    child.stdout?.on('data', (chunk) => {
      text += chunk;
      if (text.includes('"msg":"ready"')) resolve();
    });
  });
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  running.delete(child);
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

it('stores every event that the relay has acknowledged, once', { timeout: 180_000 }, async () => {
  const [serverPort, relayPort] = [await freePort(), await freePort()];
  const serverUrl = `http://127.0.0.1:${serverPort}`;
  const relayUrl = `http://127.0.0.1:${relayPort}`;
  const startServer = () => start({ ...KEYS, PORT: String(serverPort), DATA_DIR: folder.path('server') });
  let server = await startServer();
  const api = (method: string, path: string) => call(serverUrl, method, path, { key: KEYS.INIT_PERSONAL_API_KEY });
  const { body } = await api('PATCH', '/api/projects/1/rotate_secret_token/');
  const startRelay = () =>
    start({
      ROLE: 'relay',
      UPSTREAM_URL: serverUrl,
      UPSTREAM_KEY: body.secret_api_token,
      PORT: String(relayPort),
      DATA_DIR: folder.path('relay'),
    });
  let relay = await startRelay();
  await expect.poll(async () => (await fetch(`${relayUrl}/_readyz`)).status, { timeout: 10_000 }).toBe(200);
  const memoryMb = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${relay.pid}/status`, 'utf8'))?.[1]) / 1024;
  expect(memoryMb).toBeLessThan(90);

  let isOver = false;
  const acknowledged: string[] = [];
  const sending = (async () => {
    for (let n = 0; !isOver; n++) {
      const batch = [0, 1].map((i) => ({ event: `event ${n}-${i}`, distinct_id: 'ada' }));
      const answer = await sendJson(relayUrl, '/batch/', { api_key: KEYS.INIT_PROJECT_API_KEY, batch }).catch(
        () => null,
      );
      if (answer?.status === 200) acknowledged.push(...batch.map(({ event }) => event));
      else await sleep(50);
    }
  })();
  for (let round = 0; round < 6; round++) {
    await sleep(700);
    if (round % 2 === 0) {
      await kill(relay);
      relay = await startRelay();
    } else {
      await kill(server);
      await sleep(300);
      server = await startServer();
    }
  }
  await sleep(500);
  isOver = true;
  await sending;
  const waiting = async () =>
    ((await (await fetch(`${relayUrl}/_status`)).json()) as { events: { waiting: number } }).events.waiting;
  await expect.poll(waiting, { timeout: 60_000, interval: 200 }).toBe(0);
  const counts = async () => (await api('GET', '/_status')).body.ingest;
  await expect.poll(async () => (await counts()).pending, { timeout: 60_000, interval: 200 }).toBe(0);
  const stored = new Map<string, number>();
  for (let url = '/api/projects/1/events/?limit=1000'; url !== ''; ) {
    const page = (await api('GET', url)).body;
    for (const { event } of page.results) stored.set(event, (stored.get(event) ?? 0) + 1);
    url = page.next === null ? '' : page.next.replace(/^https?:\/\/[^/]+/, '');
  }
  expect(acknowledged.length).toBeGreaterThan(20);
  expect(acknowledged.filter((name) => !stored.has(name))).toEqual([]);
  expect([...stored].filter(([, count]) => count !== 1)).toEqual([]);
});
