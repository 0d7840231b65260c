/** Bad lines and proxies: answers that get lost, and a server that is found below a path. */
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, openBrowser } from '../support/browser.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { openNodeSdk, shutDown } from './support/node-sdk.ts';
import { openSite, type Site } from './support/site.ts';
import { BROWSER_SDKS, NODE_SDKS } from './support/versions.ts';
import { visit } from './support/visit.ts';
import { DEFAULT_FLAGS, makeWorld, onlyEvent, PAYLOADS, type World } from './support/world.ts';

let server: TestServer;
let world: World;
beforeAll(async () => {
  server = await startServer({ now: new Date().toISOString() });
});
afterAll(() => server.close());
afterEach(async () => {
  expect(world.relay.failures()).toEqual([]);
  await world.close();
});

/** The result of each upload with the payment. */
const uploads = (): [swallowed: boolean, status: number][] =>
  world.relay.exchanges.filter(({ text }) => text.includes('"paid"')).map(({ dropped, status }) => [dropped, status]);

/** These send no event id, so a repeated upload cannot be told from a second event. */
const NAMELESS = ['posthog-node-1', 'posthog-node-2'];

describe('an upload whose answer gets lost comes again, and is stored once', () => {
  it.each(NODE_SDKS.filter((alias) => !NAMELESS.includes(alias)))('from %s', async (alias) => {
    world = await makeWorld(server);
    world.relay.dropAnswerTo('paid');
    const sdk = openNodeSdk(alias, world);
    sdk.capture({ distinctId: 'ada', event: 'paid', properties: { $set: { paid: 1 } } });
    sdk.capture({ distinctId: 'ada', event: 'thanked' });
    await shutDown(sdk, world);
    await expect.poll(uploads, { timeout: 20_000 }).toEqual([
      [true, 200],
      [false, 200],
    ]);
    expect((await world.names()).toSorted()).toEqual(['paid', 'thanked']);
    expect(await world.person('ada')).toMatchObject({ properties: { paid: 1 } });
  });

  it.each(NAMELESS)('but twice from %s, which gives its events no name', async (alias) => {
    world = await makeWorld(server);
    world.relay.dropAnswerTo('paid');
    const sdk = openNodeSdk(alias, world);
    sdk.capture({ distinctId: 'ada', event: 'paid' });
    await shutDown(sdk, world);
    await expect.poll(uploads, { timeout: 20_000 }).toHaveLength(2);
    expect(await world.names()).toEqual(['paid', 'paid']);
  });
});

describe.skipIf(!hasBrowser)('in a browser', () => {
  let site: Site;
  let browser: Browser;
  beforeAll(async () => {
    site = await openSite();
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await site?.close();
  });

  it.each(BROWSER_SDKS)('an upload of %s whose answer gets lost is stored once', async (alias) => {
    world = await makeWorld(server);
    const page = await visit({ browser, site }, world, alias);
    await page.until('window.hasFlags');
    // From here on all connections are kept and idle; where one of these is cut, the browser posts again by itself.
    await world.waitForEvents('$pageview', 'said early');
    world.relay.dropAnswerTo('paid');
    await page.run("posthog.capture('paid')");
    await expect.poll(uploads, { timeout: 20_000 }).toEqual([
      [true, 200],
      [false, 200],
    ]);
    await page.leave();
    onlyEvent(await world.waitForEvents('paid'), 'paid');
    expect(page.pageErrors).toEqual([]);
  });

  it.each(BROWSER_SDKS)('%s works behind a proxy that has the server below a path', async (alias) => {
    world = await makeWorld(server, { prefix: '/ingest' });
    const page = await visit({ browser, site }, world, alias);
    await page.until('window.hasFlags');
    expect(await page.run("posthog.getFeatureFlag('colour')")).toBe(DEFAULT_FLAGS.colour);
    await page.page.click('#buy');
    await page.run("posthog.capture('said hello')");
    await page.leave();
    await world.waitForEvents('$pageview', '$autocapture', 'said hello');
    expect(page.pageErrors).toEqual([]);
    // Nothing went around the proxy.
    expect(page.foreignRequests.filter((url) => !url.startsWith(site.url) && !url.startsWith(world.relay.url))).toEqual(
      [],
    );
  });
});

describe('below a path', () => {
  it.each(NODE_SDKS)('%s works', async (alias) => {
    world = await makeWorld(server, { prefix: '/ingest' });
    const sdk = openNodeSdk(alias, world, alias === 'posthog-node-1' ? {} : { personalApiKey: world.personalKey });
    sdk.capture({ distinctId: 'ada', event: 'said hello' });
    if (alias !== 'posthog-node-1') expect(await sdk.getFeatureFlagPayload('on', 'ada')).toEqual(PAYLOADS.on);
    await shutDown(sdk, world);
    await world.waitForEvents('said hello');
  });
});
