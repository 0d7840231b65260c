/** Digests in a real browser: from a dashboard and an insight, changed, tried, paused and left. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, openBrowser, saveScreenshot, watchedPage } from '../support/browser.ts';
import { capture } from '../support/capture.ts';
import { clientFor } from '../support/client.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import { startServer, type TestServer } from '../support/server.ts';

const ACCOUNT = { email: 'ada@example.org', password: 'correct horse' };
/** The real time, because the browser expires cookies by its own clock. */
const NOW = Date.now();

describe.skipIf(!hasBrowser)('digests in the console', () => {
  let server: TestServer;
  let mail: MailServer;
  let browser: Browser;
  let page: Page;
  let pageErrors: string[];
  let insight: number;
  let dashboard: number;
  const digests = async () => (await clientFor(server).get('/api/projects/1/subscriptions/')).body.results;
  beforeAll(async () => {
    mail = await startMailServer();
    const publicUrl = 'https://cairn.example.org';
    const config = { ...mail.config, publicUrl, initAdminEmail: ACCOUNT.email, initAdminPassword: ACCOUNT.password };
    server = await startServer({ now: new Date(NOW).toISOString(), config });
    browser = await openBrowser();
    ({ page, pageErrors } = await watchedPage(browser, server.url));
    await page.setViewportSize({ width: 1440, height: 1000 });
    await page.request.post(`${server.url}/api/login/`, { data: ACCOUNT });
    const timestamp = new Date(NOW - 3_600_000).toISOString();
    await capture(server, server.projectKey, [{ event: 'signed up', distinct_id: 'a', timestamp }]);
    const filters = { insight: 'TRENDS', events: [{ id: 'signed up' }] };
    const body = { name: 'Sign-ups <b>of a long & ugly name</b>', saved: true, filters };
    insight = (await clientFor(server).post('/api/projects/1/insights/', { body })).body.id;
    const board = { name: 'Growth', tiles: [{ insight }] };
    dashboard = (await clientFor(server).post('/api/projects/1/dashboards/', { body: board })).body.id;
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
    await mail?.close();
  });

  it('teach what to do where there are none', async () => {
    await page.goto(`${server.url}/project/1/alerts?tab=digests`);
    await page.getByText('No digests yet').waitFor();
    await saveScreenshot(page, 'digests-empty');
  });

  it('are made from a dashboard', async () => {
    await page.goto(`${server.url}/project/1/dashboards/${dashboard}`);
    await page.getByRole('button', { name: 'Subscribe', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Fri').check();
    await saveScreenshot(page, 'digest-dialog');
    await dialog.getByLabel('Addresses', { exact: true }).fill('nobody@partner.example');
    await dialog.getByRole('button', { name: 'Subscribe' }).click();
    await dialog.getByText('is not the address of a member').waitFor();
    await dialog.getByLabel('Addresses', { exact: true }).fill(ACCOUNT.email);
    await dialog.getByRole('button', { name: 'Subscribe' }).click();
    await page.getByText('Digest made: sent every week on Monday and Friday.').waitFor();
    expect(await digests()).toMatchObject([
      { dashboard, target_value: ACCOUNT.email, byweekday: ['monday', 'friday'] },
    ]);
  });

  it('are made from an insight, for a month', async () => {
    await page.goto(`${server.url}/project/1/insights/${insight}`);
    await page.getByRole('button', { name: 'Subscribe', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Period').selectOption('monthly');
    await dialog.getByLabel('On', { exact: true }).selectOption('-1');
    await dialog.getByLabel('Send by').selectOption('slack');
    await dialog.getByLabel('Address of the webhook').fill('https://hooks.example.org/services/T0');
    await dialog.getByRole('button', { name: 'Subscribe' }).click();
    await page.getByText('sent every month on the last Monday').waitFor();
    expect((await digests())[0]).toMatchObject({ insight, bysetpos: -1, target_type: 'slack' });
  });

  it('are listed with their state, tried, changed, paused and deleted', async () => {
    await page.goto(`${server.url}/project/1/alerts?tab=digests`);
    const row = page.getByRole('row').filter({ hasText: 'Growth' });
    await row.getByText('Active').waitFor();
    await saveScreenshot(page, 'digests');
    await row.getByText('⋯').click();
    await row.getByRole('button', { name: 'Send a test' }).click();
    await page.getByText('Sent to you.').waitFor();
    expect(await mail.take(ACCOUNT.email)).toContain('Subject: Test: Growth');
    await row.getByText('⋯').click();
    await row.getByRole('button', { name: 'Change' }).click();
    await page.getByRole('dialog').getByLabel('Title').fill('Growth, weekly');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('link', { name: 'Growth, weekly' }).waitFor();
    await row.getByText('⋯').click();
    await row.getByRole('button', { name: 'Pause' }).click();
    await row.getByText('Disabled').waitFor();
    await row.getByText('⋯').click();
    await row.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete digest' }).click();
    await expect.poll(async () => (await digests()).length).toBe(1);
  });

  it('are left by a link in the mail', async () => {
    const client = clientFor(server);
    const start_date = new Date(NOW + 60_000).toISOString();
    const digest = { insight, target_type: 'email', target_value: ACCOUNT.email, frequency: 'daily', start_date };
    const { id } = (await client.post('/api/projects/1/subscriptions/', { body: digest })).body;
    server.setNow(new Date(NOW + 61_000).toISOString());
    const text = (await mail.take(ACCOUNT.email)).replaceAll(/=?\r\n[ \t]*/g, '');
    const path = /List-Unsubscribe: ?<https:\/\/cairn\.example\.org(\/unsubscribe\/digest\/[^>]+)>/.exec(text)?.[1];
    await page.goto(`${server.url}${path}`);
    await page.getByText('Unsubscribe from this digest?').waitFor();
    await page.getByRole('button', { name: 'Unsubscribe' }).click();
    await page.getByText('You are unsubscribed').waitFor();
    await page.goto(`${server.url}/project/1/alerts?tab=digests`);
    await page.getByText('All recipients have unsubscribed.').waitFor();
    await saveScreenshot(page, 'digests-paused');
    expect((await client.get(`/api/projects/1/subscriptions/${id}/`)).body.enabled).toBe(false);
    // Only the address that was refused.
    expect(pageErrors.filter((one) => !/\b400\b/.test(one))).toEqual([]);
  }, 20_000);
});
