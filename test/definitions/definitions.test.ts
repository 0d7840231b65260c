import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { capture } from '../support/capture.ts';
import { clientFor } from '../support/client.ts';
import { isWithoutEvents, startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
  await capture(server, server.projectKey, [
    { event: 'buy', properties: { price: 5, plan: 'pro' }, timestamp: '2026-01-15T10:00:00Z' },
    { event: 'buy', properties: { $group_0: 'x', '$feature/beta': 'on' }, timestamp: '2025-01-01T00:00:00Z' },
    { event: 'Buy again', properties: { price: 7 }, $set: { email: 'a@b.c' } },
    { event: 'Buy again' },
    { event: '$pageview', properties: { $current_url: 'https://x.y/' } },
    { event: '$pageview' },
    { event: '$pageview' },
  ]);
});
afterAll(() => server.close());

const get = (rest: string, params: Record<string, string> = {}) =>
  clientFor(server).get(`/api/projects/${server.projectId}/${rest}?${new URLSearchParams(params)}`);
const namesOf = async (rest: string, params: Record<string, string> = {}): Promise<string[]> =>
  (await get(rest, params)).body.results.map((item: { name: string }) => item.name);

describe.skipIf(isWithoutEvents)('event definitions', () => {
  it('have every documented field and the exact volume', async () => {
    const { status, body } = await get('event_definitions/', { search: 'buy', ordering: '-name' });
    expect([status, body.count]).toEqual([200, 2]);
    const expected = {
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'buy',
      owner: null,
      description: '',
      tags: [],
      volume_30_day: 1,
      query_usage_30_day: 0,
      created_at: '2026-01-15T12:00:00Z',
      updated_at: '2026-01-15T12:00:00Z',
      updated_by: null,
      last_seen_at: '2026-01-15T10:00:00Z',
      last_updated_at: null,
      verified: false,
      verified_at: null,
      verified_by: null,
      is_action: null,
      action_id: null,
      is_calculating: null,
      last_calculated_at: null,
      created_by: null,
      post_to_slack: false,
    };
    expect(body.results[0]).toEqual(expected);
    expect((await get(`event_definitions/${body.results[0].id}/`)).body).toEqual(expected);
  });

  it.each<[Record<string, string>, string[]]>([
    [{}, ['$pageview', 'Buy again', 'buy']],
    [{ ordering: 'nonsense' }, ['$pageview', 'Buy again', 'buy']],
    [{ ordering: 'volume_30_day' }, ['buy', 'Buy again', '$pageview']],
    [{ ordering: 'name' }, ['$pageview', 'Buy again', 'buy']],
    [{ ordering: '-name' }, ['buy', 'Buy again', '$pageview']],
    [{ ordering: 'query_usage_30_day' }, ['$pageview', 'Buy again', 'buy']],
    [{ event_type: 'event_custom' }, ['Buy again', 'buy']],
    [{ event_type: 'event_posthog' }, ['$pageview']],
    [{ search: 'AGAIN bu' }, ['Buy again']],
    [{ search: '%' }, []],
    [{ limit: '1', offset: '1' }, ['Buy again']],
    [{ offset: '99' }, []],
  ])('are listed by %j', async (params, names) => {
    expect(await namesOf('event_definitions/', params)).toEqual(names);
  });

  it('have pages with links', async () => {
    const { body } = await get('event_definitions/', { limit: '2' });
    expect([body.count, body.previous, new URL(body.next).search]).toEqual([3, null, '?limit=2&offset=2']);
  });

  it('reject invalid parameters', async () => {
    expect((await get('event_definitions/', { event_type: 'x' })).body).toMatchObject({
      code: 'invalid_choice',
      attr: 'event_type',
    });
    expect((await get('event_definitions/nonsense/')).status).toBe(404);
    const other = await server.createProject();
    const { body } = await get('event_definitions/');
    const foreign = `/api/projects/${other.projectId}/event_definitions/${body.results[0].id}/`;
    expect((await clientFor(server).get(foreign)).status).toBe(404);
    const patched = await clientFor(server).patch(`/api/projects/${server.projectId}/event_definitions/`, { body: {} });
    expect(patched.status).toBe(405);
  });
});

