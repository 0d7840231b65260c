/** Updating event and property definitions through the API. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { capture } from '../support/capture.ts';
import { clientFor } from '../support/client.ts';
import { OpenApi } from '../support/openapi.ts';
import { addMember, type TestMember } from '../support/people.ts';
import { isWithoutEvents, START, startServer, type TestProject, type TestServer } from '../support/server.ts';

let server: TestServer;
let client: ReturnType<typeof clientFor>;
let member: TestMember;
let stranger: TestProject;
let api: OpenApi;
let me: { id: number; uuid: string; distinct_id: string; first_name: string; email: string };
beforeAll(async () => {
  server = await startServer();
  client = clientFor(server);
  member = await addMember(server, 'member@example.org');
  stranger = await server.createProject({ foreign: true });
  api = await OpenApi.of(server);
  const { id, uuid, distinct_id, first_name, email } = (await client.get('/api/users/@me/')).body;
  me = { id, uuid, distinct_id, first_name, email };
});
afterAll(() => server.close());

const P = '/api/projects/1';
let made = 0;

/** An event definition without a description. */
async function anEvent(): Promise<{ name: string; path: string }> {
  const name = `event ${++made}`;
  await capture(server, server.projectKey, [{ event: name }]);
  const seen = await server.metadata.definitions.listEvents(server.projectId);
  return { name, path: `${P}/event_definitions/${seen.find((one) => one.name === name)?.id}/` };
}

/** A property definition, seen with this value. */
async function aProperty(value: unknown): Promise<{ name: string; path: string }> {
  const name = `property_${++made}`;
  await capture(server, server.projectKey, [{ properties: { [name]: value } }]);
  const { body } = await client.get(`${P}/property_definitions/?properties=${name}`);
  return { name, path: `${P}/property_definitions/${body.results[0].id}/` };
}

const at = async <T>(iso: string, work: () => Promise<T>): Promise<T> => {
  server.setNow(iso);
  try {
    return await work();
  } finally {
    server.setNow(START);
  }
};

