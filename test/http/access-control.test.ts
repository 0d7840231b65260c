/**
 * Calls every private route of the OpenAPI document without access, so routes that are added later are covered too. Paths
 * have ids that exist, and bodies are valid.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { digest } from '../../src/lib/secrets.ts';
import { aSession } from '../contract/account-builders.ts';
import { A_GROUP, capture } from '../support/capture.ts';
import { call, clientFor } from '../support/client.ts';
import { makeFlag } from '../support/flags.ts';
import { deleteSomebody } from '../support/identities.ts';
import { exampleOf, OpenApi, type Operation } from '../support/openapi.ts';
import { addMember, cookieOf, type TestMember } from '../support/people.ts';
import { cachingGet, readEverything, realPath } from '../support/real-paths.ts';
import { createSavedInsights } from '../support/saved-insights.ts';
import { START, startServer, type TestProject, type TestServer } from '../support/server.ts';

let server: TestServer;
let foreign: TestProject;
let member: TestMember;
let viewer: TestMember;
let api: OpenApi;
let owner: ReturnType<typeof clientFor>;
let paths: ReadonlyMap<Operation, string>;
let before: Record<string, unknown>;
/** Credentials that are no longer valid, as headers. */
let revoked: Record<string, Record<string, string>>;
let secretKey: string;
beforeAll(async () => {
  // Nothing may change by itself during the test. Each call comes from its own address: see `callAs`.
  server = await startServer({ config: { eraseAfterSeconds: 3600, trustProxy: true } });
  owner = clientFor(server);
  foreign = await server.createProject({ foreign: true });
  member = await addMember(server, 'member@example.org');
  viewer = await addMember(server, 'viewer@example.org');
  const organization = '/api/organizations/@current/';
  const role = (await owner.post(`${organization}roles/`, { body: { name: 'Editors' } })).body;
  await owner.post(`${organization}roles/${role.id}/role_memberships/`, { body: { user_uuid: member.uuid } });
  for (const resource of ['feature flags', 'cohorts', 'data management', 'insights', 'dashboards', 'experiments']) {
    await owner.post(`${organization}resource_access/`, { body: { resource, access_level: VIEW } });
  }
  secretKey = (await owner.patch('/api/projects/1/rotate_secret_token/')).body.secret_api_token;
  await capture(server, server.projectKey, [{ event: 'seen', properties: { plan: 'free' } }, A_GROUP]);
  await deleteSomebody(server);
  await makeFlag(owner, role.id);
  await owner.post('/api/projects/1/cohorts/', { body: { name: 'Some', is_static: true } });
  await createSavedInsights(owner);
  revoked = await revokedCredentials();
  api = await OpenApi.of(server);
  const asked = cachingGet(owner.get);
  const filled = new Map<Operation, string>();
  for (const operation of api.operations) filled.set(operation, await realPath(asked, operation));
  paths = filled;
  before = await readEverything(owner.get, api);
});
afterAll(() => server.close());

/** Flags may be seen, but not changed. */
const VIEW = 21;

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

async function revokedCredentials(): Promise<typeof revoked> {
  const gone = await addMember(server, 'gone@example.org');
  const user = await server.metadata.users.getByUuid(gone.uuid);
  await server.metadata.users.update(user?.id ?? 0, { isActive: false });
  const made = await owner.post('/api/personal_api_keys/', {
    key: member.personalKey,
    body: { label: 'revoked', scopes: ['*'] },
  });
  await owner.delete(`/api/personal_api_keys/${made.body.id}/`, { key: member.personalKey });
  const [now, day] = [Date.parse(START), 86_400_000];
  const expired = aSession({ hash: digest('expired'), createdAt: now - day, expiresAt: now });
  await server.metadata.sessions.create(expired);
  const { email, password } = viewer;
  const left = cookieOf((await owner.post('/api/login/', { key: null, body: { email, password } })).headers);
  await owner.post('/api/logout/', { key: null, headers: { cookie: left } });
  return {
    'a revoked key': bearer(made.body.value),
    'the key of somebody who was deactivated': bearer(gone.personalKey),
    'the session of somebody who was deactivated': { cookie: gone.cookie },
    'an expired session': { cookie: 'cairn_session=expired' },
    'a session that was logged out': { cookie: left },
  };
}

const privateOperations = (): Operation[] => api.operations.filter((operation) => operation.isPrivate);

let calls = 0;
/** Each call comes from another address: too many wrong keys from one of them would be another answer. */
const callAs = (method: string, path: string, headers: Record<string, string>, body?: unknown) => {
  calls++;
  const address = `198.51.${calls >> 8}.${calls & 255}`;
  const sent = body === undefined ? {} : { body };
  return call(server.url, method, path, { key: null, headers: { 'x-forwarded-for': address, ...headers }, ...sent });
};

