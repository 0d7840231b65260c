/** Settings of single sign-on that change who gets in: required groups, joining, trusted factors, nested groups. */
import { afterEach, describe, expect, it } from 'vitest';
import type { Config } from '../../src/config.ts';
import { openLog } from '../../src/lib/log.ts';
import { freePort } from '../support/free-port.ts';
import { type IdentityProvider, type Person, startIdentityProvider } from '../support/identity-provider.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { TestBrowser } from '../support/test-browser.ts';

let idp: IdentityProvider;
let server: TestServer;
let origin: string;
let lines: string[];

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
  lines = [];
  const log = openLog('warn', { write: (line: string) => void lines.push(line) });
  server = await startServer({ now: new Date().toISOString(), config, log });
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

type AnyClaims = Record<string, unknown>;
/** The provider signs other claims than it has; its access tokens stay as they are. */
function changeIdToken(change: (claims: AnyClaims) => AnyClaims): void {
  idp.tamper = async (answer) => {
    const [, payload = ''] = String(answer['id_token']).split('.');
    answer['id_token'] = await idp.sign(change(JSON.parse(Buffer.from(payload, 'base64url').toString())));
  };
}

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
    changeIdToken((claims) => ({ ...claims, realm_access: { roles: ['admins'] } }));
    expect(await signIn({ sub: 'c', email: 'c@allowed.org' })).toBe('/account');
    expect(await levelOf('c@allowed.org')).toBe(8);
  });

  it('asks the provider for what the ID token does not say, and believes it of the same subject only', async () => {
    await start(STAFF);
    const asked = () => idp.requests.get('/me') ?? 0;
    expect(await signIn({ sub: 'h', email: 'h@allowed.org', groups: ['staff'] })).toBe('/account');
    expect(asked()).toBe(0);
    const without = ({ email: _email, email_verified: _verified, groups: _groups, ...claims }: AnyClaims) => claims;
    changeIdToken(without);
    expect(await signIn({ sub: 'i', email: 'i@allowed.org', groups: ['staff'] })).toBe('/account');
    expect([asked(), await levelOf('i@allowed.org')]).toEqual([1, 1]);
    changeIdToken((claims) => ({ ...without(claims), sub: 'h' }));
    expect(await signIn({ sub: 'j', email: 'j@allowed.org', groups: ['staff'] })).toBe('/login?error=sso_failed');
    expect(await levelOf('j@allowed.org')).toBeNull();
  });

  it('lets people of a domain join the organization that is named, and no other', async () => {
    await start({ oidcDomains: ['allowed.org'], oidcAutoJoin: 'no-such-organization' });
    expect(await signIn({ sub: 'd', email: 'd@allowed.org' })).toBe('/login?error=sso_no_account');
    expect(await levelOf('d@allowed.org')).toBeNull();
    expect(await signIn({ sub: 'e', email: 'e@elsewhere.org' })).toBe('/login?error=sso_no_account');
    // The operator was told at the start.
    const warned = lines.map((line) => JSON.parse(line)).filter(({ setting }) => setting === 'OIDC_AUTO_JOIN');
    expect(warned.map(({ organization }) => organization)).toEqual(['no-such-organization']);
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

  it('asks the provider with the prompt that is set, and with none by default', async () => {
    const promptOf = async (): Promise<string | null> => {
      const { url } = await new TestBrowser().visit(`${origin}/login/oidc/`, (to) => to.origin === idp.issuer);
      return url.searchParams.get('prompt');
    };
    await start({ ...STAFF, oidcPrompt: 'select_account' });
    const prompts = [await promptOf()];
    await server.close();
    await idp.stop();
    await start(STAFF);
    prompts.push(await promptOf());
    expect(prompts).toEqual(['select_account', null]);
  });
});
