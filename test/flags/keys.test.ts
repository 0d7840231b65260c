/** Flag keys are any text; each has to survive every path from creation to evaluation. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientFor } from '../support/client.ts';
import { OpenApi } from '../support/openapi.ts';
import { sendJson } from '../support/send.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let client: ReturnType<typeof clientFor>;
let api: OpenApi;
beforeAll(async () => {
  server = await startServer();
  client = clientFor(server);
  api = await OpenApi.of(server);
});
afterAll(() => server.close());

const FLAGS = '/api/projects/1/feature_flags/';
const decide = async (v: number, body: object = {}) =>
  (await sendJson(server.url, `/decide/?v=${v}`, { api_key: server.projectKey, distinct_id: 'u', ...body })).json;

const KEYS = [
  'new.checkout',
  'New checkout',
  'a/b',
  'été',
  'a%2Fb',
  'a?b=c&d#e',
  '"quoted" \\ back',
  "it's <b>bold</b>",
  'a, b',
  '功能',
  '😀',
  '😀'.repeat(400),
  'é'.repeat(400),
  '__proto__',
  'constructor',
  '42',
];

describe.each(KEYS.map((key) => [key.slice(0, 20), key]))('the key %s', (_shown, key) => {
  it('is created, read, evaluated and found by itself on every path', async () => {
    const payload = { true: 'plain text' };
    const filters = { groups: [{ properties: [], rollout_percentage: 100 }], payloads: payload };
    const made = await client.post(FLAGS, { body: { key, filters, is_remote_configuration: true } });
    expect([made.status, made.body.key]).toEqual([201, key]);
    expect(api.problemsOf('POST', FLAGS, made)).toEqual([]);
    const path = `${FLAGS}${made.body.id}/`;
    expect((await client.get(path)).body.key).toBe(key);
    expect((await client.get(`${FLAGS}?search=${encodeURIComponent(key)}`)).body.results).toHaveLength(1);

    const own = <T>(map: Record<string, T>): T | undefined => (Object.hasOwn(map, key) ? map[key] : undefined);
    expect((await decide(1)).featureFlags).toEqual([key]);
    expect(own((await decide(2)).featureFlags)).toBe(true);
    expect(own((await decide(3)).featureFlagPayloads)).toBe('plain text');
    expect(own<{ enabled: boolean }>((await decide(4)).flags)).toMatchObject({ key, enabled: true });
    expect(own((await decide(3, { flag_keys_to_evaluate: [key] })).featureFlags)).toBe(true);
    const reasons = await client.get(`${FLAGS}evaluation_reasons/?distinct_id=u`);
    expect(own<{ value: unknown }>(reasons.body)).toMatchObject({ value: true });
    const local = await client.get(`${FLAGS}local_evaluation/?send_cohorts`);
    expect(local.body.flags.map((flag: { key: string }) => flag.key)).toEqual([key]);
    expect((await client.get(`${FLAGS}my_flags/`)).body).toMatchObject([{ feature_flag: { key }, value: true }]);
    const one = await fetch(`${server.url}/ofrep/v1/evaluate/flags/${encodeURIComponent(key)}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.projectKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ context: { targetingKey: 'u' } }),
    });
    expect([one.status, await one.json()]).toMatchObject([200, { key, value: 'plain text' }]);
    if (key !== '42') {
      const config = await client.get(`${FLAGS}${encodeURIComponent(key)}/remote_config/`);
      expect([config.status, config.body]).toEqual([200, 'plain text']);
    }
    const activity = await client.get(`${path}activity/`);
    expect(activity.body.results[0].detail.name).toBe(key);
    const renamed = await client.patch(path, { body: { key: `${key.slice(0, 10).toWellFormed()}!` } });
    expect(renamed.status).toBe(200);
    expect((await client.patch(path, { body: { deleted: true } })).status).toBe(200);
  });
});

it('surrounding spaces are not part of a key', async () => {
  const { body } = await client.post(FLAGS, { body: { key: '  spaced out ' } });
  expect(body.key).toBe('spaced out');
});

describe('a flag without groups', () => {
  it('reaches nobody, everywhere', async () => {
    const made = await client.post(FLAGS, { body: { key: 'nobody', filters: { groups: [] } } });
    expect([made.status, made.body.filters, made.body.is_simple_flag, made.body.rollout_percentage]).toEqual([
      201,
      { groups: [] },
      false,
      null,
    ]);
    expect((await decide(3)).featureFlags).toMatchObject({ nobody: false });
    expect((await decide(4)).flags.nobody).toMatchObject({ enabled: false, reason: { code: 'no_condition_match' } });
    expect((await decide(1)).featureFlags).not.toContain('nobody');
    const local = await client.get(`${FLAGS}local_evaluation/`);
    expect(local.body.flags.find((flag: { key: string }) => flag.key === 'nobody').filters).toEqual({ groups: [] });
    const reach = await client.post(`${FLAGS}user_blast_radius/`, { body: { filters: { groups: [] } } });
    expect([reach.status, reach.body.users_affected]).toEqual([200, 0]);
    const impact = await client.post(`${FLAGS}user_blast_radius/`, { body: { id: made.body.id } });
    expect([impact.status, impact.body.users_affected]).toEqual([200, 0]);
    expect((await client.get(`${FLAGS}${made.body.id}/status/`)).body.status).toBe('ACTIVE');
  });
});

describe('the rollout percentage of a flag', () => {
  it.each([
    [50, 50],
    [0, 0],
    [100, 100],
    [33.3, 33],
    [0.1, 1],
    [99.9, 99],
    [null, null],
  ])('%s is shown as the integer %s, and the filters keep what was sent', async (rollout_percentage, shown) => {
    const filters = { groups: [{ properties: [], rollout_percentage }] };
    const made = await client.post(FLAGS, { body: { key: `rollout ${rollout_percentage}`, filters } });
    expect([made.body.rollout_percentage, made.body.filters]).toEqual([shown, filters]);
    expect(api.problemsOf('POST', FLAGS, made)).toEqual([]);
  });
});

it.each(['plain text', '', '{broken', 'null', '{"a": 1}', '  spaced  '])(
  'the payload %j is returned as it was sent',
  async (text) => {
    const filters = { groups: [{}], payloads: { true: text } };
    const key = `payload ${JSON.stringify(text)}`;
    const made = await client.post(FLAGS, { body: { key, filters } });
    expect([made.status, made.body.filters.payloads]).toEqual([201, { true: text }]);
    expect((await decide(3)).featureFlagPayloads[key]).toBe(text);
  },
);
