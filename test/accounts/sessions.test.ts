import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { call, clientFor } from '../support/client.ts';
import { addMember, cookieOf } from '../support/people.ts';
import { startServer, type TestServer } from '../support/server.ts';

const ADMIN = { initAdminEmail: 'ada@example.org', initAdminPassword: 'correct horse' };
const RIGHT = { email: 'Ada@Example.org', password: 'correct horse' };

let server: TestServer;
let client: ReturnType<typeof clientFor>;
beforeEach(async () => {
  server = await startServer({ config: ADMIN });
  client = clientFor(server);
});
afterEach(() => server.close());

const signIn = (body: unknown = RIGHT) => client.post('/api/login/', { key: null, body });
const withCookie = (cookie: string, headers: Record<string, string> = {}) => ({
  key: null,
  headers: { cookie, ...headers },
});

describe('signing in', () => {
  it('opens a session that the browser keeps from scripts and from other sites', async () => {
    const { status, body, headers } = await signIn();
    expect(status).toBe(200);
    expect(body).toEqual({
      success: true,
      user: expect.objectContaining({ id: 1, email: 'ada@example.org', first_name: 'Owner' }),
    });
    expect(headers.getSetCookie()[0]).toMatch(
      /^cairn_session=[0-9A-Za-z]{43}; Path=\/; Expires=Thu, 29 Jan 2026 12:00:00 GMT; HttpOnly; SameSite=Lax$/,
    );
    expect((await client.get('/api/users/@me/', withCookie(cookieOf(headers)))).body.email).toBe('ada@example.org');
  });

  it('marks the cookie as secure where a proxy says that the site is encrypted', async () => {
    const behind = await startServer({ config: { ...ADMIN, trustProxy: true } });
    const headers = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'cairn.example.org' };
    const answer = await call(behind.url, 'POST', '/api/login/', { key: null, body: RIGHT, headers });
    await behind.close();
    expect(answer.headers.get('set-cookie')).toContain('; Secure;');
  });

  it.each([
    ['a wrong password', { ...RIGHT, password: 'correct hors' }],
    ['a wrong address', { ...RIGHT, email: 'nobody@example.org' }],
  ])('says the same for %s', async (_name, body) => {
    const answer = await signIn(body);
    expect([answer.status, answer.body]).toEqual([
      400,
      { type: 'validation_error', code: 'invalid_credentials', detail: 'Invalid email or password.', attr: null },
    ]);
    expect(answer.headers.get('set-cookie')).toBeNull();
  });

  it('is throttled after five attempts on one account, and open again a minute later', async () => {
    for (let i = 0; i < 5; i++) expect((await signIn({ ...RIGHT, password: 'wrong' })).status).toBe(400);
    server.setNow('2026-01-15T12:00:10Z');
    const { status, body, headers } = await signIn();
    expect(status).toBe(429);
    expect(headers.get('retry-after')).toBe('50');
    expect(body).toEqual({
      type: 'throttled_error',
      code: 'throttled',
      detail: 'Request was throttled. Expected available in 50 seconds.',
      attr: null,
    });
    server.setNow('2026-01-15T12:01:00Z');
    expect((await signIn()).status).toBe(200);
  });

  it('counts attempts that run side by side', async () => {
    const attempts = await Promise.all(Array.from({ length: 8 }, () => signIn({ ...RIGHT, password: 'wrong' })));
    const throttled = attempts.filter((answer) => answer.status === 429);
    expect(throttled).toHaveLength(3);
  });

  it('is throttled for an address that tries many accounts', async () => {
    const attempt = (i: number) => signIn({ email: `user${i}@example.org`, password: 'wrong' });
    const first = await Promise.all(Array.from({ length: 20 }, (_, i) => attempt(i)));
    expect(new Set(first.map((answer) => answer.status))).toEqual(new Set([400]));
    expect((await attempt(20)).status).toBe(429);
  });
});

