import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { capture } from '../support/capture.ts';
import { clientFor } from '../support/client.ts';
import { OpenApi } from '../support/openapi.ts';
import { isWithoutEvents, startServer, type TestProject, type TestServer } from '../support/server.ts';

let server: TestServer;
let client: ReturnType<typeof clientFor>;
let api: OpenApi;
let stranger: TestProject;

const identify = (type: string, key: string, set: object, day = 1) => ({
  event: '$groupidentify',
  timestamp: `2026-01-0${day}T00:00:00Z`,
  properties: { $group_type: type, $group_key: key, $group_set: set },
});

beforeAll(async () => {
  server = await startServer();
  client = clientFor(server);
  api = await OpenApi.of(server);
  stranger = await server.createProject({ foreign: true });
  await capture(server, server.projectKey, [
    identify('company', 'acme', { plan: 'pro', size: 5, tags: ['a'] }, 1),
    identify('company', 'globex', { plan: 'free', size: 5 }, 2),
    identify('company', 'initech', { plan: 'pro', city: 'Köln', active: true }, 3),
    identify('company', 'umbrella', { plan: '', gone: null }, 4),
    identify('team', 'red', { plan: 'none' }, 5),
    { event: 'ping', properties: { $groups: { company: 'mentioned only' } } },
  ]);
  await capture(server, server.projectKey, [identify('company', 'acme', { size: 50 }, 6)]);
  await capture(server, stranger.projectKey, [identify('school', 'acme', { secret: 'theirs' })]);
});
afterAll(() => server.close());

const P = '/api/projects/1';
/** Calls and validates the response. */
const get = async (rest: string, params: Record<string, string> = {}) => {
  const path = `${P}/${rest}?${new URLSearchParams(params)}`;
  const answer = await client.get(path);
  expect(api.problemsOf('GET', path, answer)).toEqual([]);
  return answer;
};
const keysOf = (body: { results: { group_key: string }[] }): string[] => body.results.map((group) => group.group_key);

describe.skipIf(isWithoutEvents)('what is related to a group', () => {
  it('are persons and other groups with common events, the latest first', async () => {
    const used = (distinct_id: string, hour: number, $groups: object) => ({
      event: 'used',
      distinct_id,
      timestamp: `2026-01-10T0${hour}:00:00Z`,
      properties: { $groups, $set: { email: `${distinct_id}@example.org` } },
    });
    await capture(server, server.projectKey, [
      used('ann', 1, { company: 'hooli', team: 'red' }),
      used('ben', 2, { company: 'hooli' }),
      used('cy', 3, { team: 'red' }),
      { ...used('dan', 4, { company: 'hooli' }), timestamp: '2025-06-01T00:00:00Z' },
    ]);
    const { body } = await get('groups/related/', { group_type_index: '0', id: 'hooli' });
    const persons = body.filter((one: { type: string }) => one.type === 'person');
    expect(persons.map((one: { distinct_ids: string[] }) => one.distinct_ids)).toEqual([['ben'], ['ann']]);
    expect(persons[0]).toMatchObject({ is_identified: false, properties: { email: 'ben@example.org' } });
    expect(body.slice(2)).toMatchObject([{ type: 'group', group_type_index: 1, group_key: 'red', properties: {} }]);
    const ofPerson = await get('groups/related/', { id: persons[1].uuid });
    // The company was never identified, so nothing is known about it.
    expect(ofPerson.body.map((one: { group_key: string }) => one.group_key)).toEqual(['red']);
    expect((await get('groups/related/', { group_type_index: '0', id: 'nobody' })).body).toEqual([]);
  });

  it.each([
    [{}, 'id'],
    [{ id: 'hooli' }, 'id'],
    [{ id: 'hooli', group_type_index: '9' }, 'group_type_index'],
  ])('need a group or a person: %j', async (query, attr) => {
    const { status, body } = await get('groups/related/', query as Record<string, string>);
    expect([status, body.attr]).toEqual([400, attr]);
  });
});

