/**
 * Every capture protocol through a relay, with a server process and a relay process: what the relay has acknowledged while
 * the server was away is stored once it is back, and as if it had come directly.
 */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { makeTempDir } from '../contract/temp-dir.ts';
import { call } from '../support/client.ts';
import { freePort } from '../support/free-port.ts';
import { type Sent, send } from '../support/send.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';

const PROJECT_KEY = 'phc_relay_project_key';
const PERSONAL_KEY = 'phx_relay_personal_key';
const folder = makeTempDir();
let serverPort: number;
let relayPort: number;
let secret: string;
let server: ServerProcess;
let relay: ServerProcess;

const startServer = () =>
  startServerProcess(folder.path('server'), {
    env: { PORT: String(serverPort), INIT_PROJECT_API_KEY: PROJECT_KEY, INIT_PERSONAL_API_KEY: PERSONAL_KEY },
  });
const startRelay = () =>
  startServerProcess(folder.path('relay'), {
    env: {
      ROLE: 'relay',
      PORT: String(relayPort),
      UPSTREAM_URL: `http://127.0.0.1:${serverPort}`,
      UPSTREAM_KEY: secret,
    },
  });
const api = (method: string, path: string) => call(server.url, method, path, { key: PERSONAL_KEY });

beforeAll(async () => {
  [serverPort, relayPort] = [await freePort(), await freePort()];
  server = await startServer();
  secret = (await api('PATCH', '/api/projects/1/rotate_secret_token/')).body.secret_api_token;
  relay = await startRelay();
  await vi.waitUntil(async () => (await fetch(`${relay.url}/_readyz`)).ok, { timeout: 30_000 });
});
afterAll(async () => {
  await relay.kill();
  await server.kill();
  folder.remove();
});

const basic = { authorization: `Basic ${Buffer.from(`${PROJECT_KEY}:`).toString('base64')}` };
const json = { 'content-type': 'application/json' };
const TIME = '2026-01-15T11:00:00.000Z';

/** A different uuid for each event and way. */
const uuidFor = (way: Way, n: number) => `0190f2c4-8a50-7000-8000-0000000${way === 'direct' ? 1 : 2}000${n}`;

type Way = 'direct' | 'relayed';
interface Case {
  name: string;
  path: string;
  /** The names of the events that are stored. */
  stored: readonly string[];
  request(way: Way): Sent;
}

const v1 = (way: Way): Sent => ({
  headers: {
    ...json,
    authorization: `Bearer ${PROJECT_KEY}`,
    'posthog-sdk-info': 'posthog-node/9.9.9',
    'posthog-attempt': '1',
    'posthog-request-id': '0190f2c4-8a50-7000-8000-000000000099',
    'posthog-request-timestamp': '2026-01-15T11:00:05Z',
  },
  body: JSON.stringify({
    batch: [
      {
        event: 'v1 bought',
        uuid: uuidFor(way, 1),
        distinct_id: `${way} v1`,
        timestamp: TIME,
        session_id: 'session-1',
        properties: { amount: 20 },
        options: { disable_skew_correction: true, process_person_profile: false },
      },
      {
        event: '$identify',
        uuid: uuidFor(way, 2),
        distinct_id: `${way} v1`,
        timestamp: TIME,
        properties: { $set: { plan: 'pro' } },
        options: { disable_skew_correction: true },
      },
      { event: '', uuid: uuidFor(way, 3), distinct_id: `${way} v1`, timestamp: TIME },
    ],
  }),
});

const segment = (name: string, path: string, stored: readonly string[], body: (way: Way) => object): Case => ({
  name: `Segment's ${name}`,
  path,
  stored,
  request: (way) => ({ headers: { ...json, ...basic }, body: JSON.stringify(body(way)) }),
});

