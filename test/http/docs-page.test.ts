/** Guides and the API reference in a real browser, without signing in. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, openBrowser, saveScreenshot, watchedPage } from '../support/browser.ts';
import { startServer, type TestServer } from '../support/server.ts';

describe.skipIf(!hasBrowser)('help in a browser', () => {
  let server: TestServer;
  let browser: Browser;
  beforeAll(async () => {
    server = await startServer();
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });

  it('shows every operation of the API, in less than 150 kB and without external requests', async () => {
    const { page, pageErrors, foreignRequests } = await watchedPage(browser, server.url);
    const session = await page.context().newCDPSession(page);
    await session.send('Network.enable');
    let bytes = 0;
    session.on('Network.loadingFinished', ({ encodedDataLength }) => {
      bytes += encodedDataLength;
    });
    await page.goto(`${server.url}/docs`);
    const createKey = page.getByRole('button', { name: 'POST /api/personal_api_keys/ Create' });
    await createKey.waitFor();
    expect(await page.title()).toBe('API reference · Cairn');
    expect(await page.locator('.endpoint').count()).toBeGreaterThan(200);
    await createKey.click();
    await page.getByLabel('Body').getByText('label').first().waitFor();
    expect(await page.getByLabel('Example of POST /api/personal_api_keys/', { exact: true }).textContent()).toContain(
      `curl -X POST ${server.url}/api/personal_api_keys/`,
    );
    await page.getByLabel('Search').fill('create flag');
    await page.getByRole('button', { name: 'Create a feature flag' }).first().waitFor();
    expect(await page.locator('.endpoint').count()).toBeLessThan(10);
    await saveScreenshot(page, 'docs');
    expect(bytes).toBeLessThan(150_000);
    expect([pageErrors, foreignRequests]).toEqual([[], []]);
    await page.close();
  });

  it('shows the guides, and follows their links', async () => {
    const { page, pageErrors, foreignRequests } = await watchedPage(browser, server.url);
    await page.goto(`${server.url}/help`);
    await page.getByRole('heading', { name: 'Getting started', level: 1 }).waitFor();
    await page.getByRole('link', { name: 'Upgrading', exact: true }).click();
    await page.getByRole('heading', { name: 'Upgrading', level: 1 }).waitFor();
    await page.getByRole('main').getByRole('link').first().click();
    await page.waitForURL(/\/help\/(?!upgrading)/);
    expect([pageErrors, foreignRequests]).toEqual([[], []]);
    await page.close();
  });
});
