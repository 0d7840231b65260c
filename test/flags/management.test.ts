/** Feature flags on the private API: creating, reading, updating and deleting them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientFor } from '../support/client.ts';
import { OpenApi } from '../support/openapi.ts';
import { START, startServer, type TestProject, type TestServer } from '../support/server.ts';

let server: TestServer;
let stranger: TestProject;
let api: OpenApi;
let client: ReturnType<typeof clientFor>;
beforeAll(async () => {
  server = await startServer();
  stranger = await server.createProject({ foreign: true });
  api = await OpenApi.of(server);
  client = clientFor(server);
});
afterAll(() => server.close());

const FLAGS = '/api/projects/1/feature_flags/';
const at = (id: number): string => `${FLAGS}${id}/`;
let keys = 0;
const freshKey = (): string => `flag-${++keys}`;
const EVERYBODY = { groups: [{ properties: [], rollout_percentage: null }] };
const noon = START.replace('.000Z', 'Z');

async function make(body: Record<string, unknown> = {}) {
  const answer = await client.post(FLAGS, { body: { key: freshKey(), ...body } });
  expect([answer.status, answer.body]).toMatchObject([201, {}]);
  expect(api.problemsOf('POST', FLAGS, answer)).toEqual([]);
  return answer.body;
}
const change = async (id: number, body: unknown) => (await client.patch(at(id), { body })).body;
const form = (fields: string) => ({ body: fields, headers: { 'content-type': 'application/x-www-form-urlencoded' } });

describe('a new flag', () => {
  it('with only a key is for everybody', async () => {
    const me = (await client.get('/api/users/@me/')).body;
    const { id: _, key, ...flag } = await make();
    const maker = {
      id: me.id,
      uuid: me.uuid,
      distinct_id: me.distinct_id,
      first_name: me.first_name,
      email: me.email,
    };
    expect(flag).toEqual({
      name: '',
      filters: EVERYBODY,
      deleted: false,
      active: true,
      created_by: maker,
      created_at: noon,
      is_simple_flag: true,
      rollout_percentage: null,
      ensure_experience_continuity: false,
      experiment_set: [],
      rollback_conditions: null,
      performed_rollback: null,
      can_edit: true,
      tags: [],
      usage_dashboard: null,
      archived: false,
      updated_at: noon,
      version: 1,
      last_modified_by: maker,
      status: 'ACTIVE',
      evaluation_runtime: 'all',
      bucketing_identifier: 'distinct_id',
      is_remote_configuration: false,
      has_encrypted_payloads: false,
      experiment_set_metadata: [],
      surveys: [],
      features: [],
      analytics_dashboards: [],
      has_enriched_analytics: false,
      user_access_level: 'editor',
      last_called_at: null,
      promoted_from: null,
    });
    expect(await server.rows('select filters from feature_flags where key = ?', key)).toEqual([{ filters: '{}' }]);
  });

  it('stores everything that was sent, and is read back the same', async () => {
    const filters = {
      groups: [
        { properties: [{ key: 'plan', type: 'person', value: ['pro'], operator: 'exact' }], rollout_percentage: 0.1 },
        { variant: 'b', properties: [], rollout_percentage: 50, note: 'kept' },
      ],
      multivariate: {
        variants: [
          { key: 'a', name: 'A', rollout_percentage: 33.33 },
          { key: 'b', rollout_percentage: 33.33 },
          { key: 'c/d.e', rollout_percentage: 33.34 },
        ],
      },
      payloads: { a: '{"colour":"red"}', b: { colour: 'blue' } },
      aggregation_group_type_index: null,
    };
    const given = {
      key: 'The_Whole-1',
      name: 'Ünïcode',
      filters,
      active: false,
      created_at: '2020-02-29T10:00:00.123456+02:00',
      ensure_experience_continuity: true,
      performed_rollback: true,
      rollback_conditions: [],
      evaluation_runtime: 'server',
      is_remote_configuration: true,
    };
    const made = await make({ ...given, tags: [' Beta', 'beta', 'Team A', ''] });
    const expected = { ...given, created_at: '2020-02-29T08:00:00.123000Z', tags: ['beta', 'team a'] };
    expect(made).toMatchObject({ ...expected, is_simple_flag: false, rollout_percentage: null, status: 'INACTIVE' });
    expect((await client.get(at(made.id))).body).toEqual(made);
    expect(Object.keys(made.filters)).toEqual(Object.keys(filters));
  });

  it.each<[string, object, boolean, number | null]>([
    ['one group for a share', { groups: [{ properties: [], rollout_percentage: 0.5 }] }, true, 1],
    ['one group without properties', { groups: [{ rollout_percentage: 20 }] }, true, 20],
    ['an empty group', { groups: [{}] }, true, null],
    [
      'one group and variants',
      {
        groups: [{ rollout_percentage: 7 }],
        multivariate: { variants: [{ key: 'a', rollout_percentage: 100 }] },
      },
      true,
      7,
    ],
    ['two groups', { groups: [{ rollout_percentage: 20 }, {}] }, false, null],
    [
      'one group with a property',
      { groups: [{ properties: [{ key: 'a', value: 'b', type: 'person' }], rollout_percentage: 20 }] },
      false,
      null,
    ],
    [
      'one group of organizations',
      { aggregation_group_type_index: 0, groups: [{ rollout_percentage: 20 }] },
      false,
      null,
    ],
  ])('is simple or not: %s', async (_name, filters, simple, rollout) => {
    expect(await make({ filters })).toMatchObject({ filters, is_simple_flag: simple, rollout_percentage: rollout });
  });

  it('reads missing filters as filters for everybody', async () => {
    expect((await make({ filters: {} })).filters).toEqual(EVERYBODY);
  });

  it('has performed_rollback false if it is created active', async () => {
    expect((await make({ active: true, performed_rollback: true })).performed_rollback).toBe(false);
  });

  it('can come from a form, with JSON in its fields', async () => {
    const filters = JSON.stringify({ groups: [{ rollout_percentage: 5 }] });
    const fields = new URLSearchParams({ key: 'from-a-form', active: 'False', filters, tags: '["A"]' });
    const { status, body } = await client.post(FLAGS, form(fields.toString()));
    expect([status, body.active, body.rollout_percentage, body.tags]).toEqual([201, false, 5, ['a']]);
  });
});

describe('a change', () => {
  it('alters only what is sent, and increments the version', async () => {
    const flag = await make({ name: 'old', filters: { groups: [{ rollout_percentage: 10 }] }, tags: ['a'] });
    server.setNow('2026-01-15T13:00:00Z');
    const changed = await change(flag.id, { name: 'new' });
    server.setNow(START);
    expect(changed).toEqual({ ...flag, name: 'new', version: 2, updated_at: '2026-01-15T13:00:00Z' });
    expect((await client.put(at(flag.id), { body: { key: flag.key, tags: [] } })).body).toMatchObject({
      name: 'new',
      filters: flag.filters,
      tags: [],
      version: 3,
    });
    expect((await client.put(at(flag.id), { body: { name: 'x' } })).body).toMatchObject({
      code: 'required',
      attr: 'key',
    });
  });

  it('replaces filters as a whole, and ignores them without groups', async () => {
    const filters = { groups: [{ rollout_percentage: 10 }], payloads: { true: 1 } };
    const flag = await make({ filters });
    expect((await change(flag.id, { filters: { payloads: { true: 2 } } })).filters).toEqual(filters);
    expect((await change(flag.id, { filters: {} })).filters).toEqual(filters);
    expect((await change(flag.id, { filters: { groups: [{}] } })).filters).toEqual({ groups: [{}] });
    expect((await change(flag.id, { filters: { groups: [] } })).filters).toEqual({ groups: [] });
  });

  it('can come from a form, and leaves filters unchanged then', async () => {
    const flag = await make({ filters: { groups: [{ rollout_percentage: 10 }] } });
    const { status, body } = await client.patch(at(flag.id), form('active=False&name=x'));
    expect([status, body.active, body.name, body.filters]).toEqual([200, false, 'x', flag.filters]);
    const data = new FormData();
    data.set('active', 'true');
    const response = await fetch(server.url + at(flag.id), {
      method: 'PATCH',
      headers: { authorization: `Bearer ${server.personalKey}` },
      body: data,
    });
    expect(((await response.json()) as { active: boolean }).active).toBe(true);
  });

  it('to active ends a rollback, whatever else is sent', async () => {
    const flag = await make({ active: false, performed_rollback: true });
    expect((await change(flag.id, { name: 'still off' })).performed_rollback).toBe(true);
    expect((await change(flag.id, { active: false })).performed_rollback).toBe(true);
    expect((await change(flag.id, { active: true, performed_rollback: true })).performed_rollback).toBe(false);
  });

  it('of the key renames early access with it', async () => {
    const early = (key: string) => [
      { properties: [{ key: `$feature_enrollment/${key}`, type: 'person', operator: 'exact', value: ['true'] }] },
    ];
    const flag = await make({ filters: { groups: [{}], super_groups: early('beta') }, key: 'beta' });
    const { key, filters } = await change(flag.id, { key: 'gamma' });
    expect([key, filters.super_groups]).toEqual(['gamma', early('gamma')]);
  });

  it('of created_at moves the flag in the list', async () => {
    const [first, second] = [await make({ tags: ['moved'] }), await make({ tags: ['moved'] })];
    const list = async () =>
      (await client.get(`${FLAGS}?tags=["moved"]`)).body.results.map((flag: { id: number }) => flag.id);
    expect(await list()).toEqual([second.id, first.id]);
    await change(first.id, { created_at: '2030-01-01' });
    expect(await list()).toEqual([first.id, second.id]);
  });
});

describe('deleting', () => {
  it('hides a flag from lists, keeps it to be read, and can be undone', async () => {
    const flag = await make({ name: 'doomed' });
    const search = async () => (await client.get(`${FLAGS}?search=DOOMED`)).body.count;
    expect(await search()).toBe(1);
    expect(await change(flag.id, { deleted: true })).toMatchObject({ deleted: true, active: true, status: 'DELETED' });
    expect(await search()).toBe(0);
    expect((await client.get(at(flag.id))).body).toMatchObject({ id: flag.id, deleted: true });
    expect(await change(flag.id, { deleted: false })).toMatchObject({ deleted: false, status: 'ACTIVE', version: 3 });
    expect(await search()).toBe(1);
  });

  it('frees the key: the next flag with it has a new id, and the old one is deleted for good', async () => {
    const flag = await make();
    await change(flag.id, { deleted: true });
    const next = await make({ key: flag.key });
    expect(next.id).toBeGreaterThan(flag.id);
    expect((await client.get(at(flag.id))).status).toBe(404);
  });

  it('frees the key for another flag to be renamed to', async () => {
    const [flag, other] = [await make(), await make()];
    await change(flag.id, { deleted: true });
    expect(await change(other.id, { key: flag.key })).toMatchObject({ id: other.id, key: flag.key });
    expect((await client.get(at(flag.id))).status).toBe(404);
  });

  it('cannot be undone once the key is taken', async () => {
    const [flag, other] = [await make(), await make()];
    await change(flag.id, { key: `${flag.key}-x`, deleted: true });
    expect(await change(flag.id, { key: other.key })).toMatchObject({ key: other.key, deleted: true });
    const answer = await client.patch(at(flag.id), { body: { deleted: false } });
    expect([answer.status, answer.body.code, answer.body.attr]).toEqual([400, 'unique', 'key']);
    expect((await client.get(at(flag.id))).body.deleted).toBe(true);
  });

  it.each(['1', '999999', 'nonsense'])('by DELETE is refused with an empty body, whatever the id: %s', async (id) => {
    const before = (await client.get(FLAGS)).body;
    for (const path of [`${FLAGS}${id}/`, `${FLAGS}${id}`, `/api/feature_flag/${id}/`]) {
      const answer = await client.delete(path);
      expect([answer.status, answer.body]).toEqual([405, '']);
    }
    expect((await client.delete(`${FLAGS}${id}/`, { key: null })).status).toBe(401);
    expect((await client.get(FLAGS)).body).toEqual(before);
  });
});

describe('two editors', () => {
  it('lose nothing when they save at the same time', async () => {
    const flag = await make();
    const writes = Array.from({ length: 8 }, (_, i) =>
      change(flag.id, i % 2 ? { name: `n${i}` } : { tags: [`t${i}`] }),
    );
    const versions = (await Promise.all(writes)).map((one) => one.version).sort((a, b) => a - b);
    expect(versions).toEqual([2, 3, 4, 5, 6, 7, 8, 9]);
    const now = (await client.get(at(flag.id))).body;
    expect([now.version, now.name.length, now.tags.length]).toEqual([9, 2, 1]);
  });

  it('conflict if they changed the same field, and only then', async () => {
    const original_flag = await make({ name: 'old' });
    const { id, version } = original_flag;
    await change(id, { name: 'theirs' });
    const mine = { ...original_flag, name: 'mine', version, original_flag };
    const refused = await client.patch(at(id), { body: mine });
    expect([refused.status, refused.body]).toEqual([
      409,
      {
        type: 'server_error',
        code: 'conflict',
        detail: `The feature flag was updated by ${original_flag.created_by.email} since you started editing it. Please refresh and try again.`,
        attr: null,
      },
    ]);
    // The complete flag is sent, but only this field was changed: the name of the other editor stays.
    const tagged = await change(id, { ...original_flag, tags: ['mine'], version, original_flag });
    expect(tagged).toMatchObject({ name: 'theirs', tags: ['mine'], version: 3 });
  });

  it('need not send the original flag: the server has the version', async () => {
    const flag = await make({ name: 'old' });
    await change(flag.id, { filters: { groups: [{ rollout_percentage: 3 }] } });
    const untouched = await change(flag.id, { filters: flag.filters, name: 'mine', version: 1 });
    expect(untouched).toMatchObject({ name: 'mine', rollout_percentage: 3 });
    const body = { filters: { groups: [{ rollout_percentage: 4 }] }, version: 1 };
    expect((await client.patch(at(flag.id), { body })).status).toBe(409);
    expect((await client.patch(at(flag.id), { body: { ...body, version: 99 } })).status).toBe(409);
    expect((await client.patch(at(flag.id), { body: { ...body, version: 3 } })).body.rollout_percentage).toBe(4);
    expect((await client.patch(at(flag.id), { body: { name: 'no version, no check' } })).status).toBe(200);
  });
});

describe('the list', () => {
  let project: TestProject;
  let mine: ReturnType<typeof clientFor>;
  let path: string;
  const keysOf = async (query: string) =>
    (await mine.get(`${path}?${query}`)).body.results.map((flag: { key: string }) => flag.key);

  beforeAll(async () => {
    project = await server.createProject({ foreign: true });
    mine = clientFor({ ...project, url: server.url });
    path = `/api/projects/${project.projectId}/feature_flags/`;
    const variants = { multivariate: { variants: [{ key: 'a', rollout_percentage: 100 }] } };
    const flags = [
      { key: 'plain', name: 'Checkout page', tags: ['web'], evaluation_runtime: 'client' },
      { key: 'off', active: false, tags: ['web', 'old'] },
      { key: 'many', filters: { groups: [{ rollout_percentage: 50 }], ...variants } },
      { key: 'config', is_remote_configuration: true, filters: { groups: [{}], payloads: { true: '1' } } },
      { key: 'Zed', name: 'checkout again' },
    ];
    for (const body of flags) expect((await mine.post(path, { body })).status).toBe(201);
    await mine.post(path, { body: { key: 'gone', deleted: true } });
  });

  it.each([
    ['', ['Zed', 'config', 'many', 'off', 'plain']],
    ['active=true', ['Zed', 'config', 'many', 'plain']],
    ['active=false', ['off']],
    ['active=STALE', []],
    ['stale=true', []],
    ['stale=false', ['Zed', 'config', 'many', 'off', 'plain']],
    ['active=nonsense', ['Zed', 'config', 'many', 'off', 'plain']],
    ['search=CHECKOUT', ['Zed', 'plain']],
    ['search=zE', ['Zed']],
    ['type=boolean', ['Zed', 'off', 'plain']],
    ['type=multivariant', ['many']],
    ['type=remote_config', ['config']],
    ['type=experiment', []],
    ['evaluation_runtime=client', ['plain']],
    ['excluded_properties=["Zed","many"]', ['config', 'off', 'plain']],
    ['excluded_properties=[broken', ['Zed', 'config', 'many', 'off', 'plain']],
    ['tags=["OLD"]', ['off']],
    ['tags=["web","nothing"]', ['off', 'plain']],
    ['tags={', ['Zed', 'config', 'many', 'off', 'plain']],
    ['created_by_id=999', []],
    ['order=key', ['Zed', 'config', 'many', 'off', 'plain']],
    ['order=-key', ['plain', 'off', 'many', 'config', 'Zed']],
    ['order=created_at', ['Zed', 'config', 'many', 'off', 'plain']],
    ['order=id', ['plain', 'off', 'many', 'config', 'Zed']],
    ['order=-constructor', ['Zed', 'config', 'many', 'off', 'plain']],
    ['limit=2&offset=1', ['config', 'many']],
  ])('answers ?%s', async (query, expected) => {
    expect(await keysOf(query)).toEqual(expected);
  });

  it('comes in pages', async () => {
    const { body } = await mine.get(`${path}?limit=2&offset=2&active=true`);
    expect([body.count, body.results.length, body.next]).toEqual([4, 2, null]);
    expect(new URL(body.previous).search).toBe('?active=true&limit=2');
  });

  it('finds stale flags: the same for everybody, and not changed for 30 days', async () => {
    server.setNow('2026-02-14T12:00:00Z');
    expect(await keysOf('active=STALE')).toEqual(['Zed', 'config', 'plain']);
    expect(await keysOf('stale=true')).toEqual(['Zed', 'config', 'plain']);
    const [zed] = (await mine.get(`${path}?search=zed`)).body.results;
    expect(zed.status).toBe('STALE');
    await mine.patch(`${path}${zed.id}/`, { body: { name: 'touched' } });
    expect(await keysOf('active=STALE')).toEqual(['config', 'plain']);
    server.setNow(START);
  });
});

describe('the old path', () => {
  it('leads to the project whose key is given', async () => {
    const second = await server.createProject();
    const token = `?token=${second.projectKey}`;
    const { status, body } = await client.post(`/api/feature_flag/${token}`, { body: { key: 'there' } });
    expect([status, body.key]).toEqual([201, 'there']);
    const listed = (await client.get(`/api/feature_flag/${token}`)).body.results;
    expect(listed.map((flag: { key: string }) => flag.key)).toEqual(['there']);
    const one = `/api/feature_flag/${body.id}`;
    expect((await client.patch(`${one}${token}`, { body: { active: false } })).body.active).toBe(false);
    expect((await client.get(`${one}/${token}`)).body.active).toBe(false);
    expect((await client.get(one)).status).toBe(404);
    expect((await client.get('/api/feature_flag/?token=phc_nobody')).status).toBe(401);
  });
});

describe('users of other organizations', () => {
  it('see and change nothing', async () => {
    const flag = await make();
    const { get, patch, post } = clientFor({ ...stranger, url: server.url });
    expect((await get(FLAGS)).status).toBe(404);
    expect((await post(FLAGS, { body: { key: 'theirs' } })).status).toBe(404);
    const own = `/api/projects/${stranger.projectId}/feature_flags/`;
    expect((await get(own)).body.results).toEqual([]);
    expect((await get(`${own}${flag.id}/`)).status).toBe(404);
    expect((await patch(`${own}${flag.id}/`, { body: { name: 'theirs' } })).status).toBe(404);
    expect((await post(own, { body: { key: flag.key } })).status).toBe(201);
    expect((await client.get(at(flag.id))).body).toEqual(flag);
  });
});
