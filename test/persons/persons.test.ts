/** Persons in the private API: the list and single persons. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { capture, type SentEvent } from '../support/capture.ts';
import { clientFor } from '../support/client.ts';
import { OpenApi } from '../support/openapi.ts';
import { startServer, type TestProject, type TestServer } from '../support/server.ts';

let server: TestServer;
let api: OpenApi;
let stranger: TestProject;
let get: ReturnType<typeof clientFor>['get'];
beforeAll(async () => {
  server = await startServer();
  api = await OpenApi.of(server);
  stranger = await server.createProject({ foreign: true });
  ({ get } = clientFor(server));
});
afterAll(() => server.close());

/** A separate project for each group of tests. */
async function project(events: readonly SentEvent[]) {
  const made = await server.createProject();
  await capture(server, made.projectKey, events);
  const base = `/api/projects/${made.projectId}/persons/`;
  const list = async (query: Record<string, string> = {}) => (await get(`${base}?${new URLSearchParams(query)}`)).body;
  const one = async (distinctId: string) => (await list({ distinct_id: distinctId })).results[0];
  return { ...made, base, list, one };
}

type Project = Awaited<ReturnType<typeof project>>;

const set = (distinctId: string, properties: Record<string, unknown>, timestamp = '2026-01-10T00:00:00Z') => ({
  event: '$set',
  distinct_id: distinctId,
  timestamp,
  properties: { $set: properties },
});
const identify = (distinctId: string, anonymous: string) => ({
  event: '$identify',
  distinct_id: distinctId,
  properties: { $anon_distinct_id: anonymous },
});
// biome-ignore lint/suspicious/noExplicitAny: responses are read freely
const names = (list: any): string[] => list.results.map((person: any) => person.name);