describe('group types', () => {
  it('are listed in order of first use', async () => {
    expect((await get('groups_types/')).body).toEqual([
      { group_type: 'company', group_type_index: 0, name_singular: null, name_plural: null },
      { group_type: 'team', group_type_index: 1, name_singular: null, name_plural: null },
    ]);
  });

  it('are part of the project', async () => {
    const empty = await server.createProject();
    expect((await client.get(`${P}/`)).body.has_group_types).toBe(true);
    expect((await client.patch(`${P}/`, { body: { name: 'Default project' } })).body.has_group_types).toBe(true);
    expect((await client.get(`/api/projects/${empty.projectId}/`)).body.has_group_types).toBe(false);
  });

  it('can get display names, with activity', async () => {
    const path = `${P}/groups_types/update_metadata/`;
    const body = [
      { group_type_index: 1, name_singular: 'Team', name_plural: 'Teams', group_type: 'renamed' },
      { group_type_index: 0, name_plural: 'Companies' },
    ];
    const answer = await client.patch(path, { body });
    expect(api.problemsOf('PATCH', path, answer)).toEqual([]);
    const named = [
      { group_type: 'company', group_type_index: 0, name_singular: null, name_plural: 'Companies' },
      { group_type: 'team', group_type_index: 1, name_singular: 'Team', name_plural: 'Teams' },
    ];
    expect([answer.status, answer.body]).toEqual([200, named]);
    const { results } = (await client.get('/api/organizations/@current/activity/')).body;
    expect(results[0]).toMatchObject({
      scope: 'GroupType',
      item_id: '0',
      detail: {
        name: 'company',
        changes: [{ type: 'GroupType', action: 'created', field: 'name_plural', before: null, after: 'Companies' }],
      },
    });
    const wrong = await client.patch(path, {
      body: [
        { group_type_index: 0, name_plural: 'Firms' },
        { group_type_index: 3, name_plural: 'Nothing' },
      ],
    });
    expect([wrong.status, wrong.body.code, wrong.body.attr]).toEqual([400, 'does_not_exist', '1__group_type_index']);
    expect((await client.patch(path, { body: { group_type_index: 0 } })).body.code).toBe('not_a_list');
    expect((await client.patch(path, { body: [{}] })).body).toMatchObject({
      code: 'required',
      attr: '0__group_type_index',
    });
    expect((await client.patch(path, { key: stranger.personalKey, body })).status).toBe(404);
    expect((await get('groups_types/')).body).toEqual(named);
    // Later events do not change the names.
    await capture(server, server.projectKey, [identify('team', 'red', { plan: 'none' }, 5)]);
    expect((await get('groups_types/')).body).toEqual(named);
  });
});

describe('groups', () => {
  it('are listed newest first, with their current properties', async () => {
    const { status, body } = await get('groups/', { group_type_index: '0' });
    expect(status).toBe(200);
    expect(body).toMatchObject({ next: null, previous: null });
    expect(keysOf(body)).toEqual(['umbrella', 'initech', 'globex', 'acme']);
    expect(body.results[3]).toEqual({
      group_type_index: 0,
      group_key: 'acme',
      created_at: '2026-01-01T00:00:00Z',
      group_properties: { plan: 'pro', size: 50, tags: ['a'] },
    });
    expect(keysOf((await get('groups/', { group_type_index: '1' })).body)).toEqual(['red']);
    expect(keysOf((await get('groups/', { group_type_index: '4' })).body)).toEqual([]);
  });

  it.each([
    ['GLOB', ['globex']],
    ['köln', ['initech']],
    ['Köln', ['initech']],
    ['%', []],
    ['nobody', []],
  ])('can be searched by part of a text: %s', async (search, found) => {
    expect(keysOf((await get('groups/', { group_type_index: '0', search })).body)).toEqual(found);
  });

  it('have pages in both directions', async () => {
    const first = (await get('groups/', { group_type_index: '0', limit: '2' })).body;
    expect([keysOf(first), first.previous]).toEqual([['umbrella', 'initech'], null]);
    const second = (await client.get(first.next)).body;
    expect([keysOf(second), second.next]).toEqual([['globex', 'acme'], null]);
    const back = (await client.get(second.previous)).body;
    expect([keysOf(back), back.previous]).toEqual([['umbrella', 'initech'], null]);
    expect((await client.get(back.next)).body.results).toEqual(second.results);
    const searched = (await get('groups/', { group_type_index: '0', limit: '1', search: '"plan":"pro"' })).body;
    expect(keysOf((await client.get(searched.next)).body)).toEqual(['acme']);
  });

  it('can be read one by one', async () => {
    const { body } = await get('groups/find/', { group_type_index: '0', group_key: 'globex' });
    expect(body).toEqual({
      group_type_index: 0,
      group_key: 'globex',
      created_at: '2026-01-02T00:00:00Z',
      group_properties: { plan: 'free', size: 5 },
    });
    for (const [index, key] of [
      ['1', 'globex'],
      ['0', 'mentioned only'],
      ['0', 'Globex'],
    ] as const) {
      expect((await get('groups/find/', { group_type_index: index, group_key: key })).status).toBe(404);
    }
  });

  it.each<[string, Record<string, string>, number, string | null]>([
    ['groups/', {}, 400, 'group_type_index'],
    ['groups/', { group_type_index: '' }, 400, 'group_type_index'],
    ['groups/', { group_type_index: '5' }, 400, 'group_type_index'],
    ['groups/', { group_type_index: '-1' }, 400, 'group_type_index'],
    ['groups/', { group_type_index: '0.0' }, 400, 'group_type_index'],
    ['groups/', { group_type_index: 'company' }, 400, 'group_type_index'],
    ['groups/', { group_type_index: '0', cursor: 'nonsense' }, 404, null],
    ['groups/', { group_type_index: '0', cursor: 'bnVsbA' }, 404, null],
    ['groups/find/', { group_key: 'acme' }, 400, 'group_type_index'],
    ['groups/find/', { group_type_index: '0' }, 400, 'group_key'],
    ['groups/property_values/', { key: 'plan' }, 400, 'group_type_index'],
  ])('reject %s with %j', async (rest, params, status, attr) => {
    const answer = await get(rest, params);
    expect([answer.status, answer.body.attr]).toEqual([status, attr]);
  });

  it('belong to their project', async () => {
    const theirs = `/api/projects/${stranger.projectId}/groups/find/?group_type_index=0&group_key=acme`;
    expect((await client.get(theirs)).status).toBe(404);
    const { body } = await client.get(theirs, { key: stranger.personalKey });
    expect(body.group_properties).toEqual({ secret: 'theirs' });
    const ours = `${P}/groups/?group_type_index=0`;
    expect((await client.get(ours, { key: stranger.personalKey })).status).toBe(404);
  });
});

