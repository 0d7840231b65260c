/** Two-factor authentication as people use it: set up, signed in with, required; and a forgotten password. */
import axe from 'axe-core';
import { Secret, TOTP } from 'otpauth';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, openBrowser, saveScreenshot } from '../support/browser.ts';
import { freePort } from '../support/free-port.ts';
import { linkIn, type MailServer, startMailServer } from '../support/mail-server.ts';
import { addMember, type TestMember } from '../support/people.ts';
import { startServer, type TestServer } from '../support/server.ts';

const ACCOUNT = { email: 'ada@example.org', password: 'correct horse' };

const WIDTHS = [1440, 1024, 380];

describe.skipIf(!hasBrowser)('signing in', () => {
  const begin = Date.now();
  let now = begin;
  let mail: MailServer;
  let server: TestServer;
  let origin: string;
  let browser: Browser;
  let page: Page;
  let grace: TestMember;
  let codes: string[];
  let secret: string;

  beforeAll(async () => {
    mail = await startMailServer();
    const port = await freePort();
    origin = `http://localhost:${port}`;
    // The browser judges by its own clock whether a cookie has expired.
    server = await startServer({
      now: new Date(begin).toISOString(),
      config: {
        initAdminEmail: ACCOUNT.email,
        initAdminPassword: ACCOUNT.password,
        ...mail.config,
        // Links in mail and passkeys depend on the address, which therefore has to be known before the start.
        port,
        publicUrl: origin,
      },
    });
    grace = await addMember(server, 'grace@example.org');
    mail.mails.length = 0;
    browser = await openBrowser();
    page = await browser.newPage();
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
    await mail?.close();
  });

  const later = (): void => {
    now += 90_000;
    server.setNow(new Date(now).toISOString());
  };
  const code = (): string => TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: now });
  async function signIn(account: { email: string; password: string }): Promise<void> {
    later();
    await page.goto(`${origin}/login?next=%2Faccount`);
    await page.getByLabel('Email').fill(account.email);
    await page.getByLabel('Password').fill(account.password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  }
  /** At every width, in light and dark: what axe objects to, and what is wider than the page. */
  async function problems(name: string): Promise<string[]> {
    const found: string[] = [];
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
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

  it('offers an authenticator app, whose recovery codes are shown once', async () => {
    await signIn(ACCOUNT);
    await page.getByRole('button', { name: 'Set up…' }).click();
    secret = ((await page.getByLabel('Key', { exact: true }).textContent()) ?? '').trim();
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    expect(await problems('set-up')).toEqual([]);
    await page.getByLabel('Code', { exact: true }).fill('000000');
    await page.getByRole('button', { name: 'Turn on' }).click();
    await page.getByText('This code is not correct').waitFor();
    await page.getByLabel('Code', { exact: true }).fill(code());
    await page.getByRole('button', { name: 'Turn on' }).click();
    await page.getByText('Save these recovery codes now').waitFor();
    codes = await page.getByLabel('Recovery codes').getByRole('listitem').allTextContents();
    expect(codes).toHaveLength(10);
    expect(await problems('recovery-codes')).toEqual([]);
    await page.getByRole('button', { name: 'I saved them' }).click();
    await page.getByText('10 of 10 left.').waitFor();
    expect(await problems('account')).toEqual([]);
  });

  it('asks for the code after the password, and takes a recovery code instead', async () => {
    await signIn(ACCOUNT);
    await page.getByRole('heading', { name: 'Two-factor authentication' }).waitFor();
    expect(await problems('second-step')).toEqual([]);
    await page.getByLabel('Code', { exact: true }).fill('123456');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('This code is not correct').waitFor();
    await page.getByLabel('Code', { exact: true }).fill(codes[0] ?? '');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('9 of 10 left.').waitFor();
    await page.getByText('This session').waitFor();
  });

  it('is possible with a passkey alone', async () => {
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('WebAuthn.enable');
    const options = {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    } as const;
    await devtools.send('WebAuthn.addVirtualAuthenticator', { options });
    await page.getByLabel('Name', { exact: true }).last().fill('Laptop');
    await page.getByRole('button', { name: 'Add passkey' }).click();
    await page.getByRole('button', { name: 'Delete passkey Laptop' }).waitFor();
    await page.goto(`${origin}/login?next=%2Faccount`);
    expect(await problems('login')).toEqual([]);
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.getByText('Passkey', { exact: true }).last().waitFor();
  });

  it('leads members without a second factor to its set-up, where it is required', async () => {
    later();
    await page.goto(`${origin}/project/1/members`);
    await page.getByLabel('Require two-factor authentication').click();
    await page.getByText('Two-factor authentication is required now.').waitFor();
    expect(await problems('members')).toEqual([]);
    await page.context().clearCookies();
    await signIn(grace);
    await page.getByRole('heading', { name: 'Set up two-factor authentication' }).waitFor();
    expect(await problems('required')).toEqual([]);
    await page.getByRole('button', { name: 'Set up…' }).click();
    secret = ((await page.getByLabel('Key', { exact: true }).textContent()) ?? '').trim();
    await page.getByLabel('Code', { exact: true }).fill(code());
    await page.getByRole('button', { name: 'Turn on' }).click();
    await page.getByRole('button', { name: 'I saved them' }).click();
    await page.waitForURL(/\/project\/1\//);
  });

  it('goes on with a new password after a mailed link', async () => {
    later();
    await page.context().clearCookies();
    await page.goto(`${origin}/login`);
    await page.getByRole('link', { name: 'Forgot your password?' }).click();
    await page.getByLabel('Email').fill(grace.email);
    expect(await problems('reset')).toEqual([]);
    await page.getByRole('button', { name: 'Send link' }).click();
    await page.getByText('a link is on its way').waitFor();
    const { path, token } = linkIn(await mail.take(grace.email));
    await page.goto(`${origin}${path}#token=${token}`);
    await page.getByLabel('New password', { exact: true }).fill('a new sentence');
    expect(await problems('new-password')).toEqual([]);
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('Password changed.').waitFor();
    await signIn({ email: grace.email, password: 'a new sentence' });
    await page.getByLabel('Code', { exact: true }).fill(code());
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('heading', { name: 'Account settings' }).waitFor();
  });
});