const CASES: readonly Case[] = [
  { name: 'V1', path: '/i/v1/analytics/events', stored: ['v1 bought', '$identify'], request: v1 },
  segment('track', '/v1/track', ['segment bought'], (way) => ({
    userId: `${way} track`,
    event: 'segment bought',
    messageId: 'm-1',
    timestamp: TIME,
    properties: { amount: 7 },
    context: { library: { name: 'analytics-node', version: '1.0' }, ip: '8.8.8.8' },
  })),
  segment('identify', '/v1/identify', ['$identify'], (way) => ({
    userId: `${way} identify`,
    anonymousId: `${way} anonymous`,
    messageId: 'm-2',
    timestamp: TIME,
    traits: { plan: 'team' },
  })),
  segment('page', '/v1/page', ['$pageview'], (way) => ({
    anonymousId: `${way} page`,
    messageId: 'm-3',
    timestamp: TIME,
    name: 'Home',
    properties: { url: 'https://example.org/a' },
  })),
  segment('screen', '/v1/screen', ['$screen'], (way) => ({
    userId: `${way} screen`,
    messageId: 'm-4',
    timestamp: TIME,
    name: 'Main',
  })),
  segment('group', '/v1/group', ['$groupidentify'], (way) => ({
    userId: `${way} group`,
    groupId: `${way} company`,
    messageId: 'm-5',
    timestamp: TIME,
    traits: { seats: 5 },
  })),
  segment('alias', '/v1/alias', ['$create_alias'], (way) => ({
    userId: `${way} new`,
    previousId: `${way} old`,
    messageId: 'm-6',
    timestamp: TIME,
  })),
  {
    name: "Segment's batch, with the key in the body",
    path: '/v1/batch',
    stored: ['in a batch', 'in a batch', '$identify'],
    request: (way) => ({
      headers: json,
      body: JSON.stringify({
        writeKey: PROJECT_KEY,
        batch: [
          { type: 'track', userId: `${way} batch`, event: 'in a batch', messageId: 'm-7', timestamp: TIME },
          { type: 'track', userId: `${way} batch`, event: 'in a batch', messageId: 'm-8', timestamp: TIME },
          { type: 'identify', userId: `${way} batch`, messageId: 'm-9', timestamp: TIME, traits: { plan: 'x' } },
          { type: 'unheard of', userId: `${way} batch`, messageId: 'm-10', timestamp: TIME },
        ],
      }),
    }),
  },
  {
    name: 'a report of a browser',
    path: '/report/',
    stored: ['$csp_violation'],
    request: (way) => ({
      query: { token: PROJECT_KEY, distinct_id: `${way} report` },
      headers: { 'content-type': 'application/csp-report' },
      body: JSON.stringify({
        'csp-report': { 'document-uri': 'https://example.org/', 'violated-directive': 'script-src' },
      }),
    }),
  },
  {
    name: 'properties of a person, without a name',
    path: '/engage/',
    stored: ['$identify'],
    request: (way) => ({
      headers: json,
      body: JSON.stringify({
        api_key: PROJECT_KEY,
        $distinct_id: `${way} engage`,
        timestamp: TIME,
        $set: { plan: 'old' },
      }),
    }),
  },
  {
    name: 'a list at /engage/, where names are needed',
    path: '/engage/',
    stored: ['first', 'second'],
    request: (way) => ({
      headers: json,
      body: JSON.stringify(
        [{ event: 'first' }, { event: 'second' }, { $set: { plan: 'none' } }].map((event) => ({
          api_key: PROJECT_KEY,
          distinct_id: `${way} list`,
          timestamp: TIME,
          ...event,
        })),
      ),
    }),
  },
  {
    name: 'an event with a value that is nested without end',
    path: '/batch/',
    stored: ['beside it'],
    request: (way) => ({
      headers: json,
      body: `{"api_key":"${PROJECT_KEY}","batch":[
        {"event":"too deep","distinct_id":"${way} deep","properties":{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}},
        {"event":"beside it","distinct_id":"${way} deep","timestamp":"${TIME}"}]}`,
    }),
  },
];

interface Stored {
  id: string;
  event: string;
  distinct_id: string;
  timestamp: string;
  properties: Record<string, unknown>;
}

/** What came by one way, without what tells the way. */
async function storedBy(way: Way): Promise<unknown[]> {
  const events: Stored[] = [];
  for (let path = '/api/projects/1/events/?limit=1000&after=2020-01-01'; path !== ''; ) {
    const { body } = await api('GET', path);
    events.push(...body.results);
    path = body.next === null ? '' : body.next.replace(/^https?:\/\/[^/]+/, '');
  }
  const own = events.filter(({ distinct_id }) => distinct_id.startsWith(`${way} `));
  return own
    .map(({ event, distinct_id, timestamp, properties }) => {
      const isTimed = event !== '$csp_violation';
      return [distinct_id, event, isTimed ? timestamp : '', properties];
    })
    .map((one) => JSON.parse(JSON.stringify(one).replaceAll(`${way} `, '')))
    .sort((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));
}

