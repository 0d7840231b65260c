/** A relay answers as its server does, near it or without it. */
import { PostHog } from 'posthog-node';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { everybody, those } from '../contract/flag-builders.ts';
import { makeTempDir, type TempDir } from '../contract/temp-dir.ts';
import { clientFor } from '../support/client.ts';
import { type EventSource, listen } from '../support/event-source.ts';
import { freePort } from '../support/free-port.ts';
import { startRelay, type TestRelay } from '../support/relay.ts';
import { sendJson } from '../support/send.ts';
import { startServer, type TestServer } from '../support/server.ts';

let folder: TempDir;
let port: number;
let server: TestServer;
let client: ReturnType<typeof clientFor>;
let secret: string;
let relay: TestRelay;
const more: (() => Promise<void> | void)[] = [];

const openServer = async (): Promise<TestServer> => startServer({ dataDir: folder.path('data'), config: { port } });

beforeEach(async () => {
  folder = makeTempDir();
  port = await freePort();
  server = await openServer();
  client = clientFor(server);
  secret = (await client.patch('/api/projects/1/rotate_secret_token/')).body.secret_api_token;
  await server.addFlag({ key: 'half', filters: everybody(50) });
  await server.addFlag({
    key: 'pro',
    filters: { ...those('plan', 'pro'), payloads: { true: '{"a":12345678901234567890}' } },
  });
  relay = await startRelay(server.url, secret);
  await caughtUp();
});
afterEach(async () => {
  for (const close of more.splice(0)) await close();
  await relay.close();
  await server.close();
  relay.remove();
  folder.remove();
});

const etagOf = async (url: string): Promise<string | null> =>
  (await fetch(new URL('/flags/definitions', url), { headers: { authorization: `Bearer ${secret}` } })).headers.get(
    'etag',
  );

const caughtUp = async (url = relay.url): Promise<void> =>
  expect.poll(() => etagOf(url), { timeout: 5000 }).toBe(await etagOf(server.url));

const flags = async (url: string, body: object, path = '/flags/?v=2') => {
  const { status, json, headers } = await sendJson(url, path, { token: server.projectKey, ...body });
  const { requestId: _id, evaluatedAt: _at, ...rest } = json;
  return { status, ...rest, stale: headers['x-cairn-stale'] };
};

const bothSay = async (body: object, path?: string) => {
  const [theirs, ours] = [await flags(server.url, body, path), await flags(relay.url, body, path)];
  expect(ours).toEqual(theirs);
  return ours;
};

