/** How a site is doing, in a real browser: what is seen at once, and what takes one click. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, openBrowser, watchedPage } from '../support/browser.ts';
import { startServer, type TestServer } from '../support/server.ts';

const ACCOUNT = { email: 'ada@example.org', password: 'correct horse' };
const HOUR_MS = 3_600_000;
/** The real time, because the browser expires cookies by its own clock. */
const NOW = Date.now();

describe.skipIf(!hasBrowser)('web analytics in the console', () => {
  let server: TestServer;
  let browser: Browser;
  let page: Page;
  let pageErrors: string[];
  beforeAll(async () => {
    const config = { initAdminEmail: ACCOUNT.email, initAdminPassword: ACCOUNT.password };
    server = await startServer({ now: new Date(NOW).toISOString(), config });
    browser = await openBrowser();
    ({ page, pageErrors } = await watchedPage(browser, server.url));
    await page.setViewportSize({ width: 1440, height: 1200 });
    await page.request.post(`${server.url}/api/login/`, { data: ACCOUNT });
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });

  const view = (who: string, hoursAgo: number, properties: object) => ({
    event: '$pageview',
    distinct_id: who,
    timestamp: new Date(NOW - 1000 - hoursAgo * HOUR_MS).toISOString(),
    // Otherwise the user agent of these tests would be that of a bot.
    properties: { $lib: 'test', $session_id: who, $host: 'example.com', $referring_domain: '$direct', ...properties },
  });
  const capture = async (batch: object[]): Promise<void> => {
    const body = JSON.stringify({ api_key: server.projectKey, batch });
    expect((await fetch(`${server.url}/batch/`, { method: 'POST', body })).status).toBe(200);
    await server.drain();
  };
  const card = (name: string) => page.getByRole('region', { name, exact: true });
  const tile = (name: string) => card('Numbers').getByRole('button', { name: new RegExp(`^${name}`) });

  it('waits for the first page view, and shows it by itself', async () => {
    await page.goto(`${server.url}/project/1/web`);
    await page.getByRole('heading', { name: 'Waiting for the first page view' }).waitFor();
    await capture([
      view('ann', 30, { $pathname: '/pricing', $referring_domain: 'www.google.com', $geoip_country_code: 'DE' }),
      view('bob', 29, { $pathname: '/pricing', $geoip_country_code: 'CH' }),
      view('cat', 0, { $pathname: '/<b>docs</b>', $referring_domain: 'news.example.org', $geoip_country_code: 'DE' }),
      view('bot', 20, { $pathname: '/', $is_bot: true }),
    ]);
    await card('Numbers').waitFor();
    expect(await tile('Visitors').textContent()).toMatch(/^Visitors3/);
  });

  it('shows pages, sources, countries and who is here without a click', async () => {
    expect(await card('Pages').getByRole('row').nth(1).textContent()).toMatch(/^\/pricing266/);
    expect(await card('Sources').getByRole('button', { name: 'Organic Search' }).count()).toBe(1);
    expect(await card('Places').getByRole('row').nth(1).textContent()).toMatch(/^Germany2/);
    await page.getByText(/^ ?1 person now/).waitFor();
    expect(await card('Pages').getByText('/<b>docs</b>').count()).toBe(1);
    await page.getByText(/1 view by bots not counted/).waitFor();
    expect(await card('Over time').locator('svg').count()).toBeGreaterThan(0);
  });

  it('filters the whole page by a click, and takes it back by another', async () => {
    await card('Places').getByRole('button', { name: 'Germany' }).click();
    await page.getByText('Country: Germany').waitFor();
    await expect.poll(() => tile('Visitors').textContent()).toMatch(/^Visitors2/);
    expect(page.url()).toContain('filters=');
    await page.reload();
    await expect.poll(() => tile('Visitors').textContent()).toMatch(/^Visitors2/);
    await page.getByRole('button', { name: 'Remove filter Country: Germany' }).click();
    await expect.poll(() => tile('Visitors').textContent()).toMatch(/^Visitors3/);
  });

  it('changes the chart by a tile, and tables by tabs', async () => {
    await tile('Page views').click();
    expect(await tile('Page views').getAttribute('aria-pressed')).toBe('true');
    await card('Places').getByRole('tab', { name: 'City' }).click();
    await card('Places')
      .getByText(/set GEOIP_FILE/)
      .waitFor();
    await page.getByRole('button', { name: 'Show' }).click();
    await expect.poll(() => tile('Visitors').textContent()).toMatch(/^Visitors4/);
    expect(pageErrors).toEqual([]);
  });
});
