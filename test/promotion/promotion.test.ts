/** Flags, cohorts and definitions that are promoted from one project to another. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { A_GROUP, capture } from '../support/capture.ts';
import { clientFor } from '../support/client.ts';
import { OpenApi } from '../support/openapi.ts';
import { addMember } from '../support/people.ts';
import { startServer, type TestProject, type TestServer } from '../support/server.ts';

let server: TestServer;
let client: ReturnType<typeof clientFor>;
let production: TestProject;
let foreign: TestProject;
let api: OpenApi;
beforeAll(async () => {
  server = await startServer();
  client = clientFor(server);
  production = await server.createProject({ name: 'Production' });
  foreign = await server.createProject({ foreign: true });
  api = await OpenApi.of(server);
  // The other project has another group type first, so that indexes differ.
  await capture(server, server.projectKey, [A_GROUP]);
  const office = { event: '$groupidentify', properties: { $group_type: 'office', $group_key: 'north' } };
  await capture(server, production.projectKey, [office, A_GROUP]);
  const people = Array.from({ length: 40 }, (_, i) => ({
    event: '$identify',
    distinct_id: `person-${i}`,
    properties: { $set: { plan: i < 10 ? 'pro' : 'free' } },
  }));
  await capture(server, production.projectKey, people);
});
afterAll(() => server.close());

const flagsOf = (project: number): string => `/api/projects/${project}/feature_flags/`;
const post = (path: string, body: unknown) => client.post(path, { body });
let count = 0;

async function makeFlag(filters: object, more: object = {}, project = 1) {
  const { status, body } = await post(flagsOf(project), { key: `flag-${++count}`, filters, ...more });
  expect([status, body]).toMatchObject([201, {}]);
  return body;
}

const promotionOf = (id: number): string => `${flagsOf(1)}${id}/promote/`;
const toProduction = (id: number, more: object = {}) => post(promotionOf(id), { to: production.projectId, ...more });

async function promote(id: number, more: object = {}) {
  const plan = (await toProduction(id, { dry_run: true, ...more })).body;
  const done = await toProduction(id, { confirm: plan.confirm, ...more });
  expect([done.status, done.body.status]).toEqual([200, 'promoted']);
  expect(api.problemsOf('POST', promotionOf(id), done)).toEqual([]);
  return done.body;
}

const PRO = {
  properties: [{ key: 'plan', type: 'person', value: ['pro'], operator: 'exact' }],
  rollout_percentage: 100,
};

describe('promoting a flag', () => {
  it('plans first: what differs, and whose value changes', async () => {
    const flag = await makeFlag({ groups: [PRO] }, { name: 'For the pros' });
    const planned = await toProduction(flag.id, { dry_run: true });
    expect(api.problemsOf('POST', promotionOf(flag.id), planned)).toEqual([]);
    expect(planned.body).toMatchObject({
      status: 'planned',
      action: 'create',
      missing: [],
      feature_flag: null,
      blast_radius: {
        users_affected: 10,
        total_users: 41,
        users_changed: 10,
        changes: [{ from: false, to: true, count: 10 }],
      },
    });
    expect(planned.body.diff).toContainEqual({ path: 'name', from: null, to: 'For the pros' });
    expect((await client.get(flagsOf(production.projectId))).body.count).toBe(0);
    // Without anything it is a plan, too.
    expect((await toProduction(flag.id)).body.status).toBe('planned');
  });

  it('does what was confirmed, and keeps the link', async () => {
    const flag = await makeFlag({ groups: [PRO] }, { tags: ['b', 'a'] });
    const { feature_flag: created, action } = await promote(flag.id);
    expect(action).toBe('create');
    expect(created).toMatchObject({
      key: flag.key,
      active: true,
      tags: ['a', 'b'],
      filters: { groups: [PRO] },
      promoted_from: { project: 1, flag: flag.id, version: 1 },
    });
    const decided = await post('/decide/?v=3', { token: production.projectKey, distinct_id: 'person-3' });
    expect(decided.body.featureFlags[flag.key]).toBe(true);
    const again = await promote(flag.id);
    expect([again.action, again.diff, again.feature_flag.version]).toEqual(['none', [], 1]);
  });

  it('puts the same people into a rollout', async () => {
    const flag = await makeFlag({ groups: [{ properties: [], rollout_percentage: 30 }] });
    await promote(flag.id);
    const values = async (token: string) => {
      const seen = [];
      for (let i = 0; i < 40; i++) {
        const { body } = await post('/decide/?v=3', { token, distinct_id: `person-${i}` });
        seen.push(body.featureFlags[flag.key]);
      }
      return seen;
    };
    const here = await values(server.projectKey);
    expect(await values(production.projectKey)).toEqual(here);
    expect(new Set(here)).toEqual(new Set([true, false]));
  });

  it('takes over only the parts that are named', async () => {
    const variants = (share: number) => ({
      variants: [
        { key: 'a', rollout_percentage: share },
        { key: 'b', rollout_percentage: 100 - share },
      ],
    });
    const flag = await makeFlag({ groups: [PRO], multivariate: variants(50), payloads: { a: '1' } });
    await promote(flag.id, { parts: ['conditions', 'variants'] });
    const [created] = (await client.get(`${flagsOf(production.projectId)}?search=${flag.key}`)).body.results;
    expect(created).toMatchObject({ active: false, filters: { groups: [PRO], multivariate: variants(50) } });
    expect(created.filters.payloads).toBeUndefined();
    await client.patch(`${flagsOf(1)}${flag.id}/`, {
      body: {
        filters: {
          groups: [{ properties: [], rollout_percentage: 20 }],
          multivariate: variants(10),
          payloads: { a: '2' },
        },
      },
    });
    const { diff } = (await toProduction(flag.id, { parts: ['payloads'] })).body;
    expect(diff).toEqual([{ path: 'filters.payloads', from: null, to: { a: '2' } }]);
    const { feature_flag: after } = await promote(flag.id, { parts: ['payloads', 'active'] });
    expect(after).toMatchObject({
      active: true,
      filters: { groups: [PRO], multivariate: variants(50), payloads: { a: '2' } },
    });
  });

  it.each(['source', 'target'])('is refused when the %s was changed since', async (changed) => {
    const flag = await makeFlag({ groups: [PRO] });
    const { feature_flag: there } = await promote(flag.id);
    await client.patch(`${flagsOf(1)}${flag.id}/`, { body: { name: 'newer' } });
    const { confirm } = (await toProduction(flag.id)).body;
    const path = changed === 'source' ? `${flagsOf(1)}${flag.id}/` : `${flagsOf(production.projectId)}${there.id}/`;
    await client.patch(path, { body: { name: 'newest' } });
    const refused = await toProduction(flag.id, { confirm });
    expect([refused.status, refused.body]).toMatchObject([409, { code: 'conflict', attr: 'confirm' }]);
    expect((await client.get(`${flagsOf(production.projectId)}${there.id}/`)).body.name).not.toBe('newer');
  });

  it('finds cohorts, group types and flags by their names', async () => {
    const criteria = {
      properties: { type: 'AND', values: [{ key: 'plan', type: 'person', value: 'pro', operator: 'exact' }] },
    };
    const here = (await post('/api/projects/1/cohorts/', { name: 'Matched', filters: criteria })).body;
    await post(`/api/projects/${production.projectId}/cohorts/`, { name: 'Other', filters: criteria });
    const there = (await post(`/api/projects/${production.projectId}/cohorts/`, { name: 'Matched', filters: criteria }))
      .body;
    const needed = await makeFlag({ groups: [PRO] });
    const neededThere = (await promote(needed.id)).feature_flag;
    const flag = await makeFlag({
      groups: [
        { properties: [{ type: 'cohort', key: 'id', value: here.id, operator: 'in' }] },
        { properties: [{ type: 'flag', key: String(needed.id), value: true, operator: 'flag_evaluates_to' }] },
      ],
    });
    const { feature_flag: copy } = await promote(flag.id);
    expect(copy.filters.groups.map((group: { properties: object[] }) => group.properties[0])).toMatchObject([
      { type: 'cohort', value: there.id },
      { type: 'flag', key: String(neededThere.id) },
    ]);
    const company = [{ type: 'group', key: 'size', value: 5, operator: 'gt', group_type_index: 0 }];
    const grouped = await makeFlag({ aggregation_group_type_index: 0, groups: [{ properties: company }] });
    const { feature_flag: copied } = await promote(grouped.id);
    expect(copied.filters).toMatchObject({
      aggregation_group_type_index: 1,
      groups: [{ properties: [{ group_type_index: 1 }] }],
    });
  });

  it('names what is missing there, and copies cohorts when asked', async () => {
    const values = (list: object[]) => ({ properties: { type: 'AND', values: list } });
    const inner = await post('/api/projects/1/cohorts/', {
      name: 'Inner',
      filters: values([{ key: 'plan', type: 'person', value: 'pro', operator: 'exact' }]),
    });
    const outer = await post('/api/projects/1/cohorts/', {
      name: 'Outer',
      filters: values([{ type: 'cohort', key: 'id', value: inner.body.id }]),
    });
    const flag = await makeFlag({
      groups: [{ properties: [{ type: 'cohort', key: 'id', value: outer.body.id, operator: 'in' }] }],
    });
    const without = (await toProduction(flag.id)).body;
    expect([without.confirm, without.blast_radius]).toEqual([null, null]);
    expect(without.missing).toMatchObject([{ kind: 'cohort', name: 'Outer', match: null }]);
    const refused = await toProduction(flag.id, { confirm: 'x' });
    expect([refused.status, refused.body.attr]).toEqual([400, 'copy_cohorts']);
    const plan = (await toProduction(flag.id, { copy_cohorts: true })).body;
    expect(plan).toMatchObject({ copied_cohorts: ['Inner', 'Outer'], blast_radius: { users_affected: 10 } });
    const done = await promote(flag.id, { copy_cohorts: true });
    expect(done.missing).toEqual([]);
    const decided = await post('/decide/?v=3', { token: production.projectKey, distinct_id: 'person-1' });
    expect(decided.body.featureFlags[flag.key]).toBe(true);
    const cohorts = (await client.get(`/api/projects/${production.projectId}/cohorts/`)).body.results;
    expect(cohorts.map(({ name }: { name: string }) => name)).toEqual(expect.arrayContaining(['Inner', 'Outer']));
  });

  it('does not copy a list of persons, and says which conditions name persons', async () => {
    const fixed = (await post('/api/projects/1/cohorts/', { name: 'Fixed list', is_static: true })).body;
    const flag = await makeFlag({
      groups: [
        { properties: [{ type: 'cohort', key: 'id', value: fixed.id, operator: 'in' }] },
        { properties: [{ type: 'person', key: 'distinct_id', value: ['u1'], operator: 'exact' }] },
      ],
    });
    const plan = (await toProduction(flag.id, { copy_cohorts: true })).body;
    expect(plan.missing).toEqual([
      { kind: 'cohort', name: 'Fixed list', match: null, reason: 'It is a list of persons, which cannot be copied.' },
    ]);
    expect(plan.not_portable).toEqual([{ key: 'distinct_id', value: ['u1'] }]);
  });

  it.each<[string, object, number, string | null]>([
    ['the same project', { to: 1 }, 400, 'to'],
    ['a project that does not exist', { to: 4711 }, 400, 'to'],
    ['no project', {}, 400, 'to'],
    ['a project in text', { to: 'two' }, 400, 'to'],
    ['an unknown part', { to: 2, parts: ['everything'] }, 400, 'parts__0'],
    ['no part', { to: 2, parts: [] }, 400, 'parts'],
    ['no confirmation', { to: 2, dry_run: false }, 400, 'confirm'],
    ['a wrong confirmation', { to: 2, confirm: 'nonsense' }, 409, 'confirm'],
  ])('is refused for %s', async (_name, body, status, attr) => {
    const flag = await makeFlag({ groups: [PRO] });
    const answer = await post(promotionOf(flag.id), body);
    expect([answer.status, answer.body.attr]).toEqual([status, attr]);
  });

  it('needs rights in both projects', async () => {
    const flag = await makeFlag({ groups: [PRO] });
    const elsewhere = await post(promotionOf(flag.id), { to: foreign.projectId });
    expect([elsewhere.status, elsewhere.body.attr]).toEqual([400, 'to']);
    const viewer = await addMember(server, 'viewer@example.org');
    await post('/api/organizations/@current/resource_access/', { resource: 'feature flags', access_level: 21 });
    const refused = await client.post(promotionOf(flag.id), {
      body: { to: production.projectId },
      key: viewer.personalKey,
    });
    expect(refused.status).toBe(403);
    const list = (await client.get('/api/organizations/@current/resource_access/')).body.results;
    await client.delete(`/api/organizations/@current/resource_access/${list[0].id}/`);
  });
});

describe('drift', () => {
  it('lists flags that differ, with what promoting them would change', async () => {
    const flag = await makeFlag({ groups: [{ properties: [], rollout_percentage: 30 }] });
    const { feature_flag: there } = await promote(flag.id);
    const drift = async (query: string, project = 1) => {
      const path = `${flagsOf(project)}drift/`;
      const answer = await client.get(`${path}${query}`);
      expect(api.problemsOf('GET', path, answer)).toEqual([]);
      return answer.body.results.find(({ key }: { key: string }) => key === flag.key);
    };
    expect(await drift(`?with=${production.projectId}`)).toBeUndefined();
    await client.patch(`${flagsOf(production.projectId)}${there.id}/`, {
      body: { filters: { groups: [{ properties: [], rollout_percentage: 60 }] } },
    });
    expect(await drift(`?with=${production.projectId}`)).toEqual({
      key: flag.key,
      status: 'differs',
      id: flag.id,
      there: { project: production.projectId, project_name: 'Production', id: there.id },
      diff: [{ path: 'filters.groups[0].rollout_percentage', from: 60, to: 30 }],
    });
    // Without another project, against the one that it was promoted from.
    expect(await drift('', production.projectId)).toMatchObject({ there: { project: 1, id: flag.id } });
    const lonely = await makeFlag({ groups: [] });
    const all = (await client.get(`${flagsOf(1)}drift/?with=${production.projectId}`)).body.results;
    expect(all).toContainEqual(expect.objectContaining({ key: lonely.key, status: 'only_here', diff: [] }));
  });

  it.each(['1', '4711', 'x'])('is refused with project %s', async (id) => {
    const { status, body } = await client.get(`${flagsOf(1)}drift/?with=${id}`);
    expect([status, body.attr]).toEqual([400, 'with']);
  });

  it('is refused with a project of others', async () => {
    expect((await client.get(`${flagsOf(1)}drift/?with=${foreign.projectId}`)).status).toBe(400);
  });
});

describe('promoting a cohort', () => {
  const criteria = (value: string) => ({
    properties: { type: 'OR', values: [{ key: 'plan', type: 'person', value, operator: 'exact' }] },
  });
  const pathOf = (id: number): string => `/api/projects/1/cohorts/${id}/promote/`;

  it('creates it, then gives it the new criteria, and names the flags it changes', async () => {
    const here = (await post('/api/projects/1/cohorts/', { name: 'Payers', filters: criteria('pro') })).body;
    const to = { to: production.projectId };
    const plan = (await post(pathOf(here.id), to)).body;
    expect(plan).toMatchObject({ status: 'planned', action: 'create', feature_flags: [], cohort: null });
    const done = await post(pathOf(here.id), { ...to, confirm: plan.confirm });
    expect(api.problemsOf('POST', pathOf(here.id), done)).toEqual([]);
    const { id } = done.body.cohort;
    const targeting = { groups: [{ properties: [{ type: 'cohort', key: 'id', value: id, operator: 'in' }] }] };
    const flag = await makeFlag(targeting, {}, production.projectId);
    await client.patch(`/api/projects/1/cohorts/${here.id}/`, { body: { filters: criteria('team') } });
    const next = (await post(pathOf(here.id), to)).body;
    expect(next).toMatchObject({
      action: 'update',
      feature_flags: [flag.key],
      diff: [{ path: 'filters.properties.values[0].value', from: 'pro', to: 'team' }],
    });
    expect((await post(pathOf(here.id), { ...to, confirm: plan.confirm })).status).toBe(409);
    await post(pathOf(here.id), { ...to, confirm: next.confirm });
    const there = (await client.get(`/api/projects/${production.projectId}/cohorts/${id}/`)).body;
    expect(there.filters).toEqual(criteria('team'));
  });

  it('is refused for a list of persons', async () => {
    const here = (await post('/api/projects/1/cohorts/', { name: 'By hand', is_static: true })).body;
    const { status, body } = await post(pathOf(here.id), { to: production.projectId });
    expect([status, body.attr]).toEqual([400, 'to']);
  });
});

describe('promoting definitions', () => {
  it('carries over what users said, where the name is known', async () => {
    await capture(server, server.projectKey, [
      { event: 'bought', properties: { price: 1 } },
      { event: 'only here', properties: {} },
    ]);
    await capture(server, production.projectKey, [{ event: 'bought', properties: { price: 2 } }]);
    const all = (await client.get('/api/projects/1/event_definitions/')).body.results;
    for (const name of ['bought', 'only here']) {
      const { id } = all.find((one: { name: string }) => one.name === name);
      const body = { description: 'An order was paid', tags: ['shop'], verified: true };
      await client.patch(`/api/projects/1/event_definitions/${id}/`, { body });
    }
    const path = '/api/projects/1/event_definitions/promote/';
    const to = { to: production.projectId };
    const plan = (await post(path, to)).body;
    expect(plan.missing).toEqual(['event "only here"']);
    expect(plan.diff).toContainEqual({ path: 'event "bought": description', from: '', to: 'An order was paid' });
    const done = await post(path, { ...to, confirm: plan.confirm });
    expect([done.status, done.body.status]).toEqual([200, 'promoted']);
    expect(api.problemsOf('POST', path, done)).toEqual([]);
    const there = (await client.get(`/api/projects/${production.projectId}/event_definitions/?search=bought`)).body;
    expect(there.results[0]).toMatchObject({ description: 'An order was paid', tags: ['shop'], verified: true });
    expect((await post(path, to)).body.diff).toEqual([]);
  });

  it('carries over the types of properties that users chose', async () => {
    const path = '/api/projects/1/property_definitions/';
    const [price] = (await client.get(`${path}?search=price`)).body.results;
    await client.patch(`${path}${price.id}/`, { body: { property_type: 'String', description: 'In cents' } });
    const to = { to: production.projectId, names: ['price'] };
    const plan = (await post(`${path}promote/`, to)).body;
    await post(`${path}promote/`, { ...to, confirm: plan.confirm });
    const [there] = (await client.get(`/api/projects/${production.projectId}/property_definitions/?search=price`)).body
      .results;
    expect(there).toMatchObject({ property_type: 'String', description: 'In cents' });
  });
});