describe('flags', () => {
  it('have the same values on every path', async () => {
    const body = { distinct_id: 'ada', person_properties: { plan: 'pro' } };
    for (const path of [
      '/decide/',
      '/decide/?v=2',
      '/decide/?v=3',
      '/decide/?v=4',
      '/flags/',
      '/flags/?v=1',
      '/flags/?v=2&config=true',
    ]) {
      await bothSay(body, path);
    }
    const { flags: values } = await bothSay(body);
    expect(values.pro).toMatchObject({ enabled: true, reason: { code: 'condition_match' } });
    const definitions = async (url: string, query: string) =>
      (
        await fetch(new URL(`/flags/definitions${query}`, url), { headers: { authorization: `Bearer ${secret}` } })
      ).text();
    expect(await definitions(relay.url, '?send_cohorts')).toBe(await definitions(server.url, '?send_cohorts'));
    const ofrep = async (url: string, path: string) => {
      const headers = { authorization: `Bearer ${server.projectKey}` };
      const { json } = await sendJson(url, path, { context: { targetingKey: 'ada', plan: 'pro' } }, headers);
      const { eventStreams: _streams, ...rest } = json;
      return rest;
    };
    for (const path of ['/ofrep/v1/evaluate/flags', '/ofrep/v1/evaluate/flags/pro', '/ofrep/v1/evaluate/flags/none']) {
      expect(await ofrep(relay.url, path)).toEqual(await ofrep(server.url, path));
    }
  });

  it('that depend on stored data are asked for, and fail as on a server that cannot read it when the server is away', async () => {
    await sendJson(server.url, '/capture/', {
      api_key: server.projectKey,
      event: '$identify',
      distinct_id: 'stored',
      properties: { $set: { plan: 'pro' } },
    });
    await server.drain();
    expect((await bothSay({ distinct_id: 'stored' })).flags.pro.enabled).toBe(true);
    expect((await bothSay({ distinct_id: 'stored', person_properties: { plan: 'free' } })).flags.pro.enabled).toBe(
      false,
    );
    expect((await bothSay({ distinct_id: 'unknown' })).flags.pro.enabled).toBe(false);
    await server.close();
    // Kept for a minute, and while the server is away for an hour.
    expect((await flags(relay.url, { distinct_id: 'stored' })).flags.pro.enabled).toBe(true);
    relay.setNow('2026-01-15T12:30:00Z');
    expect((await flags(relay.url, { distinct_id: 'stored' })).flags.pro.enabled).toBe(true);
    const other = await flags(relay.url, { distinct_id: 'another' });
    expect([other.status, other.errorsWhileComputingFlags, other.flags.pro.failed]).toEqual([200, true, true]);
    expect(other.flags.half.failed).toBeUndefined();
    server = await openServer();
  });

  it('with static cohorts have the values of the server, and the last ones while it is away', async () => {
    const batch = ['member', 'later'].map((distinct_id) => ({ event: 'seen', distinct_id }));
    await sendJson(server.url, '/batch/', { api_key: server.projectKey, batch });
    await server.drain();
    const { cohortMembers } = server.metadata;
    const { id } = await server.addCohort({ name: 'Beta', isStatic: true });
    const add = async (...distinctIds: string[]) =>
      cohortMembers.add(1, id, await cohortMembers.listPersonIdsByDistinctId(1, distinctIds));
    await add('member');
    const inCohort = (value: number) => ({ key: 'id', type: 'cohort', value });
    const { id: around } = await server.addCohort({
      filters: { properties: { type: 'AND', values: [inCohort(id)] } },
    });
    await server.addFlag({ key: 'beta', filters: { groups: [{ properties: [inCohort(id)] }] } });
    await server.addFlag({ key: 'around', filters: { groups: [{ properties: [inCohort(around)] }] } });
    await caughtUp();
    const values = async (distinct_id: string) => {
      const { flags: found } = await bothSay({ distinct_id, person_properties: { plan: 'free' } });
      return [found.beta.enabled, found.around.enabled];
    };
    expect(await values('member')).toEqual([true, true]);
    expect(await values('later')).toEqual([false, false]);
    expect(await values('unknown')).toEqual([false, false]);
    // Members are not definitions: that somebody was added is known within a minute.
    expect(await add('later')).toBe(1);
    relay.setNow('2026-01-15T12:01:00Z');
    expect(await values('later')).toEqual([true, true]);
    await server.close();
    relay.setNow('2026-01-15T12:30:00Z');
    const away = (distinct_id: string) => flags(relay.url, { distinct_id, person_properties: { plan: 'free' } });
    expect((await away('later')).flags.beta.enabled).toBe(true);
    const other = await away('never asked for');
    expect([other.errorsWhileComputingFlags, other.flags.beta.failed, other.flags.around.failed]).toEqual([
      true,
      true,
      true,
    ]);
    expect(other.flags.half.failed).toBeUndefined();
    // A flag that needs nothing stored is not asked for, where it is asked for alone.
    const alone = await flags(relay.url, { distinct_id: 'never asked for', flag_keys: ['half'] });
    expect(alone.errorsWhileComputingFlags).toBe(false);
    expect(Object.keys(alone.flags)).toEqual(['half']);
    relay.setNow('2026-01-15T13:01:01Z');
    expect((await away('later')).flags.beta.failed).toBe(true);
    server = await openServer();
    relay.setNow('2026-01-15T13:01:05Z');
    expect((await away('never asked for')).flags.beta).toMatchObject({ enabled: false });
    expect((await away('later')).flags.beta.enabled).toBe(true);
  });

  it('that depend on stored data are evaluated as for an unknown person, where that is wanted', async () => {
    await sendJson(server.url, '/capture/', {
      api_key: server.projectKey,
      event: '$identify',
      distinct_id: 'stored',
      properties: { $set: { plan: 'pro' } },
    });
    await server.drain();
    const apart = await startRelay(server.url, secret, { config: { relayFallthrough: 'default' } });
    more.push(async () => {
      await apart.close();
      apart.remove();
    });
    await caughtUp(apart.url);
    const answer = await flags(apart.url, { distinct_id: 'stored' });
    expect([answer.errorsWhileComputingFlags, answer.flags.pro.enabled]).toEqual([false, false]);
    const given = await flags(apart.url, { distinct_id: 'stored', person_properties: { plan: 'pro' } });
    expect(given.flags.pro.enabled).toBe(true);
  });

  it('change with those of the server, and clients of the relay hear of it', async () => {
    const open: EventSource[] = [];
    more.push(() => {
      for (const one of open) one.close();
    });
    const hear = async (path: string, headers = {}) => {
      const source = await listen(relay.url, path, headers);
      open.push(source);
      return source;
    };
    const bearer = { authorization: `Bearer ${secret}` };
    const source = await hear('/flags/definitions/stream', bearer);
    const first = (await source.next()).data.version;
    const bulk = await sendJson(
      relay.url,
      '/ofrep/v1/evaluate/flags',
      { context: { targetingKey: 'ada' } },
      { authorization: `Bearer ${server.projectKey}` },
    );
    const provider = await hear(bulk.json.eventStreams[0].endpoint.requestUri);
    await client.post('/api/projects/1/feature_flags/', { body: { key: 'new', filters: everybody(100) } });
    expect((await source.next()).data).toEqual({ version: first + 1, etag: await etagOf(server.url) });
    expect((await provider.next()).data).toMatchObject({ type: 'refetchEvaluation', etag: `"${first + 1}"` });
    expect((await bothSay({ distinct_id: 'ada' })).flags.new.enabled).toBe(true);
    for (const one of open) one.close();
  });

  it('come through relays of relays', async () => {
    const second = await startRelay(relay.url, secret);
    more.push(async () => {
      await second.close();
      second.remove();
    });
    await caughtUp(second.url);
    await client.post('/api/projects/1/feature_flags/', { body: { key: 'new', filters: everybody(100) } });
    await caughtUp(second.url);
    expect(await flags(second.url, { distinct_id: 'ada' })).toEqual(await flags(server.url, { distinct_id: 'ada' }));
    await second.flushUsage();
    await sendJson(second.url, '/e/', { api_key: server.projectKey, event: 'far', distinct_id: 'ada' });
    await expect.poll(async () => (await server.counters()).stored, { timeout: 5000 }).toBe(1);
  });

  it('are counted, once, at the server', async () => {
    const { body } = await client.get('/api/projects/1/feature_flags/?search=half');
    const id = body.results[0].id;
    const total = async () => (await client.get(`/api/projects/1/feature_flags/${id}/usage/?date_from=-1d`)).body.total;
    const before = await total();
    for (let i = 0; i < 5; i++) await flags(relay.url, { distinct_id: `user-${i}`, person_properties: { plan: 'x' } });
    await relay.flushUsage();
    await relay.flushUsage();
    expect((await total()) - before).toBe(5);
  });
});

