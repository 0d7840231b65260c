import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { capture, type SentEvent } from '../support/capture.ts';
import { type Answer, clientFor } from '../support/client.ts';
import { START, startServer, type TestProject, type TestServer } from '../support/server.ts';

let server: TestServer;
let project: TestProject;
let client: ReturnType<typeof clientFor>;
beforeAll(async () => {
  server = await startServer();
  client = clientFor(server);
});
afterAll(() => server.close());
beforeEach(async () => {
  server.setNow(START);
  project = await server.createProject();
});

const path = (rest = ''): string => `/api/projects/${project.projectId}/cohorts/${rest}`;
const send = (...events: SentEvent[]): Promise<void> => capture(server, project.projectKey, events);
/** Persons by distinct id, with what is known of them. */
const addPersons = (persons: Record<string, object>): Promise<void> =>
  send(...Object.entries(persons).map(([id, $set]) => ({ event: 'seen', distinct_id: id, properties: { $set } })));
const all = (...values: unknown[]) => ({ properties: { type: 'AND', values } });
const pro = { key: 'plan', type: 'person', value: 'pro' };
const did = (key: string, rest: object = {}) => ({
  type: 'behavioral',
  value: 'performed_event',
  key,
  event_type: 'events',
  time_value: 1,
  time_interval: 'day',
  ...rest,
});
const inCohort = (value: unknown, rest: object = {}) => ({ key: 'id', type: 'cohort', value, ...rest });
const make = async (body: object) => {
  const { status, body: cohort } = await client.post(path(), { body });
  expect([status, cohort.detail]).toEqual([201, undefined]);
  return cohort;
};
const calculated = async (body: object) => {
  const { id } = await make(body);
  await server.settleCohorts();
  return (await client.get(path(`${id}/`))).body;
};
const firstIds = ({ body }: Answer): string[] =>
  body.results.map(({ distinct_ids: [id] }: { distinct_ids: string[] }) => id).sort();
const members = async (id: number): Promise<string[]> => firstIds(await client.get(path(`${id}/persons/`)));

