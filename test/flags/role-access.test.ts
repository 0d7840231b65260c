/** Who may edit a flag: all combinations of defaults, roles and access. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientFor } from '../support/client.ts';
import { OpenApi } from '../support/openapi.ts';
import { addMember, type TestMember } from '../support/people.ts';
import { START, startServer, type TestProject, type TestServer } from '../support/server.ts';

let server: TestServer;
let stranger: TestProject;
let owner: ReturnType<typeof clientFor>;
let member: TestMember;
let admin: TestMember;
let asMember: ReturnType<typeof clientFor>;
let api: OpenApi;
beforeAll(async () => {
  server = await startServer();
  stranger = await server.createProject({ foreign: true });
  owner = clientFor(server);
  member = await addMember(server, 'member@example.org');
  admin = await addMember(server, 'admin@example.org', 8);
  asMember = clientFor({ url: server.url, personalKey: member.personalKey });
  api = await OpenApi.of(server);
});
afterAll(() => server.close());

const FLAGS = '/api/projects/1/feature_flags/';
const ROLES = '/api/organizations/@current/roles/';
const DEFAULTS = '/api/organizations/@current/resource_access/';
const VIEW = 21;
const EDIT = 37;

let made = 0;
const makeFlag = async (client = owner) => (await client.post(FLAGS, { body: { key: `flag-${++made}` } })).body;

async function makeRole(level: number, users: string[] = []) {
  const role = (await owner.post(ROLES, { body: { name: `Role ${++made}` } })).body;
  await owner.patch(`${ROLES}${role.id}/`, { body: { feature_flags_access_level: level } });
  for (const user_uuid of users) await owner.post(`${ROLES}${role.id}/role_memberships/`, { body: { user_uuid } });
  return role;
}

async function setDefault(level: number | null): Promise<void> {
  for (const { id } of (await owner.get(DEFAULTS)).body.results) await owner.delete(`${DEFAULTS}${id}/`);
  if (level !== null) {
    await owner.post(DEFAULTS, { body: { resource: 'feature flags', access_level: level } });
  }
}

describe('who may edit a flag', () => {
  interface Situation {
    /** The organization's default, if any. */
    organization: number | null;
    caller: 'owner' | 'admin' | 'member';
    /** Levels of the roles that the caller has. */
    roles?: number[];
    madeByCaller?: boolean;
    /** Whether the first of the caller's roles has access to the flag, or a role that the caller does not have. */
    granted?: 'own role' | 'other role';
    canEdit: boolean;
    canGrant: boolean;
  }
  const both = { canEdit: true, canGrant: true };
  const neither = { canEdit: false, canGrant: false };
  const situations: Situation[] = [
    { organization: null, caller: 'member', ...both },
    { organization: null, caller: 'member', roles: [VIEW], ...both },
    { organization: EDIT, caller: 'member', ...both },
    { organization: EDIT, caller: 'member', roles: [VIEW], ...both },
    { organization: VIEW, caller: 'member', ...neither },
    { organization: VIEW, caller: 'member', madeByCaller: true, ...both },
    { organization: VIEW, caller: 'member', roles: [VIEW], ...neither },
    { organization: VIEW, caller: 'member', roles: [EDIT], ...both },
    { organization: VIEW, caller: 'member', roles: [VIEW, EDIT], ...both },
    { organization: VIEW, caller: 'member', roles: [VIEW], granted: 'own role', canEdit: true, canGrant: false },
    { organization: VIEW, caller: 'member', roles: [VIEW, VIEW], granted: 'own role', canEdit: true, canGrant: false },
    { organization: VIEW, caller: 'member', roles: [VIEW], granted: 'other role', ...neither },
    { organization: VIEW, caller: 'member', granted: 'other role', ...neither },
    { organization: VIEW, caller: 'admin', ...both },
    { organization: VIEW, caller: 'admin', roles: [VIEW], ...both },
    { organization: VIEW, caller: 'owner', roles: [VIEW], ...both },
  ];

  it.each(situations)('%j', async ({ organization, caller, roles = [], madeByCaller, granted, canEdit, canGrant }) => {
    const who = { owner: null, admin, member }[caller];
    const client = who ? clientFor({ url: server.url, personalKey: who.personalKey }) : owner;
    const uuid = who?.uuid ?? (await owner.get('/api/users/@me/')).body.uuid;
    await setDefault(null);
    const flag = await makeFlag(madeByCaller ? client : owner);
    await setDefault(organization);
    const own = [];
    for (const level of roles) own.push(await makeRole(level, [uuid]));
    const role = granted === 'own role' ? own[0] : granted === 'other role' ? await makeRole(VIEW) : null;
    const access = `${FLAGS}${flag.id}/role_access/`;
    if (role) expect((await owner.post(access, { body: { role_id: role.id } })).status).toBe(201);

    const seen = (await client.get(`${FLAGS}${flag.id}/`)).body;
    expect([seen.can_edit, seen.user_access_level]).toEqual([canEdit, canEdit ? 'editor' : 'viewer']);
    const [listed] = (await client.get(`${FLAGS}?limit=1&order=-id`)).body.results;
    expect([listed.id, listed.can_edit]).toEqual([flag.id, canEdit]);

    const refused = {
      type: 'authentication_error',
      code: 'permission_denied',
      detail: "You don't have edit permissions for this feature flag.",
      attr: null,
    };
    for (const write of [client.patch, client.put]) {
      const answer = await write(`${FLAGS}${flag.id}/`, { body: { key: flag.key, name: 'mine' } });
      expect([answer.status, canEdit ? answer.body.name : answer.body]).toEqual(
        canEdit ? [200, 'mine'] : [403, refused],
      );
    }
    // The second one changes nothing.
    expect((await owner.get(`${FLAGS}${flag.id}/`)).body.version).toBe(canEdit ? 2 : 1);

    const { id: fresh } = await makeRole(VIEW);
    const given = await client.post(access, { body: { role_id: fresh } });
    const cannot = { ...refused, detail: "You can't edit roles for this feature flag." };
    expect([given.status, canGrant ? given.body.role_id : given.body]).toEqual(canGrant ? [201, fresh] : [403, cannot]);
    const [first] = (await client.get(access)).body.results;
    if (first) expect((await client.delete(`${access}${first.id}/`)).status).toBe(canGrant ? 204 : 403);
    for (const { id } of own) await owner.delete(`${ROLES}${id}/`);
    await setDefault(null);
  });

  it('is checked after the flag was found', async () => {
    await setDefault(VIEW);
    expect((await asMember.patch(`${FLAGS}99999/`, { body: {} })).status).toBe(404);
    await setDefault(null);
  });

  it('applies to deleted flags: who can delete one can restore it', async () => {
    await setDefault(VIEW);
    const flag = await makeFlag();
    const role = await makeRole(VIEW, [member.uuid]);
    await owner.post(`${FLAGS}${flag.id}/role_access/`, { body: { role_id: role.id } });
    expect((await asMember.patch(`${FLAGS}${flag.id}/`, { body: { deleted: true } })).status).toBe(200);
    expect((await asMember.patch(`${FLAGS}${flag.id}/`, { body: { deleted: false } })).status).toBe(200);
    await setDefault(null);
  });
});

