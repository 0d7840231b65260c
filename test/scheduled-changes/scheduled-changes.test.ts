/** Changes of flags that are made at a time: in PostHog's shape, once each, with the rights of whoever scheduled them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CAN_VIEW, MEMBER, OWNER } from '../../src/stores/metadata/accounts.ts';
import { clientFor } from '../support/client.ts';
import { sendJson } from '../support/send.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let client: ReturnType<typeof clientFor>;
const all = '/api/projects/1/scheduled_changes/';
const flags = '/api/projects/1/feature_flags/';
let keys = 0;

beforeAll(async () => {
  server = await startServer();
  client = clientFor(server);
});
afterAll(() => server.close());

async function makeFlag(body: object = {}): Promise<number> {
  const { status, body: flag } = await client.post(flags, { body: { key: `flag-${++keys}`, ...body } });
  expect(status).toBe(201);
  return flag.id;
}
const post = (flagId: number, payload: unknown, rest: object = {}) =>
  client.post(all, { body: { record_id: flagId, model_name: 'FeatureFlag', payload, ...rest } });
async function schedule(flagId: number, payload: object, rest: object = {}) {
  const { status, body } = await post(flagId, payload, rest);
  expect([status, body.detail]).toEqual([201, undefined]);
  return body;
}
const one = async (id: number) => (await client.get(`${all}${id}/`)).body;
const flag = async (id: number) => (await client.get(`${flags}${id}/`)).body;
const settled = (id: number) => expect.poll(async () => (await one(id)).executed_at).not.toBeNull();
const disable = { operation: 'update_status', value: false };

describe('a scheduled change', () => {
  it('has every field that clients know', async () => {
    server.setNow('2026-01-15T12:00:00Z');
    const id = await makeFlag();
    const { created_by, ...made } = await schedule(id, disable, { scheduled_at: '2026-01-16T09:00:00Z' });
    expect(created_by.id).toBe(1);
    expect(made).toEqual({
      id: made.id,
      team_id: 1,
      record_id: String(id),
      model_name: 'FeatureFlag',
      payload: disable,
      scheduled_at: '2026-01-16T09:00:00Z',
      executed_at: null,
      failure_reason: null,
      is_recurring: false,
      recurrence_interval: null,
      cron_expression: null,
      end_date: null,
      timezone: 'UTC',
      last_executed_at: null,
      created_at: '2026-01-15T12:00:00Z',
      updated_at: '2026-01-15T12:00:00Z',
    });
    const list = await client.get(`${all}?model_name=FeatureFlag&record_id=${id}`);
    expect(list.body.results).toEqual([{ ...made, created_by }]);
    expect((await client.delete(`${all}${made.id}/`)).status).toBe(204);
    expect((await client.get(`${all}${made.id}/`)).status).toBe(404);
  });

  it('is made at its time, once, and recorded with who scheduled it', async () => {
    server.setNow('2026-01-15T12:00:00Z');
    const id = await makeFlag();
    const change = await schedule(id, disable, { scheduled_at: '2026-01-15T13:00:00Z' });
    server.setNow('2026-01-15T13:00:00Z');
    await settled(change.id);
    expect(await flag(id)).toMatchObject({ active: false, version: 2 });
    expect(await one(change.id)).toMatchObject({ executed_at: '2026-01-15T13:00:00Z', failure_reason: null });
    const { results } = (await client.get(`${flags}${id}/activity/`)).body;
    expect(results.map((entry: { activity: string }) => entry.activity)).toEqual(['updated', 'scheduled', 'created']);
    expect(results[0]).toMatchObject({
      user: { email: expect.any(String) },
      detail: { trigger: { job_type: 'scheduled_change', job_id: String(change.id) } },
    });
    server.setNow('2026-01-15T14:00:00Z');
    expect((await flag(id)).version).toBe(2);
  });

  it('can add a condition, and replace variants', async () => {
    server.setNow('2026-01-15T12:00:00Z');
    const variants = [
      { key: 'a', rollout_percentage: 50 },
      { key: 'b', rollout_percentage: 50 },
    ];
    const id = await makeFlag({ filters: { groups: [{ rollout_percentage: 10 }], multivariate: { variants } } });
    const groups = [{ properties: [{ key: 'email', type: 'person', value: 'x@y.z' }], rollout_percentage: 100 }];
    const added = await schedule(
      id,
      { operation: 'add_release_condition', value: { groups } },
      { scheduled_at: '2026-01-15T13:00:00Z' },
    );
    const only = [{ key: 'a', rollout_percentage: 100 }];
    const replaced = await schedule(
      id,
      { operation: 'update_variants', value: { variants: only, payloads: { a: '1' } } },
      { scheduled_at: '2026-01-15T13:00:01Z' },
    );
    server.setNow('2026-01-15T13:00:05Z');
    await settled(added.id);
    await settled(replaced.id);
    const { filters } = await flag(id);
    expect(filters.groups).toMatchObject([{ rollout_percentage: 10 }, { rollout_percentage: 100 }]);
    expect([filters.multivariate.variants, filters.payloads]).toEqual([only, { a: '1' }]);
  });

  it('rolls out gradually, and stops when the flag was disabled', async () => {
    server.setNow('2026-01-15T12:00:00Z');
    const id = await makeFlag({ filters: { groups: [{ rollout_percentage: 0 }] } });
    const steps = [1, 10, 50].map((rollout_percentage, at) => ({
      at: `2026-01-1${6 + at}T09:00:00Z`,
      rollout_percentage,
    }));
    const ramp = await schedule(id, { operation: 'ramp', value: { condition_index: 0, steps } });
    expect(ramp.scheduled_at).toBe('2026-01-16T09:00:00Z');
    const rollout = async () => (await flag(id)).filters.groups[0].rollout_percentage;
    server.setNow('2026-01-16T09:00:00Z');
    await expect.poll(rollout).toBe(1);
    expect(await one(ramp.id)).toMatchObject({ scheduled_at: '2026-01-17T09:00:00Z', executed_at: null });
    server.setNow('2026-01-17T09:00:00Z');
    await expect.poll(rollout).toBe(10);
    await client.patch(`${flags}${id}/`, { body: { active: false } });
    server.setNow('2026-01-18T09:00:00Z');
    await settled(ramp.id);
    expect(await rollout()).toBe(10);
    expect((await one(ramp.id)).failure_reason).toBe('The flag was disabled after step 2 of the gradual rollout.');
  });

  it('recurs, missed times are made up for once, and it ends', async () => {
    server.setNow('2026-01-15T12:00:00Z');
    const id = await makeFlag();
    const weekly = await schedule(id, disable, {
      scheduled_at: '2026-01-16T09:00:00Z',
      is_recurring: true,
      recurrence_interval: 'weekly',
      end_date: '2026-02-20T00:00:00Z',
    });
    server.setNow('2026-02-07T00:00:00Z');
    await expect.poll(async () => (await one(weekly.id)).scheduled_at).toBe('2026-02-13T09:00:00Z');
    expect((await flag(id)).version).toBe(2);
    expect(await one(weekly.id)).toMatchObject({ last_executed_at: '2026-02-07T00:00:00Z', executed_at: null });
    server.setNow('2026-02-13T09:00:00Z');
    await settled(weekly.id);
  });

  it('is paused and resumed', async () => {
    server.setNow('2026-01-15T12:00:00Z');
    const id = await makeFlag();
    const daily = await schedule(id, disable, { is_recurring: true, cron_expression: '0 9 * * *' });
    expect(daily.scheduled_at).toBe('2026-01-16T09:00:00Z');
    const paused = await client.patch(`${all}${daily.id}/`, { body: { is_recurring: false } });
    expect(paused.body).toMatchObject({ is_recurring: false, cron_expression: '0 9 * * *' });
    server.setNow('2026-01-20T12:00:00Z');
    const resumed = await client.patch(`${all}${daily.id}/`, { body: { is_recurring: true } });
    expect(resumed.body).toMatchObject({ is_recurring: true, scheduled_at: '2026-01-21T09:00:00Z' });
    expect((await flag(id)).active).toBe(true);
    await client.delete(`${all}${daily.id}/`);
  });
});

describe('a gradual rollout of an imported flag', () => {
  /** As Unleash does: 30 % of group `gr1`, and both halves of those who are in. */
  const gate = (to: number) => ({
    hash: 'unleash',
    salt: 'gr1',
    by: 'distinct_id',
    of: 100,
    ranges: [{ from: 0, to }],
  });
  const imported = (rollout_percentage: number, ...bucketing: object[]) => ({
    groups: [{ properties: [], rollout_percentage, bucketing }],
  });
  const ramp = (...percentages: number[]) => ({
    operation: 'ramp',
    value: {
      steps: percentages.map((rollout_percentage, at) => ({ at: `2026-01-1${6 + at}T09:00:00Z`, rollout_percentage })),
    },
  });
  const users = Array.from({ length: 80 }, (_, n) => `user-${n}`);
  const whoIsIn = async (key: string): Promise<Set<string>> => {
    const isIn = async (distinct_id: string) => {
      const { json } = await sendJson(server.url, '/flags/?v=2', { token: server.projectKey, distinct_id });
      return json.flags[key].enabled as boolean;
    };
    const values = await Promise.all(users.map(isIn));
    return new Set(users.filter((_, at) => values[at]));
  };

  it('makes the ranges of the other product longer, so that nobody is left out', async () => {
    server.setNow('2026-01-15T12:00:00Z');
    const id = await makeFlag({ filters: imported(30, gate(30)) });
    const { key } = await flag(id);
    const before = await whoIsIn(key);
    const change = await schedule(id, ramp(60, 100));
    const filters = async () => (await flag(id)).filters;
    server.setNow('2026-01-16T09:00:00Z');
    await expect.poll(filters).toEqual(imported(60, gate(60)));
    // Decisions follow a moment after what is stored.
    await expect.poll(async () => (await whoIsIn(key)).size).toBeGreaterThan(before.size);
    const middle = await whoIsIn(key);
    expect([...before].filter((user) => !middle.has(user))).toEqual([]);
    server.setNow('2026-01-17T09:00:00Z');
    await expect.poll(filters).toEqual(imported(100, gate(100)));
    await expect.poll(async () => (await whoIsIn(key)).size).toBe(users.length);
    expect(await one(change.id)).toMatchObject({ failure_reason: null, executed_at: '2026-01-17T09:00:00Z' });
  });

  it('goes on after a rehash', async () => {
    server.setNow('2026-01-15T12:00:00Z');
    const id = await makeFlag({ filters: imported(30, gate(30)) });
    const change = await schedule(id, ramp(60));
    const { version } = await flag(id);
    expect((await client.post(`${flags}${id}/rehash/`, { body: { version } })).status).toBe(200);
    server.setNow('2026-01-16T09:00:00Z');
    await settled(change.id);
    expect((await one(change.id)).failure_reason).toBeNull();
    expect((await flag(id)).filters).toEqual({ groups: [{ properties: [], rollout_percentage: 60 }] });
  });

  const REASON =
    'Condition 1 puts users into ranges as another product does, and its percentage cannot become 60 %: several percentages decide who is in, one after the other. Rehash the flag first, or change its ranges.';

  it('is refused, with the reason, where a percentage does not say who is in', async () => {
    server.setNow('2026-01-15T12:00:00Z');
    const id = await makeFlag({ filters: imported(15, gate(30), { ...gate(50), salt: 'namespace' }) });
    const { status, body } = await post(id, ramp(60));
    expect([status, body.attr, body.code, body.detail]).toEqual([400, 'payload', 'not_one_rollout', REASON]);
  });

  it('is given up, with the reason, where the flag has become one of those', async () => {
    server.setNow('2026-01-15T12:00:00Z');
    const id = await makeFlag({ filters: { groups: [{ properties: [], rollout_percentage: 5 }] } });
    const change = await schedule(id, ramp(60, 100));
    const filters = imported(15, gate(30), { ...gate(50), salt: 'namespace' });
    expect((await client.patch(`${flags}${id}/`, { body: { filters } })).status).toBe(200);
    // Later than the last look at what is due.
    server.setNow('2026-01-16T09:00:05Z');
    await settled(change.id);
    expect((await one(change.id)).failure_reason).toBe(REASON);
    expect((await flag(id)).filters).toEqual(filters);
  });
});

