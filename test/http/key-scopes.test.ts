/**
 * Calls every private route of the OpenAPI document with keys of every scope, and with keys that are limited to other
 * places or no longer valid, so routes that are added later are covered too.
 *
 * That a scope opens a route is shown without doing anything: the key is limited to another project or organization, so
 * whoever passes the check of scopes finds nothing there.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { missingScope, SCOPES } from '../../src/core/scopes.ts';
import { A_GROUP, capture } from '../support/capture.ts';
import { type Answer, call, clientFor } from '../support/client.ts';
import { makeFlag } from '../support/flags.ts';
import { deleteSomebody } from '../support/identities.ts';
import { exampleOf, OpenApi, type Operation } from '../support/openapi.ts';
import { addMember, type TestMember } from '../support/people.ts';
import { cachingGet, readEverything, realPath } from '../support/real-paths.ts';
import { createSavedInsights } from '../support/saved-insights.ts';
import { scopedKey } from '../support/scoped-keys.ts';
import { START, startServer, type TestProject, type TestServer } from '../support/server.ts';

let server: TestServer;
let owner: ReturnType<typeof clientFor>;
let member: TestMember;
/** Another project of the same organization, and one of another organization of the same user. */
let second: TestProject;
let elsewhere: string;
let api: OpenApi;
let paths: ReadonlyMap<Operation, string>;
let before: Record<string, unknown>;

beforeAll(async () => {
  server = await startServer({ config: { eraseAfterSeconds: 3600, trustProxy: true } });
  owner = clientFor(server);
  member = await addMember(server, 'member@example.org');
  second = await server.createProject();
  elsewhere = (await owner.post('/api/organizations/', { body: { name: 'Elsewhere' } })).body.id;
  await owner.patch('/api/users/@me/', { body: { set_current_team: 1 } });
  await owner.patch('/api/projects/1/rotate_secret_token/');
  const role = (await owner.post('/api/organizations/@current/roles/', { body: { name: 'Editors' } })).body;
  await capture(server, server.projectKey, [{ event: 'seen', properties: { plan: 'free' } }, A_GROUP]);
  await deleteSomebody(server);
  await makeFlag(owner, role.id);
  await owner.post('/api/organizations/@current/resource_access/', {
    body: { resource: 'cohorts', access_level: 37 },
  });
  await owner.post('/api/projects/1/cohorts/', { body: { name: 'Some', is_static: true } });
  await createSavedInsights(owner);
  api = await OpenApi.of(server);
  const asked = cachingGet(owner.get);
  const filled = new Map<Operation, string>();
  for (const operation of api.operations) filled.set(operation, await realPath(asked, operation));
  paths = filled;
  before = await readAll();
});
afterAll(() => server.close());

/** Without the keys, which the tests make. */
async function readAll(): Promise<Record<string, unknown>> {
  const read = Object.entries(await readEverything(owner.get, api));
  return Object.fromEntries(read.filter(([path]) => !path.startsWith('/api/personal_api_keys/')));
}
const nothingWritten = async () => expect(await readAll()).toEqual(before);
const operations = (): Operation[] => api.operations.filter(({ isPrivate }) => isPrivate);
const nameOf = ({ method, path }: Operation): string => `${method} ${path}`;
const needsOf = ({ scopes }: Operation): readonly string[] => scopes ?? [];
const hasProject = ({ path }: Operation): boolean => path.includes('{project_id}');
const hasOrganization = ({ path }: Operation): boolean => path.includes('{organization_id}');
/** The project is that of the request: `/api/person/…` and the like. */
const isLegacy = ({ path }: Operation): boolean =>
  !path.startsWith('/api/projects/') && !path.startsWith('/api/organizations/') && !USER_PATHS.test(path);
const USER_PATHS = /^\/api\/(?:users|personal_api_keys|server_status)\//;

let calls = 0;
/** Each call comes from another address: too many wrong keys from one of them would be another answer. */
function tryOne(operation: Operation, key: string): Promise<Answer> {
  calls++;
  const headers = { 'x-forwarded-for': `198.${(calls >> 16) + 51}.${(calls >> 8) & 255}.${calls & 255}` };
  const body = operation.body ? { body: exampleOf(operation.body) } : {};
  return call(server.url, operation.method, paths.get(operation) ?? '', { key, headers, ...body });
}

const refusal = (scope: string) => ({
  type: 'authentication_error',
  code: 'permission_denied',
  detail: `API key missing required scope '${scope}'`,
  attr: null,
});

