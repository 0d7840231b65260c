/** Signing in by a real provider: first and later sign-ins, linking, groups, factors and signing out. */
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { openLog } from '../../src/lib/log.ts';
import { clientFor } from '../support/client.ts';
import { freePort } from '../support/free-port.ts';
import { type IdentityProvider, type Person, startIdentityProvider } from '../support/identity-provider.ts';
import { addMember, invite } from '../support/people.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { TestBrowser, type Visit } from '../support/test-browser.ts';

let idp: IdentityProvider;
let server: TestServer;
let client: ReturnType<typeof clientFor>;
let origin: string;
let now = Date.now();
const lines: string[] = [];

const ROLE_MAP = {
  'cairn-admins': { level: 'admin' },
  growth: { roles: ['Growth', 'No such role'] },
  lost: { organization: 'no-such-organization' },
} as const;

beforeAll(async () => {
  const port = await freePort();
  origin = `http://127.0.0.1:${port}`;
  idp = await startIdentityProvider(origin);
  server = await startServer({
    now: new Date(now).toISOString(),
    log: openLog('debug', { write: (line: string) => void lines.push(line) }),
    config: {
      port,
      publicUrl: origin,
      oidcIssuer: idp.issuer,
      oidcClientId: idp.clientId,
      oidcClientSecret: idp.clientSecret,
      oidcName: 'Example',
      oidcDomains: ['allowed.org'],
      oidcRoleMap: ROLE_MAP,
    },
  });
  await server.metadata.organizations.getOnly().then((one) => expect(one?.id).toBe(server.organizationId));
  client = clientFor(server);
});
afterAll(async () => {
  await server?.close();
  await idp?.stop();
});
/** Limits of a minute pass, and the clock stays beside that of the provider. */
const tick = (ms = 0): void => {
  now = Date.now() + ms;
  server.setNow(new Date(now).toISOString());
};
beforeEach(async () => {
  tick();
  idp.tamper = null;
  idp.delayMs = 0;
  await server.tamper('delete from throttles');
});

const start = (next = '/account'): string => `${origin}/login/oidc/?next=${encodeURIComponent(next)}`;
/** As far as the first page of our own after the callback. */
const isOwnPage = (url: URL): boolean => url.origin === origin && !url.pathname.startsWith('/login/oidc');
const signIn = (browser: TestBrowser, person: Person, next?: string): Promise<Visit> => {
  idp.person = person;
  return browser.visit(start(next), isOwnPage);
};
const pathOf = ({ url }: Visit): string => `${url.pathname}${url.search}`;
const me = async (browser: TestBrowser) => {
  const response = await browser.fetch(new URL('/api/users/@me/', origin));
  return { status: response.status, body: await response.json() };
};
const entries = async (activity: string) =>
  (await client.get(`/api/organizations/@current/audit/?activity=${activity}`)).body.results;
