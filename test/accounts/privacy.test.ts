/** What callers must not learn, and where secrets must not be. */
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, call, clientFor } from '../support/client.ts';
import { addMember, cookieOf, type TestMember } from '../support/people.ts';
import { startServer, type TestProject, type TestServer } from '../support/server.ts';

const ADMIN = { initAdminEmail: 'ada@example.org', initAdminPassword: 'correct horse' };
const PUBLIC = 'https://cairn.example.org';

let server: TestServer;
let client: ReturnType<typeof clientFor>;
let foreign: TestProject;
let member: TestMember;
beforeAll(async () => {
  server = await startServer({ config: ADMIN });
  client = clientFor(server);
  foreign = await server.createProject({ foreign: true });
  member = await addMember(server, 'member@example.org');
});
afterAll(() => server.close());

let minute = 0;
const nextMinute = (): void => server.setNow(new Date(Date.UTC(2026, 0, 15, 13, ++minute)).toISOString());
const signIn = (email: string, password: string, url = server.url): Promise<Answer> =>
  call(url, 'POST', '/api/login/', { key: null, body: { email, password } });
const median = (times: number[]): number => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;

describe('a project of others', () => {
  it.each([
    ['GET', ''],
    ['PATCH', ''],
    ['GET', 'events/'],
    ['GET', 'feature_flags/'],
    ['GET', 'event_definitions/'],
    ['PATCH', 'reset_token/'],
    ['DELETE', ''],
  ])('looks like one that does not exist: %s %s', async (method, path) => {
    const answers = await Promise.all(
      [foreign.projectId, 987_654].map((id) => call(server.url, method, `/api/projects/${id}/${path}`)),
    );
    const [theirs, none] = answers.map(({ status, body }) => [status, body]);
    expect(theirs).toEqual(none);
    expect(theirs?.[0]).toBe(404);
  });
});

describe('an address with an account', () => {
  it('cannot be told from one without by signing in: the same answer after the same work', async () => {
    const times: Record<string, number[]> = { known: [], unknown: [] };
    const bodies = new Set<string>();
    for (let i = 0; i < 7; i++) {
      nextMinute();
      for (const [kind, email] of [
        ['known', 'ada@example.org'],
        ['unknown', `nobody-${i}@example.org`],
      ] as const) {
        const start = performance.now();
        const { status, body } = await signIn(email, 'not the password');
        times[kind]?.push(performance.now() - start);
        bodies.add(JSON.stringify([status, body]));
      }
    }
    expect(bodies.size).toBe(1);
    const [known, unknown] = [median(times['known'] ?? []), median(times['unknown'] ?? [])];
    // Without the work for unknown addresses it would be a tenth or less.
    expect(Math.min(known, unknown) / Math.max(known, unknown)).toBeGreaterThan(0.4);
  });
});

describe('the own address and password', () => {
  const change = (body: object) =>
    client.patch('/api/users/@me/', { key: null, headers: { cookie: member.cookie }, body });

  it('are changed with the current password only', async () => {
    nextMinute();
    const without = await change({ email: 'moved@example.org' });
    expect([without.status, without.body.attr, without.body.code]).toEqual([400, 'current_password', 'required']);
    const wrong = await change({ email: 'moved@example.org', current_password: 'not the password' });
    expect([wrong.status, wrong.body.code]).toEqual([400, 'incorrect_password']);
    expect((await change({ email: 'member@example.org', first_name: 'Mo' })).status).toBe(200);
  });

  it.each(['member@example.org', 'password', 'aaaaaaaaaaaa', '123456789'])('refuse weak ones: %s', async (password) => {
    nextMinute();
    const { status, body } = await change({ password, current_password: member.password });
    expect([status, body.attr]).toEqual([400, 'password']);
    expect(body.code).toMatch(/^password_too_(common|similar)$/);
  });
});

