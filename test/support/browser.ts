/** A real Chromium, where the machine has one. */
import { type Browser, chromium, type Page } from 'playwright-core';
import { findBrowser } from './find-browser.ts';

const executablePath = findBrowser();

export const hasBrowser = executablePath !== undefined;
if (!hasBrowser) {
  console.warn('No Chromium found: tests in a browser are skipped. Install one, or name it with CHROMIUM_PATH.');
}

const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  '--disable-quic',
];

export const openBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: executablePath ?? '', args: ARGUMENTS });

/** Enough for a machine that is busy with something else. */
const PATIENCE_MS = 60_000;

export interface Watched {
  page: Page;
  /** Errors and warnings of the page, and answers that are errors. */
  pageErrors: string[];
  /** Requests to any other place than `origin`. */
  foreignRequests: string[];
}

export async function watchedPage(browser: Browser, origin: string): Promise<Watched> {
  const page = await browser.newPage();
  // Also for requests of its context.
  page.context().setDefaultTimeout(PATIENCE_MS);
  const complaints: string[] = [];
  const elsewhere: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.protocol !== 'data:' && url.origin !== origin) elsewhere.push(request.url());
  });
  page.on('response', (response) => {
    if (response.status() >= 400) complaints.push(`${response.status()} ${response.url()}`);
  });
  return { page, pageErrors: complaints, foreignRequests: elsewhere };
}

/** Keeps a picture of the page where SCREENSHOTS names a folder. */
export async function saveScreenshot(page: Page, name: string): Promise<void> {
  const folder = process.env['SCREENSHOTS'];
  if (folder) await page.screenshot({ path: `${folder}/${name}.png` });
}
