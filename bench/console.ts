/**
 * What each page of the console loads on a first visit, with an empty cache, and how soon it shows something. The
 * baseline is the sign-in page, which has no data.
 *
 *   npm run bench:console [-- --runs 3]
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Browser } from 'playwright-core';
import { openBrowser } from '../test/support/browser.ts';
import { machine } from './lib/machine.ts';
import { startProcess } from './lib/processes.ts';
import { median } from './lib/race.ts';

const { values: options } = parseArgs({ options: { runs: { type: 'string', default: '3' } } });
const ACCOUNT = { email: 'bench@example.org', password: 'correct horse' };
const KEY = 'phx_benchConsole0123456789abcdef';
const PAGES = [
  '/login',
  '/project/1/dashboards',
  '/project/1/dashboards/1',
  '/project/1/web',
  '/project/1/insights',
  '/project/1/insights/1',
  '/project/1/insights/new?insight=FUNNELS&events=[{"id":"$pageview"},{"id":"hike planned"}]',
  '/project/1/insights/new?insight=RETENTION',
  '/project/1/persons',
  '/project/1/groups',
  '/project/1/cohorts',
  '/project/1/flags',
  '/project/1/flags/1',
  '/project/1/experiments',
  '/project/1/live',
  '/project/1/actions',
  '/project/1/definitions',
  '/project/1/settings',
  '/help',
  '/docs',
];

interface Load {
  kB: number;
  requests: number;
  /** Until the first text or picture. */
  firstContentMs: number;
  /** Until nothing is loading any more. */
  doneMs: number;
}

async function loadDemo(url: string): Promise<void> {
  const headers = { authorization: `Bearer ${KEY}` };
  await fetch(`${url}/api/projects/1/demo_data/`, { method: 'POST', headers });
  for (let state = 'running'; state === 'running'; await sleep(500)) {
    const answer = await fetch(`${url}/api/projects/1/demo_data/`, { headers });
    ({ state } = (await answer.json()) as { state: string });
  }
}

/** The cookies of a session; who signs in for each page is slowed down. */
async function signIn(browser: Browser, url: string) {
  const context = await browser.newContext();
  await context.request.post(`${url}/api/login/`, { data: ACCOUNT });
  const session = await context.storageState();
  await context.close();
  return session;
}

/** In a context of its own, so that nothing is cached. */
async function visit(
  browser: Browser,
  url: string,
  path: string,
  session: Awaited<ReturnType<typeof signIn>>,
): Promise<Load> {
  const context = await browser.newContext(path === '/login' ? {} : { storageState: session });
  try {
    const page = await context.newPage();
    const network = await context.newCDPSession(page);
    await network.send('Network.enable');
    let [bytes, requests] = [0, 0];
    network.on('Network.loadingFinished', ({ encodedDataLength }) => {
      bytes += encodedDataLength;
      requests += 1;
    });
    const start = performance.now();
    await page.goto(url + path);
    await page.locator('h1').waitFor();
    while ((await page.locator('.skeleton, [aria-busy="true"]').count()) > 0) await sleep(20);
    const doneMs = performance.now() - start;
    const painted = await page.waitForFunction<number>(
      "performance.getEntriesByName('first-contentful-paint')[0]?.startTime",
    );
    const firstContentMs = await painted.jsonValue();
    return { kB: bytes / 1000, requests, firstContentMs, doneMs };
  } finally {
    await context.close();
  }
}

const medianLoad = (loads: readonly Load[]): Load => ({
  kB: Number(median(loads.map(({ kB }) => kB)).toFixed(1)),
  requests: median(loads.map(({ requests }) => requests)),
  firstContentMs: Math.round(median(loads.map(({ firstContentMs }) => firstContentMs))),
  doneMs: Math.round(median(loads.map(({ doneMs }) => doneMs))),
});

const dataDir = mkdtempSync(join(tmpdir(), 'cairn-bench-'));
const server = await startProcess(['scripts/start.js'], {
  DATA_DIR: dataDir,
  PORT: '0',
  INIT_ADMIN_EMAIL: ACCOUNT.email,
  INIT_ADMIN_PASSWORD: ACCOUNT.password,
  INIT_PERSONAL_API_KEY: KEY,
});
const browser = await openBrowser();
try {
  await loadDemo(server.url);
  const session = await signIn(browser, server.url);
  const pages: Record<string, Load> = {};
  for (const path of PAGES) {
    const loads: Load[] = [];
    for (let n = 0; n < Number(options.runs); n++) loads.push(await visit(browser, server.url, path, session));
    pages[path] = medianLoad(loads);
    const { kB, requests, firstContentMs, doneMs } = pages[path];
    console.log(
      `${`${kB} kB`.padStart(9)} ${String(requests).padStart(3)} requests ${String(firstContentMs).padStart(5)} ms ${String(doneMs).padStart(6)} ms  ${path}`,
    );
  }
  const report = { machine: machine(), pages };
  mkdirSync('bench/results', { recursive: true });
  writeFileSync('bench/results/console.json', `${JSON.stringify(report, null, 2)}\n`);
} finally {
  await browser.close();
  await server.stop();
  rmSync(dataDir, { recursive: true, force: true });
}
