import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientFor } from '../support/client.ts';
import { addMember, type TestMember } from '../support/people.ts';
import { isWithoutEvents, startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let client: ReturnType<typeof clientFor>;
let admin: TestMember;
let member: TestMember;
beforeAll(async () => {
  server = await startServer();
  client = clientFor(server);
  admin = await addMember(server, 'admin@example.org', 8);
  member = await addMember(server, 'member@example.org', 1);
});
afterAll(() => server.close());

const UUID = expect.stringMatching(/^[0-9a-f-]{36}$/);
const NOW = '2026-01-15T12:00:00Z';
const current = '/api/organizations/@current/';

describe('organizations', () => {
  it('show their projects and the level of the caller', async () => {
    const { status, body } = await client.get(current);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id: server.organizationId,
      name: 'My organization',
      slug: 'my-organization',
      created_at: NOW,
      updated_at: NOW,
      membership_level: 15,
      plugins_access_level: 0,
      is_member_join_email_enabled: false,
      metadata: {},
      customer_id: null,
    });
    expect(body.teams.map((team: { id: number }) => team.id)).toContain(server.projectId);
    expect((await client.get(current, { key: member.personalKey })).body.membership_level).toBe(1);
  });

  it('are addressed by id, in upper case too, and by @current', async () => {
    for (const id of [server.organizationId, server.organizationId.toUpperCase(), '@current']) {
      expect((await client.get(`/api/organizations/${id}/`)).body.id).toBe(server.organizationId);
    }
  });

  it.runIf(isWithoutEvents)('stay while their events cannot be deleted', async () => {
    const { body } = await client.post('/api/organizations/', { body: { name: 'Kept' } });
    expect((await client.delete(`/api/organizations/${body.id}/`)).status).toBe(503);
    expect((await client.get(`/api/organizations/${body.id}/`)).body).toEqual(body);
  });

  it.skipIf(isWithoutEvents)(
    'are made with a project, owned by their maker, and get an address of their own',
    async () => {
      const first = await client.post('/api/organizations/', { body: { name: 'Übung & Co.' } });
      const second = await client.post('/api/organizations/', { body: { name: 'Übung & Co.' } });
      expect([first.status, first.body.membership_level, first.body.teams.length]).toEqual([201, 15, 1]);
      expect(first.body.slug).toBe('bung-co');
      expect(second.body.slug).toMatch(/^bung-co-[0-9a-f]{8}$/);
      const { body } = await client.get('/api/organizations/');
      expect(body.count).toBe(3);
      for (const { id } of [first.body, second.body]) {
        expect((await client.delete(`/api/organizations/${id}/`)).status).toBe(204);
        expect((await client.get(`/api/organizations/${id}/`)).status).toBe(404);
      }
    },
  );

  it('are renamed by admins, and the change is in the activity log', async () => {
    expect((await client.patch(current, { key: member.personalKey, body: { name: 'Mine' } })).status).toBe(403);
    const { status, body } = await client.patch(current, { key: admin.personalKey, body: { name: 'Renamed' } });
    expect([status, body.name]).toEqual([200, 'Renamed']);
    const { body: activity } = await client.get(`${current}activity/?limit=1`);
    expect(activity.results[0]).toMatchObject({
      user: { first_name: '', email: 'admin@example.org' },
      activity: 'updated',
      scope: 'Organization',
      item_id: server.organizationId,
      detail: {
        name: 'Renamed',
        changes: [
          { type: 'Organization', action: 'changed', field: 'name', before: 'My organization', after: 'Renamed' },
        ],
        trigger: null,
        short_id: null,
      },
      created_at: NOW,
    });
  });

  it('are deleted by their owner only', async () => {
    const { status, body } = await client.delete(current, { key: admin.personalKey });
    expect([status, body.detail]).toEqual([403, 'Your organization access level is insufficient.']);
  });
});

