/** The activity log, versions, status and dependents of a flag. */

import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientFor } from '../support/client.ts';
import { OpenApi } from '../support/openapi.ts';
import { START, startServer, type TestProject, type TestServer } from '../support/server.ts';

let server: TestServer;
let stranger: TestProject;
let client: ReturnType<typeof clientFor>;
let api: OpenApi;
beforeAll(async () => {
  server = await startServer();
  stranger = await server.createProject({ foreign: true });
  client = clientFor(server);
  api = await OpenApi.of(server);
});
afterAll(() => server.close());

const FLAGS = '/api/projects/1/feature_flags/';
const at = (id: number): string => `${FLAGS}${id}/`;
let made = 0;
const make = async (body: object = {}) => (await client.post(FLAGS, { body: { key: `flag-${++made}`, ...body } })).body;
const change = async (id: number, body: object) => (await client.patch(at(id), { body })).body;
const checked = async (path: string) => {
  const answer = await client.get(path);
  expect(api.problemsOf('GET', path, answer)).toEqual([]);
  return answer;
};
const changesOf = async (id: number) =>
  (await checked(`${at(id)}activity/?limit=100`)).body.results.map(
    (entry: { detail: { changes: unknown } }) => entry.detail.changes,
  );

describe('the activity log', () => {
  it('says who did what and when, before and after, newest first', async () => {
    const me = (await client.get('/api/users/@me/')).body;
    const flag = await make();
    server.setNow('2026-01-15T12:00:01.500Z');
    const filters = { groups: [{ rollout_percentage: 10 }] };
    await change(flag.id, { name: 'new', filters, tags: ['B', 'a'] });
    server.setNow(START);
    const { body } = await checked(`${at(flag.id)}activity/`);
    const user = { first_name: me.first_name, email: me.email };
    const about = { user, scope: 'FeatureFlag', item_id: String(flag.id), id: expect.any(String) };
    const detail = { trigger: null, name: flag.key, short_id: null };
    const changed = { type: 'FeatureFlag', action: 'changed' };
    expect(body).toEqual({
      total_count: 2,
      next: null,
      previous: null,
      results: [
        {
          ...about,
          activity: 'updated',
          created_at: '2026-01-15T12:00:01.500000Z',
          detail: {
            ...detail,
            changes: [
              { ...changed, field: 'name', before: '', after: 'new' },
              { ...changed, field: 'filters', before: {}, after: filters },
              { ...changed, field: 'tags', before: [], after: ['b', 'a'] },
            ],
          },
        },
        { ...about, activity: 'created', created_at: '2026-01-15T12:00:00Z', detail: { ...detail, changes: null } },
      ],
    });
  });

  it.each<[string, object, object, object[]]>([
    ['a deletion', {}, { deleted: true }, [{ action: 'changed', field: 'deleted', before: false, after: true }]],
    [
      'switching on',
      { active: false },
      { active: true },
      [
        { action: 'changed', field: 'active', before: false, after: true },
        { action: 'created', field: 'performed_rollback', before: null, after: false },
      ],
    ],
    [
      'conditions that go',
      { rollback_conditions: { threshold: 1, operator: 'gt', threshold_metric: { event: 'a' } } },
      { rollback_conditions: null },
      [
        {
          action: 'deleted',
          field: 'rollback_conditions',
          before: { threshold: 1, operator: 'gt', threshold_metric: { event: 'a' } },
          after: null,
        },
      ],
    ],
    [
      'continuity',
      {},
      { ensure_experience_continuity: true },
      [{ action: 'changed', field: 'ensure_experience_continuity', before: false, after: true }],
    ],
    [
      'the runtime',
      {},
      { evaluation_runtime: 'server' },
      [{ action: 'changed', field: 'evaluation_runtime', before: 'all', after: 'server' }],
    ],
  ])('records %s', async (_name, begin, body, expected) => {
    const flag = await make(begin);
    await change(flag.id, body);
    expect(await changesOf(flag.id)).toEqual([expected.map((one) => ({ type: 'FeatureFlag', ...one })), null]);
  });

  it('records no update without changes, no times, and no refused update', async () => {
    const flag = await make({ name: 'same', tags: ['a'] });
    await change(flag.id, { name: 'same', tags: [' A '], active: flag.active, performed_rollback: null });
    await change(flag.id, { name: 'same', created_at: '2020-01-01' });
    await change(flag.id, { name: 'other', filters: { groups: 5 } });
    // `active` was sent, so performed_rollback is the only field that changed.
    expect(await changesOf(flag.id)).toEqual([
      [{ type: 'FeatureFlag', action: 'created', field: 'performed_rollback', before: null, after: false }],
      null,
    ]);
  });

  it('comes in numbered pages', async () => {
    const flag = await make();
    for (let i = 1; i <= 11; i++) await change(flag.id, { name: `name ${i}` });
    const names = (body: { results: { detail: { changes: { after: string }[] | null } }[] }) =>
      body.results.map((entry) => entry.detail.changes?.[0]?.after ?? 'made');
    const first = (await checked(`${at(flag.id)}activity/`)).body;
    expect([first.total_count, first.results.length, first.previous]).toEqual([12, 10, null]);
    expect(new URL(first.next).search).toBe('?limit=10&page=2');
    const second = (await checked(first.next.replace(server.url, ''))).body;
    expect([names(second), second.next]).toEqual([['name 1', 'made'], null]);
    const third = (await checked(`${at(flag.id)}activity/?limit=5&page=3`)).body;
    expect([names(third), new URL(third.previous).search]).toEqual([['name 1', 'made'], '?limit=5&page=2']);
    expect((await checked(`${at(flag.id)}activity/?page=99`)).body.results).toEqual([]);
  });

  it('of all flags contains only those of the project', async () => {
    const second = await server.createProject();
    const path = `/api/projects/${second.projectId}/feature_flags/`;
    const one = (await client.post(path, { body: { key: 'one' } })).body;
    const two = (await client.post(path, { body: { key: 'two' } })).body;
    await client.patch(`${path}${one.id}/`, { body: { name: 'x' } });
    const { body } = await checked(`${path}activity/`);
    const replayed = body.results.map((entry: { activity: string; item_id: string }) => [
      entry.activity,
      entry.item_id,
    ]);
    expect(replayed).toEqual([
      ['updated', String(one.id)],
      ['created', String(two.id)],
      ['created', String(one.id)],
    ]);
    const legacy = await client.get(`/api/feature_flag/activity/?token=${second.projectKey}`);
    expect(legacy.body.results).toEqual(body.results);
  });

  it.each(['activity', 'versions', 'status', 'dependent_flags'])(
    'does not find flags of other projects: %s',
    async (name) => {
      const flag = await make();
      for (const id of ['99999', 'x']) expect((await client.get(`${FLAGS}${id}/${name}/`)).status).toBe(404);
      const theirs = clientFor({ ...stranger, url: server.url });
      expect((await theirs.get(`${at(flag.id)}${name}/`)).status).toBe(404);
      const nested = `/api/projects/${stranger.projectId}/feature_flags/${flag.id}/${name}/`;
      expect((await theirs.get(nested)).status).toBe(404);
    },
  );
});

