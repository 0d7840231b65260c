/** Changes of flags that wait for approval: what is covered, who votes, and what becomes of the change. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { clientFor } from '../support/client.ts';
import { addMember } from '../support/people.ts';
import { startServer, type TestServer } from '../support/server.ts';

const flags = '/api/projects/1/feature_flags/';
const policies = '/api/projects/1/approval_policies/';
const requests = '/api/projects/1/change_requests/';
const schedules = '/api/projects/1/scheduled_changes/';
type Client = ReturnType<typeof clientFor>;

let server: TestServer;
let owner: Client;
let dev: Client;
let lead: Client;
let second: Client;
const idOf = new Map<Client, number>();
let keys = 0;

beforeAll(async () => {
  server = await startServer();
  owner = clientFor(server);
  const member = async (email: string, level?: number) =>
    clientFor({ url: server.url, personalKey: (await addMember(server, email, level)).personalKey });
  dev = await member('dev@example.org');
  lead = await member('lead@example.org', 8);
  second = await member('second@example.org', 8);
  for (const client of [owner, dev, lead, second])
    idOf.set(client, (await client.get('/api/users/@me/')).body.id ?? (await userId(client)));
});
afterAll(() => server.close());
afterEach(async () => {
  server.setNow('2026-01-15T12:00:00Z');
  for (const { id } of (await owner.get(policies)).body.results) await owner.delete(`${policies}${id}/`);
});

async function userId(client: Client): Promise<number> {
  const { uuid } = (await client.get('/api/users/@me/')).body;
  const [row] = await server.rows('select id from users where uuid = ?', uuid);
  return Number(row?.['id']);
}

const GROUPS = [{ properties: [], rollout_percentage: 10 }];
async function makeFlag(body: object = {}): Promise<number> {
  const { status, body: flag } = await owner.post(flags, {
    body: { key: `flag-${++keys}`, active: false, filters: { groups: GROUPS }, ...body },
  });
  expect([status, flag.detail]).toEqual([201, undefined]);
  return flag.id;
}
async function policy(action: string, rest: object = {}): Promise<string> {
  const { status, body } = await owner.post(policies, { body: { action_key: `feature_flag.${action}`, ...rest } });
  expect([status, body.detail]).toEqual([201, undefined]);
  return body.id;
}
const flag = async (id: number) => (await owner.get(`${flags}${id}/`)).body;
/** Asks for a change that has to wait; the id of its request. */
async function ask(by: Client, id: number, body: object): Promise<string> {
  const answer = await by.patch(`${flags}${id}/`, { body });
  expect([answer.status, answer.body.code]).toEqual([409, 'approval_required']);
  return answer.body.change_request_id;
}
const request = async (id: string, by: Client = owner) => (await by.get(`${requests}${id}/`)).body;
const approve = (by: Client, id: string, body: object = {}) => by.post(`${requests}${id}/approve/`, { body });
const reject = (by: Client, id: string, reason = 'no') => by.post(`${requests}${id}/reject/`, { body: { reason } });
const rollout = (percentage: number) => ({ filters: { groups: [{ properties: [], rollout_percentage: percentage }] } });

