/** What capture adds to events: place, device, bot and own visit, and what it leaves out. */
import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call, clientFor } from '../support/client.ts';
import { findTraces } from '../support/find-traces.ts';
import { send } from '../support/send.ts';
import { isEmbedded, isWithoutEvents, startServer, type TestProject, type TestServer } from '../support/server.ts';
import { describeVectors } from '../support/vectors.ts';

type Properties = Record<string, unknown>;

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0';
const ZURICH = '129.132.19.216';
const SWITZERLAND = {
  $geoip_country_code: 'CH',
  $geoip_country_name: 'Switzerland',
  $geoip_continent_code: 'EU',
  $geoip_continent_name: 'Europe',
};
const PAGE = { $current_url: 'https://example.com/', $host: 'example.com', $pathname: '/', $lib: 'web' };

let server: TestServer;
let client: ReturnType<typeof clientFor>;
beforeAll(async () => {
  server = await startServer({ config: { trustProxy: true } });
  client = clientFor(server);
});
afterAll(() => server.close());

interface Visit {
  ip?: string | null;
  agent?: string;
  project?: Pick<TestProject, 'projectKey'>;
}

const capture = (body: object, { ip = ZURICH, agent = FIREFOX, project = server }: Visit = {}) =>
  send(server.url, '/capture/', {
    headers: { 'content-type': 'application/json', 'user-agent': agent, ...(ip && { 'x-forwarded-for': ip }) },
    body: JSON.stringify({ api_key: project.projectKey, ...body }),
  });

let count = 0;
/** The properties of one event as they are stored. */
async function stored(
  properties: Properties,
  visit: Visit & { event?: string; settings?: object } = {},
): Promise<Properties> {
  const project = visit.settings ? await projectWith(visit.settings) : null;
  const id = `visitor-${++count}`;
  await capture(
    { event: visit.event ?? '$pageview', distinct_id: id, properties },
    { ...visit, ...(project && { project }) },
  );
  await server.drain();
  const url = `/api/projects/${project?.projectId ?? 1}/events/?distinct_id=${id}`;
  const { body } = await call(server.url, 'GET', url, { key: project?.personalKey ?? server.personalKey });
  return body.results[0].properties;
}

async function projectWith(settings: object): Promise<TestProject> {
  const project = await server.createProject();
  await call(server.url, 'PATCH', `/api/projects/${project.projectId}/`, { key: project.personalKey, body: settings });
  return project;
}

const personOf = async (id: string): Promise<Properties> =>
  (await client.get(`/api/projects/1/persons/?distinct_id=${id}`)).body.results[0].properties;

