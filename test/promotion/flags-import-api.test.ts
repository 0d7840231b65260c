/** Importing flags of other products through the API; files of flags where changes need approval. */
import { GrowthBookClient } from '@growthbook/growthbook';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientFor } from '../support/client.ts';
import { OpenApi } from '../support/openapi.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let client: ReturnType<typeof clientFor>;
let api: OpenApi;
beforeAll(async () => {
  server = await startServer();
  client = clientFor(server);
  api = await OpenApi.of(server);
});
afterAll(() => server.close());

const PATH = '/api/projects/1/flags_import/';
const DATA = {
  features: {
    'dark-mode': { defaultValue: false, rules: [{ condition: { plan: 'paid' }, force: true }] },
    'new-search': { defaultValue: false, rules: [{ force: true, coverage: 0.2 }] },
    nested: { defaultValue: false, rules: [{ force: true, condition: { 'a.b': 1 } }] },
  },
};
const send = async (more: object = {}) => {
  const answer = await client.post(PATH, { body: { source: 'growthbook', data: DATA, ...more } });
  expect(api.problemsOf('POST', PATH, answer)).toEqual([]);
  return answer;
};
const keys = async (): Promise<string[]> =>
  (await client.get('/api/projects/1/feature_flags/')).body.results.map(({ key }: { key: string }) => key).sort();

