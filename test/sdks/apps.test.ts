/** The SDKs of apps and small pages, which share a core: posthog-js-lite in Node and in a browser, posthog-react-native. */
import { createRequire as requireFrom } from 'node:module';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hasBrowser, openBrowser, watchedPage } from '../support/browser.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { bundle } from './support/bundle.ts';
import { openSite } from './support/site.ts';
import { installed } from './support/versions.ts';
import { DEFAULT_FLAGS, makeWorld, onlyEvent, PAYLOADS, type World } from './support/world.ts';

const require = requireFrom(import.meta.url);

/** The methods of both packages that are used here. */
interface AppSdk {
  ready?(): Promise<void>;
  capture(event: string, properties?: object): void;
  screen?(name: string, properties?: object): Promise<void>;
  identify(distinctId?: string, properties?: object): void;
  alias(alias: string): void;
  group(type: string, key: string, properties?: object): void;
  getDistinctId(): string;
  getFeatureFlag(key: string): unknown;
  getFeatureFlagPayload(key: string): unknown;
  reloadFeatureFlagsAsync(): Promise<Record<string, unknown> | undefined>;
  reset(): void;
  optOut(): Promise<void>;
  shutdown(): Promise<void>;
}
type Constructor = new (key: string, options: object) => AppSdk;

let server: TestServer;
let world: World;
beforeAll(async () => {
  server = await startServer({ now: new Date().toISOString() });
});
afterAll(() => server.close());
beforeEach(async () => {
  world = await makeWorld(server);
});
afterEach(async () => {
  expect(world.relay.failures()).toEqual([]);
  await world.close();
});

const OPTIONS = { flushAt: 50, flushInterval: 60_000, fetchRetryDelay: 50, captureAppLifecycleEvents: true };

/** A user who looks around, signs in, joins a company and signs out. */
async function tellStory(sdk: AppSdk): Promise<{ first: string; second: string }> {
  await sdk.ready?.();
  const first = sdk.getDistinctId();
  expect(await sdk.reloadFeatureFlagsAsync()).toEqual(DEFAULT_FLAGS);
  expect(sdk.getFeatureFlagPayload('on')).toEqual(PAYLOADS.on);
  sdk.capture('said hello', { n: 1 });
  sdk.identify('ada', { plan: 'team', $set_once: { source: 'app' } });
  sdk.alias('ada-too');
  sdk.group('company', 'a1', { name: 'Acme' });
  const later = await sdk.reloadFeatureFlagsAsync();
  expect(later).toMatchObject({ on: true, colour: 'blue' });
  sdk.capture('in company');
  sdk.reset();
  const second = sdk.getDistinctId();
  sdk.capture('somebody else');
  return { first, second };
}

async function expectStory(lib: string, { first, second }: { first: string; second: string }): Promise<void> {
  const events = await world.waitForEvents(
    'said hello',
    '$identify',
    '$create_alias',
    '$groupidentify',
    'somebody else',
  );
  expect(onlyEvent(events, 'said hello')).toMatchObject({ distinct_id: first, properties: { n: 1, $lib: lib } });
  expect(onlyEvent(events, 'in company').properties).toMatchObject({ $group_0: 'a1' });
  expect(onlyEvent(events, 'somebody else').distinct_id).toBe(second);
  expect(second).not.toBe(first);
  const ada = await world.person('ada');
  expect(ada).toMatchObject({ is_identified: true, properties: { plan: 'team', source: 'app' } });
  expect(ada?.distinct_ids.toSorted()).toEqual([first, 'ada', 'ada-too'].toSorted());
  expect(await world.group('a1')).toEqual({ name: 'Acme' });
}

describe(`posthog-js-lite ${installed('posthog-js-lite').version}`, () => {
  it('works in Node', async () => {
    const { PostHog } = require('posthog-js-lite') as { PostHog: Constructor };
    const sdk = new PostHog(world.projectKey, { ...OPTIONS, host: world.relay.url, persistence: 'memory' });
    const ids = await tellStory(sdk);
    await sdk.shutdown();
    await expectStory('js', ids);
  });

  it.skipIf(!hasBrowser)('works in a page of another site, with a preflight request', async () => {
    const site = await openSite();
    const made = await bundle('posthog-js-lite', { platform: 'browser', global: 'lite' });
    const browser: Browser = await openBrowser();
    try {
      const { page, pageErrors } = await watchedPage(browser, world.relay.url);
      const script = `<!doctype html><link rel="icon" href="data:,"><script src="${site.serve(made.file)}"></script>`;
      await page.goto(site.show(script));
      const options = JSON.stringify({ ...OPTIONS, host: world.relay.url });
      const ids = await page.evaluate(`(async () => {
        const sdk = new lite.PostHog(${JSON.stringify(world.projectKey)}, ${options});
        const first = sdk.getDistinctId();
        const flags = await sdk.reloadFeatureFlagsAsync();
        const payload = sdk.getFeatureFlagPayload('on');
        sdk.capture('said hello', { n: 1 });
        sdk.identify('ada', { plan: 'team', $set_once: { source: 'app' } });
        sdk.alias('ada-too');
        sdk.group('company', 'a1', { name: 'Acme' });
        sdk.capture('in company');
        sdk.reset();
        sdk.capture('somebody else');
        const second = sdk.getDistinctId();
        await sdk.shutdown();
        return { first, second, flags, payload };
      })()`);
      const { first, second, flags, payload } = ids as {
        first: string;
        second: string;
        flags: object;
        payload: object;
      };
      expect([flags, payload]).toEqual([DEFAULT_FLAGS, PAYLOADS.on]);
      await expectStory('js', { first, second });
      expect(world.relay.requestLines()).toEqual(expect.arrayContaining(['OPTIONS /flags/', 'OPTIONS /batch/']));
      expect(pageErrors).toEqual([]);
    } finally {
      await browser.close();
      made.remove();
      await site.close();
    }
  });

  it('sends nothing after an opt-out', async () => {
    const { PostHog } = require('posthog-js-lite') as { PostHog: Constructor };
    const options = { ...OPTIONS, host: world.relay.url, persistence: 'memory', preloadFeatureFlags: false };
    const sdk = new PostHog(world.projectKey, options);
    await sdk.optOut();
    sdk.capture('unseen');
    await sdk.shutdown();
    expect(world.relay.requestLines()).toEqual([]);
  });
});

describe(`posthog-react-native ${installed('posthog-react-native').version}`, () => {
  it('works without a device', async () => {
    const made = await bundle('posthog-react-native', {
      platform: 'node',
      alias: { react: 'preact/compat', 'react-native': new URL('support/react-native.ts', import.meta.url).pathname },
    });
    try {
      const { PostHog } = require(made.file) as { PostHog: Constructor };
      const kept = new Map<string, string>();
      const customStorage = {
        getItem: (key: string) => kept.get(key) ?? null,
        setItem: (key: string, value: string) => void kept.set(key, value),
      };
      const sdk = new PostHog(world.projectKey, { ...OPTIONS, host: world.relay.url, customStorage });
      await sdk.ready?.();
      await sdk.screen?.('Start', { tab: 'news' });
      const ids = await tellStory(sdk);
      await sdk.shutdown();
      await expectStory('posthog-react-native', ids);
      const events = await world.waitForEvents('Application Opened', '$screen');
      expect(onlyEvent(events, '$screen').properties).toMatchObject({ $screen_name: 'Start', tab: 'news' });
      expect(world.relay.requestLines()).toContain(`GET /array/${world.projectKey}/config`);
    } finally {
      made.remove();
    }
  });
});
