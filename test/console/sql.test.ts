/** SQL in a real browser: write, run, page through, export, learn from mistakes. */
import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, openBrowser, saveScreenshot, watchedPage } from '../support/browser.ts';
import { startServer, type TestServer } from '../support/server.ts';

const ACCOUNT = { email: 'ada@example.org', password: 'correct horse' };

describe.skipIf(!hasBrowser)('SQL in the console', () => {
  let server: TestServer;
  let browser: Browser;
  let page: Page;
  let pageErrors: string[];
  beforeAll(async () => {
    const config = { initAdminEmail: ACCOUNT.email, initAdminPassword: ACCOUNT.password };
    server = await startServer({ now: new Date().toISOString(), config });
    browser = await openBrowser();
    ({ page, pageErrors } = await watchedPage(browser, server.url));
    await page.setViewportSize({ width: 1440, height: 1000 });
    await page.request.post(`${server.url}/api/login/`, { data: ACCOUNT });
    const batch = Array.from({ length: 150 }, (_, i) => ({
      event: i % 3 === 0 ? 'signed up' : 'opened <b>page</b>',
      distinct_id: `user-${i}`,
      properties: { plan: i % 2 ? 'pro' : null },
    }));
    await fetch(`${server.url}/batch/`, {
      method: 'POST',
      body: JSON.stringify({ api_key: server.projectKey, batch }),
    });
    await server.drain();
    await page.goto(`${server.url}/project/1/sql`);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });
  const write = (sql: string) => page.getByLabel('SQL statement').fill(sql);
  const cells = () => page.getByRole('table', { name: 'Rows' }).getByRole('cell').allTextContents();

  it('runs the first example with one click', async () => {
    await page.getByRole('button', { name: 'Run' }).click();
    await expect.poll(cells).toEqual(['opened <b>page</b>', '100', 'signed up', '50']);
    await saveScreenshot(page, 'sql');
    await page.setViewportSize({ width: 380, height: 800 });
    await saveScreenshot(page, 'sql-narrow');
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(380);
    await page.setViewportSize({ width: 1440, height: 1000 });
  });

  it('shows nulls and pages of rows, and runs by keyboard', async () => {
    await write('select properties.plan as plan, distinct_id from events order by distinct_id limit 120');
    await page.getByLabel('SQL statement').press('Control+Enter');
    await expect.poll(async () => (await cells()).slice(0, 4)).toEqual(['null', 'user-0', 'pro', 'user-1']);
    expect(await page.getByText('there are more than 120').count()).toBe(1);
    await page.locator('.sql-rows').evaluate((frame) => {
      frame.scrollTop = frame.scrollHeight;
    });
    await expect.poll(async () => (await cells()).at(-1)).toBe('user-71');
  });

  it('says what is wrong, and where', async () => {
    await write('select coutn(event)\nfrom events');
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByText('There is no function coutn. Did you mean count? (line 1, column 8)').waitFor();
    // The browser notes the refused request.
    expect(pageErrors.splice(0)).toHaveLength(2);
  });

  it('adds columns from the list of tables, and keeps a history', async () => {
    await write('select ');
    await page.getByLabel('SQL statement').press('End');
    await page.getByRole('button', { name: 'distinct_id' }).first().click();
    await expect.poll(() => page.getByLabel('SQL statement').inputValue()).toBe('select distinct_id');
    await page.getByLabel('History').selectOption({ index: 2 });
    expect(await page.getByLabel('SQL statement').inputValue()).toContain('count() as total');
  });

  it('exports CSV', async () => {
    await write(`select event, count() as n from events where event = 'signed up' group by event`);
    await page.getByRole('button', { name: 'Run' }).click();
    await expect.poll(cells).toEqual(['signed up', '50']);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export CSV' }).click(),
    ]);
    expect(readFileSync(await download.path(), 'utf8')).toBe('event,n\r\nsigned up,50\r\n');
    expect(pageErrors).toEqual([]);
  });

  it('warns of what is missing in the rows', async () => {
    await write('select 1 as n from persons a, persons b, persons c limit 60000');
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByText('Only the first 50,000 rows are here, as many as there may be.').waitFor();
    await saveScreenshot(page, 'sql-warning');
  });

  it('completes names, draws a chart, and saves it to a dashboard', async () => {
    await write('select toDa');
    await page.getByLabel('SQL statement').press('End');
    await page.getByLabel('SQL statement').pressSequentially('t');
    await page.getByRole('option', { name: 'todate(' }).waitFor();
    await page.getByLabel('SQL statement').press('Tab');
    expect(await page.getByLabel('SQL statement').inputValue()).toBe('select todate(');
    await write('select event, toDate(timestamp) as day, count() as n from events where {filters} group by 1, 2');
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByLabel('Show as').selectOption('bar');
    await page.getByRole('img', { name: 'Chart of event, day, n' }).waitFor();
    await saveScreenshot(page, 'sql-chart');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByLabel('Name').fill('By day');
    await page.getByRole('button', { name: 'Save insight' }).click();
    await page.getByRole('heading', { name: 'By day' }).waitFor();
    await page.getByRole('button', { name: 'Add to dashboard' }).click();
    await page.getByLabel('New dashboard').fill('Numbers');
    await page.getByRole('button', { name: 'Create and add' }).click();
    await page.getByRole('link', { name: 'Open' }).click();
    await page.getByRole('img', { name: 'By day' }).waitFor();
    await saveScreenshot(page, 'sql-tile');
    await page.getByRole('link', { name: 'By day' }).click();
    await expect.poll(() => page.getByLabel('SQL statement').inputValue()).toContain('{filters}');
  });

  it('has several statements on a page', async () => {
    await page.goto(`${server.url}/project/1/sql`);
    await page.getByRole('button', { name: 'Add statement' }).click();
    await page.getByLabel('SQL statement').nth(1).fill('select 2 as two');
    await page.getByRole('button', { name: 'Run' }).nth(1).click();
    await page.getByText('1 row in').waitFor();
    await page.reload();
    await expect.poll(() => page.getByLabel('SQL statement').nth(1).inputValue()).toBe('select 2 as two');
    await page.getByRole('button', { name: 'Remove' }).nth(1).click();
    expect(await page.getByLabel('SQL statement').count()).toBe(1);
  });
});
