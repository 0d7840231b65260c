/** Sharing in a real browser: the dialog, and what visitors see with a link, a password, on a phone and in a frame. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, openBrowser, saveScreenshot, watchedPage } from '../support/browser.ts';
import { capture } from '../support/capture.ts';
import { clientFor } from '../support/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

const ACCOUNT = { email: 'ada@example.org', password: 'correct horse' };
const DAY_MS = 86_400_000;
const NOW = Date.now();

const textOf = async (page: Page, label: string): Promise<string> =>
  ((await page.getByLabel(label, { exact: true }).textContent()) ?? '').trim();

describe.skipIf(!hasBrowser)('sharing in the console', () => {
  let server: TestServer;
  let browser: Browser;
  let page: Page;
  let visitor: Page;
  let pageErrors: string[];
  let visitorErrors: string[];
  let dashboard: number;
  beforeAll(async () => {
    const config = { initAdminEmail: ACCOUNT.email, initAdminPassword: ACCOUNT.password };
    server = await startServer({ now: new Date(NOW).toISOString(), config });
    browser = await openBrowser();
    ({ page, pageErrors } = await watchedPage(browser, server.url));
    ({ page: visitor, pageErrors: visitorErrors } = await watchedPage(browser, server.url));
    await page.setViewportSize({ width: 1440, height: 1000 });
    await page.request.post(`${server.url}/api/login/`, { data: ACCOUNT });
    const days = Array.from({ length: 30 }, (_, i) => i);
    await capture(
      server,
      server.projectKey,
      days.flatMap((ago) =>
        Array.from({ length: 3 + (ago % 4) }, (_, i) => ({
          event: i === 0 ? '$pageview' : 'signed up',
          distinct_id: `u${(ago + i) % 9}`,
          timestamp: new Date(NOW - ago * DAY_MS).toISOString(),
          properties: {
            $pathname: `/page-${i}`,
            $lib: 'test',
            plan: i % 2 === 0 ? 'free' : 'a very long & ugly <plan>',
          },
        })),
      ),
    );
    await server.drain();
    const { post } = clientFor(server);
    const make = async (name: string, filters: object): Promise<number> =>
      (await post('/api/projects/1/insights/', { body: { name, saved: true, filters } })).body.id;
    const events = [{ id: 'signed up', order: 0 }];
    const ids = [
      await make('Sign-ups <b>of a long & ugly name</b>', {
        insight: 'TRENDS',
        events,
        breakdown: 'plan',
        date_from: '-30d',
      }),
      await make('Number', { insight: 'TRENDS', events, display: 'BoldNumber' }),
      await make('Funnel', {
        insight: 'FUNNELS',
        events: [
          { id: '$pageview', order: 0 },
          { id: 'signed up', order: 1 },
        ],
      }),
      await make('Retention', {
        insight: 'RETENTION',
        target_entity: { id: 'signed up' },
        returning_entity: { id: 'signed up' },
      }),
      await make('Paths', { insight: 'PATHS' }),
    ];
    const tiles = [...ids.map((insight) => ({ insight })), { text: { body: '# Goals\n\n- 10,000 weekly users' } }];
    const body = { name: 'Growth', description: 'What we look at on Mondays', tiles };
    dashboard = (await post('/api/projects/1/dashboards/', { body })).body.id;
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });

  let link = '';
  it('a dashboard has a link after one click', async () => {
    await page.goto(`${server.url}/project/1/dashboards/${dashboard}`);
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    await page.getByLabel('Anyone with the link can view').click();
    link = await textOf(page, 'Link');
    expect(link).toMatch(/\/shared\/[0-9A-Za-z]{43}$/);
    await saveScreenshot(page, 'share-dialog');
  });

  it.each([
    [1440, 'light'],
    [1024, 'dark'],
    [380, 'light'],
    [380, 'dark'],
  ] as const)('visitors see it %i px wide, %s', async (width, colorScheme) => {
    await visitor.emulateMedia({ colorScheme });
    await visitor.setViewportSize({ width, height: 900 });
    await visitor.goto(link);
    await visitor.getByRole('heading', { name: 'Growth' }).waitFor();
    await visitor.getByText('Sign-ups <b>of a long & ugly name</b>').waitFor();
    expect(await visitor.locator('.tile').count()).toBe(6);
    await visitor.locator('.tile svg').first().waitFor();
    const overflow = await visitor.evaluate('document.documentElement.scrollWidth - innerWidth');
    expect(overflow).toBeLessThanOrEqual(0);
    await saveScreenshot(visitor, `shared-dashboard-${width}-${colorScheme}`);
  });

  it('a password is asked for, and opens it', async () => {
    await page.getByLabel('Require a password').click();
    await page.getByLabel('Who is it for?').fill('Board');
    await page.getByRole('button', { name: 'Add password' }).click();
    const password = await textOf(page, 'New password');
    // A browser that has seen the page keeps it for a minute.
    const { page: stranger } = await watchedPage(browser, server.url);
    await stranger.goto(link);
    await stranger.getByLabel('Password').fill('wrong one');
    await stranger.getByRole('button', { name: 'Open' }).click();
    await stranger.getByText('The password is wrong.').waitFor();
    await saveScreenshot(stranger, 'shared-password');
    await stranger.getByLabel('Password').fill(password);
    await stranger.getByRole('button', { name: 'Open' }).click();
    await stranger.getByRole('heading', { name: 'Growth' }).waitFor();
    await page.getByLabel('Require a password').click();
  });

  it('another site can show it in a frame', async () => {
    const token = link.split('/').at(-1);
    const site = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(`<iframe src="${server.url}/embedded/${token}" width="900" height="700"></iframe>`);
    });
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    await visitor.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`);
    await visitor.frameLocator('iframe').getByRole('heading', { name: 'Growth' }).waitFor();
    site.close();
  });

  it('a part of the site is shared, and visitors look around in it', async () => {
    const filters = JSON.stringify([{ key: 'path', operator: 'exact', value: '/page-0' }]);
    await page.goto(`${server.url}/project/1/web?filters=${encodeURIComponent(filters)}`);
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    await page.getByLabel('Name').fill('For the agency');
    await page.getByText('Only visits that fit: Page: /page-0').waitFor();
    await page.getByRole('button', { name: 'Create link' }).click();
    const web = await textOf(page, 'Link: For the agency');
    await page.getByText('Page: /page-0 · opened 0 times in 30 days').waitFor();
    await saveScreenshot(page, 'site-links-dialog');
    await visitor.emulateMedia({ colorScheme: 'light' });
    await visitor.setViewportSize({ width: 1440, height: 900 });
    await visitor.goto(web);
    await visitor.getByRole('heading', { name: 'For the agency' }).waitFor();
    const visitors = visitor.locator('.web-tile-value strong').first();
    const all = Number(await visitors.textContent());
    expect(all).toBeGreaterThan(1);
    await visitor.getByRole('tab', { name: 'Source' }).click();
    await visitor.getByRole('button', { name: 'Direct / none' }).click();
    await visitor.getByRole('button', { name: 'Remove filter Source: Direct / none' }).waitFor();
    expect(new URL(visitor.url()).searchParams.get('filters')).toContain('Direct / none');
    await expect.poll(async () => Number(await visitors.textContent())).toBe(all);
    const pages = visitor.getByRole('region', { name: 'Pages' });
    await pages.getByRole('button', { name: 'Details' }).click();
    const details = visitor.getByRole('dialog', { name: 'Page' });
    await details.getByText('/page-0').waitFor();
    await details.getByLabel('Search').fill('nothing like it');
    await details.getByText('Nothing found').waitFor();
    await saveScreenshot(visitor, 'shared-site-details');
    await page.getByRole('button', { name: 'Revoke' }).click();
    await expect.poll(() => page.getByText('For the agency').count()).toBe(0);
    const { page: stranger } = await watchedPage(browser, server.url);
    await stranger.goto(web);
    await stranger.getByText('This link is not available').waitFor();
  });

  it('the whole site is shared, too', async () => {
    await page.goto(`${server.url}/project/1/web`);
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    await page.getByRole('button', { name: 'Link to the whole site' }).click();
    await page.getByLabel('Anyone with the link can view').click();
    const web = await textOf(page, 'Link');
    for (const [width, colorScheme] of [
      [1440, 'light'],
      [380, 'dark'],
    ] as const) {
      await visitor.emulateMedia({ colorScheme });
      await visitor.setViewportSize({ width, height: 900 });
      await visitor.goto(web);
      await visitor.getByRole('heading', { name: 'Web analytics' }).waitFor();
      await visitor.getByText('/page-0').first().waitFor();
      expect(await visitor.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
      await saveScreenshot(visitor, `shared-web-${width}-${colorScheme}`);
    }
  });

  it('a link that was turned off says so', async () => {
    await clientFor(server).patch(`/api/projects/1/dashboards/${dashboard}/sharing/`, { body: { enabled: false } });
    const { page: stranger } = await watchedPage(browser, server.url);
    await stranger.goto(link.replace('/shared/', '/embedded/'));
    await stranger.getByText('This link is not available').waitFor();
    await saveScreenshot(stranger, 'shared-closed');
  });

  it('no page reported an error', () => {
    expect(pageErrors).toEqual([]);
    expect(visitorErrors.filter((one) => !/40[14]/.test(one))).toEqual([]);
  });
});