describe('an import', () => {
  it('is planned, done as it was planned, and then there is nothing to do', async () => {
    const plan = (await send()).body;
    expect(plan).toMatchObject({ status: 'planned', flags: 3, equal: 1 });
    expect(plan.changes).toMatchObject([{ kind: 'flag', name: 'dark-mode', action: 'create' }]);
    expect(plan.differ).toEqual([
      {
        key: 'new-search',
        accepted: false,
        can_keep_people: true,
        reason: expect.stringContaining('other people'),
        users_compared: 2000,
        users_changed: expect.any(Number),
        examples: expect.any(Array),
      },
    ]);
    // A fifth there and another fifth here: 2 × 0.2 × 0.8.
    const [{ users_changed: changed, examples }] = plan.differ;
    expect(changed).toBeGreaterThan(0.27 * 2000);
    expect(changed).toBeLessThan(0.37 * 2000);
    expect(examples).toHaveLength(3);
    for (const { theirs, ours } of examples) expect([theirs, ours].sort()).toEqual([false, true]);
    expect(plan.not_imported).toEqual([{ key: 'nested', why: 'a condition on the nested attribute a.b' }]);
    const unchanging = { can_keep_people: false, can_accept: false };
    const leftOut = [
      { key: 'nested', id: null, outcome: 'not_imported', action: null, ...unchanging },
      { key: 'new-search', id: null, outcome: 'differs', action: null, can_keep_people: true, can_accept: true },
    ];
    const dark = { key: 'dark-mode', outcome: 'equal', ...unchanging };
    expect(plan.results).toEqual([{ ...dark, id: null, action: 'create' }, ...leftOut]);
    expect(await keys()).toEqual([]);
    const applied = (await send({ confirm: plan.confirm })).body;
    const { id } = (await client.get('/api/projects/1/feature_flags/')).body.results[0];
    expect([applied.status, applied.results]).toEqual(['applied', [{ ...dark, id, action: 'create' }, ...leftOut]]);
    expect(await keys()).toEqual(['dark-mode']);
    const again = (await send()).body;
    expect([again.changes, again.results]).toEqual([[], [{ ...dark, id, action: 'none' }, ...leftOut]]);
    const decide = { token: server.projectKey, distinct_id: 'u', person_properties: { plan: 'paid' } };
    const decided = await client.post('/decide/?v=3', { body: decide });
    expect(decided.body.featureFlags['dark-mode']).toBe(true);
  });

  it('takes flags that differ where they were accepted', async () => {
    const { confirm } = (await send({ accept: ['new-search'] })).body;
    await send({ accept: ['new-search'], confirm });
    const [flag] = (await client.get('/api/projects/1/feature_flags/?search=new-search')).body.results;
    expect(flag.filters.groups).toEqual([{ properties: [], rollout_percentage: 20 }]);
  });

  it('keeps the people of a percentage where that is chosen, and compares for given users', async () => {
    const theirs = new GrowthBookClient().initSync({ payload: DATA as never });
    const theirValue = (id: string) => theirs.evalFeature('new-search', { attributes: { id } }).value;
    const ids = Array.from({ length: 50 }, (_, i) => `user-${i}`);
    const asked = { contexts: ids.map((distinct_id) => ({ distinct_id })) };
    expect((await send(asked)).body.differ[0].users_compared).toBe(50);
    const { confirm, kept, differ, equal } = (await send({ keep_people: true })).body;
    expect([kept, differ, equal]).toEqual([['new-search'], [], 1]);
    await send({ keep_people: ['new-search'], confirm });
    for (const id of ids) {
      const { body } = await client.post('/decide/?v=3', { body: { token: server.projectKey, distinct_id: id } });
      expect([id, body.featureFlags['new-search']]).toEqual([id, theirValue(id)]);
    }
    expect((await send({ keep_people: true })).body.changes).toEqual([]);
    const both = (await send({ keep_people: true, accept: ['new-search'] })).body;
    expect([both.kept, both.differ[0].accepted]).toEqual([[], true]);
  });

  it('leaves out what depends on a flag that is left out, and lists what depends on one that changes', async () => {
    const parentConditions = [{ id: 'half', condition: { value: true } }];
    const features = {
      half: { defaultValue: false, rules: [{ force: true, coverage: 0.5 }] },
      child: { defaultValue: false, rules: [{ force: true, parentConditions }] },
    };
    const reasons = (body: { differ: { key: string; reason: string }[] }) =>
      body.differ.map(({ key, reason }) => [key, reason]);
    const alone = (await send({ data: { features } })).body;
    expect(reasons(alone)[1]).toEqual(['child', 'it depends on "half", which is not imported yet']);
    const early = (await send({ data: { features }, accept: ['child'] })).body;
    expect([early.attr, early.detail]).toEqual([
      'accept',
      '"child" cannot be imported: it depends on "half", which is not imported yet.',
    ]);
    const accepted = (await send({ data: { features }, accept: ['half'] })).body;
    expect(reasons(accepted)[1]).toEqual(['child', 'it depends on "half", whose percentages are other people']);
    const kept = (await send({ data: { features }, keep_people: true })).body;
    expect([kept.kept, kept.equal, kept.differ]).toEqual([['half'], 1, []]);
    expect(kept.changes.map(({ name }: { name: string }) => name)).toEqual(['half', 'child']);
  });

  it('says why percentages alone cannot do it', async () => {
    const variations = [true, false];
    const rules = [
      { condition: { plan: 'a' }, variations, weights: [0.5, 0.5] },
      { force: true, coverage: 0.1 },
    ];
    const data = { features: { odd: { defaultValue: false, rules } } };
    const { body } = await send({ data, accept: ['odd'] });
    expect([body.attr, body.detail]).toEqual([
      'accept',
      '"odd" cannot be imported with percentages only: a condition that gives false to some users comes before others. Keep its people instead.',
    ]);
    expect((await send({ data, keep_people: ['odd'] })).body.kept).toEqual(['odd']);
  });

  it.each<[object, string]>([
    [{ keep_people: ['dark-mode'] }, 'keep_people'],
    [{ contexts: [{}] }, 'contexts__0__distinct_id'],
    [{ source: 'excel' }, 'source'],
    [{ data: [] }, 'data'],
    [{ data: {} }, 'data'],
    [{ data: { features: { a: null, b: 5 } }, accept: ['x'] }, 'accept'],
    [{ accept: ['dark-mode'] }, 'accept'],
    [{ dry_run: false }, 'confirm'],
  ])('is refused: %j', async (more, attr) => {
    const { status, body } = await send(more);
    expect([status, body.attr]).toEqual([400, attr]);
  });

  it.each<[string, object, string, string]>([
    [
      'unleash',
      DATA,
      'other_source',
      'This looks like an export of GrowthBook, not of Unleash. Import it as GrowthBook.',
    ],
    ['flagd', { items: [{ key: 'a', variations: [] }] }, 'other_source', 'an export of LaunchDarkly, not of flagd'],
    ['launchdarkly', { flags: { a: { variants: {} } } }, 'other_source', 'an export of flagd, not of LaunchDarkly'],
    ['growthbook', { features: [], featureStrategies: [] }, 'other_source', 'an export of Unleash, not of GrowthBook'],
    ['unleash', { results: [] }, 'other_source', 'an export of PostHog, not of Unleash'],
    ['growthbook', { encryptedFeatures: 'x.y' }, 'encrypted', 'The payload is encrypted.'],
    [
      'launchdarkly',
      {},
      'no_flags',
      'There are no flags in it. An export of LaunchDarkly has them in "items" or "flags".',
    ],
  ])('says what the data is if it is none of %s: %j', async (source, data, code, detail) => {
    const { status, body } = await send({ source, data });
    expect([status, body.attr, body.code, body.detail]).toEqual([400, 'data', code, expect.stringContaining(detail)]);
  });

  it('reads flags of another PostHog, with cohorts by name, and lists what refers to nothing', async () => {
    const cohort = (value: number) => ({
      groups: [{ properties: [{ key: 'id', type: 'cohort', value }], rollout_percentage: 30 }],
    });
    const needs = { key: '11', type: 'flag', operator: 'flag_evaluates_to', value: true };
    const data = {
      results: [
        { id: 11, key: 'beta', name: 'Beta', active: true, tags: ['b', 'a'], filters: cohort(5) },
        { id: 12, key: 'after-beta', active: true, filters: { groups: [{ properties: [needs] }] } },
        { id: 13, key: 'listed', active: true, filters: cohort(6) },
        { id: 14, key: 'gone', active: true, filters: cohort(7) },
        { id: 15, key: 'deleted', deleted: true, filters: {} },
      ],
      cohorts: [
        {
          id: 5,
          name: 'Testers',
          filters: {
            properties: { type: 'AND', values: [{ key: 'tester', type: 'person', value: 'yes', operator: 'exact' }] },
          },
        },
        { id: 6, name: 'A list', is_static: true },
      ],
    };
    const plan = (await send({ source: 'posthog', data })).body;
    expect([plan.flags, plan.equal, plan.differ]).toEqual([4, 2, []]);
    expect(plan.not_imported).toEqual([
      { key: 'gone', why: 'the cohort 7 is not in the data' },
      { key: 'listed', why: 'the cohort "A list" is not in the project' },
    ]);
    await send({ source: 'posthog', data, confirm: plan.confirm });
    expect((await send({ source: 'posthog', data })).body.changes).toEqual([]);
    const token = server.projectKey;
    const valuesFor = async (id: string) => {
      const body = { token, distinct_id: id, person_properties: { tester: 'yes' } };
      const { featureFlags } = (await client.post('/decide/?v=3', { body })).body;
      return [featureFlags.beta, featureFlags['after-beta']];
    };
    // The same people as there: the hash and the key are the same.
    const local = (await client.get('/api/projects/1/feature_flags/?search=beta')).body.results;
    expect(local.map((flag: { key: string }) => flag.key).sort()).toEqual(['after-beta', 'beta']);
    const seen = await Promise.all(Array.from({ length: 40 }, (_, i) => valuesFor(`user-${i}`)));
    expect(seen.every(([parent, child]) => parent === child)).toBe(true);
    expect(new Set(seen.map(([parent]) => parent))).toEqual(new Set([true, false]));
  });

  it('survives whatever is in the data', async () => {
    const odd = [null, 5, 'x', [], {}, { rules: 5 }, { rules: [null, { condition: { a: { $in: 'x' } }, force: 1 }] }];
    const features = Object.fromEntries(odd.map((value, at) => [`odd-${at}`, value]));
    for (const source of ['growthbook', 'unleash', 'launchdarkly', 'flagd', 'posthog']) {
      const list = odd.map((value, at) => ({
        key: `odd-${at}`,
        name: `odd-${at}`,
        variations: value,
        ...Object(value),
      }));
      const data =
        source === 'growthbook' ? { features } : { features: list, items: list, results: list, flags: features };
      if (source === 'launchdarkly') Reflect.deleteProperty(data, 'flags');
      const { status, body } = await send({ source, data });
      expect([status, body.flags]).toEqual([200, odd.length]);
    }
  });
});