describe('the list of persons', () => {
  let p: Project;
  const ANON = '018f0000-1111-7222-8333-444444444444';
  const MADE = '018f0000-1111-7222-8333-555555555555';
  beforeAll(async () => {
    p = await project([
      set('one', { email: 'Someone@Example.org', plan: 'pro', seats: 5, beta: true }, '2026-01-01T00:00:00Z'),
      set('two', { email: 'another@example.org', plan: 'free', seats: '12' }, '2026-01-02T00:00:00Z'),
      set(ANON, { plan: 'pro', joined: '2025-05-01' }, '2026-01-03T00:00:00.250Z'),
      { event: '$create_alias', distinct_id: 'two', properties: { alias: ANON.replace('8', '9') } },
      { ...identify('three', 'three-old'), timestamp: '2026-01-04T00:00:00Z' },
      { distinct_id: MADE, timestamp: '2026-01-05T00:00:00Z' },
      { ...identify('chosen', MADE), timestamp: '2026-01-05T00:00:00Z' },
    ]);
  });

  it('returns persons as documented, newest first', async () => {
    const answer = await get(p.base);
    expect(api.problemsOf('GET', p.base, answer)).toEqual([]);
    expect(answer.body.next).toBeNull();
    expect(answer.body.previous).toBeNull();
    expect('count' in answer.body).toBe(false);
    expect(names(answer.body)).toEqual(['chosen', 'three', ANON, 'another@example.org', 'Someone@Example.org']);
    const [, , , two] = answer.body.results;
    expect(two).toMatchObject({
      type: 'person',
      created_at: '2026-01-02T00:00:00Z',
      is_identified: true,
      distinct_ids: ['two', ANON.replace('8', '9')],
      properties: { email: 'another@example.org', plan: 'free', seats: '12' },
      matched_recordings: [],
      value_at_data_point: null,
    });
    expect([typeof two.id, /^[0-9a-f-]{36}$/.test(two.uuid)]).toEqual(['number', true]);
    expect(answer.body.results[2].created_at).toBe('2026-01-03T00:00:00.250000Z');
  });

  it('has ids in order of creation, while a single person shows chosen ids first', async () => {
    const listed = await p.one('chosen');
    const { body } = await get(`${p.base}${listed.id}/`);
    expect([listed.name, body.name, body.distinct_ids]).toEqual(['chosen', 'chosen', ['chosen', MADE]]);
    expect(listed.distinct_ids).toEqual([MADE, 'chosen']);
  });

  it.each<[string, Record<string, string>, string[]]>([
    ['a distinct id', { distinct_id: 'two' }, ['another@example.org']],
    ['a distinct id that was merged in', { distinct_id: 'three-old' }, ['three']],
    ['a distinct id of nobody', { distinct_id: 'TWO' }, []],
    ['an e-mail', { email: 'another@example.org' }, ['another@example.org']],
    ['an e-mail in other letters', { email: 'ANOTHER@example.org' }, []],
    ['part of an e-mail, whatever the case', { search: 'SOMEone@' }, ['Someone@Example.org']],
    ['part of several e-mails', { search: '@example' }, ['another@example.org', 'Someone@Example.org']],
    ['a distinct id in the search', { search: 'three' }, ['three']],
    ['part of a distinct id in the search', { search: 'thre' }, []],
    [
      'nothing, when the parameters are empty',
      { search: '', email: '', distinct_id: '', properties: '', limit: '2' },
      ['chosen', 'three'],
    ],
    [
      'several at once',
      { search: '@example', distinct_id: 'two', email: 'another@example.org' },
      ['another@example.org'],
    ],
    ['several that exclude each other', { distinct_id: 'one', email: 'another@example.org' }, []],
  ])('can be searched by %s', async (_name, query, expected) => {
    expect(names(await p.list(query))).toEqual(expected);
  });

  const ONE = 'Someone@Example.org';
  const TWO = 'another@example.org';
  const is = (key: string, value: unknown, operator?: string) => ({
    key,
    value,
    type: 'person',
    ...(operator ? { operator } : {}),
  });
  it.each<[string, unknown, string[]]>([
    ['exact', [is('plan', 'pro')], [ANON, ONE]],
    ['exact, one of several', [is('plan', ['free', 'none'])], [TWO]],
    ['exact on a number as text', [is('seats', '5')], [ONE]],
    ['exact on a boolean', [is('beta', 'true')], [ONE]],
    ['exact e-mail', [is('email', TWO)], [TWO]],
    ['exact e-mail, one of several', [is('email', [TWO, ONE, 'x'])], [TWO, ONE]],
    ['is_not', [is('plan', 'pro', 'is_not')], ['chosen', 'three', TWO]],
    ['icontains', [is('email', 'EXAMPLE', 'icontains')], [TWO, ONE]],
    ['icontains on another property', [is('plan', 'RO', 'icontains')], [ANON, ONE]],
    ['not_icontains', [is('email', 'another', 'not_icontains')], ['chosen', 'three', ANON, ONE]],
    ['regex', [is('email', '^a.*r@', 'regex')], [TWO]],
    ['regex that fits an empty text', [is('email', '^$', 'regex')], ['chosen', 'three', ANON]],
    ['invalid regex', [is('email', '(', 'regex')], []],
    ['not_regex', [is('email', '@example', 'not_regex')], ['chosen', 'three', ANON, ONE]],
    ['invalid not_regex', [is('email', '(', 'not_regex')], []],
    ['gt', [is('seats', 5, 'gt')], [TWO]],
    ['gte', [is('seats', 5, 'gte')], [TWO, ONE]],
    ['lt', [is('seats', '12', 'lt')], [ONE]],
    ['lte', [is('seats', '12', 'lte')], [TWO, ONE]],
    ['is_set', [is('joined', undefined, 'is_set')], [ANON]],
    ['is_not_set', [is('plan', null, 'is_not_set')], ['chosen', 'three']],
    ['is_date_exact', [is('joined', '2025-05-01', 'is_date_exact')], [ANON]],
    ['is_date_after', [is('joined', '2025-05-01', 'is_date_after')], []],
    ['is_date_before', [is('joined', '2025-05-02', 'is_date_before')], [ANON]],
    ['negation', [{ ...is('plan', 'pro'), negation: true }], ['chosen', 'three', TWO]],
    ['two filters', [is('plan', 'pro'), is('seats', 1, 'gt')], [ONE]],
    ['an OR group', { type: 'OR', values: [is('plan', 'free'), is('beta', 'true')] }, [TWO, ONE]],
    [
      'groups in groups',
      {
        type: 'AND',
        values: [
          { type: 'OR', values: [is('plan', 'free'), is('plan', 'pro')] },
          { type: 'OR', values: [is('email', 'x', 'icontains'), is('joined', '', 'is_set')] },
        ],
      },
      [ANON, TWO, ONE],
    ],
    ['the old object', { plan: 'pro', seats__gt: 1 }, [ONE]],
    ['filters that do not say whose property they mean', [{ key: 'plan', value: 'free' }], [TWO]],
    [
      'a filter on events, which has no effect',
      [{ key: 'plan', value: 'x', type: 'event' }, is('plan', 'free')],
      [TWO],
    ],
    ['no filters', [], ['chosen', 'three', ANON, TWO, ONE]],
    ['what looks like SQL', [is('plan', "' or 1=1 --"), is("'; drop table persons --", 'x', 'is_not')], []],
  ])('can be filtered by %s', async (_name, properties, expected) => {
    expect(names(await p.list({ properties: JSON.stringify(properties) }))).toEqual(expected);
  });

  it.each([
    ['one filter', [['properties', is('plan', 'free')]], [TWO]],
    ['a list in one parameter', [['properties', [is('plan', 'pro'), is('seats', 1, 'gt')]]], [ONE]],
    [
      'a repeated parameter',
      [
        ['properties', is('plan', 'pro')],
        ['properties', is('seats', 1, 'gt')],
      ],
      [ONE],
    ],
    [
      'a repeated parameter with brackets',
      [
        ['properties[]', is('plan', 'pro')],
        ['properties[]', is('seats', 1, 'gt')],
      ],
      [ONE],
    ],
    [
      'repeated groups',
      [
        ['properties', { type: 'OR', values: [is('plan', 'free'), is('beta', 'true')] }],
        ['properties', is('plan', 'free')],
      ],
      [TWO],
    ],
  ])('takes properties as %s', async (_name, parameters, expected) => {
    const query = new URLSearchParams(
      parameters.map(([name, value]): [string, string] => [String(name), JSON.stringify(value)]),
    );
    expect(names((await get(`${p.base}?${query}`)).body)).toEqual(expected);
  });

  it.each(['', 'format=', 'format=json', 'format'])('answers JSON to ?%s', async (query) => {
    const { status, body } = await get(`${p.base}?${query}`);
    expect([status, names(body)]).toEqual([200, ['chosen', 'three', ANON, TWO, ONE]]);
  });

  it('combines filters with the other parameters', async () => {
    const properties = JSON.stringify([is('plan', 'pro')]);
    expect(names(await p.list({ properties, search: '@example' }))).toEqual([ONE]);
    expect(names(await p.list({ properties, distinct_id: 'two' }))).toEqual([]);
  });

  it.each([
    ['{', 'Properties are unparsable!'],
    ['5', 'Properties are unparsable!'],
    ['{"type":"XOR","values":[]}', /^PropertyGroup is unparsable/],
    ['[{"key":"x","value":1,"type":"group","group_type_index":0}]', /type "group" are not supported/],
  ])('rejects properties that are %s', async (properties, detail) => {
    const { status, body } = await get(`${p.base}?${new URLSearchParams({ properties })}`);
    expect([status, body.type, body.code]).toEqual([400, 'validation_error', 'invalid_input']);
    expect(body.detail).toMatch(detail);
  });

  it('has pages whose links only change the offset', async () => {
    const first = await p.list({ limit: '2' });
    const link = (offset: number, rest = 'limit=2') => `${server.url}${p.base}?${rest}&offset=${offset}`;
    expect([first.previous, first.next]).toEqual([null, link(2)]);
    const second = (await get(first.next)).body;
    expect([second.previous, second.next]).toEqual([link(0), link(4)]);
    const third = (await get(second.next)).body;
    expect([third.previous, third.next]).toEqual([link(2), null]);
    const seen = [first, second, third].flatMap(names);
    expect(seen).toEqual(names(await p.list()));
    expect((await p.list({ offset: '1' })).previous).toBeNull();
    expect((await p.list({ limit: '5' })).next).toBe(link(5, 'limit=5'));
    expect((await p.list({ limit: '5', offset: '5' })).results).toEqual([]);
  });

  it('has pages of filtered persons', async () => {
    const query = { properties: JSON.stringify([is('plan', 'none', 'is_not')]), limit: '2' };
    const seen: string[] = [];
    for (let url = `${p.base}?${new URLSearchParams(query)}`; url; ) {
      const { body } = await get(url);
      seen.push(...names(body));
      url = body.next;
    }
    expect(seen).toEqual(names(await p.list()));
  });

  it.each(['0', '-1', 'x', '1.5', ''])('ignores the limit %j', async (limit) => {
    expect((await p.list({ limit })).results).toHaveLength(5);
  });

  it('is not accessible to outsiders, and shows no persons of other projects', async () => {
    const { status } = await clientFor({ ...stranger, url: server.url }).get(p.base);
    expect(status).toBe(404);
    const empty = await server.createProject();
    const { body } = await get(`/api/projects/${empty.projectId}/persons/?search=two`);
    expect(body).toEqual({ next: null, previous: null, results: [] });
  });

  it('is available under the legacy path', async () => {
    const legacy = await get(`/api/person/?token=${p.projectKey}&distinct_id=two`);
    expect(names(legacy.body)).toEqual([TWO]);
  });
});

