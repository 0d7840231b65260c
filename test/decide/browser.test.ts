/** The browser SDK, loaded from this server into a page of another site, in a real browser. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { everybody, those, variants } from '../../src/stores/contract/flag-builders.ts';
import { hasBrowser, openBrowser, watchedPage } from '../support/browser.ts';
import { startServer, type TestServer } from '../support/server.ts';

/** As the snippet does it: what the page asks before the SDK is there waits in a list. */
const pageWith = (script: string, server: TestServer): string => `<!doctype html>
  <html><head><title>Shop</title><link rel="icon" href="data:,"></head><body><button id="buy">Buy</button>
  <script>
    window.posthog = [];
    posthog._i = [[${JSON.stringify(server.projectKey)}, {
      api_host: ${JSON.stringify(server.url)},
      opt_out_useragent_filter: true,
      capture_pageview: true,
      person_profiles: 'always',
      request_batching: false,
      loaded: (sdk) => sdk.onFeatureFlags((flags, values) => { window.flags = values; }),
    }, 'posthog']];
    posthog.__SV = 1;
  </script>
  <script src="${server.url}${script}" crossorigin></script></body></html>`;

describe.skipIf(!hasBrowser)('the browser SDK', () => {
  let server: TestServer;
  let shop: Server;
  let browser: Browser;
  beforeAll(async () => {
    server = await startServer({ now: new Date().toISOString() });
    await server.addFlag({ key: 'on', filters: { ...everybody(), payloads: { true: '{"limit": 5}' } } });
    await server.addFlag({ key: 'colour', filters: { ...everybody(), multivariate: variants(['blue', 100]) } });
    await server.addFlag({ key: 'team', filters: those('plan', 'team') });
    await server.addFlag({ key: 'servers', evaluationRuntime: 'server' });
    shop = createServer((request, response) => {
      const script = request.url === '/bundled' ? `/array/${server.projectKey}/array.js` : '/static/array.js';
      response.setHeader('content-type', 'text/html').end(pageWith(script, server));
    });
    await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve));
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await new Promise((resolve) => shop.close(resolve));
    await server.close();
  });
  const shopUrl = (): string => `http://127.0.0.1:${(shop.address() as AddressInfo).port}`;
  const names = async (): Promise<unknown[]> =>
    (await server.query('select event from event_rows order by rowid')).map(({ event }) => event);

  it.each(['/', '/bundled'])('gets its flags and captures events, without a complaint, from %s', async (path) => {
    const { page, complaints } = await watchedPage(browser, server.url);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(`${request.method()} ${new URL(request.url()).pathname}`));
    await page.goto(shopUrl() + path);
    await page.waitForFunction('window.flags !== undefined');
    expect(await page.evaluate('window.flags')).toEqual({ on: true, colour: 'blue' });
    expect(await page.evaluate("posthog.getFeatureFlagPayload('on')")).toEqual({ limit: 5 });
    expect(await page.evaluate("posthog.getFeatureFlag('team')")).toBe(false);

    const taken = page.waitForResponse((response) => /\/(e|i\/v0\/e)\/$/.test(new URL(response.url()).pathname));
    await page.evaluate(`posthog.capture('said hello', { from: ${JSON.stringify(path)} })`);
    expect((await taken).status()).toBe(200);

    // Logs in, and says something that a flag asks about.
    await page.evaluate("posthog.identify('ada', { plan: 'team' })");
    await page.waitForFunction("posthog.getFeatureFlag('team') === true");
    await page.click('#buy');
    await expect
      .poll(names, { timeout: 10_000 })
      .toEqual(expect.arrayContaining(['said hello', '$identify', '$autocapture']));
    expect(complaints).toEqual([]);
    expect(asked).toContain('POST /flags/');
    // The bundle brings its configuration along.
    expect(asked.some((one) => one.endsWith('/config.js'))).toBe(path === '/');
    // No preflight is asked for: everything goes as what browsers call a simple request.
    expect(asked.filter((one) => one.startsWith('OPTIONS'))).toEqual([]);
    await page.close();
  });
});