describe('an event definition', () => {
  it('stores every field, and shows it in the list too', async () => {
    const { name, path } = await anEvent();
    const before = (await client.get(path)).body;
    const answer = await at('2026-01-16T08:00:00.5Z', () =>
      client.patch(path, {
        body: {
          owner: me.id,
          description: '  Somebody paid  ',
          tags: [' Money', 'money', 'Billing', ''],
          verified: true,
          post_to_slack: true,
        },
      }),
    );
    expect(answer.status).toBe(200);
    expect(api.problemsOf('PATCH', path, answer)).toEqual([]);
    const after = {
      ...before,
      owner: me.id,
      description: 'Somebody paid',
      tags: ['money', 'billing'],
      updated_at: '2026-01-16T08:00:00.500000Z',
      updated_by: me,
      verified: true,
      verified_at: '2026-01-16T08:00:00.500000Z',
      verified_by: me,
      post_to_slack: true,
    };
    expect(answer.body).toEqual(after);
    expect((await client.get(path)).body).toEqual(after);
    // Lists are sorted by volume.
    if (isWithoutEvents) return;
    expect((await client.get(`${P}/event_definitions/?search=${encodeURIComponent(name)}`)).body.results).toEqual([
      after,
    ]);
  });

  it.runIf(isWithoutEvents)('can be updated while the event store is down', async () => {
    const { path } = await anEvent();
    const answer = await client.patch(path, { body: { description: 'Somebody paid' } });
    expect([answer.status, answer.body.description, answer.body.volume_30_day]).toEqual([200, 'Somebody paid', null]);
    expect((await client.get(path)).body).toEqual(answer.body);
    expect(api.problemsOf('PATCH', path, answer)).toEqual([]);
  });

  it('changes only the given fields, with PATCH and PUT', async () => {
    const { path } = await anEvent();
    await client.patch(path, { body: { description: 'one', tags: ['a'], owner: me.id } });
    const put = await client.put(path, { body: { description: 'two' } });
    expect(put.body).toMatchObject({ description: 'two', tags: ['a'], owner: me.id });
    const patched = await client.patch(path, { body: { owner: null, tags: ['B', 'c'], description: null } });
    expect(patched.body).toMatchObject({ description: '', tags: ['b', 'c'], owner: null });
  });

  it('ignores read-only fields', async () => {
    const { name, path } = await anEvent();
    const before = (await client.get(path)).body;
    const body = {
      name: 'another',
      id: 'another',
      volume_30_day: 99,
      created_at: '2020-01-01T00:00:00Z',
      last_seen_at: '2020-01-01T00:00:00Z',
      verified_at: '2020-01-01T00:00:00Z',
      verified_by: me.id,
      updated_by: 99,
      is_action: 'yes',
      project_id: 99,
    };
    const { status, body: after } = await client.patch(path, { body });
    expect([status, after.name]).toEqual([200, name]);
    expect(after).toEqual({ ...before, updated_at: '2026-01-15T12:00:00Z', updated_by: me });
  });

  it('keeps who verified it first until verification is removed', async () => {
    const { path } = await anEvent();
    await at('2026-01-16T00:00:00Z', () => client.patch(path, { body: { verified: true } }));
    const again = await at('2026-01-17T00:00:00Z', () =>
      client.patch(path, { key: member.personalKey, body: { verified: true } }),
    );
    expect(again.body).toMatchObject({
      verified: true,
      verified_at: '2026-01-16T00:00:00Z',
      verified_by: me,
      updated_at: '2026-01-17T00:00:00Z',
      updated_by: { email: member.email },
    });
    const unchanged = await client.patch(path, { body: { description: 'x' } });
    expect(unchanged.body.verified_at).toBe('2026-01-16T00:00:00Z');
    const back = await client.patch(path, { body: { verified: false } });
    expect(back.body).toMatchObject({ verified: false, verified_at: null, verified_by: null });
    const anew = await at('2026-01-18T00:00:00Z', () =>
      client.patch(path, { key: member.personalKey, body: { verified: true } }),
    );
    expect(anew.body).toMatchObject({
      verified_at: '2026-01-18T00:00:00Z',
      verified_by: { email: member.email },
    });
  });

  it.each<[string, unknown, string, string]>([
    ['an owner who does not exist', { owner: 987_654 }, 'owner', 'does_not_exist'],
    ['an owner who is no number', { owner: 'ada' }, 'owner', 'invalid_input'],
    ['a huge owner', { owner: 2 ** 60 }, 'owner', 'invalid_input'],
    ['tags that are no list', { tags: 'a' }, 'tags', 'not_a_list'],
    ['no tags at all', { tags: null }, 'tags', 'null'],
    ['a tag that is no text', { tags: ['a', {}] }, 'tags__1', 'invalid_input'],
    ['a tag that is too long', { tags: ['x'.repeat(256)] }, 'tags__0', 'max_length'],
    ['a verified that is no boolean', { verified: 'perhaps' }, 'verified', 'invalid_input'],
    ['a post_to_slack that is null', { post_to_slack: null }, 'post_to_slack', 'null'],
    ['a description that is a list', { description: ['x'] }, 'description', 'invalid_input'],
  ])('rejects %s and changes nothing', async (_name, wrong, attr, code) => {
    const { path } = await anEvent();
    const before = (await client.get(path)).body;
    const { status, body } = await client.patch(path, {
      body: { ...(wrong as object), verified: true, ...(wrong as object) },
    });
    expect([status, body.attr, body.code]).toEqual([400, attr, code]);
    expect((await client.get(path)).body).toEqual(before);
    expect((await client.get(`${path}activity/`)).body.total_count).toBe(0);
  });

  it('cannot have an owner from another organization', async () => {
    const { path } = await anEvent();
    const foreign = (await client.get('/api/users/@me/', { key: stranger.personalKey })).body.id;
    const { status, body } = await client.patch(path, { body: { owner: foreign } });
    expect([status, body.attr, body.code]).toEqual([400, 'owner', 'does_not_exist']);
  });

  it('is not accessible to outsiders or through another project', async () => {
    const { path } = await anEvent();
    const other = await server.createProject();
    const elsewhere = path.replace('/projects/1/', `/projects/${other.projectId}/`);
    const theirs = path.replace('/projects/1/', `/projects/${stranger.projectId}/`);
    const body = { description: 'mine now' };
    expect((await client.patch(elsewhere, { body })).status).toBe(404);
    expect((await client.get(`${elsewhere}activity/`)).status).toBe(404);
    expect((await client.patch(path, { key: stranger.personalKey, body })).status).toBe(404);
    expect((await client.patch(theirs, { key: stranger.personalKey, body })).status).toBe(404);
    expect((await client.get(path)).body.description).toBe('');
    expect((await client.patch(`${P}/event_definitions/nonsense/`, { body })).status).toBe(404);
    expect((await client.post(`${P}/event_definitions/`, { body })).status).toBe(405);
  });

  it('records who changed what, before and after', async () => {
    const { name, path } = await anEvent();
    const id = path.split('/').at(-2);
    await client.patch(path, { body: { description: 'one', tags: ['a'] } });
    await at('2026-01-16T00:00:00Z', () =>
      client.patch(path, {
        key: member.personalKey,
        body: { description: 'two', tags: ['A'], verified: true, owner: me.id, post_to_slack: true },
      }),
    );
    await client.patch(path, { body: { description: 'two', verified: true } });
    const answer = await client.get(`${path}activity/`);
    expect(api.problemsOf('GET', `${path}activity/`, answer)).toEqual([]);
    const change = (field: string, before: unknown, after: unknown, action = 'changed') => ({
      type: 'EventDefinition',
      action,
      field,
      before,
      after,
    });
    expect(answer.body).toEqual({
      next: null,
      previous: null,
      total_count: 2,
      results: [
        {
          id: expect.any(String),
          user: { first_name: '', email: member.email },
          activity: 'updated',
          scope: 'EventDefinition',
          item_id: id,
          detail: {
            name,
            short_id: null,
            trigger: null,
            changes: [
              change('owner', null, me.id, 'created'),
              change('description', 'one', 'two'),
              change('verified', false, true),
              change('post_to_slack', false, true),
            ],
          },
          created_at: '2026-01-16T00:00:00Z',
        },
        {
          id: expect.any(String),
          user: { first_name: me.first_name, email: me.email },
          activity: 'updated',
          scope: 'EventDefinition',
          item_id: id,
          detail: {
            name,
            short_id: null,
            trigger: null,
            changes: [change('description', '', 'one'), change('tags', [], ['a'])],
          },
          created_at: '2026-01-15T12:00:00Z',
        },
      ],
    });
    const page = await client.get(`${path}activity/?limit=1`);
    expect([page.body.results.length, new URL(page.body.next).search]).toEqual([1, '?limit=1&page=2']);
    const ofAll = (await client.get(`${P}/event_definitions/activity/`)).body;
    expect(ofAll.results.slice(0, 2)).toEqual(answer.body.results);
    expect(new Set(ofAll.results.map((item: { scope: string }) => item.scope))).toEqual(new Set(['EventDefinition']));
  });
});