describe('the list as CSV', () => {
  it.each(['?format=csv', '?format=csv&limit=1&offset=1', '.csv', '.csv?limit=1'])(
    'contains all persons with %s',
    async (end) => {
      const p = await project([
        set('one', { email: 'a@x', tags: ['x', 'y'], ok: true, text: 'a "b",\nc' }, '2026-01-01T00:00:00Z'),
        set('two', { nothing: null, list: [] }, '2026-01-02T00:00:00.250Z'),
      ]);
      const [two, one] = (await p.list()).results;
      const { status, body, headers } = await get(p.base.replace(/\/$/, '') + (end.startsWith('.') ? end : `/${end}`));
      expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
      expect(headers.get('content-disposition')).toBeNull();
      const creator = [one, two].map(({ properties }) => properties.$creator_event_uuid);
      const columns =
        'created_at,distinct_ids.0,id,is_identified,name,properties.$creator_event_uuid,properties.email,' +
        'properties.nothing,properties.ok,properties.tags.0,properties.tags.1,properties.text,type,uuid,' +
        'value_at_data_point';
      expect(body.split('\r\n')).toEqual([
        columns,
        `2026-01-02 00:00:00.250000+00:00,two,${two.id},False,two,${creator[1]},,,,,,,person,${two.uuid},`,
        `2026-01-01 00:00:00+00:00,one,${one.id},False,a@x,${creator[0]},a@x,,True,x,y,"a ""b"",\nc",person,${one.uuid},`,
        '',
      ]);
    },
  );

  it('has no cells that a spreadsheet would run, unless they are asked for', async () => {
    const p = await project([set('one', { email: '=1+1', score: -5 })]);
    const csv = p.base.replace(/\/$/, '.csv');
    expect((await get(csv)).body).toMatch(/,'=1\+1,-5,person,/);
    expect((await get(`${csv}?raw=true`)).body).toMatch(/,=1\+1,-5,person,/);
    expect((await get(`${p.base}?format=csv&raw`)).body).toMatch(/,=1\+1,-5,person,/);
    const { id } = (await p.list()).results[0];
    expect((await get(`${p.base}${id}/?format=csv`)).body).toContain(",'=1+1,");
    expect((await get(`${p.base}values/?key=email&format=csv`)).body).toContain("'=1+1");
    expect((await get(`${p.base}values/?key=email&format=csv&raw=1`)).body).toMatch(/(^|,|\n)=1\+1/);
  });

  it('is empty without persons', async () => {
    const empty = await server.createProject();
    expect((await get(`/api/projects/${empty.projectId}/persons.csv`)).body).toBe('');
  });

  it('is filtered like the list', async () => {
    const p = await project([set('one', { email: 'a@x' }), set('two', { email: 'b@x' })]);
    const { body } = await get(`/api/person.csv?token=${p.projectKey}&email=b@x`);
    expect(body.match(/@x/g)).toHaveLength(2);
    expect(body).not.toContain('a@x');
  });

  it('is rejected in unknown formats, as is every other response', async () => {
    const p = await project([set('one', {})]);
    const { id } = await p.one('one');
    for (const path of ['?format=xml', `${id}/?format=xml`, 'values/?format=xlsx', 'activity/?format=api']) {
      const { status, body } = await get(p.base + path);
      expect([path, status, body.code, body.detail]).toEqual([path, 404, 'not_found', 'Not found.']);
    }
  });
});

describe('a single person', () => {
  let p: Project;
  beforeAll(async () => {
    p = await project([set('me', { email: 'me@x', plan: 'free' })]);
  });

  it('is found by id and by UUID, with or without hyphens', async () => {
    const { id, uuid } = await p.one('me');
    const answer = await get(`${p.base}${id}/`);
    expect(api.problemsOf('GET', `${p.base}${id}/`, answer)).toEqual([]);
    expect(answer.body).toMatchObject({ id, uuid, name: 'me@x', distinct_ids: ['me'], properties: { plan: 'free' } });
    for (const name of [uuid, uuid.toUpperCase(), uuid.replaceAll('-', '')]) {
      expect((await get(`${p.base}${name}/`)).body).toEqual(answer.body);
      expect((await get(`/api/person/${name}/?token=${p.projectKey}`)).body).toEqual(answer.body);
    }
  });

  it('is available as CSV', async () => {
    const { id } = await p.one('me');
    const { body, headers } = await get(`${p.base}${id}/?format=csv`);
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(body).toMatch(/^created_at,distinct_ids\.0,id,.*\r\n.*,me@x,.*\r\n$/);
  });

  it.each(['0', '999999', 'nobody', '018f0000-0000-7000-8000-000000000000', '9'.repeat(30), '1.5', '%00', '-1'])(
    'is not found as %s',
    async (id) => {
      for (const [method, path] of [
        ['get', ''],
        ['patch', ''],
        ['post', 'update_property/'],
        ['post', 'delete_property/'],
        ['get', 'activity/'],
      ] as const) {
        const body = { properties: { a: 1 }, key: 'a', value: 1, $unset: 'a' };
        const answer = await clientFor(server)[method](`${p.base}${id}/${path}`, method === 'get' ? {} : { body });
        expect([method, path, answer.status, answer.body]).toEqual([
          method,
          path,
          404,
          { type: 'invalid_request', code: 'not_found', detail: 'Not found.', attr: null },
        ]);
      }
    },
  );

  it('cannot be read or changed from another project', async () => {
    const { id, uuid } = await p.one('me');
    const { get: other, patch } = clientFor({ ...stranger, url: server.url });
    const theirs = `/api/projects/${stranger.projectId}/persons/`;
    for (const name of [id, uuid]) {
      expect((await other(`${theirs}${name}/`)).status).toBe(404);
      expect((await other(`/api/person/${name}/`)).status).toBe(404);
      expect((await patch(`${theirs}${name}/`, { body: { properties: { plan: 'x' } } })).status).toBe(404);
      expect((await patch(`${p.base}${name}/`, { body: { properties: { plan: 'x' } } })).status).toBe(404);
    }
    expect((await p.one('me')).properties.plan).toBe('free');
  });

  it('cannot be created through the API', async () => {
    for (const path of [p.base, '/api/person/']) {
      const { status, body } = await clientFor(server).post(path, { body: { properties: {} } });
      expect([status, body.type, body.code]).toEqual([405, 'invalid_request', 'method_not_allowed']);
      expect(body.detail).toMatch(
        /^Creating persons via this API is not allowed\. Please create persons by sending an/,
      );
      expect((await clientFor(server).post(path, { key: null })).status).toBe(401);
    }
  });

  it('is named by e-mail, best distinct id, or id', async () => {
    const anonymous = '018f0000-1111-7222-8333-444444444444';
    const q = await project([
      set('a', { email: '' }),
      set(anonymous, {}),
      { event: '$identify', distinct_id: 'b', properties: { $anon_distinct_id: anonymous } },
    ]);
    expect([(await q.one('a')).name, (await q.one(anonymous)).name]).toEqual(['a', 'b']);
  });
});