async function tryAll(operations: Operation[], headers: Record<string, string>, query = '') {
  const tried = [];
  for (const operation of operations) {
    const { method, path, body, params } = operation;
    const real = paths.get(operation) ?? path;
    const asked = query === '' ? real : `${real}${real.includes('?') ? '&' : '?'}${query}`;
    const answer = await callAs(method, asked, headers, body ? exampleOf(body) : undefined);
    tried.push({ name: `${method} ${path}`, params, ...answer });
  }
  return tried;
}
const shown = (tried: { name: string; status: number }[]) => tried.map(({ name, status }) => `${name} → ${status}`);
const nothingWritten = async () => expect(await readEverything(owner.get, api)).toEqual(before);

describe('nobody gets access', () => {
  const failed = 'authentication_failed';
  const none = 'not_authenticated';
  it.each<[string, () => Record<string, string>, string]>([
    ['nothing', () => ({}), none],
    ['a garbage key', () => bearer('phx_garbage'), failed],
    ['a project key for a personal one', () => bearer(server.projectKey), failed],
    ['a revoked key', () => revoked['a revoked key'] ?? {}, failed],
    ['the key of somebody who was deactivated', () => revoked['the key of somebody who was deactivated'] ?? {}, failed],
    [
      'the session of somebody who was deactivated',
      () => revoked['the session of somebody who was deactivated'] ?? {},
      none,
    ],
    ['an expired session', () => revoked['an expired session'] ?? {}, none],
    ['a session that was logged out', () => revoked['a session that was logged out'] ?? {}, none],
    ['a garbage session', () => ({ cookie: 'cairn_session=garbage' }), none],
  ])('with %s', async (_name, headers, code) => {
    const tried = await tryAll(privateOperations(), headers());
    expect(tried.length).toBeGreaterThan(30);
    for (const { name, status, body } of tried) expect([name, status, body.code]).toEqual([name, 401, code]);
  });

  it('with a project key in the query, which only names the project', async () => {
    const tried = await tryAll(privateOperations(), {}, `token=${server.projectKey}`);
    expect(shown(tried.filter(({ status }) => status !== 401))).toEqual([]);
  });

  it('with the secret key of a project, except to its flag definitions', async () => {
    const [open, closed] = [true, false].map((takes) =>
      privateOperations().filter(({ takesSecretKey }) => takesSecretKey === takes),
    );
    expect(open).toHaveLength(4);
    const tried = await tryAll(closed ?? [], bearer(secretKey));
    expect(shown(tried.filter(({ status }) => status !== 401))).toEqual([]);
    expect(shown((await tryAll(open ?? [], bearer(secretKey))).filter(({ status }) => status !== 200))).toEqual([]);
  });

  it('to any route, in the OpenAPI document or not', async () => {
    const methods = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);
    const routes = server.routes().filter(({ method }) => methods.has(method));
    const isOpen = ({ method, url }: { method: string; url: string }): boolean =>
      OPEN_PATHS.test(url) || OPEN_ROUTES.has(`${method} ${url}`);
    const tried = [];
    for (const { method, url } of routes.filter((route) => !isOpen(route))) {
      const { status } = await callAs(method, url.replace(/:\w+/g, '1').replace('*', 'x'), {});
      tried.push({ name: `${method} ${url}`, status });
    }
    expect(tried.length).toBeGreaterThan(150);
    expect(shown(tried.filter(({ status }) => status !== 401))).toEqual([]);
  });

  it('and nothing was written by any of them', () => nothingWritten());
});

/** Routes without a personal key; new ones are to be added here. */
const OPEN_ROUTES = new Set([
  // With the signed link of a mail.
  'GET /unsubscribe/:token',
  'POST /unsubscribe/:token',
  'GET /unsubscribe/digest/:token',
  'POST /unsubscribe/digest/:token',
  // With the token of a shared link; see test/sharing.
  'GET /shared/:token',
  'POST /shared/:token',
  'GET /shared/:token/breakdown.json',
  'GET /shared/:token/breakdown.csv',
  'GET /shared/:token/overview.csv',
  'GET /embedded/:token',
  'POST /api/login/',
  'GET /api/login/options/',
  'POST /api/setup/',
  'POST /api/logout/',
  // Single sign-on.
  'POST /api/login/precheck',
  'GET /login/oidc/',
  'GET /login/oidc/callback',
  'POST /login/oidc/backchannel-logout',
  'GET /api/login/link/',
  'POST /api/login/link/',
  'GET /logout',
  // The second step of signing in, and passkeys.
  'POST /api/login/token/',
  'POST /api/webauthn/login/begin',
  'POST /api/webauthn/login/complete',
  // With the token of an invitation.
  'GET /api/signup/:invite_id/',
  'POST /api/signup/:invite_id/',
  // With the token of a link, or the same answer for every address.
  'POST /api/reset/',
  'GET /api/reset/:user_uuid/',
  'POST /api/reset/:user_uuid/',
  'GET /api/schema/',
  // Public routes with the project key, under /api/ for SDKs that expect them there.
]);
/** With the project key or without any: the routes of SDKs, the console's files, status and metrics. */
const OPEN_PATHS =
  /^\/(?!api\/|flags\/definitions)(?:$|\*$|(?:capture|batch|e|i|v1|track|engage|s|decide|flags|ofrep|array|static|report|assets|docs|help|login|setup|invite|reset|account|status|project|organization|metrics|_livez|_readyz|_health|_status)\b)/;

