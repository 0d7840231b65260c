/** Properties that questions ask for get a column of their own, on a started server, without anybody noticing. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { capture, type SentEvent } from '../support/capture.ts';
import { clientFor } from '../support/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

const bought = (plan: unknown, who: string): SentEvent => ({
  event: 'bought',
  distinct_id: who,
  timestamp: '2026-01-15T10:00:00Z',
  properties: { ...(plan === undefined ? {} : { plan }), $set: { team: plan } },
});

/** The numbers of each value, as pairs. */
async function ask(breakdown: string, type: 'event' | 'person'): Promise<[string, number][]> {
  const { status, body } = await clientFor(server).post(`/api/projects/${server.projectId}/insights/trend/`, {
    body: { events: [{ id: 'bought' }], date_from: '2026-01-14', breakdown, breakdown_type: type, refresh: true },
  });
  expect([status, body.detail]).toEqual([200, undefined]);
  return body.result.map((item: { breakdown_value: string; count: number }) => [item.breakdown_value, item.count]);
}

const promoted = async (): Promise<unknown> =>
  ((await (await fetch(`${server.url}/_status`)).json()) as { promoted_columns: unknown }).promoted_columns;

async function untilPromoted(ready: number): Promise<void> {
  const wanted = JSON.stringify({ ready, filling: [] });
  for (let i = 0; i < 200 && JSON.stringify(await promoted()) !== wanted; i++) await sleep(50);
  expect(await promoted()).toEqual({ ready, filling: [] });
}

it('gives the same answers before and after, also for later events', async () => {
  await capture(server, server.projectKey, [
    bought('pro', 'ann'),
    bought('pro', 'bob'),
    bought(5, 'cyd'),
    bought(null, 'dan'),
    bought(undefined, 'eve'),
  ]);
  const before = [
    ['pro', 2],
    ['', 1],
    ['5', 1],
    ['null', 1],
  ];
  const sorted = (pairs: unknown[]): unknown[] => pairs.map((pair) => JSON.stringify(pair)).sort();
  expect(await promoted()).toEqual({ ready: 0, filling: [] });
  for (let i = 0; i < 3; i++) expect(sorted(await ask('plan', 'event'))).toEqual(sorted(before));
  await untilPromoted(1);
  expect(sorted(await ask('plan', 'event'))).toEqual(sorted(before));
  for (let i = 0; i < 3; i++) expect(sorted(await ask('team', 'person'))).toEqual(sorted(before));
  await untilPromoted(2);
  await capture(server, server.projectKey, [bought('free', 'fay'), bought('pro', 'ann'), bought(null, 'gus')]);
  const after = [
    ['pro', 3],
    ['null', 2],
    ['', 1],
    ['5', 1],
    ['free', 1],
  ];
  expect(sorted(await ask('plan', 'event'))).toEqual(sorted(after));
  expect(sorted(await ask('team', 'person'))).toEqual(sorted(after));
});