describe('reports of usage', () => {
  const report = (body: object, key: string | null = secret) =>
    client.post('/flags/usage', { key, body: { node: 'a', sequence: 1, counts: [], ...body } });
  const count = (more: object = {}) => ({
    flag_id: 1,
    start: Date.parse('2026-01-15T12:00:00Z'),
    source: 'posthog-node/5',
    value: 'true',
    count: 2,
    ...more,
  });

  it('are taken once, of flags of the project and of times that can be', async () => {
    const { body } = await client.get('/api/projects/1/feature_flags/?search=half');
    const id = body.results[0].id;
    const total = async () => (await client.get(`/api/projects/1/feature_flags/${id}/usage/?date_from=-1d`)).body.total;
    const before = await total();
    const counts = [
      count({ flag_id: id }),
      count({ flag_id: id, start: Date.parse('2026-01-15T12:00:59Z') }),
      count({ flag_id: 999_999 }),
      count({ flag_id: id, start: 0 }),
      count({ flag_id: id, start: Date.parse('2030-01-01') }),
    ];
    expect((await report({ counts })).status).toBe(200);
    expect((await report({ counts })).status).toBe(200);
    expect((await total()) - before).toBe(4);
  });

  it('are refused without a key, and where they make no sense', async () => {
    expect((await report({}, null)).status).toBe(401);
    expect((await report({}, server.projectKey)).status).toBe(401);
    for (const [body, attr] of [
      [{ sequence: 0 }, 'sequence'],
      [{ sequence: 'x' }, 'sequence'],
      [{ node: '' }, 'node'],
      [{ counts: 'x' }, 'counts'],
      [{ counts: [count({ count: -1 })] }, 'counts__0__count'],
      [{ counts: [count({ value: 'x'.repeat(500) })] }, 'counts__0__value'],
    ] as const) {
      const answer = await report(body);
      expect([answer.status, answer.body.attr]).toEqual([400, attr]);
    }
  });
});