it('declares a scope for every private route', () => {
  expect(operations().length).toBeGreaterThan(150);
  expect(operations().filter(({ scopes }) => scopes === undefined)).toEqual([]);
  const needed = new Set(operations().flatMap(needsOf));
  for (const scope of needed) expect([...SCOPES, '*']).toContain(scope);
  // Any key: about itself and the server.
  expect(
    operations()
      .filter(({ scopes }) => scopes?.length === 0)
      .map(nameOf),
  ).toEqual(['GET /api/personal_api_keys/{id}/', 'GET /api/server_status/']);
});

it('does not start with a route that has none', async () => {
  const { userRoute } = await import('../../src/http/api/route.ts');
  const declaration = { method: 'GET', url: '/api/forgotten/', summary: '', tag: '', handler: async () => null };
  expect(() => userRoute({} as never, {} as never, declaration as never)).toThrow('declares no scope');
});

describe.each(SCOPES)('a key with %s', (scope) => {
  it('opens what needs that and nothing else, and nothing in other places', async () => {
    const inSecond = await scopedKey(server, [scope], { projectIds: [second.projectId] });
    const inElsewhere = await scopedKey(server, [scope], { organizationIds: [elsewhere] });
    for (const operation of operations().filter((one) => hasProject(one) || hasOrganization(one))) {
      const { status, body } = await tryOne(operation, hasProject(operation) ? inSecond : inElsewhere);
      const missing = missingScope([scope], needsOf(operation));
      const seen = [nameOf(operation), status, status === 403 ? body.detail : body.code];
      if (missing === null) expect(seen).toEqual([nameOf(operation), 404, 'not_found']);
      else if (missing === '*') expect([...seen.slice(0, 2), body.code]).toEqual([seen[0], 403, 'session_required']);
      else expect([seen[0], status, body]).toEqual([seen[0], 403, refusal(missing)]);
    }
  });

  it('opens no path without a place that needs another', async () => {
    const key = await scopedKey(server, [scope]);
    for (const operation of operations().filter((one) => !hasProject(one) && !hasOrganization(one))) {
      const missing = missingScope([scope], needsOf(operation));
      if (missing === null) continue;
      const { status, body } = await tryOne(operation, key);
      const code = missing === '*' ? 'session_required' : 'permission_denied';
      expect([nameOf(operation), status, body.code]).toEqual([nameOf(operation), 403, code]);
    }
  });
});

it('has written nothing so far', nothingWritten);

