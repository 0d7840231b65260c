/** How a site is doing, in a real browser: what is seen at once, and what takes one click. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, openBrowser, saveScreenshot, watchedPage } from '../support/browser.ts';
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

  it('opens first, waits for the first page view, and shows it by itself', async () => {
    await capture([{ event: 'server started', distinct_id: 'server', properties: { $lib: 'test' } }]);
    await page.goto(server.url);
    await page.getByRole('heading', { name: 'Waiting for the first page view' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/project/1/web');
    expect(await card('Other events').getByRole('link', { name: 'Live events' }).getAttribute('href')).toBe(
      '/project/1/live',
    );
    await capture([
      view('ann', 30, { $pathname: '/pricing', $referring_domain: 'www.google.com', $geoip_country_code: 'DE' }),
      view('bob', 29, { $pathname: '/pricing', $geoip_country_code: 'CH', $host: 'blog.example.com' }),
      view('cat', 0, { $pathname: '/<b>docs</b>', $referring_domain: 'news.example.org', $geoip_country_code: 'DE' }),
      view('bot', 20, { $pathname: '/', $is_bot: true, $bot_name: 'Googlebot' }),
      { ...view('ann', 29.9, {}), event: 'signed up' },
    ]);
    await card('Numbers').waitFor();
    expect(await tile('Visitors').textContent()).toMatch(/^Visitors \?3/);
  });

  it('shows pages, sources, countries and who is here without a click', async () => {
    expect(await card('Pages').getByRole('row').nth(1).textContent()).toMatch(/^\/pricing266/);
    expect(await card('Sources').getByRole('button', { name: 'Organic Search' }).count()).toBe(1);
    expect(await card('Places').getByRole('row').nth(1).textContent()).toMatch(/^Germany2/);
    await page.getByText(/^ ?1 person now on \/<b>docs<\/b> from Germany$/).waitFor();
    expect(await card('Pages').getByText('/<b>docs</b>').count()).toBe(1);
    await page.getByText(/1 view by bots not counted/).waitFor();
    expect(await card('Over time').locator('svg').count()).toBeGreaterThan(0);
    await page.getByText(/Number Resource Organization/).waitFor();
  });

  it('filters the whole page by a click, and takes it back by another', async () => {
    await card('Sources').getByRole('button', { name: 'Organic Search' }).click();
    await page.getByText('Channel: Organic Search').waitFor();
    await expect.poll(() => tile('Visitors').textContent()).toMatch(/^Visitors \?1/);
    await page.goBack();
    await expect.poll(() => tile('Visitors').textContent()).toMatch(/^Visitors \?3/);
    await card('Places').getByRole('button', { name: 'Germany' }).click();
    await page.getByText('Country: Germany').waitFor();
    await expect.poll(() => tile('Visitors').textContent()).toMatch(/^Visitors \?2/);
    expect(page.url()).toContain('filters=');
    await page.reload();
    await expect.poll(() => tile('Visitors').textContent()).toMatch(/^Visitors \?2/);
    await page.getByRole('button', { name: 'Remove filter Country: Germany' }).click();
    await expect.poll(() => tile('Visitors').textContent()).toMatch(/^Visitors \?3/);
  });

  it('draws countries on a map, which filters, too', async () => {
    const map = card('Places').getByRole('img', { name: 'Visitors by country' });
    const germany = map.locator('[data-code="DE"]');
    await germany.waitFor();
    expect(await germany.textContent()).toBe('Germany: 2 visitors');
    await germany.dispatchEvent('click');
    await expect.poll(() => tile('Visitors').textContent()).toMatch(/^Visitors \?2/);
    await germany.dispatchEvent('click');
    await expect.poll(() => tile('Visitors').textContent()).toMatch(/^Visitors \?3/);
  });

  it('shows one site of several', async () => {
    await page.getByLabel('Site', { exact: true }).selectOption('blog.example.com');
    await expect.poll(() => tile('Visitors').textContent()).toMatch(/^Visitors \?1/);
    await page.getByLabel('Site', { exact: true }).selectOption('All sites');
    await expect.poll(() => tile('Visitors').textContent()).toMatch(/^Visitors \?3/);
  });

  it('counts goals, and filters by one', async () => {
    await card('Goals').getByRole('button', { name: 'Add goal' }).click();
    await page.getByLabel('Event name').fill('signed up');
    await page.getByRole('dialog').getByRole('button', { name: 'Add goal' }).click();
    await page.getByRole('button', { name: 'Remove signed up' }).waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => card('Goals').getByRole('row').nth(1).textContent()).toMatch(/^signed up133/);
    await card('Goals').getByRole('button', { name: 'signed up' }).click();
    await page.getByText('Goal: signed up').waitFor();
    await expect.poll(() => tile('Visitors').textContent()).toMatch(/^Visitors \?1/);
    await card('Goals').getByRole('button', { name: 'signed up' }).click();
    await expect.poll(() => tile('Visitors').textContent()).toMatch(/^Visitors \?3/);
  });

  it('lists the sessions behind the numbers', async () => {
    await page.getByRole('button', { name: 'View sessions' }).click();
    const sessions = page.getByRole('table', { name: 'Sessions' });
    await expect.poll(() => sessions.getByRole('row').count()).toBe(4);
    expect(await sessions.getByRole('row').nth(1).textContent()).toContain('/<b>docs</b>');
    await page.keyboard.press('Escape');
  });

  it('changes the chart by a tile, and tables by tabs', async () => {
    await tile('Page views').click();
    expect(await tile('Page views').getAttribute('aria-pressed')).toBe('true');
    await card('Sources').getByRole('tab', { name: 'UTM' }).click();
    await card('Sources').getByLabel('Tag').selectOption('UTM medium');
    await expect.poll(() => card('Sources').getByRole('columnheader').first().textContent()).toBe('UTM medium');
    await card('Places').getByRole('tab', { name: 'City' }).click();
    await card('Places')
      .getByText(/set GEOIP_FILE/)
      .waitFor();
    await page.getByRole('button', { name: 'Show' }).click();
    await expect.poll(() => tile('Visitors').textContent()).toMatch(/^Visitors \?4/);
    await page.getByRole('button', { name: 'Which bots' }).click();
    await page.getByRole('dialog').getByText('Googlebot').waitFor();
    await page.keyboard.press('Escape');
    expect(pageErrors).toEqual([]);
  });

  it('says what happened where only scripts sent page views, and shows them by a click', async () => {
    const { project, key } = await createProject('First try');
    const body = JSON.stringify({
      api_key: key,
      event: '$pageview',
      distinct_id: 'me',
      properties: { $current_url: 'https://example.com/' },
    });
    await fetch(`${server.url}/capture/`, { method: 'POST', body, headers: { 'user-agent': 'curl/8.5.0' } });
    await server.drain();
    await page.goto(`${server.url}/project/${project}/web`);
    await page.getByText('The only page view was sent by bots or scripts.').waitFor();
    expect(await tile('Visitors').textContent()).toMatch(/^Visitors \?0/);
    await page.getByRole('button', { name: 'Show bots' }).click();
    await expect.poll(() => tile('Visitors').textContent()).toMatch(/^Visitors \?1/);
  });

  it('shows the worst pages of a web vital', async () => {
    const { project, key } = await createProject('Slow site');
    const load = (path: string, time: number) => ({
      ...view('vic', 2, { $pathname: path, $web_vitals_LCP_value: time }),
      event: '$web_vitals',
    });
    const batch = [
      view('vic', 2, { $pathname: '/' }),
      ...Array.from({ length: 5 }, () => [load('/a-very-long-path/'.repeat(8), 5200), load('/fast', 900)]).flat(),
    ];
    await fetch(`${server.url}/batch/`, { method: 'POST', body: JSON.stringify({ api_key: key, batch }) });
    await server.drain();
    await page.goto(`${server.url}/project/${project}/web`);
    await card('Speed').getByRole('button', { name: 'Worst pages by largest contentful paint' }).click();
    const slowest = card('Speed').getByRole('table', { name: /^Worst pages/ });
    expect(await slowest.getByRole('row').nth(1).textContent()).toMatch(/^\/a-very-long-path.*5,200 msPoor$/);
    expect(await slowest.getByRole('row').nth(2).textContent()).toBe('/fast900 msGood');
    await saveScreenshot(page, 'web-speed');
    expect(pageErrors).toEqual([]);
  });

  it('breaks an insight down by the channel of sessions, and filters by their entry page', async () => {
    const events = encodeURIComponent(JSON.stringify([{ id: '$pageview' }]));
    await page.goto(`${server.url}/project/1/insights/new?insight=TRENDS&events=${events}`);
    await page.getByRole('button', { name: '+ Add breakdown' }).click();
    await page.getByRole('combobox', { name: 'Break down by' }).fill('chann');
    await page.getByRole('option', { name: /^Channel/ }).click();
    await page.getByRole('cell', { name: 'Organic Search' }).first().waitFor();
    await page.getByRole('button', { name: '+ Add filter' }).last().click();
    await page.getByRole('combobox', { name: 'Filter by' }).fill('entry path');
    await saveScreenshot(page, 'session-picker');
    await page.getByRole('option', { name: /^Entry path/ }).click();
    await page.getByRole('combobox', { name: 'Values' }).fill('/pri');
    await page.getByRole('option', { name: '/pricing' }).click();
    await expect.poll(() => page.url()).toContain('%2Fpricing');
    await saveScreenshot(page, 'session-insight');
    expect(pageErrors).toEqual([]);
  });

  const createProject = async (name: string): Promise<{ project: number; key: string }> => {
    const headers = { origin: server.url };
    const answer = await page.request.post(`${server.url}/api/projects/`, { data: { name }, headers });
    const { id, api_token } = (await answer.json()) as { id: number; api_token: string };
    return { project: id, key: api_token };
  };
});