describe.skipIf(isWithoutEvents)('an event', () => {
  it('gets the place of its address, and its device', async () => {
    expect(await stored(PAGE)).toMatchObject({
      ...SWITZERLAND,
      $ip: ZURICH,
      $browser: 'Firefox',
      $browser_version: 128,
      $os: 'Linux',
      $device_type: 'Desktop',
      $set: SWITZERLAND,
      $set_once: { $initial_geoip_country_code: 'CH', $initial_browser: 'Firefox' },
    });
  });

  it('gets the place of the address that it brings, in a batch with others', async () => {
    const events = ['8.8.8.8', '10.0.0.1', 'nonsense', null, undefined].map(($ip, i) => ({
      event: 'sent by a server',
      distinct_id: `own-${i}`,
      properties: { $ip, n: 12345678901234567890n.toString() },
    }));
    await capture({ batch: events });
    await server.drain();
    const { body } = await client.get('/api/projects/1/events/?event=sent by a server&limit=10');
    const found = body.results.map(
      ({ distinct_id: id, properties: p }: { distinct_id: string; properties: Properties }) => [
        id,
        p['$geoip_country_code'],
        p['n'],
      ],
    );
    expect(found.toSorted()).toEqual([
      ['own-0', 'US', '12345678901234567890'],
      ['own-1', undefined, '12345678901234567890'],
      ['own-2', undefined, '12345678901234567890'],
      ['own-3', undefined, '12345678901234567890'],
      ['own-4', 'CH', '12345678901234567890'],
    ]);
  });

  it('of a person who moves on leaves no city behind', async () => {
    const at = (properties: Properties) => ({ event: 'moved', distinct_id: 'nomad', properties });
    await capture({ batch: [at({ $geoip_country_code: 'IT', $geoip_city_name: 'Rome' })] });
    await server.drain();
    expect(await personOf('nomad')).toMatchObject({ $geoip_city_name: 'Rome', $initial_geoip_city_name: 'Rome' });
    await capture({ batch: [at({})] });
    await server.drain();
    const person = await personOf('nomad');
    expect(person).toMatchObject({
      ...SWITZERLAND,
      $initial_geoip_country_code: 'IT',
      $initial_geoip_city_name: 'Rome',
    });
    expect(person).not.toHaveProperty('$geoip_city_name');
  });

  it('without a person profile changes no person', async () => {
    await capture({
      event: '$pageview',
      distinct_id: 'nobody',
      properties: { ...PAGE, $process_person_profile: false },
    });
    await server.drain();
    expect((await client.get('/api/projects/1/persons/?distinct_id=nobody')).body.results).toEqual([]);
  });

  it.each([
    [
      'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
      {},
      { $is_bot: true, $bot_name: 'Googlebot' },
    ],
    [FIREFOX, { $browser_type: 'bot' }, { $is_bot: true, $bot_category: 'other' }],
  ])('of a bot says so: %s %j', async (agent, more, expected) => {
    const before = (await server.counters()).labelled;
    expect(await stored({ ...PAGE, ...more }, { agent })).toMatchObject(expected);
    expect((await server.counters()).labelled).toEqual({ ...before, bots: before.bots + 1 });
  });

  it('from an address of the project is labelled', async () => {
    const settings = { web_analytics: { own_addresses: ['129.132.0.0/16'] } };
    const before = (await server.counters()).labelled;
    expect(await stored(PAGE, { settings })).toMatchObject({ $internal_visit: true });
    expect(await stored({ ...PAGE, $ip: '8.8.8.8' }, { settings })).not.toHaveProperty('$internal_visit');
    const { labelled, accepted, stored: all, pending } = await server.counters();
    expect(labelled).toEqual({ ...before, own: before.own + 1 });
    expect([pending, all]).toEqual([0, accepted]);
  });

  it.each([
    ['x'.repeat(60_000)],
    ['\u0000\u0001 (;;;) '.repeat(200)],
    ['iPhone '.repeat(5000)],
    ['watch'.repeat(5000)],
  ])('with an absurd user agent is stored', async (agent) => {
    const properties = await stored({ ...PAGE, $raw_user_agent: agent });
    expect(properties['$geoip_country_code']).toBe('CH');
  });

  it.each(['', '-1.-1.-1.-1', '1.2.3.4, 5.6.7.8', '9'.repeat(10_000), '::ffff:', '%00'])(
    'with a forged address "%s" has no country',
    async ($ip) => expect(await stored({ ...PAGE, $ip })).not.toHaveProperty('$geoip_country_code'),
  );
});

describe.skipIf(isWithoutEvents)('a project that stores no addresses', () => {
  it('has the country, but not the address', async () => {
    const properties = await stored(PAGE, { settings: { anonymize_ips: true }, ip: '129.132.19.217' });
    expect(properties).toMatchObject(SWITZERLAND);
    expect(properties).not.toHaveProperty('$ip');
  });

  it.skipIf(!isEmbedded)('has the address nowhere on disk, neither before nor after events are processed', async () => {
    const project = await projectWith({ anonymize_ips: true });
    const address = '129.132.201.43';
    const event = { event: '$pageview', distinct_id: 'hidden', properties: { ...PAGE, kept: 'a-value-that-is-kept' } };
    await capture(event, { ip: address, project });
    const accepted = await findTraces(server.dataDir, [address], 'a-value-that-is-kept');
    await server.drain();
    const processed = await findTraces(server.dataDir, [address], 'a-value-that-is-kept');
    expect([...accepted, ...processed]).toEqual([]);
  });
});

