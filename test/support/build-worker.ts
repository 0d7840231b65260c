import { build } from '../../scripts/build.js';
import { buildConsole } from '../../scripts/build-console.js';
import { findBrowser } from './find-browser.ts';

/** The worker thread runs built code, since Node 20 cannot start a thread from TypeScript. Browser tests need the console. */
export async function setup(): Promise<void> {
  await build();
  // Not `hasBrowser`: loading Playwright takes two seconds.
  if (findBrowser() !== undefined) await buildConsole();
}