const memberOf = async (email: string) => {
  const user = await server.metadata.users.getByEmail(email);
  return user && server.metadata.memberships.get(server.organizationId, user.id);
};
const post = (browser: TestBrowser, path: string, body: object, headers = {}) =>
  browser.fetch(new URL(path, origin), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

describe('a first sign-in', () => {
  it('of somebody with an invitation makes an account, which later sign-ins find by the subject', async () => {
    await invite(server, { target_email: 'ada@example.org', level: 8 });
    const browser = new TestBrowser();
    const person = { sub: 'ada', email: 'Ada@example.org', email_verified: true, name: 'Ada' };
    const first = await signIn(browser, person, '/project/1/web?x=1');
    expect(pathOf(first)).toBe('/project/1/web?x=1');
    const { status, body } = await me(browser);
    expect([status, body.email, body.first_name, body.has_password]).toEqual([200, 'ada@example.org', 'Ada', false]);
    expect(await memberOf('ada@example.org')).toMatchObject({ level: 8, ownLevel: 8 });
    expect(await server.metadata.invites.listByEmail('ada@example.org')).toEqual([]);
    const again = new TestBrowser();
    // An address that changes at the provider moves nothing.
    await signIn(again, { ...person, email: 'lovelace@example.org', name: 'Countess' });
    expect((await me(again)).body).toMatchObject({ uuid: body.uuid, email: 'ada@example.org', first_name: 'Ada' });
    const sessions = await (await again.fetch(new URL('/api/users/@me/sessions/', origin))).json();
    expect(sessions.map(({ method }: { method: string }) => method)).toEqual(['oidc', 'oidc']);
    const [linked, ...others] = await entries('sso_linked');
    expect([linked.name ?? linked.detail?.name, others.length]).toEqual(['ada@example.org', 0]);
  });

  it('sends PKCE, state and nonce, and keeps them in a signed cookie for that path', async () => {
    const browser = new TestBrowser();
    const { url } = await browser.visit(start(), (to) => to.origin === idp.issuer);
    const query = Object.fromEntries(url.searchParams);
    expect(query).toMatchObject({
      client_id: 'cairn',
      response_type: 'code',
      scope: 'openid email profile',
      code_challenge_method: 'S256',
      redirect_uri: `${origin}/login/oidc/callback`,
    });
    for (const name of ['state', 'nonce', 'code_challenge']) expect(query[name]).toHaveLength(43);
    const cookie = browser.cookie(origin, 'cairn_oidc');
    expect(cookie?.path).toBe('/login/oidc/');
    expect(cookie?.attributes).toMatch(/Max-Age=600; Path=\/login\/oidc\/; HttpOnly; SameSite=Lax/);
  });

  it('is for nobody without invitation or domain, and makes no user then', async () => {
    const people: [Person, string][] = [
      [{ sub: 'stranger', email: 'stranger@example.org', email_verified: true }, 'sso_no_account'],
      [{ sub: 'silent' }, 'sso_no_email'],
      [{ sub: 'odd', email: 'not an address' }, 'sso_no_email'],
      [{ sub: 'by group', email: 'g@example.org', email_verified: true, groups: ['cairn-admins'] }, 'sso_no_account'],
      // The domain is allowed, but there is no organization to join: OIDC_AUTO_JOIN is not set.
      [{ sub: 'nowhere', email: 'n@allowed.org', email_verified: true }, 'sso_no_account'],
      [
        { sub: 'doubtful', email: 'd@allowed.org', email_verified: false, groups: ['cairn-admins'] },
        'sso_email_unverified',
      ],
    ];
    for (const [person, code] of people) {
      const visit = await signIn(new TestBrowser(), person);
      expect([person.sub, pathOf(visit)]).toEqual([person.sub, `/login?error=${code}`]);
      expect(await server.metadata.ssoIdentities.get(idp.issuer, person.sub)).toBeNull();
    }
    expect(await server.metadata.users.getByEmail('n@allowed.org')).toBeNull();
  });

  it('leads to no other site', async () => {
    const person = { sub: 'ada', email: 'ada@example.org' };
    for (const next of ['https://evil.org/', '//evil.org', '/\\evil.org', '/\t/evil.org', 'javascript:alert(1)']) {
      expect(pathOf(await signIn(new TestBrowser(), person, next))).toBe('/');
    }
  });

  it('gives a new session, whatever cookie the browser had', async () => {
    const browser = new TestBrowser();
    browser.setCookie(origin, 'cairn_session', 'planted');
    await signIn(browser, { sub: 'ada', email: 'ada@example.org' });
    expect(browser.cookie(origin, 'cairn_session')?.value).not.toBe('planted');
    expect((await me(browser)).status).toBe(200);
    const planted = new TestBrowser();
    planted.setCookie(origin, 'cairn_session', 'planted');
    expect((await me(planted)).status).toBe(401);
  });
});

describe('an account with the address', () => {
  const link = '/api/login/link/';

  it('is linked at once if the provider has verified it and an organization of it has proved the domain', async () => {
    const grace = await addMember(server, 'grace@allowed.org');
    const browser = new TestBrowser();
    const visit = await signIn(browser, { sub: 'grace', email: grace.email, email_verified: true });
    expect(pathOf(visit)).toBe('/account');
    expect((await me(browser)).body.uuid).toBe(grace.uuid);
    // The password still works: the domain is not enforced.
    const byPassword = await client.post('/api/login/', {
      key: null,
      body: { email: grace.email, password: grace.password },
    });
    expect(byPassword.status).toBe(200);
    const other = await signIn(new TestBrowser(), { sub: 'other', email: grace.email, email_verified: true });
    expect(pathOf(other)).toBe('/login?error=sso_already_linked');
  });

  it.each([
    ['not verified', 'alan@allowed.org', false],
    ['not said to be verified', 'kurt@allowed.org', undefined],
    ['of a domain that nobody proved', 'emmy@unproved.org', true],
  ])('is linked with its password, if the address is %s', async (_why, email, verified) => {
    const member = await addMember(server, email);
    const browser = new TestBrowser();
    const visit = await signIn(browser, { sub: email, email, email_verified: verified }, '/account?tab=keys');
    expect(pathOf(visit)).toBe('/login/link');
    expect((await me(browser)).status).toBe(401);
    const asked = await browser.fetch(new URL(link, origin));
    expect(await asked.json()).toEqual({ email, provider: 'Example', needs_code: false });
    const wrong = await post(browser, link, { password: 'not the password' });
    expect([wrong.status, (await wrong.json()).code]).toEqual([400, 'invalid_credentials']);
    const foreign = await post(browser, link, { password: member.password }, { origin: 'https://evil.example.org' });
    expect(foreign.status).toBe(403);
    expect(await server.metadata.ssoIdentities.get(idp.issuer, email)).toBeNull();
    const done = await post(browser, link, { password: member.password });
    expect([done.status, await done.json()]).toEqual([200, { success: true, next: '/account?tab=keys' }]);
    expect((await me(browser)).body.uuid).toBe(member.uuid);
    const used = await post(browser, link, { password: member.password });
    expect(used.status).toBe(400);
    const later = new TestBrowser();
    expect(pathOf(await signIn(later, { sub: email }))).toBe('/account');
    expect((await me(later)).body.uuid).toBe(member.uuid);
  });

  it('is guessed at no more often than at the sign-in page, and not without the cookie', async () => {
    const member = await addMember(server, 'guessed@unproved.org');
    const browser = new TestBrowser();
    await signIn(browser, { sub: 'guesser', email: member.email, email_verified: true });
    const answers = [];
    for (let i = 0; i < 6; i++) answers.push((await post(browser, link, { password: `guess ${i}` })).status);
    expect(answers).toEqual([400, 400, 400, 400, 400, 429]);
    await server.tamper('delete from throttles');
    const without = await post(new TestBrowser(), link, { password: member.password });
    expect([without.status, (await without.json()).code]).toEqual([400, 'link_expired']);
    tick(11 * 60_000);
    expect((await post(browser, link, { password: member.password })).status).toBe(400);
  });

  it('is not linked if it has no password', async () => {
    await invite(server, { target_email: 'nopass@example.org' });
    await signIn(new TestBrowser(), { sub: 'nopass', email: 'nopass@example.org', email_verified: true });
    await server.tamper(`delete from sso_identities where subject = 'nopass'`);
    const visit = await signIn(new TestBrowser(), {
      sub: 'nopass 2',
      email: 'nopass@example.org',
      email_verified: true,
    });
    expect(pathOf(visit)).toBe('/login?error=sso_cannot_link');
  });
});

describe('groups', () => {
  it('give and take away levels and roles, but not what people gave', async () => {
    const role = (await client.post('/api/organizations/@current/roles/', { body: { name: 'Growth' } })).body;
    const person = { sub: 'rosa', email: 'rosa@allowed.org', email_verified: true };
    const roles = async (email: string) => {
      const user = await server.metadata.users.getByEmail(email);
      return (await server.metadata.roleMemberships.listByUser(user?.id ?? 0)).map(({ roleId, source }) => [
        roleId,
        source,
      ]);
    };
    await signIn(new TestBrowser(), { ...person, groups: ['cairn-admins', 'growth', 'lost', 'unknown'] });
    expect(await memberOf(person.email)).toMatchObject({ level: 8, ownLevel: null });
    expect(await roles(person.email)).toEqual([[role.id, 'oidc']]);
    const listed = await client.get('/api/organizations/@current/members/');
    const source = (email: string) =>
      listed.body.results.find((one: { user: { email: string } }) => one.user.email === email)?.source;
    expect([source(person.email), source('grace@allowed.org')]).toEqual(['oidc', 'manual']);
    await signIn(new TestBrowser(), { ...person, groups: ['growth'] });
    expect(await memberOf(person.email)).toMatchObject({ level: 1, ownLevel: null });
    const visit = await signIn(new TestBrowser(), { ...person, groups: [] });
    expect(pathOf(visit)).toBe('/login?error=account_disabled');
    expect(await memberOf(person.email)).toBeNull();
    expect(await roles(person.email)).toEqual([]);
    expect(await server.metadata.ssoIdentities.get(idp.issuer, 'rosa')).not.toBeNull();
    // Grace is a member by people.
    const grace = { sub: 'grace', email: 'grace@allowed.org' };
    await signIn(new TestBrowser(), { ...grace, groups: ['cairn-admins'] });
    expect(await memberOf(grace.email)).toMatchObject({ level: 8, ownLevel: 1 });
    await signIn(new TestBrowser(), { ...grace, groups: [] });
    expect(await memberOf(grace.email)).toMatchObject({ level: 1, ownLevel: 1 });
  });
});

describe('a disabled user', () => {
  it('is refused after a good sign-in, and stays linked', async () => {
    const user = await server.metadata.users.getByEmail('ada@example.org');
    await server.metadata.users.update(user?.id ?? 0, { isActive: false });
    const visit = await signIn(new TestBrowser(), { sub: 'ada', email: 'ada@example.org' });
    expect(pathOf(visit)).toBe('/login?error=account_disabled');
    await server.metadata.users.update(user?.id ?? 0, { isActive: true });
    expect(pathOf(await signIn(new TestBrowser(), { sub: 'ada' }))).toBe('/account');
  });
});

describe('signing out', () => {
  it('ends the session here, and leads to the provider', async () => {
    const browser = new TestBrowser();
    await signIn(browser, { sub: 'ada' });
    const response = await post(browser, '/api/logout/', {});
    const { redirect } = await response.json();
    const url = new URL(redirect);
    expect([response.status, `${url.origin}${url.pathname}`]).toEqual([200, `${idp.issuer}/session/end`]);
    expect(url.searchParams.get('post_logout_redirect_uri')).toBe(`${origin}/login`);
    expect(url.searchParams.get('id_token_hint')?.split('.')).toHaveLength(3);
    expect((await me(browser)).status).toBe(401);
    expect((await browser.visit(url)).status).toBe(200);
  });

  it('works by address, but not from another site; and without the provider for other sessions', async () => {
    const browser = new TestBrowser();
    await signIn(browser, { sub: 'ada' });
    const elsewhere = { headers: { 'sec-fetch-site': 'cross-site' } };
    expect((await browser.fetch(new URL('/logout', origin), elsewhere)).headers.get('location')).toBe('/');
    expect((await me(browser)).status).toBe(200);
    const out = await browser.fetch(new URL('/logout', origin));
    expect(out.headers.get('location')).toMatch(`${idp.issuer}/session/end`);
    expect((await me(browser)).status).toBe(401);
    const member = await addMember(server, 'plain@example.org');
    const plain = await client.post('/api/logout/', { key: null, headers: { cookie: member.cookie } });
    expect(plain.status).toBe(204);
  });

  it('at the provider ends that session here, and no other', async () => {
    const [one, two] = [new TestBrowser(), new TestBrowser()];
    for (const browser of [one, two]) await signIn(browser, { sub: 'ada' });
    const rows = await server.rows(`select sid from sessions where method = 'oidc' order by created_at desc, id`);
    const cookie = one.cookie(origin, 'cairn_session')?.value ?? '';
    const { digest } = await import('../../src/lib/secrets.ts');
    const [{ sid } = { sid: '' }] = await server.rows('select sid from sessions where hash = ?', digest(cookie));
    expect(rows.length).toBeGreaterThan(1);
    expect(String(sid)).not.toBe('');
    await idp.tellLogout('ada', String(sid));
    expect((await me(one)).status).toBe(401);
    expect((await me(two)).status).toBe(200);
    expect((await entries('session_ended'))[0]).toBeDefined();
  });

  it('is refused for everything that is no logout token of the provider', async () => {
    const browser = new TestBrowser();
    await signIn(browser, { sub: 'ada' });
    const at = Math.floor(now / 1000);
    const event = { 'http://schemas.openid.net/event/backchannel-logout': {} };
    const good = { iss: idp.issuer, aud: 'cairn', iat: at, jti: 'x', sub: 'ada', events: event };
    const send = async (logout_token: string) => {
      const body = new URLSearchParams({ logout_token });
      const answer = await fetch(`${origin}/login/oidc/backchannel-logout`, { method: 'POST', body });
      return answer.status;
    };
    const unsigned = (claims: object) =>
      `${[{ alg: 'none' }, claims].map((one) => Buffer.from(JSON.stringify(one)).toString('base64url')).join('.')}.`;
    const bad = [
      { ...good, iss: 'https://evil.org' },
      { ...good, aud: 'other' },
      { ...good, iat: at - 3600 },
      { ...good, iat: at + 3600 },
      { ...good, events: {} },
      { ...good, events: undefined },
      { ...good, nonce: 'x' },
      { ...good, sub: undefined },
      { ...good, jti: undefined },
    ];
    for (const claims of bad) expect([claims, await send(await idp.sign(claims))]).toEqual([claims, 400]);
    for (const token of ['', 'x', unsigned(good), 'a'.repeat(60_000), `${await idp.sign(good)}x`, '\u0000.\u0000.']) {
      expect(await send(token)).toBe(400);
    }
    expect((await me(browser)).status).toBe(200);
    const token = await idp.sign(good);
    expect([await send(token), await send(token)]).toEqual([200, 400]);
    expect((await me(browser)).status).toBe(401);
  });
});

describe('attacks on the callback', () => {
  /** The address of a callback that the browser has not asked for yet. */
  const callback = async (browser: TestBrowser, person: Person = { sub: 'ada' }): Promise<URL> => {
    idp.person = person;
    const { url } = await browser.visit(start(), (to) => to.origin === origin && to.pathname.endsWith('/callback'));
    expect(url.searchParams.get('code')).toHaveLength(43);
    return url;
  };
  const outcome = async (browser: TestBrowser, url: URL) => pathOf(await browser.visit(url, isOwnPage));
  const FAILED = '/login?error=sso_failed';

  it('needs the cookie of the browser that began, and each counts once', async () => {
    const browser = new TestBrowser();
    const url = await callback(browser);
    expect(await outcome(new TestBrowser(), url)).toBe(FAILED);
    const kept = browser.cookie(origin, 'cairn_oidc')?.value ?? '';
    expect(await outcome(browser, url)).toBe('/account');
    expect(browser.cookie(origin, 'cairn_oidc')).toBeUndefined();
    const replay = new TestBrowser();
    replay.setCookie(origin, 'cairn_oidc', kept, '/login/oidc/');
    expect(await outcome(replay, url)).toBe(FAILED);
    expect((await me(replay)).status).toBe(401);
    // A code that was used, with a new state and cookie.
    const fresh = await callback(replay);
    fresh.searchParams.set('code', url.searchParams.get('code') ?? '');
    expect(await outcome(replay, fresh)).toBe(FAILED);
  });

  it('refuses another state, issuer or cookie, and what the provider refused', async () => {
    const cases: ((url: URL, browser: TestBrowser) => void)[] = [
      (url) => url.searchParams.set('state', 'x'.repeat(43)),
      (url) => url.searchParams.delete('state'),
      (url) => url.searchParams.append('state', 'second'),
      (url) => url.searchParams.set('iss', 'https://evil.org'),
      (url) => url.searchParams.delete('iss'),
      (url) => url.searchParams.delete('code'),
      (url) => url.searchParams.set('code', 'invented'),
      (url) => url.searchParams.set('code', '\u0000'),
      (url) => url.searchParams.set('error', 'access_denied'),
      (_url, browser) => browser.setCookie(origin, 'cairn_oidc', 'e30.forged', '/login/oidc/'),
      (_url, browser) => browser.setCookie(origin, 'cairn_oidc', 'x'.repeat(7000), '/login/oidc/'),
    ];
    for (const [index, change] of cases.entries()) {
      const browser = new TestBrowser();
      const url = await callback(browser);
      change(url, browser);
      expect([index, await outcome(browser, url)]).toEqual([index, FAILED]);
      expect((await me(browser)).status).toBe(401);
    }
    // A person's callback finished by another browser: both began a sign-in of their own.
    const [victim, attacker] = [new TestBrowser(), new TestBrowser()];
    await callback(victim);
    expect(await outcome(victim, await callback(attacker, { sub: 'grace' }))).toBe(FAILED);
  });

  it('refuses a sign-in that took longer than ten minutes', async () => {
    const browser = new TestBrowser();
    const url = await callback(browser);
    tick(601_000);
    expect(await outcome(browser, url)).toBe(FAILED);
  });

  it('refuses forged ID tokens', async () => {
    const claimsOf = (token: unknown) =>
      JSON.parse(Buffer.from(String(token).split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>;
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const { createHmac } = await import('node:crypto');
    const hs = (header: object, claims: object, secret: string) => {
      const text = `${part(header)}.${part(claims)}`;
      return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
    };
    const changed = (changes: object) => async (answer: Record<string, unknown>) => {
      answer['id_token'] = await idp.sign({ ...claimsOf(answer['id_token']), ...changes });
    };
    const cases: [string, NonNullable<IdentityProvider['tamper']>, boolean][] = [
      ['signed anew, as it was', changed({}), true],
      ['another audience', changed({ aud: 'other' }), false],
      ['several audiences without azp', changed({ aud: ['cairn', 'other'] }), false],
      ['several audiences with azp', changed({ aud: ['cairn', 'other'], azp: 'cairn' }), true],
      ['another authorized party', changed({ azp: 'other' }), false],
      ['another issuer', changed({ iss: 'https://evil.org' }), false],
      ['another nonce', changed({ nonce: 'x' }), false],
      ['no nonce', changed({ nonce: undefined }), false],
      ['expired', changed({ exp: Math.floor(now / 1000) - 120 }), false],
      ['expired within the tolerance', changed({ exp: Math.floor(now / 1000) - 30 }), true],
      ['issued in two minutes', changed({ iat: Math.floor(now / 1000) + 120 }), false],
      ['issued in half a minute', changed({ iat: Math.floor(now / 1000) + 30 }), true],
      ['no expiry', changed({ exp: undefined }), false],
      ['no subject', changed({ sub: undefined }), false],
      ['another access token', changed({ at_hash: 'x'.repeat(22) }), false],
      ['no at_hash', changed({ at_hash: undefined }), true],
      [
        'alg none',
        (answer) => {
          answer['id_token'] = `${part({ alg: 'none' })}.${part(claimsOf(answer['id_token']))}.`;
        },
        false,
      ],
      [
        "HS256 with the client's secret",
        (answer) => {
          answer['id_token'] = hs({ alg: 'HS256' }, claimsOf(answer['id_token']), idp.clientSecret);
        },
        false,
      ],
      [
        'a changed payload',
        (answer) => {
          const [header, , signature] = String(answer['id_token']).split('.');
          answer['id_token'] = `${header}.${part({ ...claimsOf(answer['id_token']), sub: 'grace' })}.${signature}`;
        },
        false,
      ],
      [
        'no ID token',
        (answer) => {
          delete answer['id_token'];
        },
        false,
      ],
      [
        'no token at all',
        (answer) => {
          answer['id_token'] = 'x'.repeat(1_000_000);
        },
        false,
      ],
    ];
    for (const [name, tamper, isGood] of cases) {
      await server.tamper('delete from throttles');
      idp.tamper = tamper;
      const browser = new TestBrowser();
      expect([name, pathOf(await signIn(browser, { sub: 'ada' }))]).toEqual([name, isGood ? '/account' : FAILED]);
      expect((await me(browser)).status).toBe(isGood ? 200 : 401);
    }
  });

  it('refuses tokens if the clock is two minutes behind the provider', async () => {
    tick(-120_000);
    expect(pathOf(await signIn(new TestBrowser(), { sub: 'ada' }))).toBe(FAILED);
    tick(-30_000);
    expect(pathOf(await signIn(new TestBrowser(), { sub: 'ada' }))).toBe('/account');
  });

  it('takes 30 callbacks a minute from one network', async () => {
    const browser = new TestBrowser();
    const statuses = [];
    for (let i = 0; i < 32; i++)
      statuses.push((await browser.fetch(new URL('/login/oidc/callback?code=x', origin))).status);
    expect(statuses.filter((status) => status === 429)).toHaveLength(2);
    const refused = await browser.fetch(new URL('/login/oidc/callback?code=x', origin));
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});

describe('the provider', () => {
  it('is asked for its description once, and for its keys when they are new', async () => {
    const asked = (path: string) => idp.requests.get(path) ?? 0;
    const before = [asked('/.well-known/openid-configuration'), asked('/jwks')];
    await signIn(new TestBrowser(), { sub: 'ada' });
    expect([asked('/.well-known/openid-configuration'), asked('/jwks')]).toEqual(before);
    expect(before[0]).toBe(1);
    const keys = async (): Promise<[string, number]> => {
      const count = asked('/jwks');
      const visit = await signIn(new TestBrowser(), { sub: 'ada' });
      return [pathOf(visit), asked('/jwks') - count];
    };
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      const pass = (ms: number): void => {
        vi.setSystemTime(Date.now() + ms);
        tick();
      };
      pass(61_000);
      await idp.rotateKeys();
      expect(await keys()).toEqual(['/account', 1]);
      await idp.rotateKeys();
      expect(await keys()).toEqual(['/login?error=sso_failed', 0]);
      pass(61_000);
      expect(await keys()).toEqual(['/account', 1]);
    } finally {
      vi.useRealTimers();
    }
  });

  it('is away: sign-ins are told so within five seconds, and sessions live on', async () => {
    const browser = new TestBrowser();
    const begun = await browser.visit(start(), (to) => to.origin === origin && to.pathname.endsWith('/callback'));
    await idp.stop();
    const began = Date.now();
    const visit = await browser.visit(begun.url, isOwnPage);
    expect(pathOf(visit)).toBe('/login?error=sso_unavailable');
    expect(Date.now() - began).toBeLessThan(5000);
    await idp.start();
  });

  it('is away: its description of the last 24 hours is good enough to begin, and no older one', async () => {
    const begins = async (hours: number): Promise<string> => {
      tick(hours * 3_600_000);
      const { url } = await new TestBrowser().visit(start(), (to) => to.origin === idp.issuer || isOwnPage(to));
      return url.origin === idp.issuer ? url.pathname : `${url.pathname}${url.search}`;
    };
    await signIn(new TestBrowser(), { sub: 'ada' });
    await idp.stop();
    expect(await begins(2)).toBe('/auth');
    expect(await begins(23)).toBe('/auth');
    expect(await begins(25)).toBe('/login?error=sso_unavailable');
    await idp.start();
    // Back again, it is described anew.
    expect(await begins(25.1)).toBe('/auth');
    tick();
  });

  it('is slow: sign-ins are told so within five seconds', async () => {
    const browser = new TestBrowser();
    const begun = await browser.visit(start(), (to) => to.origin === origin && to.pathname.endsWith('/callback'));
    idp.delayMs = 30_000;
    const began = Date.now();
    expect(pathOf(await browser.visit(begun.url, isOwnPage))).toBe('/login?error=sso_unavailable');
    expect(Date.now() - began).toBeLessThan(5000);
  });
});

describe('the log and the audit', () => {
  it('have the reasons, and none of the secrets', async () => {
    const browser = new TestBrowser();
    idp.person = { sub: 'ada' };
    const visit = await browser.visit(start(), isOwnPage);
    const callback = new URL(visit.urls.find((one) => one.includes('/callback?')) ?? '');
    const rows = await server.rows('select id_token from sessions where id_token is not null');
    const secrets = [
      idp.clientSecret,
      callback.searchParams.get('code') ?? '',
      callback.searchParams.get('state') ?? '',
      browser.cookie(origin, 'cairn_session')?.value ?? '',
      ...rows.map(({ id_token: token }) => String(token)),
    ];
    expect(secrets.every((one) => one.length > 20)).toBe(true);
    const log = lines.join('\n');
    const kept =
      JSON.stringify(await server.rows('select detail from audit')) +
      JSON.stringify(await server.rows('select detail from activity'));
    for (const secret of secrets) expect([log.includes(secret), kept.includes(secret)]).toEqual([false, false]);
    expect(log).toContain('the cookie of the sign-in is invalid');
    expect(log).toContain('operation timed out');
  });
});
