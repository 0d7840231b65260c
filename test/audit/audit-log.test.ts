import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call, clientFor } from '../support/client.ts';
import { addMember, type TestMember } from '../support/people.ts';
import { scopedKey } from '../support/scoped-keys.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let owner: ReturnType<typeof clientFor>;
let member: TestMember;
const AUDIT = '/api/organizations/@current/audit/';

beforeAll(async () => {
  server = await startServer({ config: { trustProxy: true } });
  owner = clientFor(server);
  member = await addMember(server, 'ada@example.org');
});
afterAll(() => server.close());

async function download(path: string) {
  const authorization = `Bearer ${server.personalKey}`;
  const response = await fetch(new URL(path, server.url), { headers: { authorization } });
  return { text: await response.text(), headers: response.headers };
}

const newest = async (query = '') => (await owner.get(`${AUDIT}?limit=1&${query}`)).body.results[0];

describe('the audit log', () => {
  it('says who changed what, from where and with which key', async () => {
    const path = `/api/organizations/@current/members/${member.uuid}/`;
    expect((await owner.patch(path, { body: { level: 8 } })).status).toBe(200);
    const [key] = await server.metadata.personalKeys.listByUser(1);
    expect(await newest()).toEqual({
      number: expect.any(Number),
      created_at: '2026-01-15T12:00:00Z',
      user: { uuid: expect.any(String), first_name: 'Owner', email: expect.any(String) },
      activity: 'updated',
      scope: 'OrganizationMembership',
      item_id: member.uuid,
      name: 'ada@example.org',
      project_id: null,
      changes: [{ field: 'level', action: 'changed', before: 1, after: 8 }],
      via: 'personal_key',
      key: { id: key?.id, label: 'First start' },
      session: null,
      client: null,
      address: '127.0.0.x',
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    await owner.patch(path, { body: { level: 1 } });
  });

  it('says by which session', async () => {
    const headers = { cookie: member.cookie };
    const made = await owner.post('/api/personal_api_keys/', {
      key: null,
      headers,
      body: { label: 'CI', scopes: ['query:read'] },
    });
    expect(made.status).toBe(201);
    const entry = await newest();
    expect(entry).toMatchObject({
      activity: 'created',
      scope: 'PersonalAPIKey',
      name: 'CI',
      via: 'session',
      key: null,
    });
    const user = await server.metadata.users.getByUuid(member.uuid);
    expect(entry.session).toEqual(expect.any(String));
    expect(entry.user.uuid).toBe(user?.uuid);
  });

  it('says when a key is first used from a network, once', async () => {
    const entries = async () =>
      (await owner.get(`${AUDIT}?activity=used_from_new_network`)).body.results.filter(
        ({ name }: { name: string }) => name === 'Roaming',
      );
    const value = await scopedKey(server, ['user:read'], { label: 'Roaming', id: 'roaming' });
    const useFrom = async (address: string) =>
      expect((await owner.get('/api/users/@me/', { key: value, headers: { 'x-forwarded-for': address } })).status).toBe(
        200,
      );
    await useFrom('192.0.2.7');
    await useFrom('192.0.2.8');
    await useFrom('2001:db8:1:2::3');
    await useFrom('2001:db8:1:2::4');
    await useFrom('192.0.2.9');
    await expect.poll(entries).toHaveLength(2);
    const [newer, older] = await entries();
    expect(older).toMatchObject({
      scope: 'PersonalAPIKey',
      item_id: 'roaming',
      via: 'personal_key',
      key: { id: 'roaming', label: 'Roaming' },
      address: '192.0.2.x',
      changes: null,
      user: { first_name: 'Owner' },
    });
    expect(newer.address).toMatch(/^2001:db8:1:2/);
  });

  it('says it ten times an hour and key, and the rest later', async () => {
    const entries = async () => (await owner.get(`${AUDIT}?activity=used_from_new_network&limit=100`)).body.results;
    const value = await scopedKey(server, ['user:read'], { label: 'Cloud' });
    const use = (network: number) =>
      owner.get('/api/users/@me/', { key: value, headers: { 'x-forwarded-for': `198.51.${network}.1` } });
    const ofCloud = async () => (await entries()).filter(({ name }: { name: string }) => name === 'Cloud').length;
    for (let network = 0; network < 12; network++) await use(network);
    await expect.poll(ofCloud).toBe(10);
    server.setNow('2026-01-15T13:00:01Z');
    await use(3);
    await use(11);
    await expect.poll(ofCloud).toBe(11);
    server.setNow('2026-01-15T12:00:00Z');
  });

  it('has no values of settings and flags, only which fields changed', async () => {
    await owner.patch('/api/projects/1/', {
      body: { slack_incoming_webhook: 'https://hooks.example.org/secret-path' },
    });
    const entry = await newest('scope=Team');
    expect(entry.changes).toEqual([{ field: 'slack_incoming_webhook', action: 'created' }]);
    await owner.post('/api/projects/1/feature_flags/', { body: { key: 'a-flag' } });
    expect(await newest('scope=FeatureFlag')).toMatchObject({ activity: 'created', name: 'a-flag', project_id: 1 });
    expect(JSON.stringify((await owner.get(AUDIT)).body)).not.toContain('secret-path');
  });

  it('is filtered by scope, activity, user and time', async () => {
    const count = async (query: string) => (await owner.get(`${AUDIT}?${query}`)).body.count as number;
    expect(await count(`user=${member.uuid}&scope=PersonalAPIKey`)).toBe(2);
    expect(await count('activity=exported')).toBe(0);
    expect(await count('user=018f0000-0000-7000-8000-000000000000')).toBe(0);
    expect(await count('after=2026-01-15T12:00:00Z')).toBe(await count(''));
    expect(await count('before=2026-01-15')).toBe(0);
    for (const query of ['after=yesterday', 'before=x', 'format=xml']) {
      const { status, body } = await owner.get(`${AUDIT}?${query}`);
      expect([status, body.attr]).toEqual([400, query.split('=')[0]]);
    }
  });

  it('is exported as JSON lines and CSV, which it says itself', async () => {
    const { text, headers } = await download(`${AUDIT}?format=jsonl`);
    const lines = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { number: number });
    expect(headers.get('content-disposition')).toBe('attachment; filename="audit.jsonl"');
    expect(lines[0]).toMatchObject({ activity: 'exported', scope: 'Audit', name: 'jsonl' });
    expect(lines.map(({ number }) => number)).toEqual(lines.map((_, i) => lines.length - i));
    const csv = await owner.get(`${AUDIT}?format=csv&scope=OrganizationMembership`);
    const [header, first] = String(csv.body).split(/\r?\n/);
    expect(header).toBe('number,created_at,user,activity,scope,item_id,name,project_id,changes,via,key,address,hash');
    expect(first).toContain(',updated,OrganizationMembership,');
  });

  it('has exports of persons', async () => {
    await owner.get('/api/projects/1/persons.csv');
    expect(await newest()).toMatchObject({ activity: 'exported', scope: 'Person', project_id: 1, name: null });
  });

  it('is for admins, and for keys with its scope', async () => {
    expect((await owner.get(AUDIT, { key: member.personalKey })).status).toBe(403);
    expect((await owner.get(AUDIT, { key: await scopedKey(server, ['activity_log:read']) })).status).toBe(200);
    expect((await owner.get(AUDIT, { key: await scopedKey(server, ['organization:write']) })).status).toBe(403);
  });

  it('cannot be changed or removed over the API', async () => {
    const before = (await owner.get(AUDIT)).body;
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      for (const path of [AUDIT, `${AUDIT}1/`]) {
        const { status } = await call(server.url, method, path, { key: server.personalKey, body: { name: 'x' } });
        expect([method, path, [404, 405].includes(status)]).toEqual([method, path, true]);
      }
    }
    expect((await owner.get(AUDIT)).body).toEqual(before);
  });

  it('outlives what it is about, and the chain holds', async () => {
    const made = (await owner.post('/api/organizations/', { body: { name: 'Short-lived' } })).body;
    expect((await owner.delete(`/api/organizations/${made.id}/`)).status).toBe(204);
    const { items } = await server.metadata.audit.list({ organizationId: made.id }, { limit: 9, offset: 0 });
    expect(items.map(({ activity, scope }) => [activity, scope])).toEqual([
      ['deleted', 'Organization'],
      ['created', 'Organization'],
    ]);
    expect(await server.metadata.audit.findBroken()).toEqual([]);
  });
});