describe('a property definition', () => {
  it('can be read and updated', async () => {
    const { name, path } = await aProperty('pro');
    const before = (await client.get(path)).body;
    expect(before).toMatchObject({ name, property_type: 'String', is_numerical: false, verified: false });
    const answer = await at('2026-01-16T00:00:00Z', () =>
      client.patch(path, {
        body: { description: 'The plan', tags: ['Money ', 'money'], verified: true, name: 'x', query_usage_30_day: 9 },
      }),
    );
    expect(api.problemsOf('PATCH', path, answer)).toEqual([]);
    expect(answer.body).toEqual({
      ...before,
      description: 'The plan',
      tags: ['money'],
      updated_at: '2026-01-16T00:00:00Z',
      updated_by: me,
      verified: true,
      verified_at: '2026-01-16T00:00:00Z',
      verified_by: me,
    });
    expect((await client.get(path)).body).toEqual(answer.body);
    expect((await client.get(`${P}/property_definitions/?properties=${name}`)).body.results).toEqual([answer.body]);
  });

  it.each<[unknown, object, string | null]>([
    ['pro', { property_type: 'Numeric' }, 'Numeric'],
    ['pro', { is_numerical: true }, 'Numeric'],
    [5, { is_numerical: false }, null],
    [5, { is_numerical: true }, 'Numeric'],
    ['pro', { is_numerical: false }, 'String'],
    [5, { property_type: 'DateTime', is_numerical: true }, 'DateTime'],
    [true, { property_type: null }, null],
    [true, { description: 'x' }, 'Boolean'],
  ])(
    'seen with %j and updated with %j has the type %s, is numerical when it is Numeric, and stays so',
    async (value, body, type) => {
      const { name, path } = await aProperty(value);
      expect((await client.patch(path, { body })).body).toMatchObject({
        property_type: type,
        is_numerical: type === 'Numeric',
      });
      // On new events, so that the property is written again.
      for (const again of ['2026-01-01', 7, true, 'text']) {
        await capture(server, server.projectKey, [
          { event: `${name} ${String(again)}`, properties: { [name]: again } },
        ]);
      }
      expect((await client.get(path)).body.property_type).toBe(type);
    },
  );

  it.each<[object, string, string]>([
    [{ property_type: 'Colour' }, 'property_type', 'invalid_choice'],
    [{ property_type: 5 }, 'property_type', 'invalid_choice'],
    [{ is_numerical: null }, 'is_numerical', 'null'],
    [{ tags: {} }, 'tags', 'not_a_list'],
  ])('rejects %j', async (body, attr, code) => {
    const { path } = await aProperty('pro');
    const before = (await client.get(path)).body;
    const answer = await client.put(path, { body });
    expect([answer.status, answer.body.attr, answer.body.code]).toEqual([400, attr, code]);
    expect((await client.get(path)).body).toEqual(before);
  });

  it('belongs to its project, and records who changed what', async () => {
    const { name, path } = await aProperty('pro');
    const body = { property_type: 'Numeric' };
    const theirs = path.replace('/projects/1/', `/projects/${stranger.projectId}/`);
    expect((await client.get(theirs, { key: stranger.personalKey })).status).toBe(404);
    expect((await client.patch(theirs, { key: stranger.personalKey, body })).status).toBe(404);
    expect((await client.patch(path, { key: stranger.personalKey, body })).status).toBe(404);
    expect((await client.get(`${path}activity/`)).body.results).toEqual([]);
    await client.patch(path, { body });
    const expected = {
      scope: 'PropertyDefinition',
      item_id: path.split('/').at(-2),
      detail: {
        name,
        changes: [
          { type: 'PropertyDefinition', action: 'changed', field: 'property_type', before: 'String', after: 'Numeric' },
        ],
      },
    };
    expect((await client.get(`${path}activity/`)).body.results).toMatchObject([expected]);
    expect((await client.get(`${P}/property_definitions/activity/`)).body.results[0]).toMatchObject(expected);
    expect((await client.get(`${P}/property_definitions/nonsense/`)).status).toBe(404);
  });
});