describe('property definitions', () => {
  it.each([
    [{ type: 'person', event_names: '["buy"]' }, 'event_names'],
    [{ type: 'group', group_type_index: '0', event_names: '["buy"]' }, 'event_names'],
    [{ type: 'event', group_type_index: '0' }, 'group_type_index'],
    [{ group_type_index: '0' }, 'group_type_index'],
    [{ type: 'person', group_type_index: '1' }, 'group_type_index'],
    [{ type: 'group' }, 'group_type_index'],
  ])('reject parameters of another type: %j', async (query, attr) => {
    const { status, body } = await get('property_definitions/', query);
    expect(status).toBe(400);
    expect(body).toEqual({ type: 'validation_error', code: 'invalid_input', detail: expect.any(String), attr });
  });

  it('have the type that was seen', async () => {
    const { body } = await get('property_definitions/', { properties: 'price,plan' });
    expect(body.count).toBe(2);
    expect(body.results[1]).toEqual({
      id: expect.any(String),
      name: 'price',
      description: '',
      tags: [],
      is_numerical: true,
      updated_at: '2026-01-15T12:00:00Z',
      updated_by: null,
      query_usage_30_day: 0,
      is_seen_on_filtered_events: null,
      property_type: 'Numeric',
      verified: false,
      verified_at: null,
      verified_by: null,
    });
  });

  it.each<[Record<string, string>, string[]]>([
    [{ search: 'pri' }, ['price']],
    [{ properties: 'plan,price', is_numerical: 'true' }, ['price']],
    [{ is_feature_flag: 'true' }, ['$feature/beta']],
    [{ type: 'person', search: 'mail' }, ['email']],
    [{ type: 'group', group_type_index: '0' }, []],
    [{ search: '$group' }, []],
    [{ properties: 'plan,price,$current_url', event_names: '["buy"]' }, ['plan', 'price', '$current_url']],
    [{ properties: 'plan,$current_url', event_names: '["buy"]', filter_by_event_names: 'true' }, ['plan']],
    [{ properties: 'plan,price', excluded_properties: '["plan"]' }, ['price']],
  ])('are listed by %j', async (params, names) => {
    expect(await namesOf('property_definitions/', params)).toEqual(names);
  });

  it.each([
    [{ type: 'x' }, 'type'],
    [{ type: 'group' }, 'group_type_index'],
    [{ type: 'group', group_type_index: '9' }, 'group_type_index'],
    [{ event_names: 'buy' }, 'event_names'],
    [{ excluded_properties: '5' }, 'excluded_properties'],
  ])('reject %j', async (params, attr) => {
    const { status, body } = await get('property_definitions/', params as unknown as Record<string, string>);
    expect([status, body.attr]).toEqual([400, attr]);
  });
});

describe.skipIf(isWithoutEvents)('deleting definitions', () => {
  it.each([
    { list: 'event_definitions', name: 'Buy again' },
    { list: 'property_definitions', name: 'plan' },
  ])('removes one of $list, once, and records it', async ({ list, name }) => {
    const { body } = await get(`${list}/`, { search: name });
    const { id } = body.results[0];
    const url = `/api/projects/${server.projectId}/${list}/${id}/`;
    expect((await clientFor(server).delete(url)).status).toBe(204);
    expect((await clientFor(server).delete(url)).status).toBe(404);
    expect((await get(`${list}/`, { search: name })).body.count).toBe(0);
    const log = (await get(`${list}/activity/`)).body.results;
    expect(log[0]).toMatchObject({ activity: 'deleted', item_id: id, detail: { name } });
  });
});

describe.skipIf(isWithoutEvents)('limits of names', () => {
  it('stores events without new definitions beyond them, and warns', async () => {
    const own = await startServer({ config: { maxEventNames: 3, maxPropertyNames: 4 } });
    try {
      const events = ['a', 'b', 'c', 'd', 'e'].map((event) => ({ event, properties: { [`of ${event}`]: 1 } }));
      await capture(own, own.projectKey, events);
      await capture(own, own.projectKey, [{ event: 'a', properties: { 'of z': 1 } }]);
      const read = async (rest: string) => (await clientFor(own).get(`/api/projects/${own.projectId}/${rest}`)).body;
      expect((await read('events/')).results).toHaveLength(6);
      const store = own.metadata.definitions;
      expect((await store.listEvents(own.projectId)).map(({ name }) => name)).toEqual(['a', 'b', 'c']);
      const count = async (kind: 'event' | 'person') =>
        (await store.listProperties(own.projectId, { kind, groupTypeIndex: -1 })).length;
      expect((await count('event')) + (await count('person'))).toBe(4);
      const warnings = (await read('ingestion_warnings/')).results.map(({ type }: { type: string }) => type).sort();
      expect(warnings).toEqual(['too_many_event_names', 'too_many_property_names']);
    } finally {
      await own.close();
    }
  });
});