describe('members', () => {
  const members = `${current}members/`;

  it('are listed in the order they joined', async () => {
    const { body } = await client.get(members, { key: member.personalKey });
    expect(body.count).toBe(3);
    expect(body.results.map((one: { level: number }) => one.level)).toEqual([15, 8, 1]);
    expect(body.results[2]).toEqual({
      id: UUID,
      user: {
        id: expect.any(Number),
        uuid: member.uuid,
        distinct_id: expect.any(String),
        first_name: '',
        email: 'member@example.org',
      },
      level: 1,
      source: 'manual',
      joined_at: NOW,
      updated_at: NOW,
    });
  });

  it('grant and revoke levels up to their own', async () => {
    const owner = (await client.get('/api/users/@me/')).body.uuid;
    const asAdmin = { key: admin.personalKey };
    expect((await client.patch(`${members}${member.uuid}/`, { ...asAdmin, body: { level: 15 } })).status).toBe(403);
    expect((await client.patch(`${members}${owner}/`, { ...asAdmin, body: { level: 1 } })).status).toBe(403);
    expect((await client.delete(`${members}${owner}/`, asAdmin)).status).toBe(403);
    const raised = await client.patch(`${members}${member.uuid}/`, { ...asAdmin, body: { level: '8' } });
    expect([raised.status, raised.body.level]).toEqual([200, 8]);
    expect((await client.patch(`${members}${member.uuid}/`, { ...asAdmin, body: { level: 1 } })).body.level).toBe(1);
    expect((await client.patch(`${members}${member.uuid}/`, { ...asAdmin, body: { level: 2 } })).status).toBe(400);
    expect((await client.patch(`${members}nobody/`, { ...asAdmin, body: { level: 1 } })).status).toBe(404);
  });

  it('may not leave an organization without an owner', async () => {
    const { uuid } = (await client.get('/api/users/@me/')).body;
    for (const attempt of [
      await client.patch(`${members}${uuid}/`, { body: { level: 1 } }),
      await client.delete(`${members}${uuid}/`),
    ]) {
      expect([attempt.status, attempt.body.detail]).toEqual([
        403,
        'An organization needs an owner: make somebody else an owner first.',
      ]);
    }
  });

  it('may leave, and then have no access', async () => {
    const leaver = await addMember(server, 'leaver@example.org');
    const path = `/api/organizations/${server.organizationId}/`;
    expect((await client.delete(`${members}${admin.uuid}/`, { key: leaver.personalKey })).status).toBe(403);
    expect((await client.delete(`${members}${leaver.uuid}/`, { key: leaver.personalKey })).status).toBe(204);
    expect((await client.get(path, { key: leaver.personalKey })).status).toBe(404);
    expect((await client.get(current, { key: leaver.personalKey })).status).toBe(404);
    const me = await client.get('/api/users/@me/', { key: leaver.personalKey });
    expect([me.status, me.body.organization, me.body.team]).toEqual([200, null, null]);
    const project = await client.post('/api/projects/', { key: leaver.personalKey, body: {} });
    expect(project.status).toBe(404);
  });
});

describe('roles', () => {
  const roles = `${current}roles/`;

  it('are created with the level of the organization, updated, listed and deleted', async () => {
    const made = await client.post(roles, { body: { name: 'Editors', feature_flags_access_level: 21 } });
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      id: UUID,
      name: 'Editors',
      feature_flags_access_level: 37,
      created_at: NOW,
      created_by: expect.objectContaining({ email: 'owner@cairn.invalid' }),
      members: '',
      associated_flags: '',
    });
    const one = `${roles}${made.body.id}/`;
    expect((await client.get(one, { key: member.personalKey })).body).toEqual(made.body);
    const changed = await client.patch(one, { body: { feature_flags_access_level: 21 } });
    expect([changed.status, changed.body]).toEqual([200, { ...made.body, feature_flags_access_level: 21 }]);
    expect((await client.get(roles)).body).toEqual({ count: 1, next: null, previous: null, results: [changed.body] });
    expect((await client.patch(one, { body: { feature_flags_access_level: 22 } })).body).toMatchObject({
      code: 'invalid_choice',
      attr: 'feature_flags_access_level',
    });
    expect((await client.delete(one)).status).toBe(204);
    expect((await client.get(one)).status).toBe(404);
  });

  it('have unique names, ignoring case in any alphabet', async () => {
    const { body: role } = await client.post(roles, { body: { name: 'Équipe' } });
    for (const name of ['équipe', 'Équipe', 'ÉQUIPE ']) {
      const { status, body } = await client.post(roles, { body: { name } });
      expect([status, body]).toEqual([
        400,
        { type: 'validation_error', code: 'unique', detail: 'There is already a role with this name.', attr: 'name' },
      ]);
    }
    expect((await client.patch(`${roles}${role.id}/`, { body: { name: 'ÉQUIPE' } })).status).toBe(200);
    await client.delete(`${roles}${role.id}/`);
  });

  it('are granted to members and revoked, once each', async () => {
    const { body: role } = await client.post(roles, { body: { name: 'Testers' } });
    const memberships = `${roles}${role.id}/role_memberships/`;
    const given = await client.post(memberships, { body: { user_uuid: member.uuid } });
    expect(given.status).toBe(201);
    expect(given.body).toEqual({
      id: UUID,
      role_id: role.id,
      user: expect.objectContaining({ uuid: member.uuid }),
      joined_at: NOW,
      updated_at: NOW,
    });
    const again = await client.post(memberships, { body: { user_uuid: member.uuid } });
    expect([again.status, again.body.detail, again.body.attr]).toEqual([
      400,
      'User is already part of the role.',
      null,
    ]);
    const nobody = await client.post(memberships, { body: { user_uuid: server.organizationId } });
    expect([nobody.status, nobody.body.detail, nobody.body.attr]).toEqual([400, 'User does not exist.', null]);
    server.setNow('2026-01-15T12:00:01Z');
    await client.post(memberships, { body: { user_uuid: admin.uuid } });
    server.setNow('2026-01-15T12:00:00Z');
    expect((await client.get(`${roles}${role.id}/`)).body.members).toBe('member@example.org, admin@example.org');
    const page = await client.get(`${memberships}?limit=1`);
    expect([page.body.count, page.body.results.length]).toEqual([2, 1]);
    expect(page.body.next).toContain('offset=1');
    expect((await client.delete(`${memberships}${given.body.id}/`)).status).toBe(204);
    expect((await client.delete(`${memberships}${given.body.id}/`)).status).toBe(404);
    expect((await client.get(`${roles}${role.id}/`)).body.members).toBe('admin@example.org');
    const { body: activity } = await client.get(`${current}activity/?limit=1`);
    expect(activity.results[0].detail.changes).toEqual([
      { type: 'Role', action: 'deleted', field: 'members', before: 'member@example.org', after: null },
    ]);
    await client.delete(`${roles}${role.id}/`);
  });
});