describe('access of a role', () => {
  it('is granted, listed, read and revoked', async () => {
    const flag = await makeFlag();
    const role = await makeRole(VIEW, [member.uuid]);
    const all = `${FLAGS}${flag.id}/role_access/`;
    expect((await owner.get(all)).body).toEqual({ count: 0, next: null, previous: null, results: [] });
    const given = await owner.post(all, { body: { role_id: role.id.toUpperCase() } });
    expect(api.problemsOf('POST', all, given)).toEqual([]);
    const { id, feature_flag, role: shown, ...rest } = given.body;
    const noon = START.replace('.000Z', 'Z');
    expect([given.status, rest]).toEqual([201, { role_id: role.id, added_at: noon, updated_at: noon }]);
    expect([typeof id, feature_flag]).toEqual(['number', flag]);
    expect(shown).toMatchObject({ id: role.id, members: 'member@example.org', associated_flags: flag.key });

    expect((await owner.get(all)).body).toMatchObject({ count: 1, results: [given.body] });
    expect((await owner.get(`${all}?limit=1&offset=1`)).body).toMatchObject({ count: 1, results: [] });
    expect((await owner.get(`${all}${id}/`)).body).toEqual(given.body);
    expect((await owner.patch(`${all}${id}/`, { body: {} })).status).toBe(405);
    const taken = await owner.delete(`${all}${id}/`);
    expect([taken.status, taken.body]).toEqual([204, '']);
    expect((await owner.get(`${all}${id}/`)).status).toBe(404);
    expect((await owner.delete(`${all}${id}/`)).status).toBe(404);
  });

  it('is listed by the role: the keys of its flags, without deleted ones', async () => {
    const [one, two, gone] = [await makeFlag(), await makeFlag(), await makeFlag()];
    const role = await makeRole(VIEW);
    for (const flag of [one, two, gone]) {
      await owner.post(`${FLAGS}${flag.id}/role_access/`, { body: { role_id: role.id } });
    }
    await owner.patch(`${FLAGS}${gone.id}/`, { body: { deleted: true } });
    expect((await owner.get(`${ROLES}${role.id}/`)).body.associated_flags).toBe(`${one.key}, ${two.key}`);
    const listed = (await owner.get(ROLES)).body.results.find((other: { id: string }) => other.id === role.id);
    expect(listed.associated_flags).toBe(`${one.key}, ${two.key}`);
  });

  it('is deleted with the role', async () => {
    const flag = await makeFlag();
    const role = await makeRole(VIEW);
    await owner.post(`${FLAGS}${flag.id}/role_access/`, { body: { role_id: role.id } });
    await owner.delete(`${ROLES}${role.id}/`);
    expect((await owner.get(`${FLAGS}${flag.id}/role_access/`)).body.count).toBe(0);
  });

  it('is recorded in the activity log of the flag', async () => {
    const flag = await makeFlag();
    const role = await makeRole(VIEW);
    const { id } = (await owner.post(`${FLAGS}${flag.id}/role_access/`, { body: { role_id: role.id } })).body;
    await owner.delete(`${FLAGS}${flag.id}/role_access/${id}/`);
    const { results } = (await owner.get(`${FLAGS}${flag.id}/activity/`)).body;
    const [taken, given] = results.map((entry: { detail: { changes: unknown } }) => entry.detail.changes);
    const change = { type: 'FeatureFlag', field: 'role_access' };
    expect(given).toEqual([{ ...change, action: 'created', before: null, after: role.name }]);
    expect(taken).toEqual([{ ...change, action: 'deleted', before: role.name, after: null }]);
  });

  it.each([
    [{}, 'required', 'This field is required.'],
    [{ role_id: null }, 'null', 'This field may not be null.'],
    [{ role_id: 'editors' }, 'invalid_input', 'Must be a valid UUID.'],
    [
      { role_id: '018f0000-0000-7000-8000-000000000000' },
      'does_not_exist',
      'Invalid pk "018f0000-0000-7000-8000-000000000000" - object does not exist.',
    ],
  ])('is refused for no role: %j', async (body, code, detail) => {
    const flag = await makeFlag();
    const answer = await owner.post(`${FLAGS}${flag.id}/role_access/`, { body });
    expect([answer.status, answer.body]).toEqual([400, { type: 'validation_error', code, detail, attr: 'role_id' }]);
  });

  it('cannot be granted twice', async () => {
    const flag = await makeFlag();
    const body = { role_id: (await makeRole(VIEW)).id };
    await owner.post(`${FLAGS}${flag.id}/role_access/`, { body });
    const again = await owner.post(`${FLAGS}${flag.id}/role_access/`, { body });
    expect([again.status, again.body.code, again.body.attr]).toEqual([400, 'unique', 'role_id']);
    expect((await owner.get(`${FLAGS}${flag.id}/role_access/`)).body.count).toBe(1);
  });

  it.each(['99999', 'x'])('needs a flag: %s', async (id) => {
    const { id: role_id } = await makeRole(VIEW);
    for (const answer of [
      await owner.get(`${FLAGS}${id}/role_access/`),
      await owner.post(`${FLAGS}${id}/role_access/`, { body: { role_id } }),
      await owner.get(`${FLAGS}${id}/role_access/1/`),
      await owner.delete(`${FLAGS}${id}/role_access/1/`),
    ]) {
      expect([answer.status, answer.body.code]).toEqual([404, 'not_found']);
    }
    const { body } = await owner.get(`${FLAGS}99999/role_access/`);
    expect(body.detail).toBe('Feature flag not found.');
  });

  it('stays within the organization and within the flag', async () => {
    const [flag, other] = [await makeFlag(), await makeFlag()];
    const theirs = clientFor({ ...stranger, url: server.url });
    const foreign = (await theirs.post(ROLES, { body: { name: 'Foreign' } })).body;
    const all = `${FLAGS}${flag.id}/role_access/`;
    expect((await owner.post(all, { body: { role_id: foreign.id } })).body.code).toBe('does_not_exist');
    const given = (await owner.post(all, { body: { role_id: (await makeRole(VIEW)).id } })).body;
    expect((await owner.get(`${FLAGS}${other.id}/role_access/${given.id}/`)).status).toBe(404);
    expect((await owner.delete(`${FLAGS}${other.id}/role_access/${given.id}/`)).status).toBe(404);
    expect((await theirs.get(all)).status).toBe(404);
    const nested = `/api/projects/${stranger.projectId}/feature_flags/${flag.id}/role_access/`;
    expect((await theirs.get(nested)).status).toBe(404);
    expect((await owner.get(`${all}${given.id}/`)).status).toBe(200);
  });

  it('has the legacy path too', async () => {
    const flag = await makeFlag();
    const body = { role_id: (await makeRole(VIEW)).id };
    const given = await owner.post(`/api/feature_flag/${flag.id}/role_access?token=${server.projectKey}`, { body });
    expect([given.status, given.body.role_id]).toEqual([201, body.role_id]);
  });
});