describe('a policy', () => {
  it('has every field that clients know', async () => {
    const body = {
      action_key: 'feature_flag.update',
      conditions: {
        type: 'change_amount',
        field: 'rollout_percentage',
        operator: '>',
        value: 20,
        tags: ['Production'],
      },
      approver_config: { quorum: 1, users: [idOf.get(lead)] },
      bypass_org_membership_levels: ['15'],
      expires_after: '2 03:00:00',
    };
    const { status, body: made } = await owner.post(policies, { body });
    expect(status).toBe(201);
    expect(made).toEqual({
      id: made.id,
      ...body,
      conditions: { ...body.conditions, tags: ['production'] },
      approver_config: { quorum: 1, users: [idOf.get(lead)], roles: [] },
      allow_self_approve: false,
      bypass_roles: [],
      enabled: true,
      created_by: made.created_by,
      created_at: '2026-01-15T12:00:00Z',
      updated_at: '2026-01-15T12:00:00Z',
    });
    expect((await dev.get(`${policies}${made.id}/`)).body).toEqual(made);
    const changed = await owner.patch(`${policies}${made.id}/`, { body: { enabled: false } });
    expect(changed.body).toEqual({ ...made, enabled: false });
    expect((await owner.post(policies, { body })).body).toMatchObject({ code: 'unique', attr: 'action_key' });
    expect((await owner.delete(`${policies}${made.id}/`)).status).toBe(204);
    expect((await owner.get(`${policies}${made.id}/`)).status).toBe(404);
  });

  it('is made by admins only', async () => {
    const id = await policy('enable');
    const body = { action_key: 'feature_flag.disable' };
    const answers = [
      await dev.post(policies, { body }),
      await dev.patch(`${policies}${id}/`, { body: { enabled: false } }),
      await dev.delete(`${policies}${id}/`),
    ];
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403]);
  });

  it.each([
    ['action_key', { action_key: 'feature_flag.rename' }],
    ['conditions', { conditions: { type: 'full_moon' } }],
    ['conditions', { conditions: { type: 'change_amount', field: 'rollout_percentage', operator: '>', value: 10 } }],
    ['conditions', { conditions: { tags: [] } }],
    ['conditions', { action_key: 'feature_flag.update', conditions: { type: 'any_change', field: 'key' } }],
    [
      'conditions',
      { action_key: 'feature_flag.update', conditions: { type: 'any_change', field: 'rollout_percentage', tags: 'x' } },
    ],
    [
      'conditions',
      {
        action_key: 'feature_flag.update',
        conditions: { type: 'before_after', field: 'rollout_percentage', operator: '~', value: 1 },
      },
    ],
    [
      'conditions',
      {
        action_key: 'feature_flag.update',
        conditions: { type: 'before_after', field: 'rollout_percentage', operator: '>', value: 101 },
      },
    ],
    ['approver_config', { approver_config: { quorum: 0 } }],
    ['approver_config', { approver_config: { quorum: 2, users: [1] } }],
    ['approver_config', { approver_config: { users: [987654] } }],
    ['approver_config', { approver_config: { roles: ['0190a0a0-0000-7000-8000-000000000001'] } }],
    ['bypass_roles', { bypass_roles: ['nobody'] }],
    ['bypass_org_membership_levels', { bypass_org_membership_levels: ['9'] }],
    ['expires_after', { expires_after: 'P14D' }],
    ['expires_after', { expires_after: '00:00:30' }],
    ['expires_after', { expires_after: '400 00:00:00' }],
  ])('names what is wrong: %s of %j', async (attr, body) => {
    const answer = await owner.post(policies, { body: { action_key: 'feature_flag.enable', ...body } });
    expect([answer.status, answer.body.attr]).toEqual([400, attr]);
  });
});

