/** Settings of single sign-on that change who gets in: required groups, joining, trusted factors, nested groups. */
import { afterEach, describe, expect, it } from 'vitest';
import type { Config } from '../../src/config.ts';
import { freePort } from '../support/free-port.ts';
import { type IdentityProvider, type Person, startIdentityProvider } from '../support/identity-provider.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { TestBrowser } from '../support/test-browser.ts';

let idp: IdentityProvider;
let server: TestServer;
let origin: string;

async function start(settings: Partial<Config>): Promise<void> {
  const port = await freePort();
  origin = `http://127.0.0.1:${port}`;
  idp = await startIdentityProvider(origin);
  const config = {
    port,
    publicUrl: origin,
    oidcIssuer: idp.issuer,
    oidcClientId: idp.clientId,
    oidcClientSecret: idp.clientSecret,
    ...settings,
  };
  server = await startServer({ now: new Date().toISOString(), config });
}
afterEach(async () => {
  await server.close();
  await idp.stop();
});

const STAFF = { oidcDomains: ['allowed.org'], oidcRoleMap: { staff: { level: 'member' } } } as const;

const signIn = async (person: Person, browser = new TestBrowser()): Promise<string> => {
  idp.person = { email_verified: true, ...person };
  const isOwnPage = (url: URL): boolean => url.origin === origin && !url.pathname.startsWith('/login/oidc');
  const { url } = await browser.visit(`${origin}/login/oidc/?next=/account`, isOwnPage);
  return `${url.pathname}${url.search}`;
};
const levelOf = async (email: string) => {
  const user = await server.metadata.users.getByEmail(email);
  return user && (await server.metadata.memberships.get(server.organizationId, user.id))?.level;
};

describe('single sign-on', () => {
  it('with a required group lets nobody in without one, and makes no user', async () => {
    await start({ ...STAFF, oidcRequireGroup: true });
    expect(await signIn({ sub: 'a', email: 'a@allowed.org', groups: ['other'] })).toBe('/login?error=sso_no_group');
    expect(await levelOf('a@allowed.org')).toBeNull();
    expect(await signIn({ sub: 'b', email: 'b@allowed.org', groups: ['staff'] })).toBe('/account');
    expect(await levelOf('b@allowed.org')).toBe(1);
    // Who has left the group is refused the next time.
    expect(await signIn({ sub: 'b', email: 'b@allowed.org', groups: [] })).toBe('/login?error=sso_no_group');
  });

  it('finds groups inside of other claims', async () => {
    await start({
      oidcGroupsClaim: 'realm_access.roles',
      oidcDomains: ['allowed.org'],
      oidcRoleMap: { admins: { level: 'admin' } },
    });
    idp.tamper = async (answer) => {
      const [, payload = ''] = String(answer['id_token']).split('.');
      const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>;
      answer['id_token'] = await idp.sign({ ...claims, realm_access: { roles: ['admins'] } });
    };
    expect(await signIn({ sub: 'c', email: 'c@allowed.org' })).toBe('/account');
    expect(await levelOf('c@allowed.org')).toBe(8);
  });

  it('lets people of a domain join the organization that is named, and no other', async () => {
    await start({ oidcDomains: ['allowed.org'], oidcAutoJoin: 'no-such-organization' });
    expect(await signIn({ sub: 'd', email: 'd@allowed.org' })).toBe('/login?error=sso_no_account');
    expect(await levelOf('d@allowed.org')).toBeNull();
    expect(await signIn({ sub: 'e', email: 'e@elsewhere.org' })).toBe('/login?error=sso_no_account');
  });

  it('counts as a second factor where the provider is trusted to ask for one', async () => {
    await start({ ...STAFF, oidcTrustMfa: true });
    const browser = new TestBrowser();
    expect(await signIn({ sub: 'f', email: 'f@allowed.org', groups: ['staff'] }, browser)).toBe('/account');
    await server.metadata.organizations.update(server.organizationId, { requiresFactor: true });
    expect((await browser.fetch(new URL('/api/projects/', origin))).status).toBe(200);
  });

  it('does not, where it is not', async () => {
    await start(STAFF);
    const browser = new TestBrowser();
    expect(await signIn({ sub: 'g', email: 'g@allowed.org', groups: ['staff'] }, browser)).toBe('/account');
    await server.metadata.organizations.update(server.organizationId, { requiresFactor: true });
    expect((await browser.fetch(new URL('/api/projects/', origin))).status).toBe(403);
  });
});
