/** Visitors without cookies, as posthog-js sends them: told apart, and nothing of them kept. */
import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call, clientFor } from '../support/client.ts';
import { findTraces } from '../support/find-traces.ts';
import { send } from '../support/send.ts';
import { isEmbedded, isWithoutEvents, START, startServer, type TestServer } from '../support/server.ts';

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0';
const SWISS = '129.132.19.216';

let server: TestServer;
let client: ReturnType<typeof clientFor>;
beforeAll(async () => {
  server = await startServer({ config: { trustProxy: true } });
  client = clientFor(server);
});
afterAll(() => server.close());

const pageview = (more: object = {}, properties: object = {}) => ({
  event: '$pageview',
  distinct_id: '$posthog_cookieless',
  properties: {
    distinct_id: '$posthog_cookieless',
    $cookieless_mode: true,
    $device_id: null,
    $raw_user_agent: FIREFOX,
    $host: 'www.example.com',
    $current_url: 'https://www.example.com/a',
    $lib: 'web',
    $timezone: 'Europe/Zurich',
    $cookieless_extra: 'tenant-7',
    $set_once: { $initial_raw_user_agent: FIREFOX, $initial_host: 'www.example.com' },
    ...properties,
  },
  ...more,
});

async function accept(batch: readonly object[], ip = SWISS): Promise<void> {
  const { status } = await send(server.url, '/batch/', {
    headers: {
      'content-type': 'application/json',
      'user-agent': FIREFOX,
      'x-forwarded-for': ip,
      origin: 'https://example.com',
    },
    body: JSON.stringify({ api_key: server.projectKey, batch }),
  });
  expect(status).toBe(200);
}

async function capture(batch: readonly object[], ip?: string): Promise<void> {
  await accept(batch, ip);
  await server.drain();
}

const events = async () => (await client.get('/api/projects/1/events/?limit=100')).body.results;