describe('a change that a policy covers', () => {
  it('is not made, and waits with what it would change', async () => {
    await policy('enable');
    const id = await makeFlag();
    const before = await flag(id);
    const { status, body } = await dev.patch(`${flags}${id}/`, { body: { active: true } });
    expect(status).toBe(409);
    expect(body).toEqual({
      type: 'server_error',
      code: 'approval_required',
      attr: null,
      detail: expect.stringContaining('needs approval'),
      status: 'approval_required',
      message: body.detail,
      resource_type: 'feature_flag',
      resource_id: String(id),
      change_request_id: body.change_request.id,
      change_request: expect.objectContaining({ state: 'pending', action_key: 'feature_flag.enable' }),
      required_approvers: { quorum: 1, users: [], roles: [] },
    });
    expect(await flag(id)).toEqual(before);
    const waiting = await request(body.change_request_id, dev);
    expect(waiting).toMatchObject({
      action_key: 'feature_flag.enable',
      resource_type: 'feature_flag',
      resource_id: String(id),
      intent: { flag_key: before.key, current_state: { active: false }, gated_changes: { active: true } },
      intent_display: { description: `Enable feature flag '${before.key}'` },
      validation_status: 'valid',
      validation_errors: null,
      state: 'pending',
      created_by: { email: 'dev@example.org' },
      approvals: [],
      can_approve: false,
      can_cancel: true,
      is_requester: true,
      user_decision: null,
      base_version: before.version,
      blast_radius: { users_affected: expect.any(Number), users_changed: expect.any(Number) },
      scheduled_at: null,
      created_at: '2026-01-15T12:00:00Z',
      expires_at: '2026-01-29T12:00:00Z',
    });
    expect(waiting.diff).toContainEqual({ path: 'active', from: false, to: true });
    const list = (await lead.get(`${requests}?state=pending,failed&resource_type=feature_flag&resource_id=${id}`)).body;
    expect(list.results).toEqual([
      { ...waiting, blast_radius: null, can_approve: true, can_cancel: false, is_requester: false },
    ]);
  });

  it('is made by the last approval, as one version, with who asked and who approved', async () => {
    await policy('enable', { approver_config: { quorum: 2 } });
    const id = await makeFlag();
    const asked = await ask(dev, id, { active: true });
    const first = await approve(lead, asked, { reason: 'looks right' });
    expect([first.status, first.body.status]).toEqual([200, 'pending']);
    expect((await flag(id)).active).toBe(false);
    expect((await approve(lead, asked)).body).toMatchObject({ code: 'already_voted', type: 'validation_error' });
    const last = await approve(second, asked);
    expect(last.body).toMatchObject({
      status: 'applied',
      result: { flag_id: id, version: 2 },
      change_request: {
        state: 'applied',
        applied_by: { email: 'second@example.org' },
        applied_at: '2026-01-15T12:00:00Z',
        blast_radius: { users_changed: 0 },
      },
    });
    const { approvals } = last.body.change_request;
    expect(approvals.map(({ reason }: { reason: string }) => reason).sort()).toEqual(['', 'looks right']);
    expect(await flag(id)).toMatchObject({ active: true, version: 2 });
    const [entry] = (await owner.get(`${flags}${id}/activity/`)).body.results;
    expect(entry).toMatchObject({
      activity: 'updated',
      user: { email: 'dev@example.org' },
      detail: { trigger: { job_type: 'change_request', job_id: asked } },
    });
    expect(entry.detail.trigger.payload.approved_by.sort()).toEqual([idOf.get(lead), idOf.get(second)].sort());
    expect((await approve(owner, asked)).body).toMatchObject({ code: 'not_pending' });
  });

  it('is asked for once, however often it is sent', async () => {
    await policy('enable');
    const id = await makeFlag();
    const first = await ask(dev, id, { active: true });
    expect(await ask(dev, id, { active: true })).toBe(first);
    expect(await ask(lead, id, { active: true })).not.toBe(first);
    expect(await ask(dev, id, { active: true, name: 'Other' })).not.toBe(first);
  });

  it('is rejected by one no, which needs a reason', async () => {
    await policy('enable', { approver_config: { quorum: 2 } });
    const id = await makeFlag();
    const asked = await ask(dev, id, { active: true });
    expect((await reject(lead, asked, ' ')).body).toMatchObject({ attr: 'reason', code: 'required' });
    expect((await reject(lead, asked, 'x'.repeat(2001))).body).toMatchObject({ attr: 'reason' });
    expect((await reject(lead, asked, 'Not before Monday')).body.change_request).toMatchObject({
      state: 'rejected',
      user_decision: 'rejected',
      approvals: [{ decision: 'rejected', reason: 'Not before Monday' }],
    });
    expect((await approve(second, asked)).status).toBe(409);
    expect((await flag(id)).version).toBe(1);
  });

  it('is canceled by whoever asked, and by nobody else', async () => {
    await policy('enable');
    const id = await makeFlag();
    const asked = await ask(dev, id, { active: true });
    const cancel = (by: Client) => by.post(`${requests}${asked}/cancel/`, { body: {} });
    expect((await cancel(lead)).status).toBe(403);
    expect((await cancel(dev)).body.change_request).toMatchObject({
      state: 'rejected',
      result_data: { canceled: true },
    });
    expect((await cancel(dev)).status).toBe(409);
    expect((await approve(lead, asked)).status).toBe(409);
  });

  it('cannot be approved by whoever asked, by members who are not named, or from another organization', async () => {
    await policy('enable', { approver_config: { users: [idOf.get(dev), idOf.get(lead)], quorum: 1 } });
    const id = await makeFlag();
    const asked = await ask(dev, id, { active: true });
    expect((await approve(dev, asked)).status).toBe(403);
    expect((await approve(second, asked)).status).toBe(403);
    expect((await approve(owner, asked)).status).toBe(403);
    const foreign = await server.createProject({ foreign: true });
    const stranger = clientFor({ url: server.url, personalKey: foreign.personalKey });
    expect((await approve(stranger, asked)).status).toBe(404);
    const elsewhere = `/api/projects/${foreign.projectId}/change_requests/${asked}/`;
    expect((await stranger.get(elsewhere)).status).toBe(404);
    expect((await approve(lead, asked)).body.status).toBe('applied');
  });

  it('can be approved by whoever asked where the policy says so', async () => {
    await policy('enable', { allow_self_approve: true });
    const id = await makeFlag();
    expect((await approve(lead, await ask(lead, id, { active: true }))).body.status).toBe('applied');
  });

  it('follows roles as they are at the vote, and the rest of the policy as it was', async () => {
    const role = (await owner.post('/api/organizations/@current/roles/', { body: { name: 'Release' } })).body.id;
    const id = await policy('enable', { approver_config: { roles: [role] } });
    const flagId = await makeFlag();
    const asked = await ask(owner, flagId, { active: true });
    expect((await approve(dev, asked)).status).toBe(403);
    const { uuid } = (await dev.get('/api/users/@me/')).body;
    const path = `/api/organizations/@current/roles/${role}/role_memberships/`;
    expect((await owner.post(path, { body: { user_uuid: uuid } })).status).toBe(201);
    await owner.patch(`${policies}${id}/`, { body: { approver_config: { quorum: 5 } } });
    expect((await approve(dev, asked)).body.status).toBe('applied');
  });

  it('passes those who may pass by, and is noted', async () => {
    await policy('enable', { bypass_org_membership_levels: ['15'] });
    const id = await makeFlag();
    expect((await owner.patch(`${flags}${id}/`, { body: { active: true } })).status).toBe(200);
    const { results } = (await owner.get(`${flags}${id}/activity/`)).body;
    expect(results.map(({ activity }: { activity: string }) => activity)).toContain('approval_bypassed');
    const other = await makeFlag();
    await ask(lead, other, { active: true });
  });

  it('expires, and cannot be approved from that moment on', async () => {
    await policy('enable', { expires_after: '01:00:00' });
    const id = await makeFlag();
    const asked = await ask(dev, id, { active: true });
    server.setNow('2026-01-15T13:00:00Z');
    expect((await approve(lead, asked)).body).toMatchObject({ code: 'expired' });
    expect(await request(asked)).toMatchObject({ state: 'expired', validation_status: 'expired', can_approve: false });
    expect((await flag(id)).active).toBe(false);
  });

  it('fails, and says why, when it can no longer be made', async () => {
    await policy('update');
    const id = await makeFlag({ key: 'first-name' });
    const asked = await ask(dev, id, { key: 'second-name' });
    await makeFlag({ key: 'second-name' });
    const answer = await approve(lead, asked);
    expect(answer.body).toMatchObject({ status: 'failed', change_request: { state: 'failed' } });
    expect(answer.body.change_request.apply_error).toContain('already a feature flag');
    expect(answer.body.change_request.approvals).toHaveLength(1);
    expect((await flag(id)).version).toBe(1);
  });

  it('is not made for somebody who has left', async () => {
    await policy('enable');
    const gone = await addMember(server, 'gone@example.org');
    const id = await makeFlag();
    const asked = await ask(clientFor({ url: server.url, personalKey: gone.personalKey }), id, { active: true });
    await owner.delete(`/api/organizations/@current/members/${gone.uuid}/`);
    const answer = await approve(lead, asked);
    expect(answer.body.change_request).toMatchObject({ state: 'failed' });
    expect(answer.body.change_request.apply_error).toMatch(/no longer/);
    expect((await flag(id)).active).toBe(false);
  });
});