describe('a change is given up, with the reason,', () => {
  it('when its flag was deleted', async () => {
    server.setNow('2026-01-15T12:00:00Z');
    const id = await makeFlag();
    const change = await schedule(id, disable, { scheduled_at: '2026-01-15T13:00:00Z' });
    await client.patch(`${flags}${id}/`, { body: { deleted: true } });
    server.setNow('2026-01-15T13:00:00Z');
    await settled(change.id);
    expect((await one(change.id)).failure_reason).toBe('The flag was deleted.');
    const again = await client.patch(`${all}${change.id}/`, { body: { scheduled_at: '2026-01-16T13:00:00Z' } });
    expect([again.status, again.body.detail]).toEqual([400, 'This change was made already. Schedule another one.']);
  });

  it('when its author has lost the right', async () => {
    server.setNow('2026-01-15T12:00:00Z');
    const id = await makeFlag();
    const change = await schedule(id, disable, { scheduled_at: '2026-01-15T13:00:00Z' });
    const [membership] = await server.metadata.memberships.listByUser(1);
    if (!membership) throw new Error('no membership');
    await server.metadata.memberships.update(membership.id, { level: MEMBER, ownLevel: MEMBER, updatedAt: 0 });
    await server.metadata.resourceAccess.create({
      id: 'x',
      organizationId: server.organizationId,
      resource: 'feature flags',
      accessLevel: CAN_VIEW,
      createdAt: 0,
      updatedAt: 0,
      createdBy: null,
    } as never);
    await server.tamper('update feature_flags set created_by = null where id = ?', id);
    server.setNow('2026-01-15T14:00:00Z');
    await settled(change.id);
    await server.metadata.memberships.update(membership.id, { level: OWNER, ownLevel: OWNER, updatedAt: 0 });
    expect((await one(change.id)).failure_reason).toMatch(/may no longer edit the flag\.$/);
    expect((await flag(id)).active).toBe(true);
  });
});