describe('a cohort of criteria', () => {
  it('is created at once and calculated soon after', async () => {
    await addPersons({ ada: { plan: 'pro' }, bob: { plan: 'free' } });
    const cohort = await make({ name: 'Paying', description: 'Those who pay', filters: all(pro) });
    expect(cohort).toEqual({
      id: expect.any(Number),
      name: 'Paying',
      description: 'Those who pay',
      groups: [],
      deleted: false,
      filters: all(pro),
      is_calculating: true,
      created_by: expect.objectContaining({ email: expect.any(String) }),
      created_at: '2026-01-15T12:00:00Z',
      last_calculation: null,
      errors_calculating: 0,
      count: null,
      is_static: false,
    });
    await server.settleCohorts();
    expect((await client.get(path(`${cohort.id}/`))).body).toEqual({
      ...cohort,
      is_calculating: false,
      last_calculation: '2026-01-15T12:00:00Z',
      count: 1,
    });
    expect(await members(cohort.id)).toEqual(['ada']);
  });

  it('is calculated by queries as long as it never was before', async () => {
    await addPersons({ ada: { plan: 'pro' }, bob: { plan: 'free' } });
    const { id } = await make({ filters: all(pro) });
    expect(await members(id)).toEqual(['ada']);
    await client.patch(path(`${id}/`), { body: { filters: all({ ...pro, value: 'free' }) } });
    expect(await members(id)).toEqual(['bob']);
  });

  it('combines properties, behaviour and other cohorts', async () => {
    await addPersons({ ada: { plan: 'pro' }, bob: { plan: 'pro' }, eve: { plan: 'free' } });
    await send({ event: 'buy', distinct_id: 'ada' }, { event: 'buy', distinct_id: 'eve' });
    server.setNow('2026-01-15T13:00:00Z');
    const buyers = await calculated({ filters: all(did('buy')) });
    expect([buyers.count, await members(buyers.id)]).toEqual([2, ['ada', 'eve']]);
    const both = await calculated({ filters: all(pro, inCohort(buyers.id)) });
    expect(await members(both.id)).toEqual(['ada']);
    const others = await calculated({ filters: all(pro, inCohort(buyers.id, { negation: true })) });
    expect(await members(others.id)).toEqual(['bob']);
    const either = await calculated({ filters: { properties: { type: 'OR', values: [pro, did('buy')] } } });
    expect(either.count).toBe(3);
    const idle = await calculated({ filters: all(did('seen'), did('buy', { negation: true })) });
    expect(await members(idle.id)).toEqual(['bob']);
  });

  it('counts merged persons once', async () => {
    await send({ event: 'buy', distinct_id: 'anon' }, { event: 'buy', distinct_id: 'eve' });
    server.setNow('2026-01-15T13:00:00Z');
    const twice = did('buy', { value: 'performed_event_multiple', operator: 'gte', operator_value: 2 });
    const { id } = await calculated({ filters: all(twice) });
    expect(await members(id)).toEqual([]);
    await send({ event: '$identify', distinct_id: 'eve', properties: { $anon_distinct_id: 'anon' } });
    await client.patch(path(`${id}/`), { body: {} });
    await server.settleCohorts();
    const { body } = await client.get(path(`${id}/persons/`));
    expect(body.results.map((person: { distinct_ids: string[] }) => person.distinct_ids)).toEqual([['anon', 'eve']]);
  });

  it('keeps a member through a merge, until it is calculated again', async () => {
    await addPersons({ anon: { plan: 'pro' } });
    const { id } = await calculated({ filters: all(pro) });
    await send({ event: '$identify', distinct_id: 'eve', properties: { $anon_distinct_id: 'anon' } });
    expect((await client.get(path(`${id}/persons/`))).body.results).toHaveLength(1);
  });

  it.each([
    ['nothing', {}],
    ['an empty group', { filters: all() }],
    ['an empty old group', { groups: [{}] }],
  ])('is empty for %s', async (_name, body) => {
    await addPersons({ ada: {} });
    const cohort = await calculated(body);
    expect([cohort.count, await members(cohort.id)]).toEqual([0, []]);
  });

  it('reads the old form, and shows the new one', async () => {
    await addPersons({ ada: { plan: 'pro' }, bob: {}, eve: {} });
    await send({ event: 'buy', distinct_id: 'bob' });
    server.setNow('2026-01-15T13:00:00Z');
    const groups = [{ properties: [{ key: 'plan', value: 'pro', type: 'event' }] }, { event_id: 'buy', days: 2 }];
    const cohort = await calculated({ name: 'Old', groups });
    expect(await members(cohort.id)).toEqual(['ada', 'bob']);
    expect(cohort.groups).toEqual(groups);
    expect(cohort.filters.properties).toMatchObject({
      type: 'OR',
      values: [
        { type: 'AND', values: [{ key: 'plan', value: 'pro', type: 'person' }] },
        { type: 'AND', values: [{ type: 'behavioral', key: 'buy', value: 'performed_event', time_value: 2 }] },
      ],
    });
    await client.patch(path(`${cohort.id}/`), { body: { filters: all(pro) } });
    await client.patch(path(`${cohort.id}/`), { body: { groups: [{ event_id: 'buy' }] } });
    expect(await members(cohort.id)).toEqual(['bob']);
  });
});

