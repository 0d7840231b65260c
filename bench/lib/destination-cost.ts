/** What a destination costs for each captured event: CPU time of the server until everything is processed and sent. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningProcess, startProcess } from './processes.ts';
import { median } from './race.ts';
import { untilProcessed } from './until-processed.ts';
import { fill, KEYS } from './waits.ts';

/** Without a destination; with one that wants no event; with all events waiting; and with all events sent in batches. */
const CASES = ['none', 'filtered', 'waiting', 'sent'] as const;
type Case = (typeof CASES)[number];
/** The first one warms up. */
const ROUNDS = 4;

export async function measureDestinationCost(events: number) {
  const receiver = await openReceiver();
  const dataDir = mkdtempSync(join(tmpdir(), 'cairn-bench-destinations-'));
  const env = { ...KEYS, DATA_DIR: dataDir, PORT: '0', HOST: '127.0.0.1', LOG_LEVEL: 'error' };
  const server = await startProcess(['dist/main.js'], { ...env, WEBHOOK_ALLOW_PRIVATE: 'true' });
  const micros = new Map(CASES.map((name): [Case, number[]] => [name, []]));
  try {
    for (let round = 0; round < ROUNDS; round++) {
      for (const name of round % 2 === 0 ? CASES : CASES.toReversed()) {
        const destination = await makeDestination(server, name, receiver.url);
        receiver.status = name === 'waiting' ? 503 : 200;
        const cpu = server.cpuSeconds();
        await fill(server, events);
        await untilProcessed(server);
        if (name === 'sent') await untilSent(server, destination, events);
        if (round > 0) micros.get(name)?.push(((server.cpuSeconds() - cpu) / events) * 1e6);
        if (destination !== '') await call(server, 'DELETE', `${ALL}${destination}/`);
      }
    }
    const cpuMicrosPerEvent = Object.fromEntries([...micros].map(([name, list]) => [name, Math.round(median(list))]));
    return { events, cpuMicrosPerEvent };
  } finally {
    await server.stop();
    receiver.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

const ALL = '/api/projects/1/hog_functions/';
const POLL_MS = 50;
const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, POLL_MS));

async function openReceiver() {
  const receiver = { url: '', status: 200, close: () => void server.close() };
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(receiver.status).end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return receiver;
}

async function call({ url }: RunningProcess, method: string, path: string, body?: object): Promise<Response> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${KEYS.INIT_PERSONAL_API_KEY}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response;
}

/** Returns its id; empty for none. */
async function makeDestination(server: RunningProcess, name: Case, url: string): Promise<string> {
  if (name === 'none') return '';
  const response = await call(server, 'POST', ALL, {
    template_id: 'template-webhook',
    name,
    enabled: true,
    filters: name === 'filtered' ? { events: [{ id: 'an event that never comes' }] } : {},
    inputs: { url: { value: url }, batch: { value: true } },
  });
  return ((await response.json()) as { id: string }).id;
}

async function untilSent(server: RunningProcess, id: string, events: number): Promise<void> {
  const sent = async (): Promise<number> => {
    const response = await call(server, 'GET', `${ALL}${id}/metrics/totals/`);
    return ((await response.json()) as { totals: { sent?: number } }).totals.sent ?? 0;
  };
  while ((await sent()) < events) await pause();
}