describe('when the flag changes meanwhile', () => {
  it('a change of the same field makes it stale', async () => {
    await policy('update', { bypass_org_membership_levels: ['15'] });
    const id = await makeFlag();
    const asked = await ask(dev, id, rollout(50));
    expect((await owner.patch(`${flags}${id}/`, { body: rollout(20) })).status).toBe(200);
    expect(await request(asked)).toMatchObject({ state: 'pending', validation_status: 'stale' });
    expect((await approve(lead, asked)).body).toMatchObject({ code: 'stale' });
    expect((await flag(id)).filters.groups[0].rollout_percentage).toBe(20);
    expect((await reject(lead, asked)).status).toBe(200);
  });

  it('a change of another field starts the approvals again', async () => {
    await policy('update', { approver_config: { quorum: 2 } });
    const id = await makeFlag();
    const asked = await ask(dev, id, rollout(50));
    await approve(lead, asked);
    expect(await request(asked)).toMatchObject({ base_version: 1, blast_radius: { users_changed: 0 } });
    expect((await owner.patch(`${flags}${id}/`, { body: { active: true } })).status).toBe(200);
    expect(await request(asked)).toMatchObject({ validation_status: 'valid', base_version: 2, approvals: [] });
    await approve(lead, asked);
    expect((await approve(second, asked)).body.status).toBe('applied');
    expect(await flag(id)).toMatchObject({ active: true, version: 3 });
    expect((await flag(id)).filters.groups[0].rollout_percentage).toBe(50);
  });

  it('of two that wait for the same field, the second is stale once the first is made', async () => {
    await policy('update');
    const id = await makeFlag();
    const [first, other] = [await ask(dev, id, rollout(50)), await ask(owner, id, rollout(90))];
    expect((await approve(lead, first)).body.status).toBe('applied');
    expect((await approve(lead, other)).body).toMatchObject({ code: 'stale' });
    expect((await flag(id)).filters.groups[0].rollout_percentage).toBe(50);
  });
});

