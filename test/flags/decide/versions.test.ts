import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { everybody, those, variants } from '../../contract/flag-builders.ts';
import { OpenApi } from '../../support/openapi.ts';
import { send, sendJson } from '../../support/send.ts';
import { startServer, type TestServer } from '../../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
  await server.addFlag({ key: 'on', filters: everybody(), version: 3 });
  await server.addFlag({ key: 'off', filters: everybody(0) });
  await server.addFlag({
    key: 'colour',
    filters: {
      ...everybody(),
      multivariate: variants(['blue', 100], ['red', 0]),
      payloads: { blue: '{"hex": "#00f"}', true: 'never' },
    },
  });
  await server.addFlag({ key: 'payload', filters: { ...everybody(), payloads: { true: { deep: [1, null, 'ü'] } } } });
  await server.addFlag({ key: 'team', filters: those('plan', 'team') });
  await server.addFlag({ key: 'asleep', active: false });
  await server.addFlag({ key: 'gone', deleted: true });
});
afterAll(() => server.close());

const ask = (path: string, body: object = {}, headers: Record<string, string> = {}) =>
  sendJson(server.url, path, { token: server.projectKey, distinct_id: 'ada', ...body }, headers);

const VALUES = { on: true, off: false, colour: 'blue', payload: true, team: false };
const { off: _off, team: _team, ...THOSE_ON } = VALUES;
const PAYLOADS = { colour: '{"hex": "#00f"}', payload: { deep: [1, null, 'ü'] } };

describe('/decide/', () => {
  it.each([
    ['/decide/', Object.keys(THOSE_ON)],
    ['/decide', Object.keys(THOSE_ON)],
    ['/decide/?v=1', Object.keys(THOSE_ON)],
    ['/decide/?v=0', Object.keys(THOSE_ON)],
    ['/decide/?v=-3', Object.keys(THOSE_ON)],
  ])('lists the keys of flags that are on at %s', async (path, keys) => {
    const { status, json } = await ask(path);
    expect(status).toBe(200);
    expect(json.featureFlags.toSorted()).toEqual(keys.toSorted());
    expect(json.featureFlagPayloads).toBeUndefined();
  });

  it.each([
    '/decide/?v=2',
    '/decide/?v=2&v=1.19.0',
    '/decide/?v=two',
    '/decide/?v=',
    '/decide/?v=2.5',
    '/decide/?v=1&v=2',
  ])('maps flags that are on to their values at %s', async (path) => {
    expect((await ask(path)).json.featureFlags).toEqual(THOSE_ON);
  });

  it('maps all flags, with payloads as they are stored, at v=3', async () => {
    const { json } = await ask('/decide/?v=3');
    expect(json.featureFlags).toEqual(VALUES);
    expect(json.featureFlagPayloads).toEqual(PAYLOADS);
    expect(json.errorsWhileComputingFlags).toBe(false);
  });

  it.each(['/decide/?v=4', '/decide/?v=5', '/decide/?v=99999999999999999999'])('gives reasons at %s', async (path) => {
    const { json } = await ask(path);
    expect(Object.keys(json.flags).toSorted()).toEqual(Object.keys(VALUES).toSorted());
    expect(json.flags.colour).toEqual({
      key: 'colour',
      enabled: true,
      variant: 'blue',
      reason: { code: 'condition_match', condition_index: 0, description: 'Matched condition set 1' },
      metadata: {
        id: expect.any(Number),
        version: 1,
        description: null,
        payload: '{"hex": "#00f"}',
        has_experiment: false,
      },
    });
    expect(json.flags.off).toMatchObject({
      enabled: false,
      variant: null,
      reason: { code: 'out_of_rollout_bound', condition_index: 0, description: 'Out of rollout bound' },
      metadata: { payload: null },
    });
    expect(json.flags.on.metadata.version).toBe(3);
    expect(json.flags.on).not.toHaveProperty('failed');
    expect(json).not.toHaveProperty('featureFlags');
  });

  it('gives SDKs of every age the configuration that they need', async () => {
    const { json } = await ask('/decide/');
    expect(json).toMatchObject({
      config: { enable_collect_everything: true },
      editorParams: {},
      toolbarParams: {},
      isAuthenticated: false,
      supportedCompression: ['gzip', 'gzip-js', 'lz64'],
      sessionRecording: false,
      autocapture_opt_out: false,
      capturePerformance: false,
      siteApps: [],
    });
    expect(json.requestId).toMatch(/^[0-9a-f-]{36}$/);
    expect(json).not.toHaveProperty('surveys');
  });

  it.each(['GET', 'PUT', 'DELETE'])('answers %s with the configuration and nobody’s flags', async (method) => {
    const { status, json } = await send(server.url, '/decide/?v=3', { method });
    expect(status).toBe(200);
    expect(json).toMatchObject({ featureFlags: [], config: { enable_collect_everything: true } });
  });

  it('is in the OpenAPI document, and matches it', async () => {
    const api = await OpenApi.of(server);
    for (const path of ['/decide/', '/decide/?v=2', '/decide/?v=3', '/decide/?v=4', '/flags/', '/flags/?v=1']) {
      const { status, json } = await ask(path);
      expect(api.problemsOf('POST', path, { status, body: json })).toEqual([]);
    }
    const wrong = await ask('/flags/', { token: 'phc_wrong' });
    expect(api.problemsOf('POST', '/flags/', { status: wrong.status, body: wrong.json })).toEqual([]);
  });
});