describe('who may ask a relay', () => {
  it.each([
    ['/decide/?v=3', { token: 'phc_another_project', distinct_id: 'a' }],
    ['/flags/?v=2', { token: '', distinct_id: 'a' }],
    ['/batch/', { api_key: 'phc_another_project', batch: [{ event: 'a', distinct_id: 'a' }] }],
    ['/batch/', { api_key: 'phx_unknown_key_of_nobody', batch: [{ event: 'a', distinct_id: 'a' }] }],
  ])('%s not with another key', async (path, body) => {
    expect((await sendJson(relay.url, path, body)).status).toBe(401);
  });

  it('reads definitions with a key that the server knows', async () => {
    const statusWith = async (key: string, path = '/flags/definitions') => {
      const answer = await fetch(new URL(path, relay.url), { headers: { authorization: `Bearer ${key}` } });
      await answer.body?.cancel();
      return answer.status;
    };
    expect(await statusWith(secret)).toBe(200);
    expect(await statusWith(server.personalKey)).toBe(200);
    expect(await statusWith('phx_unknown_key_of_nobody')).toBe(401);
    expect(await statusWith(server.projectKey)).toBe(401);
    expect(await statusWith('')).toBe(401);
    expect(await statusWith(secret, '/flags/definitions/stream?token=phc_another')).toBe(403);
    expect(await statusWith(secret, '/api/projects/2/feature_flags/local_evaluation/')).toBe(403);
    expect(await statusWith(secret, '/api/projects/1/persons/')).toBe(404);
  });

  it.each(['', '[', '{"event":1}', 'null', '"x"', '{"batch":"x"}'])(
    'answers %j with an error of the caller',
    async (body) => {
      const answer = await fetch(new URL('/batch/', relay.url), { method: 'POST', body });
      expect([400, 401]).toContain(answer.status);
    },
  );
});

