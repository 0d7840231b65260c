/** The browser SDK, served by Cairn itself, on a page of another origin: snippet, configuration, flags, events. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { everybody, those, variants } from '../../src/stores/contract/flag-builders.ts';
import { hasBrowser, openBrowser, watchedPage } from '../support/browser.ts';
import { startServer, type TestServer } from '../support/server.ts';

describe.skipIf(!hasBrowser)('posthog-js in Chromium', () => {
  let server: TestServer;
  let site: Server;
  let browser: Browser;
  beforeAll(async () => {
    server = await startServer({ now: new Date().toISOString() });
    await server.addFlag({
      key: 'colour',
      filters: { ...everybody(), multivariate: variants(['blue', 100]), payloads: { blue: '{"hex":"#00f"}' } },
    });
    await server.addFlag({ key: 'team', filters: those('plan', 'team') });
    site = createServer((_request, response) => response.setHeader('content-type', 'text/html').end(page(server)));
    await new Promise<void>((listening) => site.listen(0, '127.0.0.1', listening));
    browser = await openBrowser();
  }, 60_000);
  afterAll(async () => {
    await browser.close();
    site.close();
    await server.close();
  });

  it('loads from here, gets its flags before and after a login, and sends events', { timeout: 60_000 }, async () => {
    const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
    const { page: tab, complaints, elsewhere } = await watchedPage(browser, origin);
    await tab.goto(origin);
    await tab.waitForFunction('window.flagsLoaded >= 1');
    const told = await tab.evaluate(
      '[posthog.getFeatureFlag("colour"), posthog.getFeatureFlagPayload("colour"), posthog.isFeatureEnabled("team")]',
    );
    expect(told).toEqual(['blue', { hex: '#00f' }, false]);
    await tab.evaluate('posthog.identify("ada", { plan: "team" })');
    await tab.waitForFunction('posthog.isFeatureEnabled("team") === true');
    await tab.evaluate('posthog.capture("bought", { price: 5 })');
    await tab.click('button');
    const names = async (): Promise<unknown[]> => {
      await server.drain();
      return (await server.query('select distinct event from event_rows order by event')).map(({ event }) => event);
    };
    await expect
      .poll(names, { timeout: 20_000, interval: 200 })
      .toEqual(expect.arrayContaining(['$autocapture', '$identify', '$pageview', 'bought']));
    expect(complaints).toEqual([]);
    // Everything it asked for beside the page came from this server.
    expect(elsewhere.filter((url) => !url.startsWith(server.url))).toEqual([]);
    expect(elsewhere.map((url) => new URL(url).pathname)).toEqual(
      expect.arrayContaining(['/static/array.js', `/array/${server.projectKey}/config.js`, '/flags/']),
    );
  });
});

const page = ({ url, projectKey }: TestServer): string => `<!doctype html>
<title>A page of another origin</title>
<link rel="icon" href="data:,">
<button>Buy</button>
<script src="${url}/static/array.js" crossorigin="anonymous"></script>
<script>
  window.flagsLoaded = 0;
  posthog.init('${projectKey}', { api_host: '${url}', opt_out_useragent_filter: true, disable_session_recording: true, request_batching: false });
  posthog.onFeatureFlags(() => window.flagsLoaded++);
</script>`;
