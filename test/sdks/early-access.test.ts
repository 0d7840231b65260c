/** posthog-js of every age that knows early access: a visitor sees what there is, opts in and out, and it holds elsewhere. */
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hasBrowser, openBrowser } from '../support/browser.ts';
import { clientFor } from '../support/client.ts';
import { sendJson } from '../support/send.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { openSite, type Site } from './support/site.ts';
import { BROWSER_SDKS } from './support/versions.ts';
import { type Visit, visit } from './support/visit.ts';
import { makeWorld, type World } from './support/world.ts';

const KNOWING = BROWSER_SDKS.filter((alias) => alias !== 'posthog-js-1.13');
/** These ask for stages other than beta, and say the name of the feature. */
const IN_DETAIL = ['posthog-js-1.257', 'posthog-js'];

describe.skipIf(!hasBrowser)('early access in a browser', () => {
  let server: TestServer;
  let site: Site;
  let browser: Browser;
  let world: World;
  const pages: Visit[] = [];
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
    for (const page of pages.splice(0)) {
      await page.leave();
      expect(page.pageErrors).toEqual([]);
    }
    expect(world.relay.failures()).toEqual([]);
    await world.close();
  });

  async function makeFeature(body: object): Promise<{ id: string; key: string }> {
    const { post } = clientFor({ url: server.url, personalKey: world.personalKey });
    const made = await post(`/api/projects/${world.projectId}/early_access_feature/`, { body });
    expect(made.status).toBe(201);
    return { id: made.body.id, key: made.body.feature_flag.key };
  }

  async function signIn(alias: string): Promise<Visit> {
    const page = await visit({ browser, site }, world, alias);
    pages.push(page);
    await page.until('window.hasFlags');
    await page.run("posthog.identify('ada', { plan: 'team' })");
    // Flags of ada, not of the visitor before: a late answer would replace what the page chooses next.
    await page.until("posthog.isFeatureEnabled('team') === true");
    return page;
  }
  const features = (page: Visit, more = '') =>
    page.run(`new Promise((resolve) => posthog.getEarlyAccessFeatures(resolve, true${more}))`);
  const enroll = (page: Visit, key: string, isEnrolled: boolean) =>
    page.run(`posthog.updateEarlyAccessFeatureEnrollment('${key}', ${isEnrolled})`);
  const isOn = (page: Visit, key: string) => page.run(`posthog.isFeatureEnabled('${key}') || false`);
  /** What the server says to somebody who sends no properties. */
  const decided = async (key: string): Promise<boolean> => {
    const { json } = await sendJson(server.url, '/flags/?v=2', { token: world.projectKey, distinct_id: 'ada' });
    return json.flags[key].enabled;
  };
  const choices = async () =>
    (await world.events())
      .filter(({ event }) => event === '$feature_enrollment_update')
      .map(({ distinct_id, properties }) => [
        distinct_id,
        properties['$feature_flag'],
        properties['$feature_enrollment'],
        properties['$early_access_feature_name'],
      ]);

  it.each(KNOWING)('%s lists features, and a choice holds on this device and on others', async (alias) => {
    const dark = await makeFeature({
      name: 'Dark mode',
      stage: 'beta',
      description: 'Easy on the eyes',
      documentation_url: 'https://example.org/dark',
      payload: { icon: 'moon' },
    });
    const search = await makeFeature({ name: 'Better search', stage: 'alpha' });
    await makeFeature({ name: 'Secret', stage: 'draft' });
    const page = await signIn(alias);
    expect(await features(page)).toEqual([
      {
        id: dark.id,
        name: 'Dark mode',
        description: 'Easy on the eyes',
        stage: 'beta',
        documentationUrl: 'https://example.org/dark',
        payload: { icon: 'moon' },
        flagKey: dark.key,
      },
    ]);
    if (IN_DETAIL.includes(alias)) {
      const found = await features(page, ", ['alpha', 'draft']");
      expect(found.map(({ flagKey }: { flagKey: string }) => flagKey)).toEqual([search.key]);
      await features(page);
    }
    expect([await isOn(page, dark.key), await decided(dark.key)]).toEqual([false, false]);

    await enroll(page, dark.key, true);
    // At once, before the server knows.
    expect(await isOn(page, dark.key)).toBe(true);
    await world.waitForEvents('$feature_enrollment_update');
    expect(await choices()).toEqual([['ada', dark.key, true, IN_DETAIL.includes(alias) ? 'Dark mode' : undefined]]);
    expect((await world.person('ada'))?.properties).toMatchObject({ [`$feature_enrollment/${dark.key}`]: true });
    expect(await decided(dark.key)).toBe(true);
    expect(await decided(search.key)).toBe(false);

    // Another device knows it from the server.
    const other = await signIn(alias);
    await other.until(`posthog.isFeatureEnabled('${dark.key}') === true`);
    await enroll(other, dark.key, false);
    expect(await isOn(other, dark.key)).toBe(false);
    await expect.poll(() => decided(dark.key), { timeout: 20_000 }).toBe(false);
    // Both are stored; the clock of the server stands still, so their times do not tell the order.
    expect((await choices()).map(([, , isEnrolled]) => isEnrolled).sort()).toEqual([false, true]);
    await other.run('posthog.reloadFeatureFlags()');
    await other.until(`posthog.isFeatureEnabled('${dark.key}') === false`);
  });
});
