/** Throttling of wrong passwords and keys, security headers, cookies, webhook URLs. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call, clientFor } from '../support/client.ts';
import { addMember } from '../support/people.ts';
import { sendJson } from '../support/send.ts';
import { startServer, type TestServer } from '../support/server.ts';

const ADMIN = { initAdminEmail: 'ada@example.org', initAdminPassword: 'correct horse' };
const RIGHT = { email: 'ada@example.org', password: 'correct horse' };
const WRONG = { ...RIGHT, password: 'wrong' };

let server: TestServer;
let client: ReturnType<typeof clientFor>;
beforeAll(async () => {
  const config = { ...ADMIN, trustProxy: true, publicUrl: 'https://cairn.example.org' };
  server = await startServer({ config });
  client = clientFor(server);
});
afterAll(() => server.close());

/** As a proxy that is trusted passes it on. */
const from = (address: string, more: Record<string, string> = {}) => ({ 'x-forwarded-for': address, ...more });
const signIn = (body: unknown, address: string, more: Record<string, string> = {}) =>
  client.post('/api/login/', { key: null, body, headers: from(address, more) });
let minute = 0;
const nextMinute = (): void => server.setNow(new Date(Date.UTC(2026, 0, 15, 13, ++minute)).toISOString());

const deviceOf = (headers: Headers): string =>
  headers
    .getSetCookie()
    .find((cookie) => cookie.startsWith('__Host-cairn_device='))
    ?.split(';', 1)[0] ?? '';

describe('guessing a password', () => {
  it('is slowed by the account from wherever it is tried, but not for a browser that has signed in before', async () => {
    const first = await signIn(RIGHT, '203.0.113.1');
    const device = deviceOf(first.headers);
    const attempts = await Promise.all(Array.from({ length: 6 }, (_, i) => signIn(WRONG, `203.0.113.${i}`)));
    expect(attempts.map(({ status }) => status).sort()).toEqual([400, 400, 400, 400, 400, 429]);
    const refused = await signIn(RIGHT, '203.0.113.1');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60']);
    expect((await signIn(RIGHT, '203.0.113.1', { cookie: device })).status).toBe(200);
  });

  it('is slowed with a key too, where a change asks for the password', async () => {
    nextMinute();
    const change = () =>
      client.patch('/api/users/@me/', { body: { password: 'something new', current_password: 'wrong' } });
    const answers = await Promise.all(Array.from({ length: 6 }, change));
    expect(answers.map(({ body }) => body.code).sort()).toEqual([...Array(5).fill('incorrect_password'), 'throttled']);
  });
});

describe('guessing a key', () => {
  it('is slowed by the address, and only for those who guess', async () => {
    nextMinute();
    const guess = (key: string, address = '192.0.2.1') =>
      client.get('/api/users/@me/', { key, headers: from(address) });
    expect((await guess(server.personalKey, '192.0.2.9')).status).toBe(200);
    for (let i = 0; i < 60; i++) expect((await guess(`phx_${i}`)).status).toBe(401);
    const { status, body, headers } = await guess('phx_61');
    expect([status, body.code, headers.get('retry-after')]).toEqual([429, 'throttled', '60']);
    // One that was in use goes on working, even behind the same address.
    expect((await guess(server.personalKey)).status).toBe(200);
    expect((await guess('phx_62', '192.0.2.2')).status).toBe(401);
    const secret = '/flags/definitions';
    expect((await client.get(secret, { key: 'phs_1', headers: from('192.0.2.1') })).status).toBe(429);
    nextMinute();
    expect((await guess('phx_63')).status).toBe(401);
  });

  it.each([
    ['/capture/', (key: string) => ({ api_key: key, event: 'seen', distinct_id: 'ada', project_id: 1 }), {}],
    ['/decide/', (key: string) => ({ token: key, distinct_id: 'ada', project_id: 1 }), {}],
    [
      '/flags/',
      (key: string) => ({ token: key, distinct_id: 'ada', project_id: 1 }),
      { 'content-encoding': 'identity' },
    ],
  ])('counts on %s too, and there nothing is learnt either', async (path, bodyWith, more) => {
    nextMinute();
    const headers = from('192.0.2.50', more as Record<string, string>);
    const send = (key: string) => sendJson(server.url, path, bodyWith(key), headers);
    const fresh = await client.post('/api/personal_api_keys/', { body: { label: `for ${path}`, scopes: ['*'] } });
    for (let i = 0; i < 60; i++) expect((await send(`phx_${i}`)).status).toBe(401);
    // The right one, which was never used before, looks as wrong as the others.
    expect((await send(fresh.body.value)).json.code).toBe('invalid_personal_api_key');
    const guess = { key: 'phx_61', headers: from('192.0.2.50') };
    expect((await client.get('/api/users/@me/', guess)).status).toBe(429);
    nextMinute();
    expect((await send(fresh.body.value)).status).toBe(200);
  });

  it('is never an answer of capture, or of flags', async () => {
    nextMinute();
    const headers = from('192.0.2.3');
    const event = { event: 'seen', distinct_id: 'ada' };
    const statuses = new Set<number>();
    for (let i = 0; i < 80; i++) {
      statuses.add((await sendJson(server.url, '/capture/', { api_key: `phx_${i}`, ...event }, headers)).status);
    }
    expect(statuses).toEqual(new Set([401]));
    const right = { api_key: server.projectKey, ...event };
    for (const path of ['/capture/', '/decide/']) {
      expect((await sendJson(server.url, path, right, headers)).status).toBe(200);
    }
  });
});