describe('flags', () => {
  beforeAll(async () => {
    await server.addFlag({
      key: 'swiss',
      filters: {
        groups: [
          {
            properties: [{ key: '$geoip_country_code', value: 'CH', operator: 'exact', type: 'person' }],
            rollout_percentage: 100,
          },
        ],
      },
    });
  });

  const flag = async (body: object, ip = ZURICH, path = '/flags/?v=2') => {
    const sent = { token: server.projectKey, distinct_id: 'flag-user', ...body };
    const answer = await send(server.url, path, { headers: { 'x-forwarded-for': ip }, body: JSON.stringify(sent) });
    return answer.json.flags?.swiss.enabled ?? answer.json.featureFlags.swiss;
  };

  it('see the country of the request', async () => {
    expect(await flag({})).toBe(true);
    expect(await flag({}, ZURICH, '/decide/?v=3')).toBe(true);
    expect(await flag({}, '8.8.8.8')).toBe(false);
    expect(await flag({ geoip_disable: true })).toBe(false);
    expect(await flag({ person_properties: { $geoip_country_code: 'FR' } })).toBe(false);
    expect(await flag({ person_properties: { $geoip_country_code: 'CH' } }, '8.8.8.8')).toBe(true);
  });

  it('see it at OFREP', async () => {
    const ask = async (context: object, ip: string) =>
      (
        await send(server.url, '/ofrep/v1/evaluate/flags/swiss', {
          headers: { 'x-forwarded-for': ip, 'x-api-key': server.projectKey, 'content-type': 'application/json' },
          body: JSON.stringify({ context: { targetingKey: 'ofrep-user', ...context } }),
        })
      ).json.value;
    expect(await ask({}, ZURICH)).toBe(true);
    expect(await ask({}, '8.8.8.8')).toBe(false);
    expect(await ask({ geoip_disable: true }, ZURICH)).toBe(false);
  });
});

describe('GEOIP_FILE', () => {
  it('that is no database stops the start with its name', async () => {
    const file = `${server.dataDir}/broken.mmdb`;
    writeFileSync(file, 'not a database');
    await expect(startServer({ config: { geoipFile: file } })).rejects.toThrow(/GEOIP_FILE=.*broken\.mmdb/);
  });
});

interface Vectors {
  cases: {
    id: string;
    kind: string;
    about: string;
    ip: string;
    project: object;
    request: { ip: string; user_agent: string };
    event: { event: string; distinct_id: string; properties: Properties };
    expect: { has?: Properties; absent?: string[]; person_set?: Properties; person_set_once?: Properties } & Properties;
  }[];
}

describeVectors<Vectors>('recorded cases', 'web-analytics.json', ({ cases }) => {
  const ofKind = (kind: string) => cases.filter((one) => one.kind === kind).map((one) => [one.id, one] as const);

  it.skipIf(isWithoutEvents)('of addresses', async () => {
    const addresses = ofKind('ip');
    await capture({
      batch: addresses.map(([id, { ip }]) => ({ event: 'address', distinct_id: id, properties: { $ip: ip } })),
    });
    await server.drain();
    const { body } = await client.get('/api/projects/1/events/?event=address&limit=100');
    const found = new Map<string, Properties>(
      body.results.map((one: { distinct_id: string; properties: Properties }) => [one.distinct_id, one.properties]),
    );
    for (const [
      id,
      {
        ip,
        expect: { $geoip_country_code: country },
      },
    ] of addresses) {
      expect([ip, found.get(id)?.['$geoip_country_code'] ?? null]).toEqual([ip, country]);
    }
  });

  // Those of cookieless visitors have tests of their own.
  const enriched = ofKind('enrich').filter(([, { event }]) => event.properties['$cookieless_mode'] !== true);
  it.skipIf(isWithoutEvents).each(enriched)('%s', async (_, { project, request, event, expect: expected }) => {
    const { ip, user_agent: agent } = request;
    const settings = Object.keys(project).length > 0 ? { settings: project } : {};
    const properties = await stored(event.properties, { event: event.event, ip, agent, ...settings });
    const { has = {}, absent = [], person_set: set = {}, person_set_once: setOnce = {} } = expected;
    expect(properties).toMatchObject(has);
    for (const key of absent) expect(properties).not.toHaveProperty([key]);
    if (expected.person_set) expect(properties['$set']).toMatchObject(set);
    if (expected.person_set_once) expect(properties['$set_once']).toMatchObject(setOnce);
  });
});
