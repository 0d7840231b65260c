/** posthog-js of every age, as it is published, in a real browser, in a page of another site. */
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hasBrowser, openBrowser } from '../support/browser.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { openSite, type Site } from './support/site.ts';
import { BROWSER_SDKS, installed } from './support/versions.ts';
import { SERVED, type Visit, visit } from './support/visit.ts';
import { DEFAULT_FLAGS, makeWorld, onlyEvent, PAYLOADS, type World } from './support/world.ts';

/** The first age has neither groups nor payloads nor a way to hand flags over beforehand. */
const FIRST = 'posthog-js-1.13';
const ENGAGING = [FIRST, 'posthog-js-1.68'];
const LATER = BROWSER_SDKS.filter((alias) => alias !== FIRST);

describe.skipIf(!hasBrowser)('in a browser', () => {
  let server: TestServer;
  let site: Site;
  let browser: Browser;
  let world: World;
  let page: Visit;
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
  beforeEach(async () => {
    world = await makeWorld(server);
  });
  afterEach(async () => {
    await page.leave();
    expect(page.pageErrors).toEqual([]);
    expect(world.relay.failures()).toEqual([]);
    // Everything went as what browsers call a simple request: nobody had to ask for permission first.
    expect(world.relay.requestLines().filter((one) => one.startsWith('OPTIONS'))).toEqual([]);
    await world.close();
  });
  const open = async (alias: string, config: object = {}): Promise<void> => {
    page = await visit({ browser, site }, world, alias, { config });
  };

  describe.each(BROWSER_SDKS)('%s', (alias) => {
    const { version } = installed(alias);
    const isFirst = alias === FIRST;

    it(`(${version}) sends a complete visit, from the first page view to the unload`, async () => {
      await open(alias);
      const anonymous = await page.run('firstId');
      await page.until('window.hasFlags');
      for (const key of ['on', 'colour', 'team'] as const) {
        // Of the first age only those that are on are known.
        expect([key, (await page.run(`posthog.getFeatureFlag('${key}')`)) || false]).toEqual([key, DEFAULT_FLAGS[key]]);
      }
      if (!isFirst) {
        expect(await page.run("posthog.getFeatureFlagPayload('on')")).toEqual(PAYLOADS.on);
        expect(await page.run("posthog.getFeatureFlagPayload('colour')")).toEqual(PAYLOADS.colour);
      }
      await page.run("posthog.capture('said hello', { n: 1, words: ['ä', '✓'] })");
      await page.page.click('#buy');

      await page.run("posthog.identify('ada', { plan: 'team', email: 'ada@example.org' })");
      await page.until("posthog.getFeatureFlag('team') === true");
      await page.run("posthog.people.set({ city: 'Oslo' })");
      if (!isFirst) {
        await page.run("posthog.group('company', 'a1', { name: 'Acme' })");
        await page.until("posthog.getFeatureFlag('acme') === true");
        await page.run("posthog.capture('in company')");
      }
      await page.run("posthog.alias('ada-too')");
      // It is gathered until now, and goes out when the page goes away.
      await page.run("posthog.capture('leaving ada')");
      await page.run('posthog.reset()');
      const another = await page.run('posthog.get_distinct_id()');
      await page.run("posthog.capture('somebody else')");
      await page.page.goto('about:blank');

      const events = await world.waitForEvents(
        '$pageview',
        '$autocapture',
        '$identify',
        '$create_alias',
        'somebody else',
      );
      for (const name of ['said early', 'said hello', 'leaving ada', '$autocapture', '$create_alias'])
        onlyEvent(events, name);
      // The first ages post properties of persons to /engage/, which makes another one of it.
      expect(events.filter(({ event }) => event === '$identify')).toHaveLength(ENGAGING.includes(alias) ? 2 : 1);
      expect(onlyEvent(events, '$pageview').properties).toMatchObject({ $lib: 'web', $lib_version: version });
      expect(onlyEvent(events, 'said hello')).toMatchObject({
        distinct_id: anonymous,
        properties: { n: 1, words: ['ä', '✓'], $host: new URL(site.url).host },
      });
      expect(onlyEvent(events, '$autocapture').elements_chain).toMatch(/^button.*text="Buy"/);
      expect(onlyEvent(events, 'leaving ada').distinct_id).toBe('ada');
      expect(onlyEvent(events, 'somebody else').distinct_id).toBe(another);
      expect(another).not.toBe(anonymous);
      // Sent as a beacon when the page was closed already.
      const last = world.relay.exchanges.find(({ text }) => text.includes('"somebody else"'));
      expect(last?.headers).toMatchObject({ 'sec-fetch-mode': 'no-cors', 'sec-fetch-site': 'cross-site' });

      const ada = await world.person('ada');
      expect(ada).toMatchObject({
        is_identified: true,
        properties: { plan: 'team', city: 'Oslo', email: 'ada@example.org' },
      });
      expect(ada?.distinct_ids.toSorted()).toEqual([anonymous, 'ada', 'ada-too'].toSorted());
      // What was said before logging in is hers, too.
      expect(onlyEvent(events, 'said hello').person).toMatchObject({ properties: { email: 'ada@example.org' } });
      if (!isFirst) {
        expect(await world.group('a1')).toEqual({ name: 'Acme' });
        expect(onlyEvent(events, 'in company').properties).toMatchObject({ $group_0: 'a1' });
      }
    });

    it('sends nothing after an opt-out, and again after an opt-in', async () => {
      await open(alias, { opt_out_capturing_by_default: true, capture_pageview: false });
      await page.until('window.hasFlags');
      await page.run("posthog.capture('unseen')");
      await page.page.click('#buy');
      expect(world.relay.exchanges.filter(({ path }) => /^\/(e|i\/v0\/e|engage)\//.test(path))).toEqual([]);
      await page.run('posthog.opt_in_capturing()');
      await page.run("posthog.capture('seen')");
      await page.page.goto('about:blank');
      const events = await world.waitForEvents('seen');
      expect(events.map(({ event }) => event)).not.toContain('unseen');
      expect(events.map(({ event }) => event)).not.toContain('$autocapture');
    });
  });

  describe.each(LATER)('%s', (alias) => {
    it('has the flags that it was given beforehand at once, and those of the server later', async () => {
      const bootstrap = {
        distinctID: 'ada',
        isIdentifiedID: true,
        featureFlags: { on: 'not yet' },
        featureFlagPayloads: { on: 'not yet either' },
      };
      await open(alias, { bootstrap });
      expect(await page.run('[firstId, firstFlag]')).toEqual(['ada', 'not yet']);
      // The newest is content with what it was given until somebody asks it to look again.
      if (alias === SERVED) await page.run('posthog.reloadFeatureFlags()');
      await page.until("window.hasFlags && posthog.getFeatureFlag('on') === true");
      expect(await page.run("posthog.getFeatureFlagPayload('on')")).toEqual(PAYLOADS.on);
    });
  });

  it('takes the SDK and its configuration in one script', async () => {
    const script = `${world.relay.url}/array/${world.projectKey}/array.js`;
    page = await visit({ browser, site }, world, SERVED, { script });
    await page.until('window.hasFlags');
    expect(await page.run("posthog.getFeatureFlag('colour')")).toBe('blue');
    await page.page.goto('about:blank');
    await world.waitForEvents('$pageview');
    expect(world.relay.requestLines().some((one) => one.includes('/config'))).toBe(false);
  });
});
