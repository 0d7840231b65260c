/** /docs in a real browser. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, openBrowser, saveScreenshot, watchedPage } from '../support/browser.ts';
import { startServer, type TestServer } from '../support/server.ts';

describe.skipIf(!hasBrowser)('/docs in a browser', () => {
  let server: TestServer;
  let browser: Browser;
  beforeAll(async () => {
    server = await startServer();
    browser = await openBrowser();
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });

  it('shows the operations, without console messages or external requests', async () => {
    const { page, pageErrors, foreignRequests } = await watchedPage(browser, server.url);
    await page.goto(`${server.url}/docs`);
    const createKey = page.locator('.opblock-post', { hasText: '/api/personal_api_keys/' }).first();
    await createKey.waitFor();
    expect(await page.title()).toBe('Cairn API');
    expect(await page.locator('.info .title').textContent()).toContain('Cairn');
    expect(await page.locator('.opblock').count()).toBeGreaterThan(30);
    await createKey.locator('.opblock-summary').click();
    await page.getByText('label').first().waitFor();
    await saveScreenshot(page, 'docs');
    expect(pageErrors).toEqual([]);
    expect(foreignRequests).toEqual([]);
  }, 60_000);
});