describe('suggestions', () => {
  it('list the properties of each type, most frequent first', async () => {
    expect((await get('groups/property_definitions/')).body).toEqual({
      0: [
        { name: 'plan', count: 4 },
        { name: 'size', count: 2 },
        { name: 'active', count: 1 },
        { name: 'city', count: 1 },
        { name: 'gone', count: 1 },
        { name: 'tags', count: 1 },
      ],
      1: [{ name: 'plan', count: 1 }],
    });
  });

  it.each<[Record<string, string>, { name: string; count: number }[]]>([
    [
      { key: 'plan' },
      [
        { name: 'pro', count: 2 },
        { name: 'free', count: 1 },
      ],
    ],
    [{ key: 'plan', value: 'FR' }, [{ name: 'free', count: 1 }]],
    [
      { key: 'size' },
      [
        { name: '5', count: 1 },
        { name: '50', count: 1 },
      ],
    ],
    [{ key: 'active' }, [{ name: 'true', count: 1 }]],
    [{ key: 'tags' }, [{ name: '["a"]', count: 1 }]],
    [{ key: 'gone' }, []],
    [{ key: 'unknown' }, []],
    [{ key: '' }, []],
    [{}, []],
  ])('list the values of %j', async (params, values) => {
    const { status, body } = await get('groups/property_values/', { group_type_index: '0', ...params });
    expect([status, body]).toEqual([200, values]);
  });
});

describe('groups filtered by properties', () => {
  const found = async (filters: unknown, more: Record<string, string> = {}) =>
    get('groups/', { group_type_index: '0', properties: JSON.stringify(filters), ...more });
  const pro = { key: 'plan', value: 'pro', type: 'group', group_type_index: 0 };

  it.each([
    [[pro], ['initech', 'acme']],
    [
      [
        { key: 'plan', value: 'pro' },
        { key: 'size', value: '10', operator: 'gt' },
      ],
      ['acme'],
    ],
    [[{ key: 'gone', operator: 'is_set' }], ['umbrella']],
    [[{ key: 'plan', value: '^f', operator: 'regex' }], ['globex']],
    [
      {
        type: 'OR',
        values: [
          { key: 'city', value: 'Köln' },
          { key: 'size', value: 50 },
        ],
      },
      ['initech', 'acme'],
    ],
  ])('are found by %j', async (filters, keys) => {
    expect(keysOf((await found(filters)).body)).toEqual(keys);
  });

  it('have pages in both directions', async () => {
    const first = (await found([pro], { limit: '1' })).body;
    expect([keysOf(first), first.previous]).toEqual([['initech'], null]);
    const second = (await client.get(first.next)).body;
    expect([keysOf(second), second.next]).toEqual([['acme'], null]);
    expect(keysOf((await client.get(second.previous)).body)).toEqual(['initech']);
  });

  it('cannot be filtered by cohorts or invalid filters', async () => {
    expect((await found([{ key: 'id', type: 'cohort', value: 1 }])).status).toBe(400);
    const broken = await client.get(`${P}/groups/?group_type_index=0&properties=[`);
    expect([broken.status, broken.body.detail]).toEqual([400, 'Properties are unparsable!']);
  });
});
