/**
 * Every private route of the OpenAPI document, tried by those who may not: routes that are added later are tried too.
 * Their paths are filled with ids of things that exist, and their bodies with values that would be taken.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { A_GROUP, capture } from './support/capture.ts';
import { call, clientFor } from './support/client.ts';
import { makeFlag } from './support/flags.ts';
import { deleteSomebody } from './support/identities.ts';
import { keepQuestions } from './support/kept-questions.ts';
import { exampleOf, OpenApi, type Operation } from './support/openapi.ts';
import { addMember, type TestMember } from './support/people.ts';
import { everything, realPath } from './support/real-paths.ts';
import { startServer, type TestProject, type TestServer } from './support/server.ts';

let server: TestServer;
let stranger: TestProject;
let member: TestMember;
let api: OpenApi;
let owner: ReturnType<typeof clientFor>;
let before: Record<string, unknown>;
beforeAll(async () => {
  // Nothing may change by itself while strangers try.
  server = await startServer({ config: { eraseAfterSeconds: 3600 } });
  owner = clientFor(server);
  stranger = await server.createProject({ foreign: true });
  member = await addMember(server, 'member@example.org');
  const organization = '/api/organizations/@current/';
  const role = (await owner.post(`${organization}roles/`, { body: { name: 'Editors' } })).body;
  await owner.post(`${organization}roles/${role.id}/role_memberships/`, { body: { user_uuid: member.uuid } });
  await owner.post(`${organization}resource_access/`, { body: { resource: 'feature flags' } });
  await capture(server, server.projectKey, [{ event: 'seen', properties: { plan: 'free' } }, A_GROUP]);
  await deleteSomebody(server);
  await makeFlag(owner, role.id);
  await owner.post('/api/projects/1/cohorts/', { body: { name: 'Some', is_static: true } });
  await keepQuestions(owner);
  api = await OpenApi.of(server);
  before = await everything(owner.get, api);
});
afterAll(() => server.close());

const privateOperations = (): Operation[] => api.operations.filter((operation) => operation.isPrivate);

/** Tries every one of some operations, and tells what came back. */
async function tryAll(operations: Operation[], key: string | null) {
  const tried = [];
  for (const { method, path, body, params } of operations) {
    const real = await realPath(owner.get, { path });
    const answer = await call(server.url, method, real, { key, ...(body ? { body: exampleOf(body) } : {}) });
    tried.push({ name: `${method} ${path}`, params, ...answer });
  }
  return tried;
}
const shown = (tried: { name: string; status: number }[]) => tried.map(({ name, status }) => `${name} → ${status}`);
const nothingWritten = async () => expect(await everything(owner.get, api)).toEqual(before);

describe('nobody gets in', () => {
  it.each<[string, () => string | null, string]>([
    ['without a key', () => null, 'not_authenticated'],
    ['with a garbage key', () => 'phx_garbage', 'authentication_failed'],
    ['with a project key for a personal one', () => server.projectKey, 'authentication_failed'],
  ])('%s', async (_name, key, code) => {
    const tried = await tryAll(privateOperations(), key());
    expect(tried.length).toBeGreaterThan(30);
    for (const { name, status, body } of tried) expect([name, status, body.code]).toEqual([name, 401, code]);
    await nothingWritten();
  });
});

describe("another organization's key", () => {
  it('opens nothing of ours', async () => {
    const tried = await tryAll(
      privateOperations().filter(({ params }) => params.length > 0),
      stranger.personalKey,
    );
    expect(tried.length).toBeGreaterThan(25);
    expect(shown(tried.filter(({ status }) => status !== 403 && status !== 404))).toEqual([]);
    for (const { name, body } of tried) {
      expect([name, Object.keys(body)]).toEqual([name, ['type', 'code', 'detail', 'attr']]);
    }
    await nothingWritten();
  });

  it('shows and changes only what is theirs, where the path names nothing', async () => {
    const tried = await tryAll(
      privateOperations().filter(({ params }) => params.length === 0),
      stranger.personalKey,
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
  it('writes nothing that needs more', async () => {
    const needMore = privateOperations().filter(
      ({ level, method, path }) => (level ?? 0) > 1 || (method === 'POST' && path === '/api/projects/'),
    );
    expect(needMore.length).toBeGreaterThan(12);
    const tried = await tryAll(needMore, member.personalKey);
    expect(shown(tried.filter(({ status }) => status !== 403))).toEqual([]);
    await nothingWritten();
  });

  it('reads what members read', async () => {
    const reads = privateOperations().filter(
      ({ method, path }) =>
        method === 'GET' &&
        !path.startsWith('/api/users/') &&
        !path.includes('personal_api_keys/{') &&
        // Nothing has failed, so there is none to read.
        !path.includes('dead_letters/{'),
    );
    const tried = await tryAll(reads, member.personalKey);
    expect(shown(tried.filter(({ status }) => status !== 200))).toEqual([]);
  });
});

it('would notice a write: the owner can do what the others could not', async () => {
  const rename = await owner.patch('/api/organizations/@current/', { body: { name: 'Renamed' } });
  expect(rename.status).toBe(200);
  expect(await everything(owner.get, api)).not.toEqual(before);
});
