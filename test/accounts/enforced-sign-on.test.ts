/** Domains, single sign-on that is required, the break-glass owner, and second factors of the provider. */
import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { randomIds } from '../../src/lib/ids.ts';
import { setBreakGlass } from '../../src/operate/users.ts';
import { makeTempDir, type TempDir } from '../contract/temp-dir.ts';
import { clientFor } from '../support/client.ts';
import { type DnsServer, startDnsServer } from '../support/dns-server.ts';
import { freePort } from '../support/free-port.ts';
import { type IdentityProvider, type Person, startIdentityProvider } from '../support/identity-provider.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import { addMember, cookieOf, invite, type TestMember } from '../support/people.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { TestBrowser } from '../support/test-browser.ts';

let idp: IdentityProvider;
let dns: DnsServer;
let mail: MailServer;
let folder: TempDir;
let server: TestServer;
let client: ReturnType<typeof clientFor>;
let origin: string;
/** An owner of the enforced domain, a member of it, and an admin elsewhere. */
let owner: TestMember;
let member: TestMember;
let outsider: TestMember;
let secret: string;
let domainId: string;
let now = Date.now();

const config = () => ({
  publicUrl: origin,
  oidcIssuer: idp.issuer,
  oidcClientId: idp.clientId,
  oidcClientSecret: idp.clientSecret,
  oidcDomains: ['set.org'],
  oidcKeysMaxIdleDays: 30,
  dnsServer: dns.address,
  ...mail.config,
});

beforeAll(async () => {
  const port = await freePort();
  origin = `http://127.0.0.1:${port}`;
  idp = await startIdentityProvider(origin);
  dns = await startDnsServer();
  mail = await startMailServer();
  folder = makeTempDir();
  server = await startServer({
    now: new Date(now).toISOString(),
    dataDir: folder.path('.'),
    config: { port, ...config() },
  });
  client = clientFor(server);
  owner = await addMember(server, 'owner@enforced.org', 15);
  member = await addMember(server, 'member@enforced.org');
  await server.tamper('delete from throttles');
  outsider = await addMember(server, 'admin@elsewhere.org', 8);
  mail.mails.length = 0;
});
afterAll(async () => {
  await server?.close();
  await idp?.stop();
  await dns?.close();
  await mail?.close();
  folder?.remove();
});
const moveTo = (time: number): void => {
  now = time;
  server.setNow(new Date(now).toISOString());
};
beforeEach(() => server.tamper('delete from throttles'));

const as = (cookie: string) => ({ key: null, headers: { cookie } });
const domains = '/api/organizations/@current/domains/';
const code = (): string => TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: now });
const byPassword = ({ email, password }: Pick<TestMember, 'email' | 'password'>, more = {}) =>
  client.post('/api/login/', { key: null, body: { email, password, ...more } });
const isOwnPage = (url: URL): boolean => url.origin === origin && !url.pathname.startsWith('/login/oidc');
const byProvider = async (person: Person, browser = new TestBrowser()) => {
  idp.person = person;
  const { url } = await browser.visit(`${origin}/login/oidc/?next=/account`, isOwnPage);
  return `${url.pathname}${url.search}`;
};
const operate = { progress: () => undefined, write: async () => undefined, signal: new AbortController().signal };
const breakGlass = (email: string, on = true) => {
  const deps = { metadata: server.metadata, clock: { now: () => now }, ids: randomIds, publicAddress: origin };
  return setBreakGlass(deps as never, { email, on }, operate);
};
const enforce = (enforcement: string, cookie = owner.cookie) =>
  client.patch(`${domains}${domainId}/`, { ...as(cookie), body: { sso_enforcement: enforcement } });
const precheck = async (email: string) =>
  (await client.post('/api/login/precheck', { key: null, body: { email } })).body;