describe('where changes need approval', () => {
  it('a file says which ones, and asks for approval instead of changing anything', async () => {
    const other = await server.createProject({ foreign: true });
    const theirs = clientFor({ url: server.url, personalKey: other.personalKey });
    const path = `/api/projects/${other.projectId}`;
    const file = (share: number) => ({
      format: 1,
      flags: ['a', 'b'].map((key) => ({ key, filters: { groups: [{ rollout_percentage: share }] } })),
    });
    const first = await theirs.post(`${path}/flags_file/`, { body: { file: file(10) } });
    await theirs.post(`${path}/flags_file/`, { body: { file: file(10), confirm: first.body.confirm } });
    const policy = {
      action_key: 'feature_flag.update',
      conditions: { type: 'any' },
      approver_config: { quorum: 1, users: [], roles: [] },
      bypass_org_membership_levels: [],
    };
    expect((await theirs.post(`${path}/approval_policies/`, { body: policy })).status).toBe(201);
    const plan = await theirs.post(`${path}/flags_file/`, { body: { file: file(20) } });
    expect(plan.body.needs_approval.sort()).toEqual(['a', 'b']);
    expect((await theirs.get(`${path}/change_requests/`)).body.count).toBe(0);
    const refused = await theirs.post(`${path}/flags_file/`, {
      body: { file: file(20), confirm: plan.body.confirm },
    });
    expect([refused.status, refused.body.code]).toEqual([409, 'approval_required']);
    expect((await theirs.get(`${path}/change_requests/`)).body.count).toBe(2);
    const flags = (await theirs.get(`${path}/feature_flags/`)).body.results;
    expect(flags.map((flag: { rollout_percentage: number }) => flag.rollout_percentage)).toEqual([10, 10]);
  });
});