describe('changing a cohort', () => {
  it('shows the change, without the members of the old criteria', async () => {
    await addPersons({ ada: { plan: 'pro' }, bob: { plan: 'free' } });
    const before = await calculated({ name: 'A', filters: all(pro) });
    const renamed = await client.put(path(`${before.id}/`), { body: { name: 'B' } });
    expect([renamed.status, renamed.body]).toEqual([200, { ...before, name: 'B', is_calculating: true }]);
    const changed = await client.patch(path(`${before.id}/`), { body: { filters: all(inCohort(before.id)) } });
    expect(changed.status).toBe(400);
    const { body } = await client.patch(path(`${before.id}/`), { body: { filters: all({ ...pro, value: 'free' }) } });
    expect(body).toMatchObject({ is_calculating: true, last_calculation: null, count: null });
    await server.settleCohorts();
    expect(await members(before.id)).toEqual(['bob']);
  });

  it('recalculates the cohorts that refer to it, after it', async () => {
    await addPersons({ ada: { plan: 'pro' }, bob: { plan: 'free' } });
    const inner = await calculated({ filters: all(pro) });
    const outer = await calculated({ filters: all(inCohort(inner.id)) });
    const outmost = await calculated({ filters: all(inCohort(outer.id)) });
    await client.patch(path(`${inner.id}/`), { body: { filters: all({ ...pro, value: 'free' }) } });
    expect((await client.get(path(`${outmost.id}/`))).body.is_calculating).toBe(true);
    await server.settleCohorts();
    expect(await members(outmost.id)).toEqual(['bob']);
  });

  it('deletes and restores by a change, and rejects DELETE', async () => {
    const { id } = await calculated({ name: 'A' });
    const refused = await client.delete(path(`${id}/`));
    expect([refused.status, refused.body]).toEqual([405, '']);
    const { body } = await client.patch(path(`${id}/`), { body: { deleted: true } });
    expect(body).toMatchObject({ deleted: true, is_calculating: false });
    expect((await client.get(path())).body).toMatchObject({ count: 0, results: [] });
    expect((await client.get(path(`${id}/`))).body.deleted).toBe(true);
    expect((await client.patch(path(`${id}/`), { body: { deleted: false } })).body.is_calculating).toBe(true);
    expect((await client.get(path())).body.count).toBe(1);
  });

  it('records who changed what', async () => {
    const { id } = await make({ name: 'A' });
    await client.patch(path(`${id}/`), { body: { name: 'B', filters: all(pro) } });
    await client.patch(path(`${id}/`), { body: { name: 'B' } });
    const { body } = await client.get(path(`${id}/activity/`));
    expect(body.total_count).toBe(2);
    expect(body.results[0]).toMatchObject({
      activity: 'updated',
      scope: 'Cohort',
      item_id: String(id),
      detail: {
        name: 'B',
        changes: [
          { type: 'Cohort', action: 'changed', field: 'name', before: 'A', after: 'B' },
          { type: 'Cohort', action: 'changed', field: 'filters', before: {}, after: all(pro) },
        ],
      },
    });
    expect(body.results[1]).toMatchObject({ activity: 'created', detail: { name: 'A', changes: null } });
    expect((await client.get(path('activity/'))).body.total_count).toBe(2);
  });

  it('lists the newest first, in pages, also without the project in the path', async () => {
    for (const name of ['a', 'b', 'c']) await make({ name });
    const names = ({ body }: Answer) => body.results.map((cohort: { name: string }) => cohort.name);
    const first = await client.get(path('?limit=2'));
    expect([first.body.count, names(first)]).toEqual([3, ['c', 'b']]);
    expect(names(await client.get(first.body.next))).toEqual(['a']);
    const legacy = await client.get(`/api/cohort/?token=${project.projectKey}`);
    expect(names(legacy)).toEqual(['c', 'b', 'a']);
  });
});