const waiting = async () => (await relay.status()).events.waiting;
const ingest = async () => (await api('GET', '/_status')).body.ingest;

it('stores what came while the server was away, once, and as if it had come directly', async () => {
  const answers = new Map<string, unknown>();
  for (const { name, path, request } of CASES) {
    const { status, json: body } = await send(server.url, path, request('direct'));
    answers.set(name, [status, asSaid(body, 'direct')]);
  }
  await expect.poll(async () => (await ingest()).pending, { timeout: 30_000 }).toBe(0);
  const before = await ingest();
  await server.kill();

  for (const { name, path, request } of CASES) {
    const { status, json: body } = await send(relay.url, path, request('relayed'));
    expect([name, [status, asSaid(body, 'relayed')]]).toEqual([name, answers.get(name)]);
  }
  const accepted = await waiting();
  // A killed relay has what it has acknowledged.
  await relay.kill();
  relay = await startRelay();
  expect(await waiting()).toBe(accepted);

  server = await startServer();
  await expect.poll(waiting, { timeout: 60_000, interval: 100 }).toBe(0);
  // An SDK that got no answer sends the same events again.
  for (const { path, request } of CASES.slice(0, 2)) await send(relay.url, path, request('relayed'));
  await expect.poll(waiting, { timeout: 60_000, interval: 100 }).toBe(0);
  await expect.poll(async () => (await ingest()).pending, { timeout: 30_000 }).toBe(0);

  const direct = await storedBy('direct');
  expect(direct.map((one) => (one as unknown[])[1]).sort()).toEqual(CASES.flatMap(({ stored }) => stored).sort());
  expect(await storedBy('relayed')).toEqual(direct);
  // What is wrong with an event is counted as often, for the same reasons.
  const reasons = Object.entries<number>(before.dropped).map(([reason, count]) => [reason, 2 * count]);
  expect((await ingest()).dropped).toEqual(Object.fromEntries(reasons));
  const { events } = await relay.status();
  expect(events).toMatchObject({ refused: 0, waiting: 0 });
}, 180_000);

/** An answer of V1 names its events by their uuids. */
const asSaid = (body: unknown, way: Way): unknown =>
  body === null ? null : JSON.parse(JSON.stringify(body).replaceAll(uuidFor(way, 0).slice(0, -1), ''));

it('answers what is wrong as the server does', async () => {
  const wrong: readonly [string, Sent][] = [
    ['/i/v1/analytics/events', { headers: json, body: '{}' }],
    ['/i/v1/analytics/events', { ...v1('direct'), body: '{"batch":[]}' }],
    ['/i/v1/analytics/events', { ...v1('direct'), body: '{"batch":[{"event":"a"}]}' }],
    ['/i/v1/analytics/events', { ...v1('direct'), body: 'no json' }],
    ['/v1/track', { headers: { ...json, ...basic }, body: '' }],
    ['/v1/track', { headers: { ...json, ...basic }, body: '[1]' }],
    ['/v1/batch', { headers: json, body: '{"batch":[{"type":"track"}]}' }],
    ['/report/', { headers: json, body: '{}' }],
    ['/e/', { headers: json, body: JSON.stringify({ api_key: PROJECT_KEY, event: 'a', properties: 'x' }) }],
  ];
  for (const [path, request] of wrong) {
    const [ours, theirs] = [await send(relay.url, path, request), await send(server.url, path, request)];
    expect([path, ours.status, ours.json]).toEqual([path, theirs.status, theirs.json]);
    expect(ours.status).toBeGreaterThanOrEqual(400);
    expect(ours.status).toBeLessThan(500);
  }
  for (const [path, request] of [
    [
      '/i/v1/analytics/events',
      { ...v1('direct'), headers: { ...v1('direct').headers, authorization: 'Bearer phc_x' } },
    ],
    [
      '/v1/track',
      { headers: { ...json, authorization: `Basic ${Buffer.from('phc_x:').toString('base64')}` }, body: '{}' },
    ],
  ] as const) {
    expect((await send(relay.url, path, request)).status).toBe(401);
  }
});
