/** `/static/cairn.js` in a real browser, on another site than the server. */
import { gzipSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, openBrowser, watchedPage } from '../support/browser.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { openSite, type Site } from './support/site.ts';
import { makeWorld, onlyEvent, type World } from './support/world.ts';

const PERSON_AGENT =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36';

describe.skipIf(!hasBrowser)('the script for sites that want no SDK', () => {
  let server: TestServer;
  let site: Site;
  let browser: Browser;
  beforeAll(async () => {
    server = await startServer({ now: new Date().toISOString() });
    site = await openSite();
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await site?.close();
    await server.close();
  });

  const html = (world: World, attributes = ''): string => `<!doctype html>
    <html><head><title>Shop</title><link rel="icon" href="data:,">
    <script>
      window.cairn = function () { (cairn.q = cairn.q || []).push(arguments); };
      cairn('said early', { n: 1 });
    </script>
    <script defer src="${server.url}/static/cairn.js" data-key="${world.projectKey}" ${attributes}></script></head>
    <body><a id="out" href="https://other.example/there">Out</a> <a id="in" href="/page-0#part">In</a>
    <script>addEventListener('click', (event) => event.preventDefault());</script></body></html>`;

  const open = async (world: World, attributes?: string): Promise<{ page: Page; pageErrors: string[] }> => {
    const { page, pageErrors } = await watchedPage(browser, server.url);
    // A headless browser says so, and would be a bot.
    await page.addInitScript(`Object.defineProperty(navigator, 'userAgent', { get: () => '${PERSON_AGENT}' })`);
    await page.goto(site.show(html(world, attributes)));
    await page.waitForFunction('window.cairn && !window.cairn.q');
    return { page, pageErrors };
  };

  it('has 2 kB at most', async () => {
    const script = await fetch(`${server.url}/static/cairn.js`);
    expect(script.headers.get('content-type')).toMatch(/javascript/);
    expect(gzipSync(await script.text()).length).toBeLessThanOrEqual(2048);
  });

  it('sends page views, events, links to other sites, and how long a page was read', async () => {
    const world = await makeWorld(server);
    const { page, pageErrors } = await open(world);
    await page.click('#in');
    await page.click('#out');
    await page.evaluate(`history.pushState(null, '', '/second'); history.replaceState(null, '', '/second?sort=up')`);
    await page.evaluate(`cairn('signed up', { plan: 'pro' })`);
    expect(await page.evaluate('[document.cookie, localStorage.length, sessionStorage.length]')).toEqual(['', 0, 0]);
    await page.goto('about:blank');
    const events = await world.waitForEvents('signed up', 'said early', 'outbound link clicked', '$pageleave');
    expect(pageErrors).toEqual([]);
    const views = events.filter(({ event }) => event === '$pageview').map(({ properties }) => properties);
    expect(views.map(({ $pathname }) => $pathname).sort()).toEqual([expect.stringMatching(/^\/page-/), '/second']);
    const second = views.find(({ $pathname }) => $pathname === '/second');
    expect(second).toMatchObject({
      title: 'Shop',
      $browser: 'Chrome',
      $os: 'Mac OS X',
      $device_type: 'Desktop',
      $referring_domain: new URL(site.url).host,
      $prev_pageview_pathname: expect.stringMatching(/^\/page-/),
    });
    expect(second?.['$prev_pageview_duration']).toBeGreaterThanOrEqual(0);
    expect(onlyEvent(events, 'said early').properties['n']).toBe(1);
    expect(onlyEvent(events, 'signed up').properties['plan']).toBe('pro');
    expect(onlyEvent(events, 'outbound link clicked').properties['$external_click_url']).toBe(
      'https://other.example/there',
    );
    const left = onlyEvent(events, '$pageleave').properties;
    expect(left).toMatchObject({ $pathname: '/second', $prev_pageview_pathname: '/second' });
    // One visitor, of whom neither address nor user agent is stored.
    expect(new Set(events.map(({ distinct_id }) => distinct_id)).size).toBe(1);
    expect(events[0]?.distinct_id).toMatch(/^cookieless_/);
    expect(events.some(({ properties }) => '$raw_user_agent' in properties || '$ip' in properties)).toBe(false);
    await page.close();
    await world.close();
  });

  it('sends nothing for those who ask not to be tracked, where the site wants that', async () => {
    const world = await makeWorld(server);
    const { page } = await watchedPage(browser, server.url);
    await page.addInitScript(`Object.defineProperty(navigator, 'doNotTrack', { get: () => '1' })`);
    const sent: string[] = [];
    page.on('request', (request) => request.method() === 'POST' && sent.push(request.url()));
    await page.goto(site.show(html(world, 'data-respect-dnt')));
    await page.waitForFunction('window.cairn && !window.cairn.q');
    await page.evaluate(`cairn('signed up')`);
    await page.goto('about:blank');
    expect(sent).toEqual([]);
    await page.close();
    await world.close();
  });
});
