import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, openBrowser, watchedPage } from '../support/browser.ts';
import { startServer, type TestServer } from '../support/server.ts';

const ACCOUNT = { email: 'ada@example.org', password: 'correct horse' };

describe.skipIf(!hasBrowser)('invitations in the console', () => {
  let server: TestServer;
  let browser: Browser;
  beforeAll(async () => {
    server = await startServer({
      // The browser has the real time, and drops cookies that expired by it.
      now: new Date().toISOString(),
      config: { initAdminEmail: ACCOUNT.email, initAdminPassword: ACCOUNT.password },
    });
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });

  it('lead from the link that an admin passes on to a password of one’s own', async () => {
    const admin = await watchedPage(browser, server.url);
    await admin.page.goto(`${server.url}/login?next=${encodeURIComponent('/project/1/members')}`);
    await admin.page.getByLabel('Email').fill(ACCOUNT.email);
    await admin.page.getByLabel('Password').fill(ACCOUNT.password);
    await admin.page.getByRole('button', { name: 'Sign in' }).click();
    await admin.page.getByRole('button', { name: 'Invite member' }).click();
    await admin.page.getByLabel('Email').fill('grace@example.org');
    await admin.page.getByLabel('Name', { exact: true }).fill('Grace');
    await admin.page.getByRole('button', { name: 'Create link' }).click();
    const link = (await admin.page.getByLabel('Invitation link').textContent()) ?? '';
    await admin.page.getByRole('button', { name: 'Done' }).click();
    await admin.page.getByRole('cell', { name: 'grace@example.org', exact: true }).waitFor();

    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(link);
    await page.getByText('You are invited to join My organization as g***@example.org.').waitFor();
    await page.getByLabel('Password').fill('password1');
    await page.getByRole('button', { name: 'Join' }).click();
    await page.getByText('too common').waitFor();
    await page.getByLabel('Password').fill('cobol forever');
    await page.getByRole('button', { name: 'Join' }).click();
    await page.waitForURL(/\/project\/1\//);
    const again = await context.newPage();
    await again.goto(link);
    await again.getByText('not valid any more').waitFor();
    await context.close();

    await admin.page.reload();
    await admin.page.getByText('grace@example.org').first().waitFor();
    expect(await admin.page.getByRole('heading', { name: 'Invitations' }).count()).toBe(0);
    expect([admin.pageErrors, admin.foreignRequests]).toEqual([[], []]);
    await admin.page.close();
  });
});