describe('the activity log', () => {
  it('has sign-ins, failed ones, keys, passwords and addresses, for admins only, without secrets', async () => {
    const fresh = await startServer({ config: ADMIN });
    try {
      const own = clientFor(fresh);
      const cookie = cookieOf((await signIn(ADMIN.initAdminEmail, ADMIN.initAdminPassword, fresh.url)).headers);
      await signIn(ADMIN.initAdminEmail, 'not the password', fresh.url);
      const key = (await own.post('/api/personal_api_keys/', { body: { label: 'CI', scopes: ['*'] } })).body;
      await own.delete(`/api/personal_api_keys/${key.id}/`);
      const change = (body: object) => own.patch('/api/users/@me/', { key: null, headers: { cookie }, body });
      await change({ password: 'another horse', current_password: ADMIN.initAdminPassword });
      await change({ email: 'lovelace@example.org', current_password: 'another horse' });
      const plain = await addMember(fresh, 'plain@example.org');

      const { body } = await own.get('/api/organizations/@current/activity/?limit=100');
      const entries: {
        activity: string;
        scope: string;
        detail: { name: string; changes: { field: string }[] | null };
      }[] = body.results;
      const lines = entries.map(({ activity, scope, detail }) =>
        [activity, scope, detail.name, ...(detail.changes ?? []).map(({ field }) => field)].join(' '),
      );
      expect(lines).toEqual(
        expect.arrayContaining([
          'logged_in User ada@example.org',
          'login_failed User ada@example.org',
          'created PersonalAPIKey CI',
          'deleted PersonalAPIKey CI',
          'updated User ada@example.org password',
          'updated User ada@example.org email',
          'created OrganizationInvite plain@example.org',
          'created OrganizationMembership plain@example.org',
          'logged_in User plain@example.org',
        ]),
      );
      const text = JSON.stringify(body);
      for (const secret of [key.value, 'another horse', 'not the password']) expect(text).not.toContain(secret);
      const seen = (await own.get('/api/organizations/@current/activity/?limit=100', { key: plain.personalKey })).body;
      expect(seen.results.map(({ scope }: { scope: string }) => scope)).not.toContain('User');
      expect(seen.results.map(({ scope }: { scope: string }) => scope)).not.toContain('PersonalAPIKey');
    } finally {
      await fresh.close();
    }
  });
});

describe('links to further pages', () => {
  it('have no personal or secret key', async () => {
    const path = `/api/organizations/@current/members/?limit=1&personal_api_key=${server.personalKey}&token=phs_secret`;
    const { status, body } = await call(server.url, 'GET', path, { key: null });
    expect([status, body.next]).toEqual([200, `${server.url}/api/organizations/@current/members/?limit=1&offset=1`]);
  });
});

/** `fetch` does not send a Host header of choice. */
const statusOf = (url: string, path: string, headers: Record<string, string>): Promise<number> =>
  new Promise((resolve, reject) => {
    request(new URL(path, url), { headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    })
      .on('error', reject)
      .end();
  });

describe('metrics and status', () => {
  it.each(['/metrics', '/_status'])(
    '%s is for this machine and for keys; a proxy is not this machine',
    async (path) => {
      expect(await statusOf(server.url, path, {})).toBe(200);
      for (const proxied of [
        { 'x-forwarded-for': '127.0.0.1' },
        { 'x-real-ip': '127.0.0.1' },
        { forwarded: 'for=::1' },
      ]) {
        expect(await statusOf(server.url, path, proxied)).toBe(401);
        const bearer = { ...proxied, authorization: `Bearer ${server.personalKey}` };
        expect(await statusOf(server.url, path, bearer)).toBe(200);
        expect(await statusOf(server.url, path, { ...proxied, cookie: member.cookie })).toBe(200);
        expect(await statusOf(server.url, path, { ...proxied, authorization: 'Bearer phx_wrong' })).toBe(401);
      }
      for (const open of ['/_livez', '/_readyz']) {
        expect(await statusOf(server.url, open, { 'x-forwarded-for': '203.0.113.1' })).toBe(200);
      }
    },
  );

  it('are for everybody where the operator says so, and nobody can fake an address by TRUST_PROXY', async () => {
    const open = await startServer({ config: { monitoringPublic: true } });
    const trusting = await startServer({ config: { trustProxy: true } });
    try {
      expect(await statusOf(open.url, '/_status', { 'x-forwarded-for': '203.0.113.1' })).toBe(200);
      expect(await statusOf(trusting.url, '/_status', { 'x-forwarded-for': '127.0.0.1' })).toBe(401);
    } finally {
      await open.close();
      await trusting.close();
    }
  });
});

describe('sessions on https', () => {
  it('ignore cookies without the prefix, which a subdomain could plant, and the unencrypted page of the same host', async () => {
    const secure = await startServer({ config: { ...ADMIN, publicUrl: PUBLIC } });
    try {
      const cookie = cookieOf((await signIn(ADMIN.initAdminEmail, ADMIN.initAdminPassword, secure.url)).headers);
      const value = cookie.split('=')[1];
      const me = (sent: string) => call(secure.url, 'GET', '/api/users/@me/', { key: null, headers: { cookie: sent } });
      expect((await me(cookie)).status).toBe(200);
      expect((await me(`cairn_session=${value}`)).status).toBe(401);
      expect((await me(`cairn_session=planted; ${cookie}`)).status).toBe(200);

      const rename = (origin: string) =>
        call(secure.url, 'PATCH', '/api/users/@me/', {
          key: null,
          headers: { cookie, origin },
          body: { first_name: 'A' },
        });
      expect((await rename(PUBLIC)).status).toBe(200);
      expect((await rename('http://cairn.example.org')).status).toBe(403);

      const out = await call(secure.url, 'POST', '/api/logout/', { key: null, headers: { cookie } });
      expect(out.headers.getSetCookie().map((one) => one.split('=')[0])).toEqual([
        'cairn_session',
        '__Host-cairn_session',
      ]);
      expect((await me(cookie)).status).toBe(401);
    } finally {
      await secure.close();
    }
  });
});
