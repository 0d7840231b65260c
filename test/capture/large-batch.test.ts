/** Batches of some megabytes, which are read a few events at a time. */
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { send } from '../support/send.ts';
import { startServer, type TestServer } from '../support/server.ts';

const COUNT = 12_000;
const IDS = 40;

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

const anEvent = (name: string, n: number) => ({
  event: name,
  distinct_id: `visitor ${n % IDS}`,
  properties: { n, url: `https://example.org/${n}`, note: 'brackets ]}[{ and "quotes", \\ and commas,', plan: 'pro' },
});
const events = (name: string, count = COUNT) => Array.from({ length: count }, (_, n) => anEvent(name, n));

const batchOf = (body: string | Buffer, headers: Record<string, string> = {}) =>
  send(server.url, '/batch/', { body, headers });

const stored = async (name: string) => {
  await server.drain();
  const [row] = await server.query(
    `select count(*) as n, count(distinct uuid) as uuids from event_rows where event = $1`,
    [name],
  );
  return row;
};

it.each<[string, () => [string | Buffer, Record<string, string>?]]>([
  ['an envelope', () => [JSON.stringify({ api_key: server.projectKey, batch: events('an envelope') })]],
  [
    'an envelope whose key comes last',
    () => [JSON.stringify({ batch: events('an envelope whose key comes last'), api_key: server.projectKey })],
  ],
  ['a list', () => [JSON.stringify(events('a list').map((one) => ({ ...one, api_key: server.projectKey })))]],
  [
    'a packed one',
    () => [
      gzipSync(JSON.stringify({ api_key: server.projectKey, batch: events('a packed one') }, null, 2)),
      { 'content-encoding': 'gzip' },
    ],
  ],
])('stores all of %s, each once', async (name, make) => {
  const [body, headers] = make();
  expect(await batchOf(body, headers)).toMatchObject({ status: 200, json: { status: 1 } });
  expect(await stored(name)).toEqual({ n: COUNT, uuids: COUNT });
  const rows = await server.query(`select properties from event_rows where event = $1 and distinct_id = 'visitor 7'`, [
    name,
  ]);
  const numbers = rows.map(({ properties }) => (JSON.parse(String(properties)) as { n: number }).n);
  expect(new Set(numbers)).toEqual(new Set(Array.from({ length: COUNT / IDS }, (_, i) => i * IDS + 7)));
});

it('refuses the whole batch for an error at its end', async () => {
  const cut = JSON.stringify({ api_key: server.projectKey, batch: events('refused') }).slice(0, -20);
  const broken = await batchOf(cut);
  expect([broken.status, broken.json.code]).toEqual([400, 'invalid_payload']);
  expect(broken.json.detail).toMatch(/^Malformed request data: Invalid JSON: /);
  expect(await stored('refused')).toEqual({ n: 0, uuids: 0 });
});

it('drops an event at its end alone', async () => {
  const batch = [...events('kept'), { ...anEvent('kept', 0), uuid: 'none' }];
  expect((await batchOf(JSON.stringify({ api_key: server.projectKey, batch }))).status).toBe(200);
  expect(await stored('kept')).toEqual({ n: COUNT, uuids: COUNT });
  expect((await server.counters()).dropped['invalid_uuid']).toBe(1);
});

it('refuses a wrong key before it checks the events', async () => {
  const batch = [...events('foreign'), { ...anEvent('foreign', 0), uuid: 'none' }];
  expect((await batchOf(JSON.stringify({ api_key: 'phc_nobody', batch }))).status).toBe(401);
});

it('lets the next decision see what a large batch has set', async () => {
  const set = (n: number) => ({
    event: '$set',
    distinct_id: `customer ${n}`,
    properties: { $set: { plan: 'pro', filler: 'x'.repeat(100) } },
  });
  const filters = {
    groups: [
      { properties: [{ key: 'plan', value: 'pro', type: 'person', operator: 'exact' }], rollout_percentage: 100 },
    ],
  };
  const made = await fetch(`${server.url}/api/projects/${server.projectId}/feature_flags/`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.personalKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ key: 'pro', name: '', active: true, filters }),
  });
  expect(made.status).toBe(201);
  // Enough to be read in parts, and few enough to be processed while the decision waits, also on a busy machine.
  const batch = Array.from({ length: 600 }, (_, n) => set(n));
  expect((await batchOf(JSON.stringify({ api_key: server.projectKey, batch }))).status).toBe(200);
  const body = JSON.stringify({ token: server.projectKey, distinct_id: 'customer 599' });
  const decided = await fetch(`${server.url}/decide/?v=3`, { method: 'POST', body });
  expect(((await decided.json()) as { featureFlags: object }).featureFlags).toEqual({ pro: true });
});
