/** The pages that people need before the console: set-up, sign-in, front page. */
import type { Browser } from 'playwright-core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hasBrowser, keepPicture, openBrowser, watchedPage } from './support/browser.ts';
import { startServer, type TestServer } from './support/server.ts';

let server: TestServer;
beforeEach(async () => {
  // By the true clock: a browser lets cookies expire by its own.
  server = await startServer({ now: new Date().toISOString() });
});
afterEach(() => server.close());

const submit = (path: string, fields: Record<string, string>): Promise<Response> =>
  fetch(server.url + path, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' });

const account = { email: 'ada@example.org', password: 'correct horse', first_name: 'Ada' };

describe('set-up', () => {
  it('makes the account, signs in, and works once', async () => {
    const token = server.setupToken ?? '';
    const first = await submit('/setup', { token, ...account });
    expect([first.status, first.headers.get('location')]).toEqual([303, '/']);
    const cookie = first.headers.get('set-cookie')?.split(';')[0] ?? '';
    const front = await (await fetch(server.url, { headers: { cookie } })).text();
    expect(front).toContain('Signed in as ada@example.org');
    expect(front).toContain(server.projectKey);
    const again = await submit('/setup', { token, ...account });
    expect(again.status).toBe(403);
    expect(await again.text()).toContain('This set-up link is not valid, or has been used. Sign in instead.');
  });

  it('says what is wrong and keeps the link, without ever showing the password', async () => {
    const token = server.setupToken ?? '';
    const short = await submit('/setup', { token, ...account, password: 'short' });
    expect(short.status).toBe(400);
    const page = await short.text();
    expect(page).toContain('password: This password is too short. It must contain at least 8 characters.');
    expect(page).toContain(`value="${token}"`);
    expect(page).not.toContain('value="short"');
  });

  it('shows what it is given as text', async () => {
    const nasty = '"><script>alert(1)</script>';
    const shown = await (await fetch(`${server.url}/setup?token=${encodeURIComponent(nasty)}`)).text();
    expect(shown).not.toContain('<script>');
    expect(shown).toContain('&quot;&gt;&lt;script&gt;');
  });
});

describe('sign-in', () => {
  it('lets in, refuses, and signs out', async () => {
    await submit('/setup', { token: server.setupToken ?? '', ...account });
    const wrong = await submit('/login', { email: account.email, password: 'wrong horse' });
    expect(wrong.status).toBe(400);
    expect(await wrong.text()).toContain('Invalid email or password.');
    const right = await submit('/login', account);
    expect(right.status).toBe(303);
    const cookie = right.headers.get('set-cookie')?.split(';')[0] ?? '';
    await fetch(`${server.url}/logout`, { method: 'POST', headers: { cookie }, redirect: 'manual' });
    expect(await (await fetch(server.url, { headers: { cookie } })).text()).not.toContain('Signed in');
  });

  it('is slowed down after five failures', async () => {
    for (let i = 0; i < 5; i++) await submit('/login', { email: 'nobody@example.org', password: 'guess' });
    const refused = await submit('/login', { email: 'nobody@example.org', password: 'guess' });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60']);
  });

  it('sends a policy that lets nothing in from elsewhere', async () => {
    const { headers } = await fetch(`${server.url}/login`);
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    );
    expect(headers.get('referrer-policy')).toBe('no-referrer');
  });
});

describe.skipIf(!hasBrowser)('in a browser', () => {
  let browser: Browser;
  beforeEach(async () => {
    browser = await openBrowser();
  }, 60_000);
  afterEach(() => browser.close());

  it('leads from the printed link to the project key', async () => {
    const { page, complaints, elsewhere } = await watchedPage(browser, server.url);
    await page.goto(`${server.url}/setup?token=${server.setupToken}`);
    await keepPicture(page, 'setup');
    await page.getByLabel('Name').fill('Ada');
    await page.getByLabel('E-mail').fill(account.email);
    await page.getByLabel('Password').fill(account.password);
    await page.getByRole('button', { name: 'Set up' }).click();
    await page.getByText('Signed in as ada@example.org').waitFor();
    expect(await page.locator('code').textContent()).toBe(server.projectKey);
    await keepPicture(page, 'front');
    expect([complaints, elsewhere]).toEqual([[], []]);
  }, 60_000);
});