describe("another organization's key", () => {
  it('has access to nothing of ours', async () => {
    const tried = await tryAll(
      privateOperations().filter(({ params }) => params.length > 0),
      bearer(foreign.personalKey),
    );
    expect(tried.length).toBeGreaterThan(25);
    expect(shown(tried.filter(({ status }) => status !== 403 && status !== 404))).toEqual([]);
    for (const { name, body } of tried) {
      expect([name, Object.keys(body)]).toEqual([name, ['type', 'code', 'detail', 'attr']]);
    }
    await nothingWritten();
  });

  it('shows and changes only their own, where the path has no id', async () => {
    const tried = await tryAll(
      // Second factors are for sessions alone, and flags to archive are named by ids, which are not theirs.
      privateOperations().filter(
        ({ params, path }) =>
          params.length === 0 && !path.startsWith('/api/webauthn/') && !path.endsWith('/bulk_archive/'),
      ),
      bearer(foreign.personalKey),
    );
    for (const { name, status, body } of tried) {
      expect([name, status < 300]).toEqual([name, true]);
      expect(JSON.stringify(body)).not.toContain(server.organizationId);
      expect(JSON.stringify(body)).not.toContain(server.projectKey);
    }
    await nothingWritten();
  });
});

describe("a plain member's key", () => {
  it('writes nothing that needs a higher level', async () => {
    const needMore = privateOperations().filter(
      ({ level, method, path }) => (level ?? 0) > 1 || (method === 'POST' && path === '/api/projects/'),
    );
    expect(needMore.length).toBeGreaterThan(12);
    const tried = await tryAll(needMore, bearer(member.personalKey));
    expect(shown(tried.filter(({ status }) => status !== 403))).toEqual([]);
    await nothingWritten();
  });

  it('reads what members read', async () => {
    const reads = privateOperations().filter(
      ({ method, path, level }) =>
        method === 'GET' &&
        level === undefined &&
        !path.startsWith('/api/users/') &&
        !path.startsWith('/api/webauthn/') &&
        !path.includes('personal_api_keys/{') &&
        // Nothing has failed, so there is none to read.
        !path.includes('dead_letters/{'),
    );
    const tried = await tryAll(reads, bearer(member.personalKey));
    // What its owner gets: some lists are empty, so there is none to read.
    expect(shown(tried)).toEqual(shown(await tryAll(reads, bearer(server.personalKey))));
    expect(tried.filter(({ status }) => status === 200).length).toBeGreaterThan(80);
  });
});

describe('a member who may view flags but not change them', () => {
  it('changes no flag on any route', async () => {
    const writes = privateOperations().filter(
      ({ method, path }) => method !== 'GET' && /\/feature_flags?\/\{/.test(path),
    );
    expect(writes.length).toBeGreaterThan(7);
    const tried = await tryAll(writes, bearer(viewer.personalKey));
    // Flags are never deleted for good, whoever asks.
    const expected = ({ name }: { name: string }): number =>
      /^DELETE .*feature_flags?\/\{id\}\/$/.test(name) ? 405 : 403;
    expect(shown(tried.filter((one) => one.status !== expected(one)))).toEqual([]);
    await nothingWritten();
  });

  it('and nothing else of a project, where the organization says so', async () => {
    const writes = privateOperations().filter(
      ({ method, path, params }) => method !== 'GET' && params.length > 0 && !QUERIES.test(`${method} ${path}`),
    );
    expect(writes.length).toBeGreaterThan(60);
    const tried = await tryAll(writes, bearer(viewer.personalKey));
    expect(shown(tried.filter(({ status }) => status !== 403 && status !== 405 && status !== 404))).toEqual([]);
    expect(tried.filter(({ status }) => status === 403).length).toBeGreaterThan(55);
    await nothingWritten();
  });

  it('sees them', async () => {
    const { status, body } = await owner.get('/api/projects/1/feature_flags/', { key: viewer.personalKey });
    expect([status, body.results[0].can_edit]).toEqual([200, false]);
  });
});

/** Requests with a body that only ask, and the marks that one has looked at an insight or at early numbers. */
const QUERIES =
  /^POST \S*(?:\/insights?\/(?:trend|funnel|retention|path|lifecycle|stickiness|correlation|\{id\}\/viewed)\b|\/persons?\/(?:trends|funnel|retention|path|lifecycle|stickiness)\b|\/web_analytics\/|\/query(?:\/|\.(?:csv|parquet))|\/bulk_keys\/|\/user_blast_radius\/|\/experiments\/(?:plan|\{id\}\/show_early_numbers)\/|\/alerts\/backtest\/)/;

it('would notice a write: the owner can do what the others cannot', async () => {
  const rename = await owner.patch('/api/organizations/@current/', { body: { name: 'Renamed' } });
  expect(rename.status).toBe(200);
  expect(await readEverything(owner.get, api)).not.toEqual(before);
});
