/** posthog-js without cookies, in a real browser. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, openBrowser } from '../support/browser.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { openSite, type Site } from './support/site.ts';
import { SERVED, visit } from './support/visit.ts';
import { makeWorld, onlyEvent } from './support/world.ts';

describe.skipIf(!hasBrowser)('posthog-js without cookies', () => {
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

  it.each([
    ['always', 'undefined'],
    ['on_reject', 'posthog.opt_out_capturing()'],
  ])('in the mode %s has one visitor in two visits, and leaves nothing in the browser', async (mode, answer) => {
    const world = await makeWorld(server);
    for (const n of [1, 2]) {
      const page = await visit({ browser, site }, world, SERVED, { config: { cookieless_mode: mode } });
      await page.run(answer);
      await page.run(`posthog.capture('visit ${n}')`);
      const stored = await page.run(
        '[document.cookie, Object.keys(localStorage).length, Object.keys(sessionStorage).length]',
      );
      if (mode === 'always') expect(stored).toEqual(['', 0, 0]);
      await page.leave();
    }
    const events = await world.waitForEvents('visit 1', 'visit 2', '$pageview');
    const [first, second] = [onlyEvent(events, 'visit 1'), onlyEvent(events, 'visit 2')];
    expect(first.distinct_id).toMatch(/^cookieless_/);
    expect(second.distinct_id).toBe(first.distinct_id);
    expect(second.properties['$session_id']).toBe(first.properties['$session_id']);
    expect(first.properties).not.toHaveProperty('$raw_user_agent');
    expect(first.properties).not.toHaveProperty('$ip');
    expect(await world.person('$posthog_cookieless')).toBeFalsy();
    await world.close();
  });

  it('joins a visit with the person who signs in', async () => {
    const world = await makeWorld(server);
    const page = await visit({ browser, site }, world, SERVED, { config: { cookieless_mode: 'always' } });
    await page.run("posthog.capture('looked')");
    await page.run("posthog.identify('ada')");
    await page.run("posthog.capture('bought')");
    const events = await world.waitForEvents('looked', '$identify', 'bought');
    const [looked, bought] = [onlyEvent(events, 'looked'), onlyEvent(events, 'bought')];
    expect(bought.distinct_id).toBe('ada');
    expect(bought.properties['$session_id']).toBe(looked.properties['$session_id']);
    await page.leave();
    expect((await world.person('ada'))?.distinct_ids.sort()).toEqual(['ada', looked.distinct_id].sort());
    await world.close();
  });
});