describe('/flags/', () => {
  it.each(['/flags/?v=2', '/flags?v=2', '/flags/?v=3', '/flags/?v=new'])(
    'gives reasons at %s, and no config',
    async (path) => {
      const { json } = await ask(path);
      expect(Object.keys(json).toSorted()).toEqual(['errorsWhileComputingFlags', 'evaluatedAt', 'flags', 'requestId']);
      const values = Object.entries<{ variant: string | null; enabled: boolean }>(json.flags).map(([key, flag]) => [
        key,
        flag.variant ?? flag.enabled,
      ]);
      expect(Object.fromEntries(values)).toEqual(VALUES);
      expect(json.evaluatedAt).toBe(Date.parse('2026-01-15T12:00:00.000Z'));
    },
  );

  it('maps values and payloads at v=1', async () => {
    const { json } = await ask('/flags/?v=1');
    expect(json.featureFlags).toEqual(VALUES);
    expect(json.featureFlagPayloads).toEqual(PAYLOADS);
    expect(json).not.toHaveProperty('flags');
    expect(json).not.toHaveProperty('supportedCompression');
  });

  it.each(['/flags/', '/flags/?config=true', '/flags/?v=2&config=true', '/flags/?v=1&config=1'])(
    'adds the remote config at %s',
    async (path) => {
      const { json } = await ask(path);
      expect(json).toMatchObject({
        token: server.projectKey,
        hasFeatureFlags: true,
        supportedCompression: ['gzip', 'gzip-js', 'lz64'],
        autocapture_opt_out: false,
        analytics: { endpoint: '/i/v0/e/' },
      });
      expect(json).not.toHaveProperty('surveys');
      expect(json[path.includes('v=1') ? 'featureFlags' : 'flags']).toBeDefined();
    },
  );

  it('answers GET, HEAD and OPTIONS as SDKs expect, and refuses the rest', async () => {
    const got = await send(server.url, '/flags/', { method: 'GET' });
    expect([got.status, got.json.flags]).toEqual([200, {}]);
    expect((await send(server.url, '/flags/', { method: 'HEAD' })).status).toBe(200);
    const options = await send(server.url, '/flags/', { method: 'OPTIONS' });
    expect([options.status, options.headers['allow']]).toEqual([204, 'GET, POST, OPTIONS, HEAD']);
    expect((await send(server.url, '/flags/', { method: 'DELETE' })).status).toBe(405);
  });
});

