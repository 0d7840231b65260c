/** Early access features: what they do to their flag, what SDKs see of them, and what is refused. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientFor } from '../support/client.ts';
import { OpenApi } from '../support/openapi.ts';
import { addMember } from '../support/people.ts';
import { startServer, type TestServer } from '../support/server.ts';

const features = '/api/projects/1/early_access_feature/';
const flags = '/api/projects/1/feature_flags/';
const NOBODY = { groups: [{ properties: [], rollout_percentage: 0 }] };

let server: TestServer;
let client: ReturnType<typeof clientFor>;
let api: OpenApi;
beforeAll(async () => {
  server = await startServer();
  client = clientFor(server);
  api = await OpenApi.of(server);
});
afterAll(() => server.close());

let keys = 0;
const makeFlag = async (body: object = {}) =>
  (await client.post(flags, { body: { key: `flag-${++keys}`, filters: NOBODY, ...body } })).body;
const make = async (body: object) => {
  const answer = await client.post(features, { body });
  expect(api.problemsOf('POST', features, answer)).toEqual([]);
  return answer;
};
const flagOf = async (id: number) => (await client.get(`${flags}${id}/`)).body;
const enrollment = (key: string) => [
  {
    properties: [{ key: `$feature_enrollment/${key}`, type: 'person', operator: 'exact', value: ['true'] }],
    rollout_percentage: 100,
  },
];
/** The value of a flag for somebody who has chosen, or has not. */
const flagValue = async (key: string, choice?: boolean) => {
  const person_properties = choice === undefined ? {} : { [`$feature_enrollment/${key}`]: choice };
  const body = { token: server.projectKey, distinct_id: 'somebody', person_properties };
  return (await client.post('/flags/?v=2', { body, key: null })).body.flags[key]?.enabled;
};
const listed = async (query = '') =>
  (await client.get(`/api/early_access_features/?token=${server.projectKey}${query}`, { key: null })).body;

describe('an early access feature', () => {
  it('makes a flag that only those have who opted in', async () => {
    const { status, body } = await make({ name: 'Dark mode (new)', stage: 'beta', description: 'Easy on the eyes' });
    expect([status, body.name, body.stage, body.feature_flag.key]).toEqual([
      201,
      'Dark mode (new)',
      'beta',
      'dark-mode-new',
    ]);
    const key = 'dark-mode-new';
    expect([await flagValue(key, true), await flagValue(key, false), await flagValue(key)]).toEqual([
      true,
      false,
      false,
    ]);
    expect((await flagOf(body.feature_flag.id)).features).toEqual([
      { id: body.id, name: 'Dark mode (new)', stage: 'beta' },
    ]);
  });

  it('is listed to browsers by stage: beta, unless they ask for others, and never drafts', async () => {
    const { body: alpha } = await make({ name: 'Alpha', stage: 'alpha', payload: { icon: 'moon' } });
    await make({ name: 'Draft', stage: 'draft' });
    expect((await listed()).earlyAccessFeatures.map(({ name }: { name: string }) => name)).toEqual(['Dark mode (new)']);
    expect((await listed('&stage=alpha&stage=draft')).earlyAccessFeatures).toEqual([
      {
        id: alpha.id,
        name: 'Alpha',
        description: '',
        stage: 'alpha',
        documentationUrl: '',
        payload: { icon: 'moon' },
        flagKey: 'alpha',
      },
    ]);
    expect((await listed('&stage=nothing')).earlyAccessFeatures).toEqual([]);
    expect((await client.get('/api/early_access_features/?token=phc_unknown', { key: null })).status).toBe(401);
  });

  it('opens and closes its flag with its stage, and keeps the conditions', async () => {
    const flag = await makeFlag();
    const { body: feature } = await make({ name: 'Search', stage: 'draft', feature_flag_id: flag.id });
    expect((await flagOf(flag.id)).version).toBe(1);
    await client.patch(`${features}${feature.id}/`, { body: { stage: 'alpha' } });
    expect((await flagOf(flag.id)).filters).toEqual({ ...flag.filters, super_groups: enrollment(flag.key) });
    expect(await flagValue(flag.key, true)).toBe(true);
    // A stage that is open, too, does not change the flag.
    await client.patch(`${features}${feature.id}/`, { body: { stage: 'beta', name: 'Better search' } });
    expect((await flagOf(flag.id)).version).toBe(2);
    await client.patch(`${features}${feature.id}/`, { body: { stage: 'archived' } });
    expect([(await flagOf(flag.id)).filters, await flagValue(flag.key, true)]).toEqual([flag.filters, false]);
  });

  it('goes with the key of its flag', async () => {
    const flag = await makeFlag();
    await make({ name: 'Renamed', stage: 'beta', feature_flag_id: flag.id });
    const key = `${flag.key}-renamed`;
    await client.patch(`${flags}${flag.id}/`, { body: { key } });
    expect(await flagValue(key, true)).toBe(true);
    const found = (await listed()).earlyAccessFeatures.find(({ name }: { name: string }) => name === 'Renamed');
    expect(found.flagKey).toBe(key);
  });

  it('holds its flag until it is deleted; the flag then goes by its conditions', async () => {
    const flag = await makeFlag();
    const { body: feature } = await make({ name: 'Held', stage: 'beta', feature_flag_id: flag.id });
    const refused = await client.patch(`${flags}${flag.id}/`, { body: { deleted: true } });
    expect([refused.status, refused.body.detail]).toEqual([
      400,
      'Persons can opt in to this feature flag by the early access feature "Held". Delete the early access feature first.',
    ]);
    expect((await client.delete(`${features}${feature.id}/`)).status).toBe(204);
    expect((await client.get(`${features}${feature.id}/`)).status).toBe(404);
    expect([(await flagOf(flag.id)).filters, (await flagOf(flag.id)).features]).toEqual([flag.filters, []]);
    expect((await client.patch(`${flags}${flag.id}/`, { body: { deleted: true } })).status).toBe(200);
  });

  it('is seen in the activity', async () => {
    const { body: feature } = await make({ name: 'Seen', stage: 'draft' });
    await client.patch(`${features}${feature.id}/`, { body: { description: 'Now with words' } });
    const { results } = (await client.get('/api/projects/1/activity_log/?scope=EarlyAccessFeature')).body;
    const own = results.filter(({ item_id }: { item_id: string }) => item_id === feature.id);
    expect(own.map(({ activity }: { activity: string }) => activity)).toEqual(['updated', 'created']);
  });
});

