/** Insights that are kept, of a started server: their fields, lists, answers, history, and what they count as. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { capture, type SentEvent } from '../support/capture.ts';
import { type Answer, clientFor } from '../support/client.ts';
import { addMember } from '../support/people.ts';
import { isWithoutEvents, startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let client: ReturnType<typeof clientFor>;
const NOW = '2026-01-15T12:00:00Z';

const seen = (event: string, distinct_id: string, day: number, time = '10:00'): SentEvent => ({
  event,
  distinct_id,
  timestamp: `2026-01-${day}T${time}:00Z`,
  properties: { $current_url: `/${event}`, plan: 'pro' },
});

beforeAll(async () => {
  server = await startServer();
  client = clientFor(server);
  await capture(server, server.projectKey, [
    seen('visit', 'ann', 13),
    seen('visit', 'ann', 14),
    seen('visit', 'bob', 14),
    seen('paid', 'ann', 14, '10:10'),
  ]);
});
afterAll(() => server.close());

const all = '/api/projects/1/insights/';
const one = (id: number, rest = ''): string => `${all}${id}/${rest}`;
const save = async (body: object): Promise<Answer['body']> => {
  const answer = await client.post(all, { body });
  expect([answer.status, answer.body.detail]).toEqual([201, undefined]);
  return answer.body;
};
const change = async (id: number, body: object): Promise<Answer['body']> => {
  const answer = await client.patch(one(id), { body });
  expect([answer.status, answer.body.detail]).toEqual([200, undefined]);
  return answer.body;
};
const read = async (id: number, query = ''): Promise<Answer['body']> => (await client.get(one(id) + query)).body;
const visits = { insight: 'TRENDS', events: [{ id: 'visit' }], date_from: '2026-01-13', date_to: '2026-01-14' };

describe('a saved insight', () => {
  it('returns all fields, and its filters as sent', async () => {
    const made = await save({ name: 'Visits', filters: visits, saved: true, tags: [' Web ', 'web'] });
    const me = { id: 1, first_name: made.created_by.first_name };
    expect(made).toMatchObject({ created_by: me, last_modified_by: me });
    const { id, short_id, created_by: _, last_modified_by: __, filters_hash, ...rest } = made;
    expect(Number.isInteger(id)).toBe(true);
    expect(short_id).toMatch(/^[0-9A-Za-z]{8}$/);
    expect(filters_hash).toMatch(/^[0-9a-f]{64}$/);
    expect(rest).toEqual({
      name: 'Visits',
      derived_name: null,
      filters: visits,
      query: null,
      order: null,
      deleted: false,
      dashboards: [],
      dashboard_tiles: [],
      last_refresh: null,
      next_allowed_client_refresh: null,
      result: null,
      created_at: NOW,
      description: '',
      updated_at: NOW,
      tags: ['web'],
      favorited: false,
      saved: true,
      last_modified_at: NOW,
      is_sample: false,
      effective_restriction_level: 21,
      effective_privilege_level: 37,
      timezone: 'UTC',
      is_cached: false,
    });
    expect(await read(id)).toEqual(made);
  });

  it('is last modified by changes of name or filters only', async () => {
    const { id } = await save({ name: 'Modified' });
    server.setNow('2026-01-15T12:01:00Z');
    const marked = await change(id, { favorited: true, order: 3 });
    expect(marked).toMatchObject({
      favorited: true,
      order: 3,
      updated_at: '2026-01-15T12:01:00Z',
      last_modified_at: NOW,
    });
    const renamed = await change(id, { name: null, derived_name: 'Visit count', filters: visits });
    expect(renamed).toMatchObject({
      name: null,
      derived_name: 'Visit count',
      last_modified_at: '2026-01-15T12:01:00Z',
    });
    server.setNow(NOW);
  });

  it('is deleted and restored by an update; DELETE is not allowed', async () => {
    const { id } = await save({ name: 'Passing' });
    const refused = await client.delete(one(id));
    expect([refused.status, refused.body]).toEqual([405, '']);
    await change(id, { deleted: true });
    const ids = async () => (await client.get(all)).body.results.map((insight: { id: number }) => insight.id);
    expect(await ids()).not.toContain(id);
    const missing = { type: 'invalid_request', code: 'not_found', detail: 'Not found.', attr: null };
    for (const path of ['', '?refresh=true', '?basic=true']) {
      expect(await client.get(one(id) + path)).toMatchObject({ status: 404, body: missing });
    }
    expect((await client.post(one(id, 'viewed/'))).status).toBe(404);
    expect((await client.patch(one(id), { body: { name: 'x' } })).status).toBe(404);
    expect((await client.patch(one(id), { body: { deleted: true } })).status).toBe(404);
    expect((await client.get(one(id, 'activity/'))).body.results).toHaveLength(2);
    expect(await change(id, { deleted: false })).toMatchObject({ id, name: 'Passing', deleted: false });
    expect(await ids()).toContain(id);
    expect(await read(id)).toMatchObject({ name: 'Passing' });
  });

  it('has no result with basic=true', async () => {
    const { id } = await save({ name: 'Basic', filters: visits });
    const [listed] = (await client.get(`${all}?basic=true&search=Basic`)).body.results;
    const full = await read(id);
    expect(full.result).toBeNull();
    for (const basic of [listed, await read(id, '?basic=1'), await read(id, '?basic=true&refresh=true')]) {
      const { result: _, ...rest } = full;
      expect(basic).toEqual(rest);
    }
    const [not] = (await client.get(`${all}?basic=false&search=Basic`)).body.results;
    expect(not).toEqual(full);
  });

  it.each([
    ['an unknown kind', { filters: { insight: 'PIES' } }, 'filters__insight', 'invalid_input'],
    ['a bad interval', { filters: { events: ['visit'], interval: 'eon' } }, 'filters__interval', 'invalid_input'],
    ['a missing property', { filters: { events: [{ id: 'a', math: 'sum' }] } }, 'filters__math_property', 'required'],
    ['filters that are no object', { filters: 5 }, 'filters', 'not_a_dict'],
    ['a query of an unknown kind', { query: { kind: 'DataNode' } }, 'query.kind', 'query_kind_unsupported'],
    ['a name too long', { name: 'x'.repeat(401) }, 'name', 'max_length'],
    ['a dashboard that is not there', { dashboards: [99] }, 'dashboards', 'does_not_exist'],
  ])('is rejected with %s', async (_name, body, attr, code) => {
    const { count } = (await client.get(all)).body;
    const { status, body: answer } = await client.post(all, { body });
    expect([status, answer.attr, answer.code]).toEqual([400, attr, code]);
    expect((await client.get(all)).body.count).toBe(count);
  });

  it.each([
    ['an id that is not a number', 'abc'],
    ['an unknown id', '999999'],
  ])('is not found by %s', async (_name, id) => {
    expect((await client.get(`${all}${id}/`)).status).toBe(404);
    expect((await client.patch(`${all}${id}/`, { body: {} })).status).toBe(404);
    expect((await client.post(`${all}${id}/viewed/`)).status).toBe(404);
  });

  it('is visible in its project only, at the legacy path too', async () => {
    const { id, short_id } = await save({ name: 'Old paths' });
    const stranger = await server.createProject({ foreign: true });
    const other = await server.createProject();
    expect((await client.get(one(id), { key: stranger.personalKey })).status).toBe(404);
    expect((await client.get(`/api/projects/${other.projectId}/insights/${id}/`)).status).toBe(404);
    expect((await client.get(`/api/insight/${id}/`)).body.short_id).toBe(short_id);
    expect((await client.get(`/api/insight/?short_id=${short_id}`)).body.results[0].id).toBe(id);
  });
});

describe.skipIf(isWithoutEvents)('the result of a saved insight', () => {
  const CASES: [string, object, unknown][] = [
    ['TRENDS', { events: ['visit'] }, [{ label: 'visit', data: [1, 2], count: 3 }]],
    ['STICKINESS', { events: ['visit'] }, [{ data: [1, 1] }]],
    [
      'FUNNELS',
      {
        events: [
          { id: 'visit', order: 0 },
          { id: 'paid', order: 1 },
        ],
      },
      [{ count: 2 }, { count: 1 }],
    ],
    ['PATHS', {}, [{ source: '1_visit', target: '2_paid', value: 1 }]],
    [
      'RETENTION',
      { target_entity: { id: 'visit', type: 'events' }, total_intervals: 2 },
      [{ values: [{ count: 1 }, { count: 1 }] }, { values: [{ count: 2 }] }],
    ],
  ];
  it.each(CASES)('equals that of its endpoint: %s', async (insight, fields, result) => {
    const dates = { date_from: '2026-01-13', date_to: '2026-01-14' };
    const { id } = await save({ filters: { insight, ...dates, ...fields } });
    expect((await read(id, '?refresh=false')).result).toBeNull();
    const answer = await read(id, '?refresh=true');
    expect(answer).toMatchObject({ result, last_refresh: NOW, is_cached: false });
    expect((await read(id, '?refresh')).result).toEqual(answer.result);
    const path = { TRENDS: 'trend', STICKINESS: 'trend', FUNNELS: 'funnel', PATHS: 'path', RETENTION: 'retention' };
    const asked = await client.post(`${all}${path[insight as keyof typeof path]}/`, { body: answer.filters });
    expect(asked.body.result).toEqual(answer.result);
  });

  it('has the four parts of a lifecycle', async () => {
    const { id } = await save({ filters: { insight: 'LIFECYCLE', events: ['visit'], date_from: '2026-01-13' } });
    const { result } = await read(id, '?refresh=true');
    expect(result.map((part: { status: string }) => part.status).sort()).toEqual([
      'dormant',
      'new',
      'resurrecting',
      'returning',
    ]);
  });
});

describe('the list of saved insights', () => {
  let first: number;
  let second: number;
  let third: number;
  beforeAll(async () => {
    const member = await addMember(server, 'lister@example.org');
    first = (await save({ name: 'List: alpha', filters: visits, saved: true })).id;
    server.setNow('2026-01-16T12:00:00Z');
    second = (await save({ name: 'List: Beta', filters: { insight: 'funnels' }, tags: ['zebra'] })).id;
    const made = await client.post(all, {
      body: { derived_name: 'List: gamma', favorited: true },
      key: member.personalKey,
    });
    third = made.body.id;
    server.setNow(NOW);
  });

  const found = async (query: string) => {
    const { status, body } = await client.get(`${all}?search=list:&${query}`);
    expect([status, body.detail]).toEqual([200, undefined]);
    return body.results.map((insight: { id: number }) => insight.id);
  };
  const names: Record<string, () => number> = { first: () => first, second: () => second, third: () => third };

  it.each([
    ['', ['third', 'second', 'first']],
    ['saved=true', ['first']],
    ['favorited', ['third']],
    ['favorited=false', ['second', 'first']],
    ['user=true', ['second', 'first']],
    ['created_by=1', ['second', 'first']],
    ['insight=FUNNELS', ['second']],
    ['insight=TRENDS', ['third', 'first']],
    ['date_from=2026-01-16', ['third', 'second']],
    ['date_to=2026-01-15', ['first']],
    ['order=name', ['first', 'second', 'third']],
    ['order=-created_at', ['third', 'second', 'first']],
    ['order=created_at&limit=1&offset=1', ['third']],
    ['order=nonsense', ['third', 'second', 'first']],
  ])('filters by %s', async (query, wanted) => {
    expect(await found(query)).toEqual(wanted.map((name) => names[name]?.()));
  });

  it('searches tags, and counts the matches', async () => {
    const { body } = await client.get(`${all}?search=ZEBRA&limit=1`);
    expect([body.count, body.results[0].id, body.next]).toEqual([1, second, null]);
  });

  it.each([
    ['date_from=soon', 'date_from'],
    ['created_by=me', 'created_by'],
    ['dashboards=abc', 'dashboards'],
  ])('rejects %s', async (query, attr) => {
    const { status, body } = await client.get(`${all}?${query}`);
    expect([status, body.attr]).toEqual([400, attr]);
  });

  it('shows recently viewed insights of the caller only', async () => {
    const viewed = await client.post(one(first, 'viewed/'));
    expect([viewed.status, viewed.body]).toEqual([201, '']);
    server.setNow('2026-01-15T12:00:05Z');
    await client.post(one(second, 'viewed/'));
    const mine = await client.get(`${all}my_last_viewed/`);
    expect(mine.body.map((insight: { id: number }) => insight.id)).toEqual([second, first]);
    expect((await found('order=-my_last_viewed_at')).slice(0, 2)).toEqual([second, first]);
    const member = await addMember(server, 'viewer@example.org');
    expect((await client.get(`${all}my_last_viewed/`, { key: member.personalKey })).body).toEqual([]);
    server.setNow(NOW);
  });
});

describe('the history of a saved insight', () => {
  it('lists who changed what, with the values before and after', async () => {
    const { id, short_id } = await save({ name: 'Told' });
    await change(id, { name: 'Retold', tags: ['B'] });
    await change(id, { name: 'Retold' });
    const { results, total_count } = (await client.get(one(id, 'activity/'))).body;
    expect(total_count).toBe(2);
    expect(results[0]).toMatchObject({ activity: 'updated', scope: 'Insight', item_id: String(id) });
    expect(results[0].detail).toEqual({
      changes: [
        { type: 'Insight', action: 'changed', field: 'name', before: 'Told', after: 'Retold' },
        { type: 'Insight', action: 'changed', field: 'tags', before: [], after: ['b'] },
      ],
      trigger: null,
      name: 'Retold',
      short_id,
    });
    expect(results[1]).toMatchObject({ activity: 'created', detail: { changes: null, name: 'Told' } });
    const everybody = (await client.get(`${all}activity/?limit=1`)).body;
    expect([everybody.results[0].item_id, everybody.next !== null]).toEqual([String(id), true]);
  });
});

describe.skipIf(isWithoutEvents)('query usage of names', () => {
  const usage = async (path: string, name: string) => {
    await server.flushUsage();
    const { body } = await client.get(`/api/projects/1/${path}`);
    const definition = body.results.find((one: { name: string }) => one.name === name);
    const alone = await client.get(`/api/projects/1/${path.split('?')[0]}${definition.id}/`);
    expect(alone.body.query_usage_30_day).toBe(definition.query_usage_30_day);
    return definition.query_usage_30_day;
  };
  const asked = { events: [{ id: 'paid' }], properties: [{ key: 'plan', value: 'pro' }] };

  it('counts each name once per insight query, and not for lists of persons', async () => {
    const before = [await usage('event_definitions/', 'paid'), await usage('property_definitions/', 'plan')];
    const { body } = await client.post(`${all}trend/`, { body: asked });
    await client.get(`/${body.result[0].persons_urls[0].url}`);
    const { id } = await save({ filters: { insight: 'FUNNELS', ...asked } });
    await read(id);
    await read(id, '?refresh=true');
    const after = [await usage('event_definitions/', 'paid'), await usage('property_definitions/', 'plan')];
    expect(after.map((count, i) => count - before[i])).toEqual([2, 2]);
  });

  it('sorts the lists of names', async () => {
    for (let i = 0; i < 9; i++) await client.post(`${all}trend/`, { body: { events: ['visit'] } });
    await server.flushUsage();
    const order = async (ordering: string) => {
      const { results } = (await client.get(`/api/projects/1/event_definitions/?ordering=${ordering}`)).body;
      return results
        .map((one: { name: string }) => one.name)
        .filter((name: string) => ['visit', 'paid'].includes(name));
    };
    expect(await order('-query_usage_30_day')).toEqual(['visit', 'paid']);
    expect(await order('query_usage_30_day')).toEqual(['paid', 'visit']);
    const { results } = (await client.get('/api/projects/1/property_definitions/')).body;
    expect(results[0].name).toBe('plan');
  });

  it('expires after thirty days', async () => {
    expect(await usage('event_definitions/', 'visit')).toBeGreaterThan(0);
    server.setNow('2026-02-14T12:00:00Z');
    expect(await usage('event_definitions/', 'visit')).toBe(0);
    server.setNow(NOW);
  });
});
