/** Single sign-on as people use it: the button, an account that has to be linked, and domains of the organization. */
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, openBrowser, saveScreenshot } from '../support/browser.ts';
import { freePort } from '../support/free-port.ts';
import { type IdentityProvider, startIdentityProvider } from '../support/identity-provider.ts';
import { addMember, invite, type TestMember } from '../support/people.ts';
import { startServer, type TestServer } from '../support/server.ts';

const WIDTHS = [1440, 1024, 380];
const OWNER = { email: 'ada@example.org', password: 'correct horse' };

describe.skipIf(!hasBrowser)('single sign-on', () => {
  let idp: IdentityProvider;
  let server: TestServer;
  let origin: string;
  let browser: Browser;
  let page: Page;
  let member: TestMember;

  beforeAll(async () => {
    const port = await freePort();
    origin = `http://127.0.0.1:${port}`;
    idp = await startIdentityProvider(origin);
    server = await startServer({
      now: new Date().toISOString(),
      config: {
        port,
        publicUrl: origin,
        initAdminEmail: OWNER.email,
        initAdminPassword: OWNER.password,
        oidcIssuer: idp.issuer,
        oidcClientId: idp.clientId,
        oidcClientSecret: idp.clientSecret,
        oidcName: 'Example',
        oidcDomains: ['set.org'],
      },
    });
    await invite(server, { target_email: 'grace@example.org' });
    member = await addMember(server, 'emmy@example.org');
    browser = await openBrowser();
    page = await browser.newPage();
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
    await idp?.stop();
  });

  async function problems(name: string): Promise<string[]> {
    const found: string[] = [];
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 });
        await saveScreenshot(page, `${name}-${width}-${colorScheme}`);
        const isWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
        if (isWide) found.push(`${name} is wider than ${width}`);
      }
      await page.evaluate(axe.source);
      const { violations } = await page.evaluate<axe.AxeResults>('axe.run(document)');
      found.push(...violations.map(({ id }) => `${name}: ${id}`));
    }
    await page.setViewportSize({ width: 1440, height: 900 });
    return found;
  }
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const signOut = async (): Promise<void> => {
    await page.context().clearCookies();
    server.setNow(new Date().toISOString());
  };

  it('is a button: one click, and somebody with an invitation is in', async () => {
    idp.person = { sub: 'grace', email: 'grace@example.org', email_verified: true, name: 'Grace' };
    await page.goto(`${origin}/login?next=%2Faccount`);
    await page.getByRole('button', { name: 'Sign in with Example' }).waitFor();
    expect(await problems('sso-login')).toEqual([]);
    await press('Sign in with Example');
    await page.getByText('This session').waitFor();
    expect(new URL(page.url()).pathname).toBe('/account');
  });

  it('says what went wrong, and what to do', async () => {
    await signOut();
    idp.person = { sub: 'stranger', email: 'stranger@example.org', email_verified: true };
    await page.goto(`${origin}/login`);
    await press('Sign in with Example');
    await page.getByText('Ask an admin for an invitation.').waitFor();
    expect(await problems('sso-error')).toEqual([]);
  });

  it('links an account once its password was shown', async () => {
    await signOut();
    idp.person = { sub: 'emmy', email: member.email, email_verified: false };
    await page.goto(`${origin}/login?next=%2Faccount`);
    await press('Sign in with Example');
    await page.getByRole('heading', { name: 'Link your account' }).waitFor();
    await page.getByText('emmy@example.org').waitFor();
    expect(await problems('sso-link')).toEqual([]);
    await page.getByLabel('Password').fill('wrong');
    await press('Link account');
    await page.getByText('This is not the password of the account.').waitFor();
    await page.getByLabel('Password').fill(member.password);
    await press('Link account');
    await page.getByText('This session').waitFor();
  });

  it('has domains, which an admin adds and proves', async () => {
    await signOut();
    await page.goto(`${origin}/login?local=1&next=%2Fproject%2F1%2Fmembers`);
    await page.getByLabel('Email').fill(OWNER.email);
    await page.getByLabel('Password').fill(OWNER.password);
    await press('Sign in');
    const section = page.getByRole('region', { name: 'Single sign-on' });
    for (const domain of ['a-domain-with-a-rather-long-name-that-nobody-would-like-to-type.example.org', 'set.org']) {
      await section.getByLabel('Add a domain').fill(domain);
      await press('Add domain');
      await section.getByRole('heading', { name: domain }).waitFor();
    }
    await section.getByText('cairn-verification=').waitFor();
    const own = section.getByRole('group', { name: 'set.org' });
    await own.getByText('Require single sign-on').click();
    await page.getByText('cairn users break-glass EMAIL').waitFor();
    await section.scrollIntoViewIfNeeded();
    expect(await problems('sso-domains')).toEqual([]);
  });
});