describe('a request can set', () => {
  const valuesOf = async (body: object, headers = {}) => (await ask('/decide/?v=3', body, headers)).json.featureFlags;

  it('person properties win over stored ones', async () => {
    expect(await valuesOf({ person_properties: { plan: 'TEAM' } })).toMatchObject({ team: true });
    expect(await valuesOf({ $properties: { plan: 'free' } })).toMatchObject({ team: false });
  });

  it('only some flags', async () => {
    expect(await valuesOf({ flag_keys: ['on', 'unheard of', 'asleep'] })).toEqual({ on: true });
    expect(await valuesOf({ flag_keys_to_evaluate: ['off'] })).toEqual({ off: false });
    expect(await valuesOf({ flag_keys: [] })).toEqual({});
    expect(await valuesOf({ flag_keys: null })).toEqual(VALUES);
  });

  it.each([true, 'true', 1, '1'])('no flags at all (%j), even without a distinct id', async (word) => {
    const { status, json } = await ask('/flags/', { disable_flags: word, distinct_id: null });
    expect([status, json.flags, json.errorsWhileComputingFlags, json.token]).toEqual([
      200,
      {},
      false,
      server.projectKey,
    ]);
  });

  it('fields without effect: geoip_disable, timezone, sent_at', async () => {
    const more = { geoip_disable: null, timezone: 'Europe/Berlin', sent_at: '2026-01-01T00:00:00Z', $device_id: 'd' };
    expect(await valuesOf(more)).toEqual(VALUES);
  });
});

describe('where the caller runs', () => {
  const BROWSER =
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36';

  let other: TestServer;
  beforeAll(async () => {
    other = await startServer();
    await other.addFlag({ key: 'both' });
    await other.addFlag({ key: 'client', evaluationRuntime: 'client' });
    await other.addFlag({ key: 'server', evaluationRuntime: 'server' });
  });
  afterAll(() => other.close());

  it.each<[string, Record<string, string>, object, string[]]>([
    ['a browser', { 'user-agent': BROWSER }, {}, ['both', 'client']],
    ['an app', { 'user-agent': 'posthog-android/3.1' }, {}, ['both', 'client']],
    ['a page by its origin', { origin: 'https://shop.example' }, {}, ['both', 'client']],
    ['a server SDK', { 'user-agent': 'posthog-node/5.67.0' }, {}, ['both', 'server']],
    ['curl', { 'user-agent': 'curl/8.5.0' }, {}, ['both', 'server']],
    ['somebody', { 'user-agent': 'wget' }, {}, ['both']],
    ['who says so', { 'user-agent': BROWSER }, { evaluation_runtime: 'server' }, ['both', 'server']],
  ])('decides what %s gets', async (_name, headers, body, keys) => {
    const asked = { token: other.projectKey, distinct_id: 'ada', ...body };
    const { json } = await sendJson(other.url, '/flags/?v=2', asked, headers);
    expect(Object.keys(json.flags).toSorted()).toEqual(keys);
  });
});

describe('an invalid flag', () => {
  let other: TestServer;
  beforeAll(async () => {
    other = await startServer();
    await other.addFlag({ key: 'whole' });
    await other.addFlag({ key: 'torn' });
    await other.addFlag({ key: 'odd', filters: { groups: 'none' } });
    await other.addFlag({ key: 'lost', filters: those('id', 999, { type: 'cohort' }) });
    await other.tamper(`update feature_flags set filters = '{"groups": [{' where key = 'torn'`);
  });
  afterAll(() => other.close());
  const askOther = (path: string) => sendJson(other.url, path, { token: other.projectKey, distinct_id: 'ada' });

  it('is left out in older versions, and marked as failed in newer ones', async () => {
    expect((await askOther('/decide/')).json.featureFlags).toEqual(['whole']);
    expect((await askOther('/decide/?v=2')).json.featureFlags).toEqual({ whole: true });
    for (const path of ['/decide/?v=3', '/flags/?v=1']) {
      const { json } = await askOther(path);
      expect([json.featureFlags, json.errorsWhileComputingFlags]).toEqual([{ whole: true }, true]);
    }
    for (const path of ['/decide/?v=4', '/flags/?v=2']) {
      const { json } = await askOther(path);
      expect(json.errorsWhileComputingFlags).toBe(true);
      expect(json.flags.whole).toMatchObject({ enabled: true });
      for (const key of ['torn', 'odd', 'lost']) {
        expect(json.flags[key]).toMatchObject({ key, enabled: false, variant: null, failed: true });
      }
    }
  });
});
