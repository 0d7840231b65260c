/** Notes on charts, in a real browser: written on a chart, seen in its tooltip, managed on a page. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, openBrowser, saveScreenshot, watchedPage } from '../support/browser.ts';
import { clientFor } from '../support/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

const ACCOUNT = { email: 'ada@example.org', password: 'correct horse' };
const DAY_MS = 86_400_000;
/** The real time, because the browser expires cookies by its own clock. */
const NOW = Date.now();

describe.skipIf(!hasBrowser)('annotations in the console', () => {
  let server: TestServer;
  let browser: Browser;
  let page: Page;
  let pageErrors: string[];
  beforeAll(async () => {
    const config = { initAdminEmail: ACCOUNT.email, initAdminPassword: ACCOUNT.password };
    server = await startServer({ now: new Date(NOW).toISOString(), config });
    browser = await openBrowser();
    ({ page, pageErrors } = await watchedPage(browser, server.url));
    await page.setViewportSize({ width: 1440, height: 1000 });
    await page.request.post(`${server.url}/api/login/`, { data: ACCOUNT });
    const batch = [0, 1, 2, 3, 4].map((days) => ({
      event: 'signed up',
      distinct_id: `user-${days}`,
      timestamp: new Date(NOW - days * DAY_MS).toISOString(),
    }));
    await fetch(`${server.url}/batch/`, {
      method: 'POST',
      body: JSON.stringify({ api_key: server.projectKey, batch }),
    });
    await server.drain();
    await clientFor(server).post('/api/projects/1/feature_flags/', { body: { key: 'basket' } });
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });
  const marks = () => page.locator('.chart-annotations text').allTextContents();

  it('are written on a chart in three steps, beside what flags did', async () => {
    await page.goto(`${server.url}/project/1/insights/new`);
    await page.locator('.chart-annotations circle').waitFor();
    expect(await marks()).toEqual(['1']);
    await page.getByRole('button', { name: 'Add annotation' }).click();
    await page.getByLabel('What happened').fill('Version 2.0 <b>released</b>');
    await page.getByRole('button', { name: 'Save annotation' }).click();
    await expect.poll(marks).toEqual(['2']);
    const box = await page.locator('.chart-annotations circle').boundingBox();
    await page.mouse.move((box?.x ?? 0) + 4, (box?.y ?? 0) - 100);
    const tooltip = page.locator('.chart-tip-annotations');
    await tooltip.waitFor();
    expect((await tooltip.locator('span').allTextContents()).sort()).toEqual([
      'Flag basket created',
      'Version 2.0 <b>released</b>',
    ]);
    await saveScreenshot(page, 'annotations-chart');
  });

  it('are listed, changed and deleted on their page', async () => {
    await page.getByRole('link', { name: 'Annotations' }).click();
    await page.getByRole('cell', { name: 'Version 2.0 <b>released</b>' }).waitFor();
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('What happened').fill('Version 2.1 released');
    await page.getByLabel('When').fill('2026-01-02T10:30');
    await page.getByRole('button', { name: 'Save annotation' }).click();
    await page.getByRole('cell', { name: 'Version 2.1 released' }).waitFor();
    const { results } = (await clientFor(server).get('/api/projects/1/annotations/')).body;
    expect(results[0]).toMatchObject({ content: 'Version 2.1 released', date_marker: '2026-01-02T10:30:00Z' });
    await saveScreenshot(page, 'annotations-page');
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No annotations yet').waitFor();
  });

  it('without an error on any page', () => {
    expect(pageErrors).toEqual([]);
  });
});