describe('a domain', () => {
  it('is claimed by an admin, and proved by its DNS record', async () => {
    const made = await client.post(domains, { ...as(outsider.cookie), body: { domain: 'Enforced.org' } });
    expect([made.status, made.body.domain, made.body.is_verified]).toEqual([201, 'enforced.org', false]);
    expect(made.body.verification_challenge).toMatch(/^cairn-verification=\w{43}$/);
    domainId = made.body.id;
    const verify = () => client.post(`${domains}${domainId}/verify/`, as(outsider.cookie));
    dns.records.set('enforced.org', ['v=spf1 -all', `${made.body.verification_challenge}x`]);
    const missing = await verify();
    expect([missing.status, missing.body.code]).toEqual([400, 'not_verified']);
    expect(missing.body.detail).toContain(made.body.verification_challenge);
    const early = await client.patch(`${domains}${domainId}/`, { body: { jit_provisioning_enabled: true } });
    expect([early.status, early.body.code]).toEqual([400, 'not_verified']);
    dns.records.set('enforced.org', ['v=spf1 -all', made.body.verification_challenge]);
    const done = await verify();
    expect([done.status, done.body.is_verified]).toEqual([200, true]);
    const other = await server.createProject({ foreign: true });
    const strangers = clientFor({ url: server.url, personalKey: other.personalKey });
    const theirs = await strangers.post(domains, { body: { domain: 'enforced.org' } });
    expect(theirs.body.is_verified).toBe(false);
    dns.records.get('enforced.org')?.push(theirs.body.verification_challenge);
    const second = await strangers.post(`${domains}${theirs.body.id}/verify/`);
    expect([second.status, second.body.code]).toEqual([400, 'unique']);
    expect((await strangers.get(`${domains}${domainId}/`)).status).toBe(404);
    expect((await strangers.patch(`${domains}${domainId}/`, { body: { sso_enforcement: 'oidc' } })).status).toBe(404);
    // It would be the home of what the operator sets.
    await server.metadata.organizations.delete(other.organizationId);
  });

  it('of the operator needs no record', async () => {
    const made = await client.post(domains, { body: { domain: 'set.org' } });
    expect([made.status, made.body.is_verified]).toEqual([201, true]);
    const twice = await client.post(domains, { body: { domain: 'set.org' } });
    expect([twice.status, twice.body.code]).toEqual([400, 'unique']);
    expect((await client.delete(`${domains}${made.body.id}/`)).status).toBe(204);
  });

  it('is a domain, and a matter of admins', async () => {
    for (const domain of ['', 'org', 'a@example.org', 'https://example.org', 'example.org/x', '\u0000.org', 'é.org']) {
      expect((await client.post(domains, { body: { domain } })).status).toBe(400);
    }
    for (const method of ['get', 'post'] as const) {
      expect((await client[method](domains, { ...as(member.cookie), body: undefined })).status).toBe(403);
    }
  });

  it('lets new people join, where it is set so', async () => {
    const ada = { sub: 'ada', email: 'ada@enforced.org', email_verified: true };
    expect(await byProvider(ada)).toBe('/login?error=sso_no_account');
    await client.patch(`${domains}${domainId}/`, { body: { jit_provisioning_enabled: true } });
    expect(await byProvider(ada)).toBe('/account');
    const user = await server.metadata.users.getByEmail(ada.email);
    expect(await server.metadata.memberships.get(server.organizationId, user?.id ?? 0)).toMatchObject({
      level: 1,
      ownLevel: 1,
    });
  });
});