describe('refuses', () => {
  const steps = (...given: [string, number][]) => ({
    operation: 'ramp',
    value: { steps: given.map(([at, rollout_percentage]) => ({ at, rollout_percentage })) },
  });
  const condition = { operation: 'add_release_condition', value: { groups: [{ rollout_percentage: 5 }] } };
  const later = { scheduled_at: '2027-01-01T00:00:00Z' };
  it.each<[string, unknown, object, string]>([
    ['an unknown operation', { operation: 'explode', value: true }, later, 'payload'],
    ['a status that is none', { operation: 'update_status', value: 'on' }, later, 'payload'],
    ['a payload that is no object', 'off', later, 'payload'],
    ['no time', disable, {}, 'scheduled_at'],
    ['a time in the past', disable, { scheduled_at: '2020-01-01T00:00:00Z' }, 'scheduled_at'],
    ['a time that is none', disable, { scheduled_at: 'soon' }, 'scheduled_at'],
    [
      'a condition again and again',
      condition,
      { ...later, is_recurring: true, recurrence_interval: 'daily' },
      'is_recurring',
    ],
    [
      'interval and cron',
      disable,
      { ...later, recurrence_interval: 'daily', cron_expression: '0 9 * * *' },
      'cron_expression',
    ],
    ['a recurrence without one', disable, { ...later, is_recurring: true }, 'recurrence_interval'],
    ['a cron of six fields', disable, { cron_expression: '0 0 9 * * *' }, 'cron_expression'],
    ['a cron that never comes', disable, { cron_expression: '0 0 30 2 *' }, 'cron_expression'],
    [
      'an end before the start',
      disable,
      { ...later, recurrence_interval: 'daily', end_date: '2026-12-01T00:00:00Z' },
      'end_date',
    ],
    ['101 per cent', steps(['2027-01-01T00:00:00Z', 101]), {}, 'payload'],
    ['steps back in time', steps(['2027-01-02T00:00:00Z', 1], ['2027-01-01T00:00:00Z', 2]), {}, 'payload'],
    [
      'conditions that the flag cannot have',
      { operation: 'add_release_condition', value: { groups: [{ rollout_percentage: 500 }] } },
      later,
      'filters',
    ],
  ])('%s', async (_name, payload, rest, attr) => {
    server.setNow('2026-01-15T12:00:00Z');
    const { status, body } = await post(await makeFlag(), payload, rest);
    expect([status, body.attr]).toEqual([400, attr]);
  });

  it('flags of other projects, and callers without access', async () => {
    const stranger = await server.createProject({ foreign: true });
    const theirs = clientFor({ ...server, personalKey: stranger.personalKey });
    const id = await makeFlag();
    const body = { record_id: id, model_name: 'FeatureFlag', payload: disable, ...later };
    expect((await theirs.post(all, { body })).status).toBe(404);
    expect((await theirs.post(`/api/projects/${stranger.projectId}/scheduled_changes/`, { body })).status).toBe(404);
    expect((await client.post(all, { key: null, body })).status).toBe(401);
  });
});