describe('whose address it is', () => {
  it('is decided by TRUST_PROXY: others cannot make one up', async () => {
    const direct = await startServer({ config: ADMIN });
    try {
      const attempt = (i: number) =>
        call(direct.url, 'GET', '/api/users/@me/', { key: `phx_${i}`, headers: from(`203.0.113.${i}`) });
      for (let i = 0; i < 60; i++) expect((await attempt(i)).status).toBe(401);
      expect((await attempt(61)).status).toBe(429);
    } finally {
      await direct.close();
    }
  });
});

describe('headers', () => {
  const DATA = {
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'cross-origin-resource-policy': 'same-origin',
    'strict-transport-security': 'max-age=31536000',
  };
  it.each([
    ['/api/users/@me/', 200],
    ['/api/projects/999999/', 404],
    ['/api/nothing/', 404],
    ['/api/schema/', 200],
    ['/_status', 200],
    ['/metrics', 200],
  ])('of %s say that it is data, and whose', async (path, status) => {
    const answer = await client.get(path);
    const headers = Object.fromEntries(Object.keys(DATA).map((name) => [name, answer.headers.get(name)]));
    const expected = path === '/api/schema/' ? { ...PAGE, ...headers } : DATA;
    expect([answer.status, headers]).toEqual([status, expected]);
  });

  const PAGE = { 'x-content-type-options': 'nosniff', 'strict-transport-security': 'max-age=31536000' };
  it('of pages keep browsers to https', async () => {
    for (const path of ['/docs/', '/login', '/api/schema/']) {
      const { headers } = await client.get(path, { key: null });
      expect(Object.fromEntries(Object.keys(PAGE).map((name) => [name, headers.get(name)]))).toEqual(PAGE);
    }
  });

  it('say nothing of https where the server is not reached by it', async () => {
    const plain = await startServer();
    try {
      const { headers } = await call(plain.url, 'GET', '/api/users/@me/');
      expect(headers.get('strict-transport-security')).toBeNull();
    } finally {
      await plain.close();
    }
  });
});

describe('cookies', () => {
  it('travel encrypted where the public address is https, and are nothing for scripts and other sites', async () => {
    nextMinute();
    const { headers } = await signIn(RIGHT, '203.0.113.1', { origin: 'https://cairn.example.org' });
    const [session, device] = headers.getSetCookie();
    expect(session).toMatch(/^__Host-cairn_session=\w{43}; Path=\/; Expires=[^;]+; HttpOnly; Secure; SameSite=Lax$/);
    expect(device).toMatch(/^__Host-cairn_device=.+; Max-Age=31536000; Path=\/; HttpOnly; Secure; SameSite=Strict$/);
  });

  it.each([
    ['an origin', { origin: 'https://evil.example.org' }],
    ['no origin, but word of another site', { 'sec-fetch-site': 'cross-site' }],
  ])('are not set for another site, which would sign people in as somebody else: %s', async (_name, more) => {
    nextMinute();
    const { status, body, headers } = await signIn(RIGHT, '203.0.113.1', more as Record<string, string>);
    expect([status, body.code, headers.getSetCookie()]).toEqual([403, 'permission_denied', []]);
  });
});

describe('the address of a webhook', () => {
  const HOOK = 'https://hooks.example.org/services/T0/B0/secret';
  const project = '/api/projects/1/';

  it('is shown whole to those who can change it, and to nobody in the activity', async () => {
    nextMinute();
    const member = await addMember(server, 'linus@example.org');
    expect((await client.patch(project, { body: { slack_incoming_webhook: HOOK } })).status).toBe(200);
    await client.patch(project, { body: { slack_incoming_webhook: `${HOOK}2` } });
    expect((await client.get(project)).body.slack_incoming_webhook).toBe(`${HOOK}2`);
    const seen = (await client.get(project, { key: member.personalKey })).body.slack_incoming_webhook;
    expect(seen).toBe('https://hooks.example.org/…');
    for (const key of [server.personalKey, member.personalKey]) {
      const { body } = await client.get('/api/organizations/@current/activity/?limit=5', { key });
      // Between them the first use of the member's key is noted.
      const changes = body.results.flatMap((entry: { detail: { changes: unknown[] | null } }) =>
        entry.detail.changes === null ? [] : [entry.detail.changes],
      );
      expect(changes.slice(0, 2)).toEqual([
        [expect.objectContaining({ field: 'slack_incoming_webhook', before: seen, after: seen })],
        [expect.objectContaining({ field: 'slack_incoming_webhook', before: null, after: seen })],
      ]);
    }
  });

  it.each(['http://127.0.0.1:8000/', 'http://169.254.169.254/', 'http://[::1]/', 'http://localhost/'])(
    'is not of a private network unless the operator allows it: %s',
    async (url) => {
      const { status, body } = await client.patch(project, { body: { slack_incoming_webhook: url } });
      expect([status, body.attr]).toEqual([400, 'slack_incoming_webhook']);
      expect(body.detail).toContain('WEBHOOK_ALLOW_PRIVATE');
    },
  );
});
