/** Named secret keys of a project: for servers that evaluate flags themselves, and nothing else. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call, clientFor } from '../support/client.ts';
import { addMember } from '../support/people.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let client: ReturnType<typeof clientFor>;
const all = '/api/projects/1/secret_keys/';

beforeAll(async () => {
  server = await startServer();
  client = clientFor(server);
  await client.post('/api/projects/1/feature_flags/', { body: { key: 'on' } });
});
afterAll(() => server.close());

const create = async (label: string) => (await client.post(all, { body: { label } })).body;
const definitions = (key: string) =>
  call(server.url, 'GET', `/api/feature_flag/local_evaluation/?token=${server.projectKey}`, { key });
const decide = (key: string) => call(server.url, 'POST', '/flags/?v=2', { body: { api_key: key, distinct_id: 'ada' } });

describe('a named secret key', () => {
  it('is shown once, and listed without its value', async () => {
    const { value, created_by, ...made } = await create('Orders service');
    expect(value).toMatch(/^phs_\w{40,}$/);
    expect(created_by.id).toBe(1);
    expect(made).toEqual({
      id: made.id,
      label: 'Orders service',
      mask_value: `phs_...${value.slice(-4)}`,
      created_at: expect.any(String),
      last_rolled_at: null,
    });
    const list = (await client.get(all)).body;
    expect(list).toEqual([{ ...made, created_by }]);
    expect(JSON.stringify(list)).not.toContain(value);
  });

  it('opens local evaluation and flags, beside others of the project', async () => {
    const [one, two] = [await create('one'), await create('two')];
    const old = (await client.patch('/api/projects/1/rotate_secret_token/')).body.secret_api_token;
    for (const key of [one.value, two.value, old]) {
      const { status, body } = await definitions(key);
      expect([status, body.flags.map((flag: { key: string }) => flag.key)]).toEqual([200, ['on']]);
      expect((await decide(key)).body.flags.on.enabled).toBe(true);
    }
    expect((await call(server.url, 'GET', '/api/projects/1/', { key: one.value })).status).toBe(401);
  });

  it('gets a new value, or is deleted, alone and at once', async () => {
    const [one, two] = [await create('one'), await create('two')];
    expect([(await decide(one.value)).status, (await decide(two.value)).status]).toEqual([200, 200]);
    const rolled = await client.post(`${all}${one.id}/roll/`);
    expect([rolled.status, rolled.body.id, rolled.body.label]).toEqual([200, one.id, 'one']);
    expect(rolled.body.value).not.toBe(one.value);
    expect([(await decide(one.value)).status, (await definitions(one.value)).status]).toEqual([401, 401]);
    expect([(await decide(rolled.body.value)).status, (await decide(two.value)).status]).toEqual([200, 200]);
    expect((await client.delete(`${all}${two.id}/`)).status).toBe(204);
    expect([(await decide(two.value)).status, (await definitions(two.value)).status]).toEqual([401, 401]);
    expect((await decide(rolled.body.value)).status).toBe(200);
    const { results } = (await client.get('/api/organizations/@current/audit/?scope=ProjectSecretKey')).body;
    expect(
      results.slice(0, 2).map(({ activity, name }: { activity: string; name: string }) => [activity, name]),
    ).toEqual([
      ['deleted', 'two'],
      ['rolled', 'one'],
    ]);
  });

  it('is for admins only, and of its project only', async () => {
    const member = await addMember(server, 'member@example.org');
    const { id } = await create('guarded');
    const asMember = clientFor({ ...server, personalKey: member.personalKey });
    expect((await asMember.get(all)).status).toBe(403);
    expect((await asMember.post(all, { body: { label: 'x' } })).status).toBe(403);
    expect((await asMember.delete(`${all}${id}/`)).status).toBe(403);
    const second = await server.createProject();
    expect((await client.delete(`/api/projects/${second.projectId}/secret_keys/${id}/`)).status).toBe(404);
    expect((await client.post(`/api/projects/${second.projectId}/secret_keys/${id}/roll/`)).status).toBe(404);
  });

  it.each([[{}], [{ label: '' }], [{ label: 'x'.repeat(101) }], [{ label: ['x'] }]])(
    'is not made of %j',
    async (body) => {
      const { status, body: error } = await client.post(all, { body });
      expect([status, error.attr]).toEqual([400, 'label']);
    },
  );

  it('is one of at most twenty', async () => {
    const { length } = (await client.get(all)).body;
    for (let n = length; n < 20; n++) await create(`key ${n}`);
    const { status, body } = await client.post(all, { body: { label: 'one more' } });
    expect([status, body.attr]).toEqual([400, 'label']);
  });
});
