/** Flags of a project as one file: exported, planned, applied. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeFlagFile } from '../../src/features/promotion/rules/flag-file.ts';
import { clientFor } from '../support/client.ts';
import { OpenApi } from '../support/openapi.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let client: ReturnType<typeof clientFor>;
let api: OpenApi;
let other: number;
beforeAll(async () => {
  server = await startServer();
  client = clientFor(server);
  other = (await server.createProject({ name: 'Other' })).projectId;
  api = await OpenApi.of(server);
});
afterAll(() => server.close());

const pathOf = (project: number): string => `/api/projects/${project}/flags_file/`;
const read = async (project: number) => (await client.get(pathOf(project))).body;
const send = async (project: number, file: unknown, more: object = {}) => {
  const answer = await client.post(pathOf(project), { body: { file, ...more } });
  expect(api.problemsOf('POST', pathOf(project), answer)).toEqual([]);
  return answer;
};
async function apply(project: number, file: unknown, more: object = {}) {
  const { confirm } = (await send(project, file, more)).body;
  const done = await send(project, file, { ...more, confirm });
  expect([done.status, done.body.status]).toEqual([200, 'applied']);
  return done.body.changes.map(({ action, kind, name }: Record<string, string>) => `${action} ${kind} ${name}`);
}

const flag = (key: string, more: object = {}) => ({
  active: true,
  bucketing_identifier: 'distinct_id',
  ensure_experience_continuity: false,
  evaluation_runtime: 'all',
  filters: { groups: [{ rollout_percentage: 50 }] },
  is_remote_configuration: false,
  key,
  name: '',
  rollback_conditions: null,
  tags: [],
  ...more,
});
const pro = [{ key: 'plan', operator: 'exact', type: 'person', value: 'pro' }];
const FILE = {
  format: 1,
  cohorts: [
    { name: 'Paying', description: '', is_static: false, filters: { properties: { type: 'AND', values: pro } } },
    {
      name: 'Paying team',
      description: '',
      is_static: false,
      filters: { properties: { type: 'AND', values: [{ cohort: 'Paying', key: 'id', type: 'cohort' }] } },
    },
  ],
  flags: [
    flag('a-needs-z', {
      filters: {
        groups: [{ properties: [{ flag: 'z-base', operator: 'flag_evaluates_to', type: 'flag', value: true }] }],
      },
    }),
    flag('b-team', {
      filters: { groups: [{ properties: [{ cohort: 'Paying team', key: 'id', operator: 'in', type: 'cohort' }] }] },
    }),
    flag('z-base', { name: 'Base', tags: ['core'] }),
  ],
};

describe('a flags file', () => {
  it('creates flags and cohorts in the order that they need, and is exported the same', async () => {
    expect(await apply(1, FILE)).toEqual([
      'create cohort Paying',
      'create cohort Paying team',
      'create flag z-base',
      'create flag a-needs-z',
      'create flag b-team',
    ]);
    expect(await read(1)).toEqual(FILE);
    expect((await send(1, FILE)).body.changes).toEqual([]);
    expect(await apply(other, await read(1))).toHaveLength(5);
    expect(await read(other)).toEqual(FILE);
    expect(writeFlagFile(await read(other))).toBe(writeFlagFile(await read(1)));
  });

  it('plans without writing anything', async () => {
    const versions = async () => (await client.get('/api/projects/1/feature_flags/')).body.results;
    const before = await versions();
    const [activity] = (await client.get('/api/projects/1/feature_flags/activity/')).body.results;
    const file = { ...FILE, flags: [FILE.flags[0], FILE.flags[1], flag('z-base', { name: 'Renamed' }), flag('new')] };
    const plan = (await send(1, file)).body;
    expect(plan.status).toBe('planned');
    expect(plan.changes.map(({ action, name }: Record<string, string>) => `${action} ${name}`)).toEqual([
      'update z-base',
      'create new',
    ]);
    expect(plan.changes[0].diff).toEqual([
      { path: 'name', from: 'Base', to: 'Renamed' },
      { path: 'tags[0]', from: 'core', to: null },
    ]);
    expect(await versions()).toEqual(before);
    expect((await client.get('/api/projects/1/feature_flags/activity/')).body.results[0]).toEqual(activity);
    const decided = await client.post('/decide/?v=3', { body: { token: server.projectKey, distinct_id: 'x' } });
    expect(Object.keys(decided.body.featureFlags)).not.toContain('new');
  });

  it('leaves other flags alone, or deletes them', async () => {
    const less = { ...FILE, flags: [flag('z-base', { name: 'Base', tags: ['core'] })] };
    expect((await send(other, less)).body).toMatchObject({ changes: [], unlisted: ['a-needs-z', 'b-team'] });
    expect((await apply(other, less, { prune: true })).sort()).toEqual(['delete flag a-needs-z', 'delete flag b-team']);
    expect((await read(other)).flags.map(({ key }: { key: string }) => key)).toEqual(['z-base']);
  });

  it('disables a flag after those that needed it', async () => {
    const off = flag('z-base', { name: 'Base', tags: ['core'], active: false });
    const file = { ...FILE, flags: [off, flag('a-needs-z'), FILE.flags[1]] };
    expect(await apply(1, file)).toEqual(['update flag a-needs-z', 'update flag z-base']);
    expect(await apply(1, FILE)).toEqual(['update flag z-base', 'update flag a-needs-z']);
  });

  it('is applied as a whole or not at all', async () => {
    const bad = flag('bad', { filters: { groups: [{ rollout_percentage: 500 }] } });
    const refused = await send(1, { ...FILE, flags: [flag('good'), bad] });
    expect([refused.status, refused.body.attr]).toEqual([400, 'file']);
    expect(refused.body.detail).toContain('Flag "bad"');
    expect(await read(1)).toEqual(FILE);
  });

  it('is refused when a flag has changed since the plan', async () => {
    const file = { ...FILE, flags: [flag('z-base', { name: 'Mine' })] };
    const { confirm } = (await send(1, file)).body;
    const [found] = (await client.get('/api/projects/1/feature_flags/?search=z-base')).body.results;
    await client.patch(`/api/projects/1/feature_flags/${found.id}/`, { body: { name: 'Theirs' } });
    expect((await send(1, file, { confirm })).status).toBe(409);
    expect((await client.get(`/api/projects/1/feature_flags/${found.id}/`)).body.name).toBe('Theirs');
  });

  const deep = JSON.parse(`${'{"a":'.repeat(100)}1${'}'.repeat(100)}`);
  it.each<[unknown, string | null]>([
    [{}, 'file__format'],
    [{ format: 2, flags: [] }, 'file__format'],
    [{ format: 1, flags: {} }, 'file__flags'],
    [{ format: 1, flag: [] }, 'file'],
    [{ format: 1, flags: [{}] }, 'file__flags__0__key'],
    [{ format: 1, flags: [flag('a'), flag('a')] }, 'file__flags'],
    [{ format: 1, flags: [flag('a', { active: 'yes' })] }, 'file__flags__0__active'],
    [{ format: 1, flags: [flag('a', { acitve: true })] }, 'file__flags__0'],
    [{ format: 1, flags: [flag('a', { evaluation_runtime: 'edge' })] }, 'file__flags__0__evaluation_runtime'],
    [{ format: 1, flags: [flag('a', { rollback_conditions: deep })] }, null],
    [
      { format: 1, flags: [flag('a', { filters: { groups: [{ properties: [{ type: 'cohort', cohort: 'No' }] }] } })] },
      'file',
    ],
    [
      {
        format: 1,
        flags: ['a', 'b'].map((key) =>
          flag(key, {
            filters: { groups: [{ properties: [{ type: 'flag', flag: key === 'a' ? 'b' : 'a', value: true }] }] },
          }),
        ),
      },
      'file',
    ],
  ])('is refused: %#', async (file, attr) => {
    const { status, body } = await send(1, file);
    expect([status, body.attr]).toEqual([400, attr]);
  });
});