describe('every road to a flag', () => {
  it('creating one that is on', async () => {
    await policy('enable');
    const body = { key: 'new-and-on', filters: { groups: GROUPS } };
    const { status, body: answer } = await dev.post(flags, { body });
    expect([status, answer.resource_id]).toEqual([409, null]);
    expect((await owner.get(`${flags}?search=new-and-on`)).body.count).toBe(0);
    const asked = await request(answer.change_request_id);
    expect(asked).toMatchObject({ resource_id: null, blast_radius: { users_changed: expect.any(Number) } });
    const { result } = (await approve(lead, answer.change_request_id)).body;
    expect(await flag(result.flag_id)).toMatchObject({
      key: 'new-and-on',
      active: true,
      version: 1,
      created_by: { email: 'dev@example.org' },
      filters: { groups: GROUPS },
    });
    expect((await dev.post(flags, { body: { key: 'new-and-off', active: false } })).status).toBe(201);
  });

  it('disabling, deleting, and restoring one', async () => {
    await policy('disable');
    await policy('enable');
    await policy('update');
    const on = (await server.addFlag({ key: 'was-on', active: true })).id;
    const off = (await server.addFlag({ key: 'was-off', active: false })).id;
    await ask(dev, on, { active: false });
    await ask(dev, on, { deleted: true });
    expect((await approve(lead, await ask(dev, off, { deleted: true }))).body.status).toBe('applied');
    await ask(dev, off, { deleted: false });
    const both = await dev.patch(`${flags}${on}/`, { body: { active: false, ...rollout(3) } });
    expect([both.status, both.body.code]).toEqual([400, 'policy_conflict']);
    expect(await flag(on)).toMatchObject({ active: true, deleted: false, version: 1 });
  });

  it('an older version, and a whole flag by PUT', async () => {
    const id = await makeFlag();
    await owner.patch(`${flags}${id}/`, { body: rollout(77) });
    await policy('update');
    const [, first] = (await owner.get(`${flags}${id}/versions/`)).body.results;
    await ask(dev, id, { filters: first.flag.filters });
    const { key } = await flag(id);
    const put = await dev.put(`${flags}${id}/`, { body: { key, ...rollout(5) } });
    expect([put.status, put.body.code]).toEqual([409, 'approval_required']);
    expect((await dev.put(`${flags}${id}/`, { body: { key, name: 'Only described', ...rollout(77) } })).status).toBe(
      200,
    );
  });

  it('a schedule is asked for when it is made, and then runs by itself', async () => {
    await policy('enable');
    const id = await makeFlag();
    const payload = { operation: 'update_status', value: true };
    const body = { record_id: id, model_name: 'FeatureFlag', payload, scheduled_at: '2026-01-15T14:00:00Z' };
    const { status, body: answer } = await dev.post(schedules, { body });
    expect([status, answer.code]).toEqual([409, 'approval_required']);
    expect((await owner.get(`${schedules}?record_id=${id}`)).body.results).toEqual([]);
    expect(await request(answer.change_request_id)).toMatchObject({
      scheduled_at: '2026-01-15T14:00:00Z',
      expires_at: '2026-01-15T14:00:00Z',
      intent: { scheduled_change: { input: { payload } } },
    });
    const { result } = (await approve(lead, answer.change_request_id)).body;
    // Another time is another change; pausing would not be.
    const later = { scheduled_at: '2026-01-15T14:30:00Z' };
    const moved = await dev.patch(`${schedules}${result.scheduled_change_id}/`, { body: later });
    expect([moved.status, moved.body.code]).toEqual([409, 'approval_required']);
    expect((await approve(lead, moved.body.change_request_id)).body.status).toBe('applied');
    server.setNow('2026-01-15T14:00:00Z');
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect((await flag(id)).active).toBe(false);
    server.setNow('2026-01-15T14:30:00Z');
    await expect.poll(async () => (await flag(id)).active, { timeout: 5000 }).toBe(true);
  });

  it('a schedule from before the policy is given up at its time', async () => {
    const id = await makeFlag();
    const body = {
      record_id: id,
      model_name: 'FeatureFlag',
      payload: { operation: 'ramp', value: { steps: [{ at: '2026-01-15T14:00:00Z', rollout_percentage: 60 }] } },
    };
    await owner.patch(`${flags}${id}/`, { body: { active: true } });
    const { id: change } = (await dev.post(schedules, { body })).body;
    await policy('update');
    server.setNow('2026-01-15T14:00:00Z');
    const one = async () => (await owner.get(`${schedules}${change}/`)).body;
    await expect.poll(async () => (await one()).executed_at, { timeout: 5000 }).not.toBeNull();
    expect((await one()).failure_reason).toContain('approval');
    expect((await flag(id)).filters.groups[0].rollout_percentage).toBe(10);
    const again = {
      ...body,
      payload: { operation: 'ramp', value: { steps: [{ at: '2026-01-15T15:00:00Z', rollout_percentage: 60 }] } },
    };
    expect((await dev.post(schedules, { body: again })).body.code).toBe('approval_required');
  });

  it('experiments: launching, shipping and planning a start', async () => {
    await policy('enable');
    await policy('update');
    const variants = ['control', 'test'].map((key) => ({ key, rollout_percentage: 50 }));
    const experiments = '/api/projects/1/experiments/';
    const draft = {
      name: 'Approved',
      feature_flag_key: 'measured',
      parameters: { feature_flag_variants: variants },
      metrics: [{ metric_type: 'mean', source: { kind: 'EventsNode', event: 'seen' } }],
      allow_unknown_events: true,
    };
    const { id, feature_flag } = (await dev.post(experiments, { body: draft })).body;
    const launch = await dev.post(`${experiments}${id}/launch/`, { body: {} });
    expect([launch.status, launch.body.code]).toEqual([409, 'approval_required']);
    const planned = await dev.patch(`${experiments}${id}/`, { body: { start_date: '2026-02-01T00:00:00Z' } });
    expect([planned.status, planned.body.code]).toEqual([409, 'approval_required']);
    expect((await owner.get(`${experiments}${id}/`)).body.start_date).toBeNull();
    await approve(lead, launch.body.change_request_id);
    expect((await dev.post(`${experiments}${id}/launch/`, { body: {} })).status).toBe(200);
    const ship = () => dev.post(`${experiments}${id}/ship_variant/`, { body: { variant_key: 'test' } });
    const asked = await ship();
    expect([asked.status, asked.body.code]).toEqual([409, 'approval_required']);
    expect((await owner.get(`${experiments}${id}/`)).body.end_date).toBeNull();
    await approve(lead, asked.body.change_request_id);
    expect((await ship()).status).toBe(200);
    expect((await flag(feature_flag.id)).filters.groups.map((group: { variant?: string }) => group.variant)).toEqual([
      'test',
      undefined,
    ]);
  });

  it('promotion from another project', async () => {
    await policy('update');
    const target = await makeFlag({ key: 'promoted' });
    const { body: other } = await owner.post('/api/projects/', { body: { name: 'Staging' } });
    const body = { key: 'promoted', active: false, ...rollout(35) };
    const source = (await owner.post(`/api/projects/${other.id}/feature_flags/`, { body })).body.id;
    const path = `/api/projects/${other.id}/feature_flags/${source}/promote/`;
    const { confirm } = (await owner.post(path, { body: { to: 1, dry_run: true } })).body;
    const answer = await owner.post(path, { body: { to: 1, confirm } });
    expect([answer.status, answer.body.code]).toEqual([409, 'approval_required']);
    expect((await flag(target)).version).toBe(1);
    expect((await approve(lead, answer.body.change_request_id)).body.status).toBe('applied');
    expect(await flag(target)).toMatchObject({ version: 2, promoted_from: { project: other.id, flag: source } });
    expect((await flag(target)).filters.groups[0].rollout_percentage).toBe(35);
  });

  it('a rollback needs nobody', async () => {
    await policy('disable');
    const conditions = [
      {
        threshold: 1,
        operator: 'lt',
        threshold_type: 'insight',
        threshold_metric: { insight: 'TRENDS', events: [{ id: 'never' }] },
      },
    ];
    const { id } = await server.addFlag({ key: 'rolled-back', active: true, rollbackConditions: conditions });
    server.setNow('2026-03-15T12:00:00Z');
    await server.checkRollbacks();
    expect(await flag(id)).toMatchObject({ active: false, performed_rollback: true });
  });

  it('with a tag: only flags that have it, and taking it off needs approval too', async () => {
    await policy('update', { conditions: { tags: ['production'] } });
    const [plain, tagged] = [await makeFlag(), await makeFlag({ tags: ['production'] })];
    expect((await dev.patch(`${flags}${plain}/`, { body: rollout(50) })).status).toBe(200);
    await ask(dev, tagged, rollout(50));
    await ask(dev, tagged, { tags: [] });
    expect((await dev.patch(`${flags}${tagged}/`, { body: { tags: ['production', 'web'] } })).status).toBe(200);
  });

  it('by how much the percentage changes', async () => {
    const conditions = { type: 'change_amount', field: 'rollout_percentage', operator: '>', value: 20 };
    await policy('update', { conditions });
    const id = await makeFlag();
    expect((await dev.patch(`${flags}${id}/`, { body: rollout(30) })).status).toBe(200);
    await ask(dev, id, rollout(51));
    expect((await dev.patch(`${flags}${id}/`, { body: rollout(0) })).status).toBe(200);
  });

  it('is found in nothing that is off', async () => {
    const id = await policy('update');
    await owner.patch(`${policies}${id}/`, { body: { enabled: false } });
    expect((await dev.patch(`${flags}${await makeFlag()}/`, { body: rollout(50) })).status).toBe(200);
  });
});

it('no source writes a flag but the one that asks policies', () => {
  const root = new URL('../../src/', import.meta.url).pathname;
  const writers = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
    (path) =>
      path.endsWith('.ts') &&
      !path.endsWith('.test.ts') &&
      /\bflags\s*\.(?:create|update)\(/.test(readFileSync(join(root, path), 'utf8')),
  );
  expect(writers).toEqual(['features/flags/manage/flags.ts']);
});
