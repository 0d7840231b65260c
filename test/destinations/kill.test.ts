/** A server that is killed again and again (SIGKILL) while it sends events to a webhook. `KILLS` for more than a few. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { call } from '../support/client.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';
import { startHook } from '../support/webhook.ts';

const KILLS = Number(process.env['KILLS'] ?? 6);
const KEY = 'phx_faults_personal_key';
const PEOPLE = ['ada', 'bob', 'cy', 'dot', 'eve'];
const SETTLED_MS = 60_000;

it('sends every event at least once, under one id, in order for each person', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'cairn-destinations-'));
  const hook = await startHook();
  const env = { WEBHOOK_ALLOW_PRIVATE: 'true' };
  let server: ServerProcess | null = null;
  try {
    server = await startServerProcess(dataDir, { env });
    const api = (method: string, path: string, body?: object) =>
      call(server?.url ?? '', method, `/api/projects/1/${path}`, { key: KEY, body });
    const made = await api('POST', 'hog_functions/', {
      template_id: 'template-webhook',
      enabled: true,
      inputs: {
        url: { value: hook.url },
        body: { value: { uuid: '{event.uuid}', person: '{event.distinct_id}', n: '{event.properties.n}' } },
      },
    });
    expect(made.status).toBe(201);
    const accepted = new Set<string>();
    let n = 0;
    for (let round = 0; round <= KILLS; round++) {
      const until = performance.now() + ((round * 137) % 900);
      let isKilled = false;
      const sending = (async () => {
        do {
          const batch = Array.from({ length: 25 }, () => ({
            event: 'step',
            uuid: randomUUID(),
            distinct_id: PEOPLE[n % PEOPLE.length],
            properties: { n: n++ },
          }));
          const status = await (server?.send(batch).catch(() => 0) ?? 0);
          if (status === 200) for (const { uuid } of batch) accepted.add(uuid);
          await sleep(20);
        } while (!isKilled && performance.now() < until + 200);
      })();
      // A failure now and then, so that there are retries at the moment of a kill.
      if (round % 3 === 1) hook.answers.push({ status: 500 });
      await sleep(Math.max(0, until - performance.now()));
      isKilled = true;
      if (round < KILLS) await server.kill();
      await sending;
      if (round < KILLS) server = await startServerProcess(dataDir, { env });
    }
    const waiting = async () => (await api('GET', `hog_functions/${made.body.id}/`)).body.status.waiting;
    await server.drain();
    for (const end = performance.now() + SETTLED_MS; (await waiting()) > 0 && performance.now() < end; )
      await sleep(200);
    expect(await waiting()).toBe(0);
    const received = hook.requests.map(({ headers, body }) => ({ id: headers['webhook-id'], ...JSON.parse(body) }));
    const first = [...new Map(received.toReversed().map((one) => [one.uuid, one])).values()].toReversed();
    expect([...accepted].filter((uuid) => !first.some((one) => one.uuid === uuid))).toEqual([]);
    for (const { id, uuid } of received) expect(id).toBe(`${uuid}:${made.body.id}`);
    const stored = (await server.status()).ingest.stored;
    expect(first.length).toBe(stored);
    for (const person of PEOPLE) {
      const order: number[] = first.filter((one) => one.person === person).map((one) => one.n);
      expect(order).toEqual(order.toSorted((a, b) => a - b));
    }
    console.info(`${KILLS} kills: ${accepted.size} accepted, ${stored} stored, ${received.length} requests`);
  } finally {
    await server?.kill();
    await hook.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}, 600_000);