describe('default access levels', () => {
  const access = `${current}resource_access/`;

  it('exist once for each resource, and set the level of new roles', async () => {
    const made = await client.post(access, { body: { resource: 'feature flags', access_level: 21 } });
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      id: UUID,
      resource: 'feature flags',
      access_level: 21,
      created_at: NOW,
      updated_at: NOW,
      created_by: expect.objectContaining({ email: 'owner@cairn.invalid' }),
    });
    const again = await client.post(access, { body: { resource: 'feature flags' } });
    expect([again.status, again.body.code, again.body.attr]).toEqual([400, 'unique', 'resource']);
    const wrong = await client.post(access, { body: { resource: 'plugins' } });
    expect([wrong.status, wrong.body.code, wrong.body.attr]).toEqual([400, 'invalid_choice', 'resource']);
    const role = (await client.post(`${current}roles/`, { body: { name: 'Viewers' } })).body;
    expect(role.feature_flags_access_level).toBe(21);
    const one = `${access}${made.body.id}/`;
    expect((await client.patch(one, { body: { access_level: 37 } })).body.access_level).toBe(37);
    expect((await client.get(one)).body.access_level).toBe(37);
    expect((await client.get(access)).body.count).toBe(1);
    expect((await client.delete(one)).status).toBe(204);
    expect((await client.get(one)).status).toBe(404);
    await client.delete(`${current}roles/${role.id}/`);
  });

  it('record their changes in the activity log', async () => {
    const { body: made } = await client.post(access, { body: { resource: 'feature flags' } });
    await client.patch(`${access}${made.id}/`, { body: { access_level: 21 } });
    await client.patch(`${access}${made.id}/`, { body: { access_level: 21 } });
    await client.delete(`${access}${made.id}/`);
    const { body } = await client.get(`${current}activity/?limit=3`);
    expect(body.results.map((one: { activity: string }) => one.activity)).toEqual(['deleted', 'updated', 'created']);
    expect(body.results[1]).toMatchObject({
      scope: 'OrganizationResourceAccess',
      item_id: made.id,
      detail: {
        name: 'feature flags',
        changes: [
          { type: 'OrganizationResourceAccess', action: 'changed', field: 'access_level', before: 37, after: 21 },
        ],
      },
    });
  });
});

describe('activity', () => {
  it('comes newest first in numbered pages with absolute links', async () => {
    const path = `${current}activity/`;
    const { body: first } = await client.get(`${path}?limit=2`);
    expect(first.results).toHaveLength(2);
    expect(first.previous).toBeNull();
    expect(first.next).toBe(`${server.url}${path}?limit=2&page=2`);
    const { body: second } = await client.get(first.next);
    expect(second.previous).toBe(`${server.url}${path}?limit=2&page=1`);
    expect(second.total_count).toBe(first.total_count);
    const { body: all } = await client.get(`${path}?limit=1000`);
    expect(all.results.length).toBe(all.total_count);
    expect(all.next).toBeNull();
    expect([...first.results, ...second.results]).toEqual(all.results.slice(0, 4));
    expect((await client.get(path)).body.results).toHaveLength(10);
    for (const page of ['999999', '9007199254740991']) {
      const { status, body } = await client.get(`${path}?page=${page}`);
      expect([status, body.results]).toEqual([200, []]);
    }
    expect((await client.get(`${path}?page=-1&limit=x`)).body.results).toHaveLength(10);
  });
});
