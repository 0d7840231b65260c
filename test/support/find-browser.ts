import { existsSync } from 'node:fs';

const CANDIDATES = [
  process.env['CHROMIUM_PATH'],
  // The same engine without windows, which every page would open: a sixth of the CPU time.
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** The path of an installed Chromium; undefined if there is none. */
export const findBrowser = (): string | undefined =>
  CANDIDATES.find((path) => path !== undefined && path !== '' && existsSync(path));