describe('the scopes that a route needs', () => {
  it('open every route that reads', async () => {
    const reads = operations().filter(
      ({ method, path, scopes }) =>
        method === 'GET' && !scopes?.includes('*') && !/\/dead_letters\/\{|personal_api_keys/.test(path),
    );
    expect(reads.length).toBeGreaterThan(80);
    for (const operation of reads) {
      const key = await scopedKey(server, needsOf(operation));
      const { status } = await tryOne(operation, key);
      // Some lists are empty, so there is none to read.
      const expected = (await tryOne(operation, server.personalKey)).status;
      expect([nameOf(operation), status]).toEqual([nameOf(operation), expected]);
      expect([401, 403]).not.toContain(status);
    }
  });

  it('do not add to the rights of a member', async () => {
    const user = await server.metadata.users.getByUuid(member.uuid);
    const key = await scopedKey(server, SCOPES, { userId: user?.id ?? 0 });
    const needMore = operations().filter(({ level }) => (level ?? 0) > 1);
    expect(needMore.length).toBeGreaterThan(12);
    for (const operation of needMore) {
      const { status } = await tryOne(operation, key);
      expect([nameOf(operation), status]).toEqual([nameOf(operation), 403]);
    }
    await nothingWritten();
  });

  it('let an admin do what the level allows', async () => {
    const key = await scopedKey(server, ['organization:write']);
    const renamed = await owner.patch('/api/organizations/@current/', { key, body: { name: 'My organization' } });
    expect(renamed.status).toBe(200);
  });
});

describe('a key that ended', () => {
  const now = Date.parse(START);
  it.each<[string, () => Promise<string>]>([
    ['by its date', () => scopedKey(server, ['*'], { expiresAt: now })],
    [
      'because it was removed',
      async () => {
        const key = await scopedKey(server, ['*'], { id: 'removed' });
        await server.metadata.personalKeys.delete('removed');
        return key;
      },
    ],
    [
      'because it was rolled',
      async () => {
        const value = await scopedKey(server, ['*'], { id: 'rolled' });
        const rolled = await owner.post('/api/personal_api_keys/rolled/roll/');
        expect((await owner.get('/api/users/@me/', { key: rolled.body.value })).status).toBe(200);
        return value;
      },
    ],
  ])('%s opens nothing', async (_name, make) => {
    const key = await make();
    before = await readAll();
    for (const operation of operations()) {
      const { status, body } = await tryOne(operation, key);
      expect([nameOf(operation), status, body.code]).toEqual([nameOf(operation), 401, 'authentication_failed']);
    }
    await nothingWritten();
  });
});

describe('a key of one project', () => {
  it('is refused where the path says no project', async () => {
    const key = await scopedKey(server, ['*'], { projectIds: [second.projectId] });
    const others = operations().filter((one) => !hasProject(one) && !isLegacy(one));
    for (const operation of others) {
      const { status, body } = await tryOne(operation, key);
      if (status === 200) continue;
      expect([nameOf(operation), status]).toEqual([nameOf(operation), 403]);
      expect(body.detail).toMatch(/scoped projects are only supported|A key that is limited/);
    }
    await nothingWritten();
  });

  it('lists its project alone, and means it by @current and by the old paths', async () => {
    const key = await scopedKey(server, ['*'], { projectIds: [second.projectId] });
    const { body } = await owner.get('/api/projects/', { key });
    expect(body.results.map(({ id }: { id: number }) => id)).toEqual([second.projectId]);
    expect((await owner.get('/api/projects/@current/', { key })).body.id).toBe(second.projectId);
    expect((await owner.get('/api/users/@me/', { key })).body.team.id).toBe(second.projectId);
    expect((await owner.get('/api/feature_flag/', { key })).body.count).toBe(0);
    const moved = await owner.patch('/api/users/@me/', { key, body: { set_current_team: 1 } });
    expect(moved.status).toBe(404);
  });

  it('sends events to its project only', async () => {
    const api_key = await scopedKey(server, ['query:read'], { projectIds: [second.projectId] });
    const send = (project_id: number) =>
      owner.post('/capture/', { key: null, body: { api_key, project_id, event: 'seen', distinct_id: 'a' } });
    expect((await send(second.projectId)).status).toBe(200);
    expect(await send(1)).toMatchObject({ status: 400, body: { code: 'invalid_project' } });
  });
});

describe('a key with some scopes gets no more', () => {
  it.each<[string, string[], string, string, unknown, number, string]>([
    [
      'by making a key',
      ['user:write'],
      'POST',
      'personal_api_keys/',
      { label: 'x', scopes: ['*'] },
      403,
      'session_required',
    ],
    ['by a password', ['user:write'], 'PATCH', 'users/@me/', { password: 'another password' }, 403, 'session_required'],
    ['by an address', ['user:write'], 'PATCH', 'users/@me/', { email: 'x@example.org' }, 403, 'session_required'],
    [
      'by inviting an admin',
      ['organization_member:write'],
      'POST',
      'organizations/@current/invites/',
      { target_email: 'x@example.org', level: 8 },
      403,
      'session_required',
    ],
    [
      'by putting an insight on a dashboard',
      ['insight:write'],
      'POST',
      'projects/1/insights/',
      { name: 'x', filters: { events: [{ id: 'seen' }] }, dashboards: [1] },
      403,
      'permission_denied',
    ],
    [
      'by an experiment, which makes a flag',
      ['experiment:write'],
      'POST',
      'projects/1/experiments/',
      { name: 'x', feature_flag_key: 'by-experiment' },
      403,
      'permission_denied',
    ],
    [
      'by the persons of a cohort',
      ['cohort:read'],
      'GET',
      'projects/1/cohorts/1/persons/',
      undefined,
      403,
      'permission_denied',
    ],
    [
      'by the persons behind an insight',
      ['insight:read'],
      'GET',
      'projects/1/persons/trends/?entity_id=seen&entity_type=events',
      undefined,
      403,
      'permission_denied',
    ],
    [
      'by the visitors of a site',
      ['query:read'],
      'GET',
      'projects/1/web_analytics/people/',
      undefined,
      403,
      'permission_denied',
    ],
  ])('%s', async (_name, scopes, method, path, body, status, code) => {
    const key = await scopedKey(server, scopes);
    const sent = body === undefined ? {} : { body };
    expect(await call(server.url, method, `/api/${path}`, { key, ...sent })).toMatchObject({ status, body: { code } });
  });

  it('in the body or the query, where a key can be, too', async () => {
    const key = await scopedKey(server, ['insight:read']);
    const query = await owner.get(`/api/projects/1/feature_flags/?personal_api_key=${key}`, { key: null });
    expect([query.status, query.body.detail]).toEqual([403, "API key missing required scope 'feature_flag:read'"]);
    const body = { personal_api_key: key, key: 'in-body' };
    expect((await owner.post('/api/projects/1/feature_flags/', { key: null, body })).status).toBe(403);
  });

  it('by all scopes that are limited in another way', async () => {
    for (const rest of [
      { projectIds: [1] },
      { organizationIds: [server.organizationId] },
      { expiresAt: Date.parse(START) + 1000 },
    ]) {
      const key = await scopedKey(server, ['*'], rest);
      const made = await owner.post('/api/personal_api_keys/', { key, body: { label: 'x', scopes: ['*'] } });
      expect([rest, made.status]).toEqual([rest, 403]);
    }
  });

  it('and sees itself', async () => {
    const key = await scopedKey(server, ['insight:read'], { id: 'itself', projectIds: [1] });
    const { body } = await owner.get('/api/personal_api_keys/@current/', { key });
    expect(body).toMatchObject({ id: 'itself', scopes: ['insight:read'], scoped_teams: [1] });
    expect((await owner.get('/api/personal_api_keys/other/', { key })).status).toBe(403);
  });
});

describe('a key is made', () => {
  const keys = '/api/personal_api_keys/';
  beforeAll(async () => {
    // Of those that the tests before have made, nobody may have so many.
    for (const { id } of await server.metadata.personalKeys.listByUser(1)) {
      if (id.length === 36 && !(await isFirst(id))) await server.metadata.personalKeys.delete(id);
    }
  });
  const isFirst = async (id: string) => (await server.metadata.personalKeys.get(1, id))?.label === 'First start';

  it('for a project, with an end, and is listed so', async () => {
    const limits = { scopes: ['feature_flag:read'], scoped_teams: [1], expires_at: '2026-02-01T00:00:00Z' };
    const { status, body } = await owner.post(keys, { body: { label: 'CI', ...limits } });
    expect(status).toBe(201);
    const { value, ...shown } = body;
    expect(shown).toMatchObject({ ...limits, scoped_organizations: [], last_rolled_at: null });
    expect((await owner.get(`${keys}${shown.id}/`)).body).toEqual(shown);
    expect((await owner.get('/api/projects/1/feature_flags/', { key: value })).status).toBe(200);
    expect((await owner.get('/flags/definitions', { key: value })).status).toBe(200);
    const changed = await owner.patch(`${keys}${shown.id}/`, { body: { scopes: ['insight:read'] } });
    expect(changed.body).toMatchObject({ id: shown.id, scoped_teams: [1], scopes: ['insight:read'] });
    expect((await owner.get('/flags/definitions', { key: value })).status).toBe(403);
    expect((await owner.delete(`${keys}${shown.id}/`)).status).toBe(204);
  });

  it.each<[string, object, string, string]>([
    ['without scopes', {}, 'scopes', 'required'],
    ['with an empty list', { scopes: [] }, 'scopes', 'required'],
    ['with text for a list', { scopes: '*' }, 'scopes', 'not_a_list'],
    ['with an unknown scope', { scopes: ['flag:read'] }, 'scopes', 'invalid_input'],
    ["for a stranger's project", { scopes: ['*'], scoped_teams: [99] }, 'scoped_teams', 'invalid_input'],
    [
      "for a stranger's organization",
      { scopes: ['*'], scoped_organizations: ['x'] },
      'scoped_organizations',
      'invalid_input',
    ],
    ['with an end in the past', { scopes: ['*'], expires_at: '2020-01-01T00:00:00Z' }, 'expires_at', 'invalid_input'],
  ])('not %s', async (_name, limits, attr, code) => {
    const { status, body } = await owner.post(keys, { body: { label: 'CI', ...limits } });
    expect([status, body.attr, body.code]).toEqual([400, attr, code]);
  });

  it('fifty times at most', async () => {
    const user = (await server.metadata.users.getByUuid(member.uuid))?.id ?? 0;
    for (const n of Array(49).keys()) await scopedKey(server, ['user:read'], { userId: user, label: `key ${n}` });
    const { status, body } = await owner.post(keys, { key: member.personalKey, body: { label: 'x', scopes: ['*'] } });
    expect([status, body.attr]).toEqual([400, 'label']);
  });
});