describe('while the server is away', () => {
  it('the relay answers, starts again from its copy, and says how old it is', async () => {
    const body = { distinct_id: 'ada', person_properties: { plan: 'pro' } };
    const before = await flags(server.url, body);
    await expect.poll(async () => (await relay.status()).stale_seconds).toBe(0);
    await server.close();
    await expect.poll(async () => (await flags(relay.url, body)).flags).toEqual(before.flags);
    await relay.close();
    relay = await startRelay(server.url, secret, { dataDir: relay.dataDir, now: '2026-01-15T13:00:00Z' });
    expect(await flags(relay.url, body)).toEqual({ ...before, stale: '3600' });
    expect(await relay.status()).toMatchObject({ role: 'relay', stale_seconds: 3600, definitions_version: 1 });
    server = await openServer();
    client = clientFor(server);
    await client.post('/api/projects/1/feature_flags/', { body: { key: 'later', filters: everybody(100) } });
    await caughtUp();
    expect((await bothSay(body)).flags.later.enabled).toBe(true);
  });

  it('a relay without a copy is not ready', async () => {
    const fresh = await startRelay('http://127.0.0.1:9', secret);
    more.push(async () => {
      await fresh.close();
      fresh.remove();
    });
    expect((await fetch(new URL('/_readyz', fresh.url))).status).toBe(503);
    expect((await sendJson(fresh.url, '/decide/?v=3', { token: 'x', distinct_id: 'a' })).status).toBe(503);
    expect((await fresh.status()).stale_seconds).toBeNull();
  });

  it('events wait on the disk of the relay, and are stored once, as if they had come directly', async () => {
    await server.close();
    const batch = [
      {
        event: 'with an id',
        distinct_id: 'ada',
        uuid: '0190f2c4-8a50-7000-8000-000000000001',
        timestamp: '2026-01-15T11:00:00Z',
      },
      { event: 'without', distinct_id: 'ada', properties: { n: 12345 } },
      { event: 'late', distinct_id: 'ada', offset: 60_000 },
    ];
    const answer = await sendJson(relay.url, '/batch/', {
      api_key: server.projectKey,
      batch,
      sent_at: '2026-01-15T11:59:00Z',
    });
    expect([answer.status, answer.json]).toEqual([200, { status: 1 }]);
    expect((await relay.status()).events).toMatchObject({ waiting: 3 });
    await relay.close();
    relay = await startRelay(server.url, secret, { dataDir: relay.dataDir });
    expect((await relay.status()).events).toMatchObject({ waiting: 3 });
    server = await openServer();
    client = clientFor(server);
    await expect.poll(async () => (await relay.status()).events.waiting, { timeout: 10_000 }).toBe(0);
    await server.drain();
    expect(await server.counters()).toMatchObject({ stored: 3, duplicate: 0 });
    const { body } = await client.get('/api/projects/1/events/?after=2026-01-01');
    const seen = body.results.map((one: Record<string, unknown>) => [
      one['event'],
      Date.parse(String(one['timestamp'])),
    ]);
    expect(new Map(seen)).toEqual(
      new Map([
        ['with an id', Date.parse('2026-01-15T11:01:00Z')],
        ['without', Date.parse('2026-01-15T12:00:00Z')],
        ['late', Date.parse('2026-01-15T11:59:00Z')],
      ]),
    );
    expect(body.results.map((one: { properties: { $ip?: string } }) => one.properties.$ip)).toEqual(
      Array(3).fill('127.0.0.1'),
    );
  });
});

it('works with an SDK: local evaluation, decisions and events', async () => {
  await server.addFlag({ key: 'everybody', filters: everybody(100) });
  await caughtUp();
  const sdk = new PostHog(server.projectKey, {
    host: relay.url,
    personalApiKey: secret,
    flushAt: 1,
    fetchRetryCount: 0,
  });
  await sdk.reloadFeatureFlags();
  expect(await sdk.getAllFlags('ada', { personProperties: { plan: 'pro' } })).toMatchObject({
    everybody: true,
    pro: true,
  });
  const remote = new PostHog(server.projectKey, { host: relay.url, flushAt: 1, fetchRetryCount: 0 });
  expect(await remote.isFeatureEnabled('everybody', 'ada')).toBe(true);
  remote.capture({ distinctId: 'ada', event: 'bought', properties: { amount: 20 } });
  await remote.shutdown();
  await sdk.shutdown();
  await expect
    .poll(
      async () => (await client.get('/api/projects/1/events/?event=bought&after=2020-01-01')).body.results?.length,
      { timeout: 10_000 },
    )
    .toBe(1);
});