describe('rejects', () => {
  const refusal = async (body: unknown, id?: number) => {
    const answer = await (id === undefined ? client.post(path(), { body }) : client.patch(path(`${id}/`), { body }));
    const { type, code, detail, attr } = answer.body;
    return [answer.status, type, code, attr, detail];
  };
  const invalid = (attr: string | null, detail: unknown, code = 'invalid_input') => [
    400,
    'validation_error',
    code,
    attr,
    detail,
  ];

  it.each<[string, unknown, unknown[]]>([
    ['empty filters', { filters: {} }, invalid('filters', "Filters must be a dictionary with a 'properties' key.")],
    ['a list', { filters: [] }, invalid('filters', "Filters must be a dictionary with a 'properties' key.")],
    ['a text', { filters: 'x' }, invalid('filters', 'filters is not valid JSON.')],
    ['strange groups', { groups: 5 }, invalid('groups', 'groups has to be a list.')],
    ['an unknown action in groups', { groups: [{ action_id: 1 }] }, invalid('groups', 'Action ID 1 does not exist!')],
    [
      'an unknown action',
      { filters: all(did('buy'), did('1', { event_type: 'actions' })) },
      invalid('filters', 'Action ID 1 does not exist!'),
    ],
    ['an unknown cohort', { filters: all(inCohort(999_999)) }, invalid(null, 'Invalid Cohort ID in filter')],
    [
      'nothing but a negation',
      { filters: all(did('buy', { negation: true })) },
      invalid('filters', 'Negations must be paired with a positive filter.'),
    ],
    ['a long name', { name: 'x'.repeat(401) }, invalid('name', expect.anything(), 'max_length')],
    ['persons without a list', { is_static: true, csv: 5 }, invalid('csv', expect.anything())],
    [
      'strange persons',
      { is_static: true, _create_static_person_ids: [1] },
      invalid('_create_static_person_ids', expect.anything()),
    ],
  ])('%s', async (_name, body, expected) => {
    expect(await refusal(body)).toEqual(expected);
    expect((await client.get(path())).body.count).toBe(0);
  });

  it('cycles of any length', async () => {
    const loop = invalid(null, 'Cohorts cannot reference other cohorts in a loop.');
    const a = await make({ filters: all(pro) });
    expect(await refusal({ filters: all(inCohort(a.id)) }, a.id)).toEqual(loop);
    const b = await make({ filters: all(inCohort(a.id)) });
    const c = await make({ filters: all(inCohort(b.id)) });
    expect(await refusal({ filters: all(pro, inCohort(c.id)) }, a.id)).toEqual(loop);
    expect((await client.get(path(`${a.id}/`))).body.filters).toEqual(all(pro));
  });

  it('the cohort of another project, or a deleted one', async () => {
    const theirs = await make({ name: 'theirs' });
    project = await server.createProject();
    expect(await refusal({ filters: all(inCohort(theirs.id)) })).toEqual(invalid(null, 'Invalid Cohort ID in filter'));
    expect((await client.get(path(`${theirs.id}/`))).status).toBe(404);
    expect((await client.get(path(`${theirs.id}/persons/`))).status).toBe(404);
    expect((await client.patch(path(`${theirs.id}/`), { body: { name: 'x' } })).status).toBe(404);
    const gone = await make({ deleted: true });
    expect(await refusal({ filters: all(inCohort(gone.id)) })).toEqual(invalid(null, 'Invalid Cohort ID in filter'));
  });

  it.each(['0', 'x', '-1', '1e3', '99999999999999999999'])('the id %s', async (id) => {
    expect((await client.get(path(`${id}/`))).status).toBe(404);
  });

  it('a property filter that cannot be read', async () => {
    const { id } = await make({});
    const { status, body } = await client.get(path(`${id}/persons/?properties=x`));
    expect([status, body.detail]).toEqual([400, 'Properties are unparsable!']);
  });
});

describe('persons of a cohort', () => {
  it('come newest first, in pages, and can be searched and filtered', async () => {
    for (const [i, id] of ['a', 'b', 'c'].entries()) {
      server.setNow(`2026-01-15T12:0${i}:00Z`);
      await addPersons({ [id]: { plan: 'pro', email: `${id}@example.org` } });
    }
    await addPersons({ other: { plan: 'free', email: 'o@example.org' } });
    const { id } = await calculated({ filters: all(pro) });
    const get = (query: string) => client.get(path(`${id}/persons/?${query}`));
    const ids = ({ body }: Answer) => body.results.map((person: { distinct_ids: string[] }) => person.distinct_ids[0]);
    const first = await get('limit=2');
    expect(ids(first)).toEqual(['c', 'b']);
    expect(first.body.results[0]).toMatchObject({
      type: 'person',
      id: expect.any(Number),
      uuid: expect.any(String),
      name: 'c@example.org',
      properties: { plan: 'pro' },
    });
    expect(ids(await client.get(first.body.next))).toEqual(['a']);
    expect(ids(await get('search=b@'))).toEqual(['b']);
    expect(ids(await get('search=other'))).toEqual([]);
    expect(ids(await get(`properties=${encodeURIComponent('[{"key":"email","value":"a@example.org"}]')}`))).toEqual([
      'a',
    ]);
  });

  it('come as CSV', async () => {
    await addPersons({ ada: { plan: 'pro', email: 'a@b.c' } });
    const { id } = await calculated({ filters: all(pro) });
    const { body, headers } = await client.get(path(`${id}/persons/?format=csv`));
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const [head, row, rest] = body.split('\r\n');
    const columns =
      'created_at,distinct_ids.0,email,id,name,properties.$creator_event_uuid,properties.email,properties.plan';
    expect(head).toBe(columns);
    expect(row).toMatch(/^2026-01-15 12:00:00\+00:00,ada,a@b\.c,\d+,a@b\.c,[0-9a-f-]{36},a@b\.c,pro$/);
    expect(rest).toBe('');
    for (const same of [path(`${id}/persons.csv`), `/api/cohort/${id}/persons.csv?token=${project.projectKey}`]) {
      const answer = await client.get(same);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
      expect(answer.body).toBe(body);
    }
    expect((await client.get(path(`${id}/persons.csv?search=nobody`))).body).toBe('');
    expect((await client.get(path('999999/persons.csv'))).status).toBe(404);
  });

  it('have no cells in CSV that a spreadsheet would run, unless they are asked for', async () => {
    await addPersons({ ada: { plan: 'pro', email: '=1+1' } });
    const { id } = await calculated({ filters: all(pro) });
    expect((await client.get(path(`${id}/persons.csv`))).body).toMatch(/,ada,'=1\+1,\d+,'=1\+1,/);
    expect((await client.get(path(`${id}/persons.csv?raw=true`))).body).toMatch(/,ada,=1\+1,\d+,=1\+1,/);
  });

  it('show the cohorts that they are in', async () => {
    await addPersons({ ada: { plan: 'pro' }, bob: {} });
    const { id } = await calculated({ name: 'Paying', filters: all(pro) });
    await calculated({ name: 'Gone', filters: all(pro), deleted: true });
    await calculated({ name: 'Others', filters: all({ ...pro, operator: 'is_not' }) });
    const [ada] = (await client.get(path(`${id}/persons/`))).body.results;
    for (const ref of [ada.id, ada.uuid]) {
      const { body } = await client.get(`/api/projects/${project.projectId}/persons/cohorts/?person_id=${ref}`);
      expect(body.results.map((cohort: { name: string }) => cohort.name)).toEqual(['Paying']);
    }
    const nobody = await client.get(`/api/projects/${project.projectId}/persons/cohorts/?person_id=999999`);
    expect(nobody.status).toBe(404);
  });
});