describe('refused', () => {
  const detailOf = async (body: object) => {
    const answer = await make(body);
    return [answer.status, answer.body.attr, answer.body.detail];
  };
  it.each([
    ['no name', { stage: 'beta' }, 'name'],
    ['an unknown stage', { name: 'A', stage: 'gamma' }, 'stage'],
    ['a flag that is not there', { name: 'B', stage: 'beta', feature_flag_id: 999_999 }, 'feature_flag_id'],
    ['an address that is none', { name: 'C', stage: 'beta', documentation_url: 'javascript:x()' }, 'documentation_url'],
    ['a name without letters', { name: '!!!', stage: 'beta' }, 'name'],
    ['a payload that is too large', { name: 'D', stage: 'beta', payload: { a: 'x'.repeat(70_000) } }, 'payload'],
  ])('%s', async (_, body, attr) => {
    const [status, at] = await detailOf(body);
    expect([status, at]).toEqual([400, attr]);
  });

  it('a flag by group or with variants, and one that has a feature', async () => {
    const group = await makeFlag({ filters: { ...NOBODY, aggregation_group_type_index: 0 } });
    const variants = [{ key: 'a', rollout_percentage: 100 }];
    const split = await makeFlag({ filters: { ...NOBODY, multivariate: { variants } } });
    const taken = await makeFlag();
    await make({ name: 'First', stage: 'beta', feature_flag_id: taken.id });
    const details = [];
    for (const { id } of [group, split, taken])
      details.push((await detailOf({ name: 'Second', stage: 'beta', feature_flag_id: id }))[2]);
    expect(details).toEqual([
      'Persons opt in to early access, and this flag is matched by group. Choose a flag that is matched by person.',
      'Persons opt in or out, and this flag has variants. Choose a flag without variants.',
      'The early access feature "First" has this flag already.',
    ]);
  });

  it('a name whose flag is there already', async () => {
    await makeFlag({ key: 'taken-key' });
    expect(await detailOf({ name: 'Taken key', stage: 'beta' })).toEqual([
      400,
      'name',
      'A flag for this feature would have the key "taken-key", which another flag has. Choose that flag (feature_flag_id) or another name.',
    ]);
  });

  it('whoever may not edit the flag, and nothing is left behind', async () => {
    const { personalKey } = await addMember(server, 'dev@example.org');
    const dev = clientFor({ url: server.url, personalKey });
    const flag = await makeFlag();
    const policy = await client.post('/api/projects/1/approval_policies/', {
      body: { action_key: 'feature_flag.update' },
    });
    const asked = await dev.post(features, { body: { name: 'Asked', stage: 'beta', feature_flag_id: flag.id } });
    expect([asked.status, asked.body.code]).toEqual([409, 'approval_required']);
    const names = async () =>
      (await client.get(`${features}?limit=1000`)).body.results.map(({ name }: { name: string }) => name);
    expect(await names()).not.toContain('Asked');
    // Once the flag's change is approved, the same request goes through.
    await client.post(`/api/projects/1/change_requests/${asked.body.change_request_id}/approve/`, { body: {} });
    const again = await dev.post(features, { body: { name: 'Asked', stage: 'beta', feature_flag_id: flag.id } });
    expect([again.status, await names()]).toEqual([201, expect.arrayContaining(['Asked'])]);
    await client.delete(`/api/projects/1/approval_policies/${policy.body.id}/`);
  });
});

it('holds persons out of a flag by itself: the holdout changes it, and leaves it', async () => {
  const holdouts = '/api/projects/1/experiment_holdouts/';
  const share = (rollout_percentage: number) => [{ properties: [], rollout_percentage }];
  const { body: holdout } = await client.post(holdouts, { body: { name: 'Nobody new', filters: share(5) } });
  const held = { ...NOBODY, holdout_groups: [{ ...share(5)[0], variant: `holdout-${holdout.id}` }] };
  const flag = await makeFlag({ filters: held });
  await client.patch(`${holdouts}${holdout.id}/`, { body: { filters: share(20) } });
  expect((await flagOf(flag.id)).filters.holdout_groups[0].rollout_percentage).toBe(20);
  await client.delete(`${holdouts}${holdout.id}/`);
  expect((await flagOf(flag.id)).filters).toEqual(NOBODY);
});