const shownFields = ({ version: _, updated_at: __, ...fields }: Record<string, unknown>) => fields;

describe('versions', () => {
  it('are complete, and each can be restored', async () => {
    const filters = { groups: [{ rollout_percentage: 10 }] };
    const flag = await make({ name: 'first', filters });
    server.setNow('2026-01-15T13:00:00Z');
    await change(flag.id, { name: 'second', filters: { groups: [{}] }, active: false });
    server.setNow(START);
    const { body } = await checked(`${at(flag.id)}versions/`);
    expect(body.count).toBe(2);
    const [second, first] = body.results;
    expect(second).toMatchObject({ version: 2, created_at: '2026-01-15T13:00:00Z', flag: { name: 'second' } });
    expect(first).toMatchObject({
      version: 1,
      created_by: flag.created_by,
      flag: { name: 'first', filters, active: true },
    });
    const restored = await change(flag.id, first.flag);
    expect(restored).toMatchObject({ name: 'first', filters, active: true, version: 3 });
  });

  it('agree with the flag and with the activity log, whatever is changed in whatever order', async () => {
    const body = fc.record(
      {
        name: fc.constantFrom('', 'a', 'b'),
        active: fc.boolean(),
        deleted: fc.boolean(),
        tags: fc.subarray(['x', 'y']),
        filters: fc.constantFrom({}, { groups: [{}] }, { groups: [{ rollout_percentage: 5 }] }, { groups: 'bad' }),
        performed_rollback: fc.option(fc.boolean()),
        key: fc.constantFrom('bad key', 'p-1', 'p-2'),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(body, { minLength: 1, maxLength: 6 }), async (bodies) => {
        const flag = await make();
        let version = 1;
        let last = flag;
        let replayed: Record<string, unknown> = { ...flag, filters: {} };
        for (const sent of bodies) {
          const answer = await client.patch(at(flag.id), { body: sent });
          expect([200, 400]).toContain(answer.status);
          if (answer.status !== 200) continue;
          // What changes nothing makes no version.
          if (!isDeepStrictEqual(shownFields(last), shownFields(answer.body))) version++;
          expect(answer.body.version).toBe(version);
          last = answer.body;
        }
        const now = (await client.get(at(flag.id))).body;
        expect(now.version).toBe(version);
        const versions = (await client.get(`${at(flag.id)}versions/`)).body.results;
        expect(versions.map((one: { version: number }) => one.version)).toEqual(
          Array.from({ length: version }, (_, i) => version - i),
        );
        expect(now).toMatchObject(versions[0].flag);
        // Replaying the log from the beginning gives the current flag.
        for (const changes of (await changesOf(flag.id)).reverse()) {
          for (const { field, before, after } of changes ?? []) {
            expect(replayed[field]).toEqual(before);
            replayed = { ...replayed, [field]: after };
          }
        }
        const { groups = now.filters.groups } = replayed['filters'] as { groups?: unknown };
        for (const field of Object.keys(versions[0].flag)) {
          expect([field, field === 'filters' ? { groups } : replayed[field]]).toEqual([field, now[field]]);
        }
        await change(flag.id, { key: `done-${flag.id}`, deleted: true });
      }),
      { numRuns: 40, seed: 8 },
    );
  });
});

