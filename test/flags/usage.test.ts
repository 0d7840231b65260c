/** How often flags are evaluated: counted by the server, and reported by SDKs that evaluate flags themselves. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { capture } from '../support/capture.ts';
import { call, clientFor } from '../support/client.ts';
import { isWithoutEvents, startServer, type TestServer } from '../support/server.ts';

const START = '2026-01-15T12:00:00Z';
const flags = '/api/projects/1/feature_flags/';
let server: TestServer;
let client: ReturnType<typeof clientFor>;
const ids: Record<string, number> = {};

beforeAll(async () => {
  server = await startServer({ now: START });
  client = clientFor(server);
  for (const [key, filters] of [
    ['on', { groups: [{ rollout_percentage: 100 }] }],
    ['off', { groups: [{ rollout_percentage: 0 }] }],
    [
      'variants',
      {
        groups: [{ rollout_percentage: 100 }],
        multivariate: { variants: [{ key: 'test', rollout_percentage: 100 }] },
      },
    ],
  ] as const) {
    ids[key] = (await client.post(flags, { body: { key, filters } })).body.id;
  }
});
afterAll(() => server.close());

const decide = async (path: string, distinctId: string, userAgent: string): Promise<void> => {
  const { status } = await call(server.url, 'POST', path, {
    headers: { 'user-agent': userAgent },
    body: { api_key: server.projectKey, distinct_id: distinctId },
  });
  expect(status).toBe(200);
};
const usage = async (key: string, query = '') => (await client.get(`${flags}${ids[key]}/usage/${query}`)).body;
const labels = async (key: string, query = '') => {
  const { results } = await usage(key, query);
  return Object.fromEntries(
    results.map(({ label, data }: { label: string; data: number[] }) => [label, data.reduce((a, b) => a + b, 0)]),
  );
};

describe('usage of flags', () => {
  it('is null before the first evaluation', async () => {
    expect((await client.get(`${flags}${ids['on']}/`)).body.last_called_at).toBeNull();
    expect(await usage('on')).toEqual({
      results: [],
      total: 0,
      first_used_at: null,
      last_used_at: null,
      values_seen: [],
      sources: [],
    });
  });

  it('counts /decide/, /flags/ and OFREP by value and SDK', async () => {
    for (const id of ['a', 'a', 'b']) await decide('/decide/?v=3', id, 'posthog-node/5.67.1');
    await decide('/flags/?v=2&ver=1.130.2', 'c', 'Mozilla/5.0 Chrome/140.0.0.0');
    const ofrep = await call(server.url, 'POST', '/ofrep/v1/evaluate/flags/on', {
      headers: { authorization: `Bearer ${server.projectKey}`, 'user-agent': 'openfeature' },
      body: { context: { targetingKey: 'd' } },
    });
    expect(ofrep.status).toBe(200);
    server.setNow('2026-01-15T12:00:30Z');
    await expect.poll(async () => (await usage('on')).total).toBe(5);
    expect(await labels('on')).toEqual({ true: 5 });
    expect(await labels('off')).toEqual({ false: 4 });
    expect(await labels('variants')).toEqual({ test: 4 });
    expect(await labels('on', '?by=source')).toEqual({ 'posthog-node/5.67': 3, 'posthog-js/1.130': 1, other: 1 });
    expect(await usage('on')).toMatchObject({
      first_used_at: START,
      last_used_at: START,
      values_seen: ['true'],
    });
    const { results } = await usage('on', '?interval=minute&from=2026-01-15T11:59:00Z&to=2026-01-15T12:01:00Z');
    expect(results).toEqual([
      { label: 'true', days: ['2026-01-15T11:59:00.000Z', '2026-01-15T12:00:00.000Z'], data: [0, 5] },
    ]);
    expect((await client.get(`${flags}${ids['on']}/`)).body.last_called_at).toBe(START);
  });

  it('counts nothing if flags are disabled in the request, or while somebody tests a flag', async () => {
    const before = (await usage('on')).total;
    await call(server.url, 'POST', '/decide/?v=3', {
      body: { api_key: server.projectKey, distinct_id: 'a', disable_flags: true },
    });
    await client.get(`${flags}evaluation_reasons/?distinct_id=a`);
    server.setNow('2026-01-15T12:01:00Z');
    await decide('/decide/?v=3', 'a', 'posthog-node/5.67.1');
    server.setNow('2026-01-15T12:01:30Z');
    await expect.poll(async () => (await usage('on')).total).toBe(before + 1);
  });

  it.skipIf(isWithoutEvents)('has what SDKs reported beside it, never added to it', async () => {
    const reported = (response: unknown) => ({
      event: '$feature_flag_called',
      distinct_id: 'e',
      properties: {
        $feature_flag: 'variants',
        $feature_flag_response: response,
        $lib: 'posthog-node',
        $lib_version: '5.67.1',
      },
    });
    await capture(server, server.projectKey, [reported('test'), reported('test'), reported(false)]);
    expect(await labels('variants', '?origin=sdk')).toEqual({ test: 2, false: 1 });
    expect(await labels('variants', '?origin=sdk&by=source')).toEqual({ 'posthog-node/5.67': 3 });
    expect(await labels('variants')).toEqual({ test: 5 });
    expect(await labels('variants', '?by=origin')).toEqual({ server: 5, sdk: 3 });
    const { results } = (await client.get(`${flags}usage/?keys=variants,unknown`)).body;
    expect(results).toEqual([{ id: ids['variants'], key: 'variants', last_used_at: expect.any(String) }]);
  });

  it.each([
    ['?interval=week', 'interval'],
    ['?by=person', 'by'],
    ['?origin=relay', 'origin'],
    ['?from=yesterday', 'from'],
    ['?from=2026-01-15T12:00:00Z&to=2026-01-15T12:00:00Z', 'from'],
    ['?interval=minute&from=2020-01-01T00:00:00Z', 'interval'],
  ])('refuses %s', async (query, attr) => {
    const { status, body } = await client.get(`${flags}${ids['on']}/usage/${query}`);
    expect([status, body.attr]).toEqual([400, attr]);
  });

  it('makes a flag stale that nobody asked for in 30 days, but not before it was counted for that long', async () => {
    const status = async (key: string) => (await client.get(`${flags}${ids[key]}/status/`)).body;
    server.setNow('2026-02-10T12:00:00Z');
    expect((await status('off')).status).toBe('ACTIVE');
    server.setNow('2026-03-01T12:00:00Z');
    expect(await status('off')).toEqual({
      status: 'STALE',
      reason: 'The flag has not been evaluated for 30 days.',
      // What SDKs reported is among the events.
      safe_to_remove: !isWithoutEvents,
      seen_in: [],
    });
    await decide('/decide/?v=3', 'a', 'posthog-node/5.67.1');
    server.setNow('2026-03-01T12:01:00Z');
    // Somebody asks, and has got nothing else for 45 days: not safe, because the code is still there.
    await expect
      .poll(() => status('off'), { timeout: 20_000 })
      .toEqual({
        status: 'STALE',
        reason: "Always 'false' for 45 days.",
        safe_to_remove: false,
        seen_in: ['posthog-node/5.67'],
      });
    // The list says so, too.
    expect((await client.get(`${flags}${ids['off']}/`)).body.status).toBe('STALE');
    const { results } = (await client.get(`${flags}?active=STALE`)).body;
    expect(results.map(({ key }: { key: string }) => key)).toContain('off');
  });

  it('archives several flags at once, all or none, and brings them back', async () => {
    const bulk = (body: object) => client.post(`${flags}bulk_archive/`, { body });
    const made = ['old-a', 'old-b'].map((key) => client.post(flags, { body: { key, active: false } }));
    const [a, b] = (await Promise.all(made)).map(({ body }) => body.id);
    expect((await bulk({ ids: [a, 987654] })).status).toBe(404);
    expect((await client.get(`${flags}${a}/`)).body.deleted).toBe(false);
    const archived = (await bulk({ ids: [a, b, b] })).body.results;
    expect(archived.map(({ id, deleted }: { id: number; deleted: boolean }) => [id, deleted])).toEqual([
      [a, true],
      [b, true],
    ]);
    expect((await bulk({ ids: [a, b], archived: false })).body.results).toMatchObject([
      { id: a, deleted: false, version: 3 },
      { id: b, deleted: false, version: 3 },
    ]);
    for (const ids of [[], Array.from({ length: 501 }, (_, i) => i + 1)])
      expect((await bulk({ ids })).body).toMatchObject({ attr: 'ids' });
    const policy = await client.post('/api/projects/1/approval_policies/', {
      body: { action_key: 'feature_flag.update' },
    });
    const asked = await bulk({ ids: [a, b] });
    expect([asked.status, asked.body.change_requests.length]).toEqual([409, 2]);
    await client.delete(`/api/projects/1/approval_policies/${policy.body.id}/`);
  });
});