describe('a session', () => {
  it('ends when it expires', async () => {
    const cookie = cookieOf((await signIn()).headers);
    server.setNow('2026-01-29T11:59:59Z');
    expect((await client.get('/api/users/@me/', withCookie(cookie))).status).toBe(200);
    server.setNow('2026-01-29T12:00:00Z');
    const { status, body } = await client.get('/api/users/@me/', withCookie(cookie));
    expect([status, body.code]).toEqual([401, 'not_authenticated']);
  });

  it('ends when its user signs out, and the cookie is taken back', async () => {
    const cookie = cookieOf((await signIn()).headers);
    const other = cookieOf((await signIn()).headers);
    const { status, body, headers } = await client.post('/api/logout/', withCookie(cookie));
    expect([status, body]).toEqual([204, '']);
    expect(headers.get('set-cookie')).toContain('cairn_session=; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT');
    expect((await client.get('/api/users/@me/', withCookie(cookie))).status).toBe(401);
    expect((await client.get('/api/users/@me/', withCookie(other))).status).toBe(200);
    expect((await client.post('/api/logout/', { key: null })).status).toBe(204);
  });

  it('is no key, and a garbage one is none', async () => {
    const cookie = cookieOf((await signIn()).headers);
    const value = cookie.split('=')[1] ?? '';
    expect((await client.get('/api/users/@me/', { key: value })).status).toBe(401);
    expect((await client.get('/api/users/@me/', withCookie('cairn_session=garbage'))).status).toBe(401);
    expect((await client.get('/api/users/@me/', withCookie('cairn_session='))).status).toBe(401);
  });
});

describe('requests that another site makes a browser send', () => {
  const rename = (cookie: string, origin: string | undefined) =>
    client.patch('/api/users/@me/', {
      ...withCookie(cookie, origin === undefined ? {} : { origin }),
      body: { first_name: 'Ada' },
    });

  it('are refused: writing with a session needs our own origin', async () => {
    const cookie = cookieOf((await signIn()).headers);
    for (const origin of ['https://evil.example.org', 'null', `${server.url}.evil.test`, 'http://127.0.0.1:1']) {
      const { status, body } = await rename(cookie, origin);
      expect([status, body.code]).toEqual([403, 'permission_denied']);
      expect(body.detail).toMatch(/^CSRF Failed: /);
    }
    expect((await client.get('/api/users/@me/')).body.first_name).toBe('Owner');
    expect((await rename(cookie, new URL(server.url).origin)).status).toBe(200);
    expect((await rename(cookie, undefined)).status).toBe(200);
  });

  it('may read, since they cannot see the answer', async () => {
    const cookie = cookieOf((await signIn()).headers);
    const answer = await client.get('/api/users/@me/', withCookie(cookie, { origin: 'https://evil.example.org' }));
    expect(answer.status).toBe(200);
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('do not matter to callers with a key', async () => {
    const headers = { origin: 'https://app.example.org' };
    expect((await client.patch('/api/users/@me/', { headers, body: { first_name: 'Ada' } })).status).toBe(200);
  });
});

describe('the set-up link of the first start', () => {
  const setUp = (url: string, token: string, email = 'ada@example.org') =>
    call(url, 'POST', '/api/setup/', {
      key: null,
      body: { token, email, password: 'correct horse', first_name: 'Ada' },
    });

  it('ends when the first user gets a password another way', async () => {
    const fresh = await startServer();
    try {
      const { url, setupToken, personalKey } = fresh;
      const body = { email: 'owner@example.org', password: 'correct horse' };
      expect((await call(url, 'PATCH', '/api/users/@me/', { key: personalKey, body })).status).toBe(200);
      expect((await setUp(url, setupToken ?? '')).status).toBe(403);
    } finally {
      await fresh.close();
    }
  });

  it('makes the first user, once, and is not there when an admin was named', async () => {
    const fresh = await startServer();
    const { url, setupToken } = fresh;
    try {
      expect(setupToken).toMatch(/^[0-9A-Za-z]{43}$/);
      expect((await setUp(url, 'guessed')).status).toBe(403);
      const weak = { token: setupToken, email: 'ada@example.org', password: 'short' };
      const short = await call(url, 'POST', '/api/setup/', { key: null, body: weak });
      expect([short.status, short.body.code]).toEqual([400, 'password_too_short']);

      await addMember(fresh, 'grace@example.org');
      const taken = await setUp(url, setupToken ?? '', 'Grace@example.org');
      expect([taken.status, taken.body.code, taken.body.attr]).toEqual([400, 'unique', 'email']);

      const used = await setUp(url, setupToken ?? '', 'Ada@Example.org');
      expect([used.status, used.body.user.email, used.body.user.first_name]).toEqual([200, 'ada@example.org', 'Ada']);
      const me = await call(url, 'GET', '/api/users/@me/', withCookie(cookieOf(used.headers)));
      expect([me.body.id, me.body.has_password]).toEqual([1, true]);

      const again = await setUp(url, setupToken ?? '');
      expect([again.status, again.body.detail]).toEqual([
        403,
        'This set-up link is not valid, or has been used. Sign in instead.',
      ]);
    } finally {
      await fresh.close();
    }
    const named = await setUp(server.url, '');
    expect(named.status).toBe(400);
    expect((await setUp(server.url, 'anything')).status).toBe(403);
  });
});