describe('the activity log of a deleted flag', () => {
  const activityOf = async (id: number) => {
    const { status, body } = await checked(`${at(id)}activity/`);
    return [status, body.results?.map((entry: { activity: string }) => entry.activity)];
  };

  it('is there, also when its key was taken by another flag', async () => {
    const flag = await make();
    await change(flag.id, { deleted: true });
    expect(await activityOf(flag.id)).toEqual([200, ['updated', 'created']]);
    const next = await make({ key: flag.key });
    expect((await client.get(at(flag.id))).status).toBe(404);
    expect(await activityOf(flag.id)).toEqual([200, ['updated', 'created']]);
    expect(await activityOf(next.id)).toEqual([200, ['created']]);
  });

  it('is of this project alone', async () => {
    const flag = await make();
    await change(flag.id, { deleted: true });
    const foreign = clientFor({ url: server.url, personalKey: stranger.personalKey });
    const path = `/api/projects/${stranger.projectId}/feature_flags/${flag.id}/activity/`;
    expect((await foreign.get(path)).status).toBe(404);
  });
});

describe('lookups', () => {
  it('status is the state of the flag', async () => {
    const flag = await make();
    const status = async () => (await checked(`${at(flag.id)}status/`)).body;
    expect(await status()).toEqual({
      status: 'ACTIVE',
      reason: 'The flag is in use.',
      safe_to_remove: false,
      seen_in: [],
    });
    server.setNow('2026-03-01T00:00:00Z');
    expect((await status()).status).toBe('STALE');
    server.setNow(START);
    await change(flag.id, { active: false });
    expect((await status()).status).toBe('INACTIVE');
    await change(flag.id, { deleted: true });
    expect((await status()).status).toBe('DELETED');
  });

  it('dependent_flags are those that depend on it', async () => {
    const base = await make();
    const property = { type: 'flag', key: String(base.id), operator: 'flag_evaluates_to', value: true };
    const above = await make({ name: 'above', filters: { groups: [{ properties: [property] }] } });
    const { body } = await checked(`${at(base.id)}dependent_flags/`);
    expect(body).toEqual([{ id: above.id, key: above.key, name: 'above' }]);
    expect((await checked(`${at(above.id)}dependent_flags/`)).body).toEqual([]);
  });

  it('remote_config is the payload as stored, by id and by key', async () => {
    const payloads = [{ true: '{"colour":"red"}' }, { true: { colour: 'red' } }, {}];
    const [text, object, none] = await Promise.all(
      payloads.map((one) => make({ is_remote_configuration: true, filters: { groups: [{}], payloads: one } })),
    );
    const plain = await make({ filters: { groups: [{}], payloads: { true: '1' } } });
    const config = async (project: string, name: string | number) => {
      const path = `/api/projects/${project}/feature_flags/${name}/remote_config`;
      const { status, body, headers } = await client.get(path);
      return status === 200 ? [body, headers.get('content-type')] : status;
    };
    const json = 'application/json; charset=utf-8';
    expect(await config('1', text.key)).toEqual(['{"colour":"red"}', json]);
    expect(await config('@current', `${text.id}`)).toEqual(['{"colour":"red"}', json]);
    expect(await config('1', `${object.key}`)).toEqual([{ colour: 'red' }, json]);
    expect(await config('1', none.id)).toEqual([null, json]);
    expect(await config('1', plain.key)).toBe(404);
    expect(await config('1', 'nobody')).toBe(404);
    await change(text.id, { active: false });
    expect(await config('1', text.key)).toEqual([null, json]);
    await change(text.id, { deleted: true });
    expect(await config('1', text.id)).toBe(404);
  });

  it('bulk_keys gives keys by id', async () => {
    const [one, two, gone] = [await make(), await make(), await make()];
    await change(gone.id, { deleted: true });
    const { status, body } = await client.post(`${FLAGS}bulk_keys/`, {
      body: { ids: [one.id, `${two.id}`, gone.id, 99999] },
    });
    expect([status, body]).toEqual([200, { keys: { [one.id]: one.key, [two.id]: two.key } }]);
    expect((await client.post(`${FLAGS}bulk_keys/`, { body: {} })).body).toMatchObject({
      code: 'required',
      attr: 'ids',
    });
  });
});