describe('required single sign-on', () => {
  it('needs a break-glass owner with password and second factor', async () => {
    const early = await enforce('oidc');
    expect([early.status, early.body.code]).toEqual([400, 'break_glass_needed']);
    await expect(breakGlass(member.email)).rejects.toThrow(/needs to be an owner, and a second factor/);
    await expect(breakGlass(owner.email)).rejects.toThrow(/needs a second factor/);
    await expect(breakGlass('nobody@enforced.org')).rejects.toThrow(/There is no user/);
    secret = (await client.get('/api/users/@me/two_factor_start_setup/', as(owner.cookie))).body.secret;
    await client.post('/api/users/@me/two_factor_validate/', { ...as(owner.cookie), body: { token: code() } });
    expect(await breakGlass(owner.email)).toEqual({ email: owner.email, link: `${origin}/login?local=1` });
    const byKey = await client.patch(`${domains}${domainId}/`, { body: { sso_enforcement: 'oidc' } });
    expect([byKey.status, byKey.body.code]).toEqual([403, 'session_required']);
    expect((await enforce('saml')).status).toBe(400);
    const done = await enforce('oidc');
    expect([done.status, done.body.sso_enforcement]).toEqual([200, 'oidc']);
  });

  it('is told for every address of the domain alike', async () => {
    const told = { sso_enforcement: 'oidc', saml_available: false, webauthn_credentials: [] };
    for (const email of [member.email, 'nobody@enforced.org', 'X@ENFORCED.org'])
      expect(await precheck(email)).toEqual(told);
    for (const email of [outsider.email, 'nobody@example.org', 'a@sub.enforced.org', 'a@enforced.org.evil.com']) {
      expect(await precheck(email)).toEqual({ ...told, sso_enforcement: null });
    }
    await server.tamper('delete from throttles');
    const statuses = [];
    const ask = () => client.post('/api/login/precheck', { key: null, body: { email: 'a@b.org' } });
    for (let i = 0; i < 31; i++) statuses.push((await ask()).status);
    expect(statuses.filter((status) => status === 429)).toHaveLength(1);
  });

  it('refuses passwords, resets, sign-ups and changes of its people, known or not', async () => {
    const unknown = { email: 'nobody@enforced.org', password: 'some password' };
    const invited = await invite(server, { target_email: 'new@enforced.org' });
    const token = { token: invited.token, password: 'chosen by myself' };
    const answers = [
      await byPassword(member),
      await byPassword({ ...member, password: 'wrong' }),
      await byPassword(unknown),
      await byPassword(owner),
      await client.post('/api/reset/', { key: null, body: { email: member.email } }),
      await client.post('/api/reset/', { key: null, body: { email: unknown.email } }),
      await client.post(invited.path, { key: null, body: token }),
      await client.patch('/api/users/@me/', {
        ...as(member.cookie),
        body: { password: 'a new sentence', current_password: member.password },
      }),
      await client.patch('/api/users/@me/', {
        ...as(member.cookie),
        body: { email: 'm@free.org', current_password: member.password },
      }),
    ];
    for (const [index, { status, body }] of answers.entries()) {
      expect([index, status, body.code]).toEqual([index, 400, 'sso_enforced']);
    }
    expect(answers[0]?.body.detail).toContain('single sign-on');
    const { uuid, id } = (await server.metadata.users.getByEmail(member.email)) ?? { uuid: '', id: 0 };
    const { digest } = await import('../../src/lib/secrets.ts');
    await server.metadata.passwordResets.create({ userId: id, tokenHash: digest('link'), expiresAt: now + 1000 });
    const reset = await client.post(`/api/reset/${uuid}/`, {
      key: null,
      body: { token: 'link', password: 'a new sentence' },
    });
    expect([reset.status, reset.body.code]).toEqual([400, 'sso_enforced']);
    expect((await byPassword(outsider)).status).toBe(200);
    // Nobody takes an address of the domain, to whom its owner would be linked.
    const taken = { email: 'ceo@enforced.org', current_password: outsider.password };
    const moved = await client.patch('/api/users/@me/', { ...as(outsider.cookie), body: taken });
    expect([moved.status, moved.body.code]).toEqual([400, 'operator_required']);
  });

  it('lets open sessions, keys and the provider be', async () => {
    expect((await client.get('/api/users/@me/', as(member.cookie))).status).toBe(200);
    expect((await client.get('/api/projects/', { key: member.personalKey })).status).toBe(200);
    const browser = new TestBrowser();
    expect(await byProvider({ sub: 'member', email: member.email, email_verified: true }, browser)).toBe('/account');
    // The one with an invitation joins by it.
    expect(await byProvider({ sub: 'new', email: 'new@enforced.org', email_verified: true })).toBe('/account');
    expect(await server.metadata.invites.listByEmail('new@enforced.org')).toEqual([]);
  });

  it('stops keys of people who have not signed in for long, until they do', async () => {
    const start = now;
    const keys = async () =>
      (
        await Promise.all(
          [member, outsider].map(({ personalKey }) => client.get('/api/projects/', { key: personalKey })),
        )
      ).map(({ status }) => status);
    moveTo(start + 29 * 86_400_000);
    expect(await keys()).toEqual([200, 200]);
    moveTo(start + 31 * 86_400_000);
    expect(await keys()).toEqual([401, 200]);
    await server.tamper('update users set last_signed_in_at = ? where email = ?', now, member.email);
    expect(await keys()).toEqual([200, 200]);
    moveTo(start);
  });
});