describe.skipIf(isWithoutEvents)('a visitor without cookies', () => {
  it('is somebody of their own, with a session, a country and a browser, and without a trace', async () => {
    await capture([pageview(), pageview()]);
    await capture([pageview()], '8.8.8.8');
    const all = await events();
    const isSwiss = (one: { properties: Record<string, unknown> }) => one.properties['$geoip_country_code'] === 'CH';
    const same = all.filter(isSwiss);
    const [other, ...more] = all.filter((one: { properties: Record<string, unknown> }) => !isSwiss(one));
    expect(same).toHaveLength(2);
    expect(more).toEqual([]);
    expect(new Set(same.map((one: { distinct_id: string }) => one.distinct_id)).size).toBe(1);
    expect(other.distinct_id).not.toBe(same[0].distinct_id);
    expect(same[0].distinct_id).toMatch(/^cookieless_[A-Za-z0-9+/]{22}$/);
    expect(same[0].properties).toMatchObject({
      $cookieless_mode: true,
      $device_id: expect.stringMatching(/^cookielessd_/),
      $session_id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
      $geoip_country_code: 'CH',
      $browser: 'Firefox',
      $set_once: { $initial_host: 'www.example.com' },
    });
    for (const key of ['$ip', '$raw_user_agent', '$cookieless_extra'])
      expect(same[0].properties).not.toHaveProperty([key]);
    expect(same[0].properties['$set_once']).not.toHaveProperty('$initial_raw_user_agent');
    const persons = (await client.get('/api/projects/1/persons/')).body.results;
    expect(persons.flatMap((one: { distinct_ids: string[] }) => one.distinct_ids)).not.toContain('$posthog_cookieless');
    expect(persons).toHaveLength(2);
  });

  it.skipIf(!isEmbedded)(
    'leaves address, user agent and extra value nowhere on disk, neither before nor after events are processed',
    async () => {
      const hidden = ['129.132.77.88', 'SecretBrowser/9', 'extra-value-of-the-site'];
      const agent = { $raw_user_agent: `${FIREFOX} SecretBrowser/9`, $cookieless_extra: 'extra-value-of-the-site' };
      const kept = { ...agent, kept: 'a-value-that-is-kept' };
      // Among them one that is dropped with a warning.
      await accept([pageview({}, kept), pageview({ event: '$create_alias' }, kept)], '129.132.77.88');
      const accepted = await findTraces(server.dataDir, hidden, 'a-value-that-is-kept');
      await server.drain();
      const processed = await findTraces(server.dataDir, hidden, 'a-value-that-is-kept');
      expect([...accepted, ...processed]).toEqual([]);
    },
  );

  it('beside an ordinary one in a request leaves that one as it is', async () => {
    const ordinary = { event: 'ordinary', distinct_id: 'ada', properties: { $current_url: 'https://example.com/' } };
    await capture([pageview(), ordinary]);
    const { properties } = (await client.get('/api/projects/1/events/?event=ordinary')).body.results[0];
    expect(properties).toMatchObject({ $ip: SWISS, $geoip_country_code: 'CH', $browser: 'Firefox' });
  });

  it('has the flags of the id that their events have', async () => {
    await server.addFlag({ key: 'all', filters: { groups: [{ properties: [], rollout_percentage: 50 }] } });
    const ask = async (distinctId: string, origin?: string) =>
      (
        await send(server.url, '/flags/?v=2', {
          headers: { 'user-agent': FIREFOX, 'x-forwarded-for': SWISS, ...(origin && { origin }) },
          body: JSON.stringify({ token: server.projectKey, distinct_id: distinctId, timezone: 'Europe/Zurich' }),
        })
      ).json.flags.all.enabled;
    await capture([pageview({ event: 'asked' }, { $cookieless_extra: '' })]);
    const { distinct_id: id } = (await client.get('/api/projects/1/events/?event=asked')).body.results[0];
    expect(await ask('$posthog_cookieless', 'https://example.com')).toBe(await ask(id));
    expect(typeof (await ask('$posthog_cookieless'))).toBe('boolean');
  });

  it.each([
    ['cookieless_disallowed_event', pageview({ event: '$create_alias' })],
    ['cookieless_missing_user_agent', pageview({}, { $raw_user_agent: '' })],
    ['cookieless_missing_ip', pageview({}, { $ip: 'nonsense' })],
    ['cookieless_missing_host', pageview({}, { $host: '' })],
    ['cookieless_out_of_date', pageview({ timestamp: '2026-01-10T00:00:00Z' })],
  ])('is told why an event is dropped: %s', async (reason, event) => {
    const before = (await server.counters()).dropped[reason] ?? 0;
    await capture([event]);
    expect((await server.counters()).dropped[reason]).toBe(before + 1);
    const warnings = (await client.get('/api/projects/1/ingestion_warnings/')).body.results;
    expect(JSON.stringify(warnings)).toContain(reason);
  });

  const change = (mode: number) =>
    call(server.url, 'PATCH', '/api/projects/1/', { body: { cookieless_server_hash_mode: mode } });

  it('is one person with whom they sign in as, and somebody new after that', async () => {
    const now = { distinct_id: 'grace', $host: 'shop.test' };
    const signIn = { ...now, $anon_distinct_id: '$posthog_cookieless' };
    const shop = { $host: 'shop.test' };
    await capture([pageview({ event: 'before' }, shop)]);
    await capture([pageview({ event: '$identify', distinct_id: 'grace' }, signIn)]);
    await capture([pageview({ event: 'after', distinct_id: 'grace' }, now)]);
    await capture([pageview({ event: 'next' }, shop)]);
    const [before, after, next] = await Promise.all(
      ['before', 'after', 'next'].map(
        async (name) => (await client.get(`/api/projects/1/events/?event=${name}`)).body.results[0],
      ),
    );
    const [person] = (await client.get('/api/projects/1/persons/?distinct_id=grace')).body.results;
    expect(person.distinct_ids).toEqual(expect.arrayContaining(['grace', before.distinct_id]));
    expect(person.distinct_ids).toHaveLength(2);
    expect(after.properties['$session_id']).toBe(before.properties['$session_id']);
    expect(next.distinct_id).toMatch(/^cookieless_/);
    expect(person.distinct_ids).not.toContain(next.distinct_id);
    expect(next.properties['$session_id']).not.toBe(before.properties['$session_id']);
  });

  it('cannot sign in where the project keeps no state', async () => {
    await change(1);
    await capture([pageview({ event: '$identify', distinct_id: 'ada' })]);
    await change(2);
    expect((await server.counters()).dropped['cookieless_disallowed_identify']).toBe(1);
  });

  it('is not taken where the project says so', async () => {
    await change(0);
    await capture([pageview()]);
    await change(2);
    expect((await server.counters()).dropped['cookieless_off']).toBe(1);
  });

  it.skipIf(!isEmbedded)('is the same as long as the day lasts, and another on the next', async () => {
    const ids = async () => new Set((await events()).map((one: { distinct_id: string }) => one.distinct_id));
    const before = await ids();
    const { dataDir } = server;
    server.setNow(START);
    expect(readdirSync(`${dataDir}/cookieless-salts`)).toEqual(['2026-01-15']);
    await capture([pageview()]);
    expect(await ids()).toEqual(before);
    server.setNow('2026-01-16T15:00:00Z');
    await capture([pageview()]);
    expect((await ids()).size).toBe(before.size + 1);
  });
});
