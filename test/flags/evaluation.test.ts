/** Definitions for local evaluation, evaluation reasons, the caller's own flags, and the blast radius. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/json/json.ts';
import { everybody, those, variants } from '../contract/flag-builders.ts';
import { capture } from '../support/capture.ts';
import { clientFor } from '../support/client.ts';
import { startServer, type TestProject, type TestServer } from '../support/server.ts';
import { describeVectors } from '../support/vectors.ts';

let server: TestServer;
let stranger: TestProject;
let client: ReturnType<typeof clientFor>;
const flags = (): string => `/api/projects/${server.projectId}/feature_flags/`;

beforeAll(async () => {
  server = await startServer();
  stranger = await server.createProject({ foreign: true });
  client = clientFor(server);
  const person = (distinct_id: string, $set: JsonObject) => ({ event: '$identify', distinct_id, properties: { $set } });
  await capture(server, server.projectKey, [
    person('ada', { plan: 'team' }),
    person('ben', { plan: 'free' }),
    person('cem', { plan: 'free' }),
    { event: 'x', distinct_id: 'ada', properties: { $groups: { company: 'acme' } } },
    ...['acme', 'bolt'].map((key, i) => ({
      event: '$groupidentify',
      distinct_id: 'ada',
      properties: { $group_type: 'company', $group_key: key, $group_set: { size: 10 * i } },
    })),
  ]);
});
afterAll(() => server.close());

describe('definitions for local evaluation', () => {
  it('contain all flags but deleted ones, by key, and the group types', async () => {
    await server.addFlag({ key: 'b-asleep', active: false });
    await server.addFlag({ key: 'a-awake', name: 'Awake', filters: {}, version: 4 });
    await server.addFlag({ key: 'gone', deleted: true });
    const { body, headers } = await client.get(`${flags()}local_evaluation/`);
    expect(Object.keys(body)).toEqual(['flags', 'group_type_mapping', 'cohorts']);
    expect(body.flags.map(({ key, active }: { key: string; active: boolean }) => [key, active])).toEqual([
      ['a-awake', true],
      ['b-asleep', false],
    ]);
    expect(body.flags[0]).toMatchObject({
      team_id: server.projectId,
      name: 'Awake',
      version: 4,
      filters: { groups: [{ properties: [], rollout_percentage: null }] },
      is_simple_flag: true,
      ensure_experience_continuity: false,
      evaluation_runtime: 'all',
    });
    expect(body.group_type_mapping).toEqual({ 0: 'company' });
    expect(headers.get('cache-control')).toBe('private, must-revalidate');
  });

  it('are not sent again while nothing changes, and sent at once when something does', async () => {
    const path = `${flags()}local_evaluation/?send_cohorts`;
    const etag = (await client.get(path)).headers.get('etag') ?? '';
    expect(etag).toMatch(/^W\/"[0-9a-f]{32}"$/);
    const ask = (tag: string) => client.get(path, { headers: { 'if-none-match': tag } });
    const unchanged = await ask(etag);
    expect([unchanged.status, unchanged.body, unchanged.headers.get('etag')]).toEqual([304, '', etag]);
    expect((await ask(etag.replace('W/', ''))).status).toBe(304);
    expect((await ask('W/"other"')).status).toBe(200);
    const { body: flag } = await client.post(flags(), { body: { key: 'new-one' } });
    const after = await ask(etag);
    expect(after.status).toBe(200);
    expect(after.body.flags.map(({ key }: { key: string }) => key)).toContain('new-one');
    await client.patch(`${flags()}${flag.id}/`, { body: { deleted: true } });
    expect((await ask(etag)).status).toBe(304);
  });

  it('expand a cohort for SDKs without cohorts, and include it for the others', async () => {
    const property = { key: 'plan', value: 'team', type: 'person', operator: 'exact' };
    const tree = { type: 'OR', values: [{ type: 'AND', values: [property] }] };
    const cohort = await server.addCohort({ filters: { properties: tree } });
    const group = { properties: [{ key: 'id', type: 'cohort', value: cohort.id }], rollout_percentage: 40 };
    const flag = await server.addFlag({ key: 'by-cohort', filters: { groups: [group] } });
    const filtersBy = async (query: string) => {
      const { body } = await client.get(`${flags()}local_evaluation/${query}`);
      return [body.flags.find(({ id }: { id: number }) => id === flag.id).filters.groups, body.cohorts];
    };
    expect(await filtersBy('')).toEqual([[{ properties: [property], rollout_percentage: 40 }], {}]);
    expect(await filtersBy('?send_cohorts')).toEqual([[group], { [cohort.id]: tree }]);
    expect(await filtersBy('?send_cohorts=true')).toEqual([[group], { [cohort.id]: tree }]);
    expect(await filtersBy('?send_cohorts=false')).toEqual(await filtersBy(''));
  });

  it('name dependencies by key, in order of evaluation', async () => {
    const first = await server.addFlag({ key: 'first' });
    const property = { type: 'flag', key: String(first.id), operator: 'flag_evaluates_to', value: true };
    await server.addFlag({ key: 'second', filters: { groups: [{ properties: [property] }] } });
    const { body } = await client.get(`${flags()}local_evaluation/`);
    const second = body.flags.find(({ key }: { key: string }) => key === 'second');
    expect(second.filters.groups[0].properties).toEqual([{ ...property, key: 'first', dependency_chain: ['first'] }]);
  });

  const PATHS = ['local_evaluation/', '/api/feature_flag/local_evaluation', '/flags/definitions'];
  const at = (path: string): string => (path.startsWith('/') ? path : flags() + path);

  it.each(PATHS)('are at %s, for a personal key and for the secret key of the project', async (path) => {
    const { secret_api_token: secret } = (await client.patch(`/api/projects/${server.projectId}/rotate_secret_token/`))
      .body;
    const token = `?token=${server.projectKey}`;
    const expected = (await client.get(`${flags()}local_evaluation/`)).body;
    for (const key of [server.personalKey, secret]) {
      const { status, body } = await client.get(at(path) + token, { key });
      expect([status, body]).toEqual([200, expected]);
    }
    expect((await client.get(at(path), { key: secret })).status).toBe(200);
  });

  it.each(PATHS)('need authentication at %s', async (path) => {
    const refused = async (key: string | null, query = '') => {
      const { status, body } = await client.get(at(path) + query, { key });
      return [status, body.code, body.detail];
    };
    expect(await refused(null)).toEqual([401, 'not_authenticated', 'Authentication credentials were not provided.']);
    expect(await refused('phs_wrong')).toEqual([401, 'authentication_failed', 'Secret API token is invalid.']);
    expect(await refused('phx_wrong')).toEqual([
      401,
      'authentication_failed',
      'Personal API key found in request Authorization header is invalid.',
    ]);
    expect((await refused(stranger.personalKey, `?token=${server.projectKey}`))[0]).toBe(404);
    const theirs = clientFor({ url: server.url, personalKey: stranger.personalKey });
    const { secret_api_token: secret } = (
      await theirs.patch(`/api/projects/${stranger.projectId}/rotate_secret_token/`)
    ).body;
    expect((await refused(secret, `?token=${server.projectKey}`))[0]).toBe(403);
    expect((await refused(server.personalKey, '?token=phc_unknown'))[0]).toBe(401);
  });

  it('answer HEAD and OPTIONS, and no other method', async () => {
    const ask = (method: string) =>
      fetch(`${server.url}/flags/definitions`, { method, headers: { authorization: `Bearer ${server.personalKey}` } });
    const statuses = await Promise.all(['HEAD', 'OPTIONS', 'PUT', 'DELETE'].map(async (m) => (await ask(m)).status));
    expect(statuses).toEqual([200, 204, 405, 405]);
  });
});

describe('reasons', () => {
  it('are given for every flag, disabled ones included', async () => {
    const apart = await server.createProject({ name: 'Reasons' });
    const P = `/api/projects/${apart.projectId}/feature_flags/`;
    const theirs = clientFor({ url: server.url, personalKey: apart.personalKey });
    for (const [key, filters] of Object.entries({ on: everybody(), none: everybody(0), team: those('plan', 'team') })) {
      await theirs.post(P, { body: { key, filters } });
    }
    await theirs.post(P, { body: { key: 'asleep', active: false } });
    const { body } = await theirs.get(`${P}evaluation_reasons/?distinct_id=ada`);
    const shown = Object.entries(body as Record<string, { value: unknown; evaluation: JsonObject }>).map(
      ([key, { value, evaluation }]) => [key, value, ...Object.values(evaluation)],
    );
    expect(shown.sort()).toEqual([
      ['asleep', false, 'disabled', null, 'Feature flag is disabled'],
      ['none', false, 'out_of_rollout_bound', 0, 'Out of rollout bound'],
      ['on', true, 'condition_match', 0, 'Matched condition set 1'],
      ['team', false, 'no_condition_match', 0, 'No matching condition set'],
    ]);
  });

  it.each([
    ['', 'distinct_id is required', null],
    ['?distinct_id=', 'distinct_id is required', null],
    ['?distinct_id=a&groups=[1]', 'Must be a JSON object of group types and keys: {"company": "acme"}.', 'groups'],
    ['?distinct_id=a&groups=%7B', 'Must be a JSON object of group types and keys: {"company": "acme"}.', 'groups'],
  ])('are refused for %j', async (query, detail, attr) => {
    const { status, body } = await client.get(`${flags()}evaluation_reasons/${query}`);
    expect([status, body]).toEqual([400, { type: 'validation_error', code: 'invalid_input', detail, attr }]);
  });

  interface Published {
    evaluation_reasons: {
      flags: { key: string; active: boolean; filters: JsonObject }[];
      group_type_mapping: Record<string, string>;
      persons: { p: { distinct_ids: string[]; properties: JsonObject } };
      cases: { query: Record<string, string>; expected: Record<string, JsonObject> }[];
    };
  }

  describeVectors<Published>('as recorded', 'decide-cases.json', ({ evaluation_reasons: published }) => {
    it('are the same', async () => {
      const other = await startServer();
      try {
        const { distinct_ids: ids, properties: $set } = published.persons.p;
        await capture(other, other.projectKey, [
          { event: '$identify', distinct_id: ids[0] ?? '', properties: { $set, $anon_distinct_id: ids[1] } },
          ...Object.values(published.group_type_mapping).map((type) => ({
            event: '$groupidentify',
            distinct_id: 'x',
            properties: { $group_type: type, $group_key: 'y', $group_set: {} },
          })),
        ]);
        for (const flag of published.flags) await other.addFlag(flag);
        for (const { query, expected } of published.cases) {
          const path = `/api/projects/${other.projectId}/feature_flags/evaluation_reasons/?${new URLSearchParams(query)}`;
          const { body } = await clientFor(other).get(path);
          const shown = Object.entries(body as Record<string, { value: unknown; evaluation: JsonObject }>).map(
            ([
              key,
              {
                value,
                evaluation: { description: _, ...evaluation },
              },
            ]) => [key, { value, evaluation }],
          );
          expect([query, Object.fromEntries(shown)]).toEqual([query, expected]);
        }
      } finally {
        await other.close();
      }
    });
  });
});

describe("the caller's own flags", () => {
  it('are the active ones, newest first, with the whole flag and its value for the caller', async () => {
    const apart = await server.createProject({ name: 'Mine' });
    const mine = clientFor({ url: server.url, personalKey: apart.personalKey });
    const P = `/api/projects/${apart.projectId}/feature_flags/`;
    const { distinct_id } = (await mine.get('/api/users/@me/')).body;
    expect((await mine.get(`${P}my_flags/`)).body).toEqual([]);
    await mine.post(P, { body: { key: 'old', filters: everybody(0) } });
    await mine.post(P, { body: { key: 'asleep', active: false } });
    const ask = [{ key: 'distinct_id', value: distinct_id, type: 'person', operator: 'exact' }];
    const filters = { groups: [{ properties: ask }], multivariate: variants(['a', 100]) };
    const { body: flag } = await mine.post(P, { body: { key: 'new', filters } });
    const { body } = await mine.get(`${P}my_flags/`);
    expect(
      body.map(({ feature_flag, value }: { feature_flag: { key: string }; value: unknown }) => [
        feature_flag.key,
        value,
      ]),
    ).toEqual([
      ['new', 'a'],
      ['old', false],
    ]);
    expect(body[0].feature_flag).toEqual(flag);
  });
});

describe('the blast radius', () => {
  const ask = (body: object, query = '') => client.post(`${flags()}user_blast_radius/${query}`, { body });
  const plan = (value: string, more: JsonObject = {}) => ({
    key: 'plan',
    value,
    type: 'person',
    operator: 'exact',
    ...more,
  });
  const size = (value: number, index: number | null = 0) => ({
    key: 'size',
    value: String(value),
    type: 'group',
    operator: 'gte',
    ...(index === null ? {} : { group_type_index: index }),
  });

  it.each<[string, object, [number, number]]>([
    ['a condition', { condition: { properties: [plan('free')] } }, [2, 3]],
    ['a condition whatever its share', { condition: { properties: [plan('free')], rollout_percentage: 0 } }, [2, 3]],
    ['no properties', { condition: { properties: [] } }, [3, 3]],
    ['no condition', { condition: null }, [3, 3]],
    ['a condition that nobody meets', { condition: { properties: [plan('team'), plan('free')] } }, [0, 3]],
    ['groups', { condition: { properties: [size(5)] }, group_type_index: 0 }, [1, 2]],
    ['all groups', { condition: {}, group_type_index: 0 }, [2, 2]],
    [
      'filters as a whole',
      { filters: { groups: [{ properties: [plan('team')] }, { properties: [plan('free')] }] } },
      [3, 3],
    ],
    [
      'filters with their shares',
      { key: 'k', filters: { groups: [{ properties: [], rollout_percentage: 0 }] } },
      [0, 3],
    ],
  ])('counts %s', async (_name, body, [affected, total]) => {
    expect((await ask(body)).body).toEqual({ users_affected: affected, total_users: total });
  });

  it.each<[string, object, string]>([
    ['nothing', {}, 'Missing condition for which to get blast radius'],
    [
      'a property of another kind of group',
      { condition: { properties: [size(1, 1)] }, group_type_index: 0 },
      'Invalid group type index for feature flag condition.',
    ],
    [
      'a property of no kind of group',
      { condition: { properties: [size(1, null)] }, group_type_index: 0 },
      'Invalid group type index for feature flag condition.',
    ],
    [
      'a property of a group for persons',
      { condition: { properties: [size(1)] } },
      'Invalid group type index for feature flag condition.',
    ],
    [
      'a property of a person for groups',
      { condition: { properties: [plan('x')] }, group_type_index: 0 },
      'Invalid group type index for feature flag condition.',
    ],
  ])('refuses %s', async (_name, body, detail) => {
    const answer = await ask(body);
    expect([answer.status, answer.body]).toEqual([
      400,
      { type: 'validation_error', code: 'invalid_input', detail, attr: null },
    ]);
  });

  it('says what is wrong with filters that cannot be evaluated', async () => {
    const { status, body } = await ask({
      filters: { groups: [{ properties: [{ key: 'id', type: 'cohort', value: 999 }] }] },
    });
    expect([status, body.attr]).toEqual([400, 'filters']);
    expect(body.detail).toMatch(/^The flag cannot be evaluated: .*999/);
  });

  it('shows whose value a change would alter, with old and new values', async () => {
    const { id } = await server.addFlag({ key: 'changing', filters: those('plan', 'free') });
    const after = {
      groups: [
        { properties: [plan('team')], variant: 'b' },
        { properties: [plan('free')], variant: 'a' },
      ],
      multivariate: variants(['a', 50], ['b', 50]),
    };
    const { status, body } = await ask({ id, filters: after }, '?limit=2');
    expect(status).toBe(200);
    expect(body).toMatchObject({ users_affected: 3, total_users: 3, users_changed: 3, previous: null });
    expect(body.changes).toEqual([
      { from: true, to: 'a', count: 2 },
      { from: false, to: 'b', count: 1 },
    ]);
    const rest = (await client.post(body.next, { body: { id, filters: after } })).body;
    const all = [...body.results, ...rest.results].map(({ name, from, to }: Record<string, unknown>) => [
      name,
      from,
      to,
    ]);
    expect(all.sort()).toEqual([
      ['ada', false, 'b'],
      ['ben', true, 'a'],
      ['cem', true, 'a'],
    ]);
    expect(rest.next).toBeNull();
  });

  it('counts nobody for no change, and all for a flag that is disabled', async () => {
    const { id } = await server.addFlag({ key: 'constant', filters: everybody() });
    expect((await ask({ id })).body).toMatchObject({ users_affected: 3, users_changed: 0, changes: [], results: [] });
    const off = (await ask({ id, active: false })).body;
    expect([off.users_affected, off.changes]).toEqual([0, [{ from: true, to: false, count: 3 }]]);
  });

  it('does not find flags of other projects', async () => {
    const theirs = clientFor({ url: server.url, personalKey: stranger.personalKey });
    const P = `/api/projects/${stranger.projectId}/feature_flags/`;
    const { id } = (await theirs.post(P, { body: { key: 'theirs' } })).body;
    expect((await ask({ id })).status).toBe(404);
  });
});
