/** A visit to somebody's site: a page with one version of the browser SDK, which talks to the server through a relay. */
import type { Browser } from 'playwright-core';
import { type Watched, watchedPage } from '../../support/browser.ts';
import { pageWithSnippet, type Site } from './site.ts';
import { installed } from './versions.ts';
import type { World } from './world.ts';

export interface Visit extends Watched {
  /** Runs a script in the page. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses freely, and assert what they find
  run(script: string): Promise<any>;
  /** Waits until a script gives true. */
  until(script: string): Promise<void>;
  leave(): Promise<void>;
}

interface VisitOptions {
  config?: object;
  /** Where the SDK comes from; without it the served version from `/static/array.js`, others from their package. */
  script?: string;
}

/** Of a machine that has other things to do as well. */
const TIMEOUT_MS = 20_000;

/** The version that this server hands out itself. */
export const SERVED = 'posthog-js';

export async function visit(
  { browser, site }: { browser: Browser; site: Site },
  world: World,
  alias: string,
  { config = {}, script }: VisitOptions = {},
): Promise<Visit> {
  const source =
    script ??
    (alias === SERVED ? `${world.relay.url}/static/array.js` : site.serve(`${installed(alias).folder}/dist/array.js`));
  const html = pageWithSnippet(source, world.projectKey, {
    api_host: world.relay.url,
    // Newer ones keep quiet in browsers that are driven by a program, as this one is.
    opt_out_useragent_filter: true,
    ...config,
  });
  const watched = await watchedPage(browser, world.relay.url);
  const { page } = watched;
  await page.goto(site.show(html));
  const visiting = {
    ...watched,
    run: (code: string) => page.evaluate(code),
    until: async (code: string) => {
      // By a timer, not at each frame: a headless page on a busy machine may draw none for a while.
      await page.waitForFunction(code, undefined, { timeout: TIMEOUT_MS, polling: 50 }).catch((cause: unknown) => {
        throw new Error(`Never came true: ${code}; asked were ${world.relay.requestLines().join(', ')}`, { cause });
      });
    },
    leave: async () => {
      await page.goto('about:blank');
      await page.close();
    },
  };
  await visiting.until('window.firstId !== undefined');
  return visiting;
}
