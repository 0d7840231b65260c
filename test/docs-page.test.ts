/** /docs in a real browser. Skipped, with a word, on a machine without one. */
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer, type TestServer } from './support/server.ts';

const CANDIDATES = [
  process.env['CHROMIUM_PATH'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];
const executablePath = CANDIDATES.find((path) => path !== undefined && path !== '' && existsSync(path));
if (!executablePath) {
  console.warn('No Chromium found: the docs page is not opened. Install one, or name it with CHROMIUM_PATH.');
}

describe.skipIf(!executablePath)('/docs in a browser', () => {
  let server: TestServer;
  let browser: Browser;
  beforeAll(async () => {
    server = await startServer();
    const args = [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
      '--disable-quic',
    ];
    browser = await chromium.launch({ executablePath: executablePath ?? '', args });
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });

  it('shows the operations, with a clean console and nothing from elsewhere', async () => {
    const page = await browser.newPage();
    const complaints: string[] = [];
    const elsewhere: string[] = [];
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (request) => {
      const { protocol, origin } = new URL(request.url());
      if (protocol !== 'data:' && origin !== server.url) elsewhere.push(request.url());
    });
    page.on('response', (response) => {
      if (response.status() >= 400) complaints.push(`${response.status()} ${response.url()}`);
    });
    await page.goto(`${server.url}/docs`);
    await page.getByText('Make a role; its level is').waitFor();
    expect(await page.title()).toBe('Cairn API');
    expect(await page.locator('.info .title').textContent()).toContain('Cairn');
    expect(await page.locator('.opblock').count()).toBeGreaterThan(30);
    await page.locator('.opblock-summary', { hasText: 'Make a personal key' }).first().click();
    await page.getByText('label').first().waitFor();
    const shot = process.env['SCREENSHOTS'];
    if (shot) await page.screenshot({ path: `${shot}/docs.png` });
    expect(complaints).toEqual([]);
    expect(elsewhere).toEqual([]);
  }, 60_000);
});