describe('cohorts as filters', () => {
  it.each([
    ['in', {}, ['buy']],
    ['not in', { negation: true }, ['look']],
    ['not in, as an operator', { operator: 'not_in' }, ['look']],
  ])('of events and persons: %s', async (_name, rest, events) => {
    await addPersons({ ada: { plan: 'pro' }, bob: {} });
    await send({ event: 'buy', distinct_id: 'ada' }, { event: 'look', distinct_id: 'bob' });
    // Its events belonged to another person before the merge.
    await send({ event: 'buy', distinct_id: 'anon' });
    await send({ event: '$identify', distinct_id: 'ada', properties: { $anon_distinct_id: 'anon' } });
    const { id } = await calculated({ filters: all(pro) });
    const properties = encodeURIComponent(JSON.stringify([inCohort(id, rest)]));
    const { body } = await client.get(`/api/projects/${project.projectId}/events/?properties=${properties}`);
    const names: string[] = body.results.map((event: { event: string }) => event.event);
    expect([...new Set(names.filter((name) => ['buy', 'look'].includes(name)))]).toEqual(events);
    expect(names.filter((name) => name === 'buy')).toHaveLength(events.includes('buy') ? 2 : 0);
    const persons = await client.get(`/api/projects/${project.projectId}/persons/?properties=${properties}`);
    expect(firstIds(persons)).toEqual(events.includes('buy') ? ['ada'] : ['bob']);
  });

  it('match nothing if there is no such cohort', async () => {
    await addPersons({ ada: { plan: 'pro' } });
    const found = async (group: object): Promise<number[]> => {
      const properties = encodeURIComponent(JSON.stringify(group));
      const counts = [];
      for (const kind of ['events', 'persons']) {
        const { body } = await client.get(`/api/projects/${project.projectId}/${kind}/?properties=${properties}`);
        counts.push(body.results.length);
      }
      return counts;
    };
    expect(await found([inCohort(999_999)])).toEqual([0, 0]);
    expect(await found([inCohort(999_999, { negation: true })])).toEqual([0, 0]);
    expect(await found({ type: 'OR', values: [inCohort('x'), pro] })).toEqual([1, 1]);
  });

  it('are calculated by the query if they never were before', async () => {
    await addPersons({ ada: { plan: 'pro' }, bob: {} });
    await send({ event: 'buy', distinct_id: 'bob' });
    server.setNow('2026-01-15T13:00:00Z');
    const { id } = await make({ filters: all(did('buy')) });
    const properties = encodeURIComponent(JSON.stringify([inCohort(id)]));
    const { body } = await client.get(`/api/projects/${project.projectId}/events/?properties=${properties}`);
    expect(body.results.map((event: { distinct_id: string }) => event.distinct_id)).toEqual(['bob', 'bob']);
  });
});
