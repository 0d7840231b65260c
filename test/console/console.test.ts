/** The console in a real browser: first steps, live events, sessions. */
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, openBrowser, saveScreenshot, watchedPage } from '../support/browser.ts';
import { startServer, type TestServer } from '../support/server.ts';

const ACCOUNT = { email: 'ada@example.org', password: 'correct horse' };

describe.skipIf(!hasBrowser)('the console', () => {
  let server: TestServer;
  let browser: Browser;
  beforeAll(async () => {
    // The real time, because the browser expires cookies by its own clock.
    server = await startServer({ now: new Date().toISOString() });
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });

  const capture = async (event: string, properties: object = {}): Promise<void> => {
    const body = JSON.stringify({ api_key: server.projectKey, event, distinct_id: 'visitor', properties });
    expect((await fetch(`${server.url}/capture/`, { method: 'POST', body })).status).toBe(200);
    await server.drain();
  };
  const signIn = async (page: Page, path: string): Promise<void> => {
    await page.goto(server.url + path);
    await page.getByLabel('Email').fill(ACCOUNT.email);
    await page.getByLabel('Password').fill(ACCOUNT.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
  };

  it('leads from the setup link to the first event, sent by the HTML snippet', async () => {
    const { page, pageErrors, foreignRequests } = await watchedPage(browser, server.url);
    await page.goto(`${server.url}/setup#token=${server.setupToken}`);
    await page.getByLabel('Name').fill('Ada');
    await page.getByLabel('Email').fill(ACCOUNT.email);
    await page.getByLabel('Password').fill(ACCOUNT.password);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByLabel('Project name').fill('Boots');
    await page.getByLabel('Time zone').fill('Europe/Berlin');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('Waiting for your first event').waitFor();
    await saveScreenshot(page, 'console-waiting');

    const snippet = (await page.getByLabel('Code for HTML snippet').textContent()) ?? '';
    expect(snippet).toContain(`posthog.init("${server.projectKey}", { api_host: "${server.url}" })`);
    const shop = await openShop(snippet.replace('{ api_host', '{ opt_out_useragent_filter: true, api_host'));
    const visit = await browser.newPage();
    await visit.goto(shop.url);
    await page.getByText('Receiving events').waitFor();
    await visit.close();
    await shop.close();

    await page.getByRole('link', { name: 'View live events' }).click();
    await page.getByRole('cell', { name: 'Pageview', exact: true }).waitFor();
    expect(await page.getByRole('cell', { name: shop.url }).count()).toBeGreaterThan(0);
    expect((await server.metadata.projects.get(server.projectId))?.timezone).toBe('Europe/Berlin');
    expect([pageErrors, foreignRequests]).toEqual([[], []]);
    await page.close();
  });

  it('shows live events, and renders what visitors send as text', async () => {
    const { page, pageErrors, foreignRequests } = await watchedPage(browser, server.url);
    const hostile = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>';
    let dialogs = 0;
    page.on('dialog', (dialog) => {
      dialogs++;
      void dialog.dismiss();
    });
    await signIn(page, `/login?next=${encodeURIComponent('/project/1/live')}`);
    await page.getByText('Live', { exact: true }).and(page.locator('.badge')).waitFor();
    await capture(hostile, {
      [hostile]: hostile,
      $current_url: `javascript:${hostile}`,
      list: [hostile, { deep: hostile }],
    });
    const row = page.getByRole('row', { name: hostile });
    await row.waitFor();
    await row.press('Enter');
    await page.getByText('Properties', { exact: true }).waitFor();
    expect(await page.getByLabel('Event properties').textContent()).toContain(JSON.stringify(hostile));
    expect(await page.getByLabel('Ingestion status').textContent()).toContain('Stored');
    expect(await page.evaluate('window.hacked')).toBeUndefined();
    expect(await page.locator('#app img, #app script').count()).toBe(0);
    await saveScreenshot(page, 'console-text');

    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(new URL(page.url()).search).toBe('');
    expect([dialogs, pageErrors, foreignRequests]).toEqual([0, [], []]);
    await page.close();
  });

  it('pauses, filters by name, and keeps the filter in the URL', async () => {
    const { page, pageErrors } = await watchedPage(browser, server.url);
    await signIn(page, `/login?next=${encodeURIComponent('/project/1/live?event=wanted')}`);
    await page.getByText('No matching events').waitFor();
    await capture('unwanted');
    await capture('wanted', { plan: 'team' });
    await page.getByRole('cell', { name: 'wanted', exact: true }).waitFor();
    expect(await page.getByRole('cell', { name: 'unwanted' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Pause' }).click();
    await capture('wanted', { plan: 'free' });
    await page.getByText('Paused, 1 new event').waitFor();
    expect(await page.getByRole('cell', { name: 'wanted', exact: true }).count()).toBe(1);
    await page.getByRole('button', { name: 'Resume' }).click();
    await expect.poll(() => page.getByRole('cell', { name: 'wanted', exact: true }).count()).toBe(2);

    await page.getByRole('button', { name: 'Add filter' }).click();
    await page.getByRole('combobox', { name: 'Filter by' }).fill('pla');
    await page.getByRole('option', { name: 'plan' }).click();
    // Enter takes what was typed, wherever the mouse is.
    await page.getByRole('combobox', { name: 'Values' }).fill('te');
    await page.getByRole('option', { name: 'team' }).hover();
    await page.getByRole('combobox', { name: 'Values' }).press('Enter');
    await page.getByRole('combobox', { name: 'Values' }).fill('tea');
    await page.getByRole('option', { name: 'team' }).click();
    await expect.poll(() => page.getByRole('cell', { name: 'wanted', exact: true }).count()).toBe(1);
    expect(new URL(page.url()).searchParams.get('properties')).toBe(
      '[{"type":"event","key":"plan","operator":"exact","value":["te","team"]}]',
    );
    expect(pageErrors).toEqual([]);
    await page.close();
  });

  it('explores events by day: older pages, a range, columns, and the event of a row', async () => {
    const DAY = 86_400_000;
    const batch = Array.from({ length: 130 }, (_, at) => ({
      event: 'explored',
      distinct_id: `visitor ${at % 3}`,
      properties: { at },
      timestamp: new Date(Date.now() - (at < 70 ? 3 : 4) * DAY - at).toISOString(),
    }));
    const body = JSON.stringify({ api_key: server.projectKey, batch });
    expect((await fetch(`${server.url}/batch/`, { method: 'POST', body })).status).toBe(200);
    await server.drain();
    const { page, pageErrors } = await watchedPage(browser, server.url);
    await signIn(page, `/login?next=${encodeURIComponent('/project/1/live?event=explored')}`);
    const cells = page.getByRole('cell', { name: 'explored', exact: true });
    await cells.first().waitFor();
    expect(await cells.count()).toBe(100);
    // Days are told apart, with weekday and year.
    const dayOf = (ago: number): string =>
      new Intl.DateTimeFormat('en-US', { dateStyle: 'full', timeZone: 'Europe/Berlin' })
        .format(Date.now() - ago * DAY)
        .replace(/, (\w{3})\w* /, ', $1 ');
    expect(await page.locator('tr.section').allTextContents()).toEqual([dayOf(3), dayOf(4)]);
    await page.getByRole('button', { name: 'Load older events' }).click();
    await page.getByText('All 130 events shown.').waitFor();
    expect(await cells.count()).toBe(130);

    // The middle of a row opens the event, not the person.
    await page
      .getByRole('row', { name: /explored/ })
      .first()
      .click();
    await page.getByRole('dialog', { name: 'explored' }).getByText('Event UUID').waitFor();
    await page.keyboard.press('Escape');

    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('combobox', { name: 'Add column' }).fill('at');
    await page.getByRole('option', { name: 'at', exact: true }).click();
    await page.getByRole('columnheader', { name: 'at', exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByLabel('Date range').selectOption('Yesterday');
    await page.getByText('No matching events').waitFor();
    await page.goto(`${page.url().replace(/&date_from.*$/, '')}&date_from=-30d`);
    await cells.first().waitFor();
    const csv = await page.getByRole('link', { name: 'Export CSV' }).getAttribute('href');
    const lines = await (await page.request.get(server.url + csv)).text();
    expect(lines.trim().split('\n').length).toBe(131);
    expect(pageErrors).toEqual([]);
    await page.close();
  });

  it('asks to sign in when the session has expired, and returns to the page', async () => {
    const { page } = await watchedPage(browser, server.url);
    await signIn(page, '/login');
    await page.getByRole('heading', { name: 'Web analytics' }).waitFor();
    await page.context().clearCookies();
    await page.goto(`${server.url}/project/1/live?event=wanted`);
    await page.getByText('Sign in to continue where you left off.').waitFor();
    await page.getByLabel('Email').fill(ACCOUNT.email);
    await page.getByLabel('Password').fill('wrong horse');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Invalid email or password.').waitFor();
    await page.getByLabel('Password').fill(ACCOUNT.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Live events' }).waitFor();
    expect(page.url()).toBe(`${server.url}/project/1/live?event=wanted`);
    await page.close();
  });

  it('fits a narrow screen, and says when ingestion is delayed', async () => {
    const { page, pageErrors } = await watchedPage(browser, server.url);
    await page.setViewportSize({ width: 380, height: 780 });
    await page.route('**/api/server_status/', async (route) => {
      const status = (await (await route.fetch()).json()) as { ingest: object };
      await route.fulfill({ json: { ...status, ingest: { ...status.ingest, pending: 7, lag_ms: 125_000 } } });
    });
    await signIn(page, '/login');
    await page.getByText('Ingestion is delayed: 7 pending events, the oldest from 2m 5s ago.').waitFor();
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByText('Settings', { exact: true }).click();
    await page.getByRole('link', { name: 'Server status' }).click();
    await page.getByText('Needs attention').waitFor();
    expect(await page.getByRole('link', { name: 'Server status', exact: true }).isVisible()).toBe(false);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(380);
    expect(pageErrors).toEqual([]);
    await page.close();
  });

  it('collapses the navigation to a rail below 1200 px, or when asked to', async () => {
    const { page, pageErrors } = await watchedPage(browser, server.url);
    await page.setViewportSize({ width: 1024, height: 780 });
    await signIn(page, '/login');
    const sidebar = page.getByRole('banner');
    const width = async () => (await sidebar.boundingBox())?.width;
    await sidebar.waitFor();
    expect(await width()).toBe(60);
    await page.getByRole('link', { name: 'Persons' }).click();
    await page.getByRole('heading', { name: 'Persons' }).waitFor();
    await page.setViewportSize({ width: 1440, height: 780 });
    await expect.poll(width).toBe(232);
    await page.getByRole('button', { name: 'Collapse' }).click();
    await page.reload();
    await sidebar.waitFor();
    expect(await width()).toBe(60);
    await page.getByRole('button', { name: 'Expand navigation' }).click();
    expect(await width()).toBe(232);
    expect(pageErrors).toEqual([]);
    await page.close();
  });

  it('loads demo data', async () => {
    const { page, pageErrors } = await watchedPage(browser, server.url);
    await signIn(page, '/login');
    await page.getByText('Settings', { exact: true }).click();
    await page.getByRole('link', { name: 'Install SDK', exact: true }).click();
    await page.getByRole('button', { name: 'Load demo data' }).click();
    await page.getByText(/^[\d,. ]+ events loaded\.$/).waitFor();
    expect((await server.metadata.flags.listByProject(server.projectId)).length).toBe(2);
    expect(pageErrors).toEqual([]);
    await page.close();
  });

  it('is served at the path of every page', async () => {
    const table = readFileSync(new URL('../../console/src/routes.ts', import.meta.url), 'utf8');
    const paths = [...table.matchAll(/path: ['`]([^'`]+)['`]/g)].map(([, path = '']) =>
      path.replace(/^\$\{P\}/, '/project/1').replace(/:\w+/g, '1'),
    );
    expect(paths).toContain('/project/1/live');
    for (const path of paths) {
      const answer = await fetch(server.url + path);
      // A link that is not there.
      const isLink = /^\/(?:shared|embedded)\//.test(path);
      expect([path, answer.status, answer.headers.get('content-type')]).toEqual([
        path,
        isLink ? 404 : 200,
        'text/html; charset=utf-8',
      ]);
    }
  });
});

/** A page of another site, with the snippet in its head. */
async function openShop(snippet: string): Promise<{ url: string; close(): Promise<unknown> }> {
  const page = `<!doctype html><html><head><title>Shop</title><link rel="icon" href="data:,">${snippet}</head><body></body></html>`;
  const shop: Server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html').end(page);
  });
  await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(shop.address() as AddressInfo).port}`;
  return { url, close: () => new Promise((resolve) => shop.close(resolve)) };
}