describe('the break-glass owner', () => {
  it('gets in with password and code while the provider is away, for an hour, and all owners hear of it', async () => {
    await idp.stop();
    mail.mails.length = 0;
    const began = Date.now();
    // Known and described, but away: the browser is sent there, and comes back with nothing.
    const first = await byPassword(owner, { local: true });
    expect([first.status, first.body.code]).toEqual([401, '2fa_required']);
    moveTo(now + 60_000);
    const pending = cookieOf(first.headers);
    const wrong = await client.post('/api/login/token/', { ...as(pending), body: { token: '000000' } });
    expect(wrong.status).toBe(400);
    const opened = await client.post('/api/login/token/', { ...as(pending), body: { token: code() } });
    expect(opened.status).toBe(200);
    expect(Date.now() - began).toBeLessThan(20_000);
    const cookie = cookieOf(opened.headers);
    expect((await client.get('/api/users/@me/', as(cookie))).status).toBe(200);
    const told = await mail.take(owner.email);
    expect(told).toContain('Subject: Cairn was entered without single sign-on');
    expect(told).toContain(owner.email);
    const { body } = await client.get('/api/organizations/@current/audit/?activity=break_glass');
    expect(body.results).toHaveLength(1);
    moveTo(now + 3_600_000 + 1);
    expect((await client.get('/api/users/@me/', as(cookie))).status).toBe(401);
    await idp.start();
  });

  it('is nobody else: others of the domain get the answer of a wrong password', async () => {
    for (const one of [member, { email: 'nobody@enforced.org', password: 'x' }, { ...owner, password: 'wrong' }]) {
      const { status, body } = await byPassword(one, { local: true });
      expect([status, body.code]).toEqual([400, 'invalid_credentials']);
    }
    await server.tamper('delete from throttles');
    const user = await server.metadata.users.getByEmail(owner.email);
    const membership = await server.metadata.memberships.get(server.organizationId, user?.id ?? 0);
    if (!membership) throw new Error('no membership');
    const levels = (level: 1 | 15) =>
      server.metadata.memberships.update(membership.id, { level, ownLevel: level, updatedAt: now });
    await levels(1);
    expect((await byPassword(owner, { local: true })).body.code).toBe('invalid_credentials');
    await levels(15);
    await breakGlass(owner.email, false);
    expect((await byPassword(owner, { local: true })).body.code).toBe('invalid_credentials');
    await breakGlass(owner.email);
  });
});

describe('second factors', () => {
  it('of the account are asked for after the provider, unless the provider asked for one', async () => {
    moveTo(Date.now());
    const person = { sub: 'owner', email: owner.email, email_verified: true };
    const browser = new TestBrowser();
    expect(await byProvider(person, browser)).toBe('/login?factor=1&next=%2Faccount');
    expect((await browser.fetch(new URL('/api/users/@me/', origin))).status).toBe(401);
    await server.tamper('update totp_secrets set last_step = 0');
    const shown = await browser.fetch(new URL('/api/login/token/', origin), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token: code() }),
    });
    expect(shown.status).toBe(200);
    const sessions = await (await browser.fetch(new URL('/api/users/@me/sessions/', origin))).json();
    expect(sessions.find((one: { is_current: boolean }) => one.is_current).method).toBe('oidc');
    const withFactor = new TestBrowser();
    expect(await byProvider({ ...person, amr: ['pwd', 'mfa'] }, withFactor)).toBe('/account');
    const organization = await client.patch('/api/organizations/@current/', {
      key: null,
      headers: { cookie: withFactor.cookiesFor(new URL('/api/', origin)) },
      body: { enforce_2fa: true },
    });
    expect(organization.status).toBe(200);
  });

  it('that an organization requires are set up, or shown at the provider', async () => {
    const status = async (person: Person) => {
      const browser = new TestBrowser();
      expect(await byProvider(person, browser)).toBe('/account');
      return (await browser.fetch(new URL('/api/projects/', origin))).status;
    };
    expect(await status({ sub: 'member' })).toBe(403);
    expect(await status({ sub: 'member', amr: ['mfa'] })).toBe(200);
    await server.metadata.organizations.update(server.organizationId, { requiresFactor: false });
  });
});

describe('without a provider', () => {
  it('nothing is enforced: the operator has unset it', async () => {
    await server.close();
    server = await startServer({
      now: new Date(now).toISOString(),
      dataDir: folder.path('.'),
      config: { publicUrl: origin },
    });
    client = clientFor(server);
    expect((await byPassword(member)).status).toBe(200);
    expect((await precheck(member.email)).sso_enforcement).toBeNull();
    const begun = await fetch(new URL('/login/oidc/', server.url), { redirect: 'manual' });
    expect(begun.status).toBe(404);
    const options = await client.get('/api/login/options/', { key: null });
    expect(options.body.sso).toBeNull();
  });
});
