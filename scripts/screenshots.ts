/**
 * `npm run screenshots`: takes the pictures of the README, into docs/screenshots/.
 * `npm run screenshots -- --review [name…]`: takes every page at three widths, light and dark and whole, as PNG into
 * .screenshots/, to look at. To add a page, add a line to PAGES.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { findBrowser } from '../test/support/find-browser.ts';
import { ACCOUNT, KEYS, type Seeded, seed } from './screenshots/seed.ts';

type Theme = 'light' | 'dark';

interface Shot {
  name: string;
  path(seeded: Seeded): string;
  /** Text that is visible once the page is rendered. */
  wait: string;
  /** In the README, with this theme. */
  readme?: Theme;
  /** Taken before signing in. */
  signedOut?: boolean;
  /** Prepares the page: opens a row, fills in a field. */
  prepare?(page: Page): Promise<void>;
}

/** Unsaved insights, by the query in their URL. */
const QUESTIONS: readonly [name: string, fields: Record<string, string>][] = [
  [
    'funnel',
    {
      insight: 'FUNNELS',
      date_from: '-30d',
      events: '[{"id":"$pageview"},{"id":"product viewed"},{"id":"added to cart"},{"id":"order placed"}]',
    },
  ],
  [
    'retention',
    {
      insight: 'RETENTION',
      target_entity: '{"id":"$pageview","type":"events"}',
      returning_entity: '{"id":"$pageview","type":"events"}',
    },
  ],
  [
    'paths',
    { insight: 'PATHS', date_from: '-14d', include_event_types: '["$pageview","custom_event"]', step_limit: '4' },
  ],
];

const PAGES: readonly Shot[] = [
  { name: 'approvals', path: ({ projectId }) => `/project/${projectId}/approvals`, wait: 'Nothing waits' },
  { name: 'help', path: () => '/help', wait: 'Start the server' },
  { name: 'reference', path: () => '/docs', wait: 'Create a feature flag' },
  { name: 'login', path: () => '/login', wait: 'Sign in', signedOut: true },
  { name: 'setup', path: () => '/setup#token=shown-once', wait: 'Create your account', signedOut: true },
  { name: 'welcome', path: ({ projectId }) => `/project/${projectId}/welcome`, wait: 'Receiving events' },
  {
    name: 'web',
    path: ({ demo }) => `/project/${demo.projectId}/web?from=-30d`,
    wait: 'Bounce rate',
    readme: 'light',
  },
  { name: 'web-sparse', path: ({ projectId }) => `/project/${projectId}/web?from=-30d`, wait: 'Bounce rate' },
  ...[0, 1].map((index) => ({
    name: index === 0 ? 'experiment' : 'experiment-ended',
    path: ({ demo }: Seeded) => `/project/${demo.projectId}/experiments/${demo.experimentIds[index]}`,
    wait: 'Health',
    ...(index === 0 && { readme: 'light' as const }),
  })),
  {
    name: 'demo-dashboard',
    path: ({ demo }) => `/project/${demo.projectId}/dashboards/${demo.dashboardId}`,
    wait: 'Updated',
  },
  { name: 'live', path: ({ projectId }) => `/project/${projectId}/live`, wait: 'product viewed' },
  {
    name: 'live-event',
    path: ({ projectId, eventId }) => `/project/${projectId}/live?open=${eventId}`,
    wait: 'Properties',
  },
  {
    name: 'live-not-stored',
    path: ({ projectId }) => `/project/${projectId}/live?tab=not-stored`,
    wait: 'Ingestion warnings',
  },
  { name: 'insights', path: ({ projectId }) => `/project/${projectId}/insights`, wait: 'Visits by browser' },
  {
    name: 'insight',
    path: ({ projectId, insights }) => `/project/${projectId}/insights/${insights.trend}`,
    wait: 'Refresh',
  },
  ...QUESTIONS.map(([name, fields]) => ({
    name,
    ...(name === 'funnel' && { readme: 'dark' as const }),
    path: ({ projectId }: Seeded) => `/project/${projectId}/insights/new?${new URLSearchParams(fields)}`,
    wait: 'Refresh',
    prepare: (page: Page) => page.locator('.answer').evaluate((answer) => answer.parentElement?.scrollIntoView()),
  })),
  { name: 'dashboards', path: ({ projectId }) => `/project/${projectId}/dashboards`, wait: 'Shop overview' },
  {
    name: 'dashboard',
    path: ({ projectId, insights }) => `/project/${projectId}/dashboards/${insights.dashboard}`,
    wait: 'Updated',
    readme: 'light',
  },
  { name: 'alerts', path: ({ projectId }) => `/project/${projectId}/alerts`, wait: 'No alerts yet' },
  { name: 'digests', path: ({ projectId }) => `/project/${projectId}/alerts?tab=digests`, wait: 'No digests yet' },
  { name: 'destinations', path: ({ projectId }) => `/project/${projectId}/destinations`, wait: 'No webhooks yet' },
  { name: 'destination', path: ({ projectId }) => `/project/${projectId}/destinations/new`, wait: 'Enter the address' },
  { name: 'export', path: ({ projectId }) => `/project/${projectId}/exports/new`, wait: 'Give the export a name' },
  {
    name: 'alert',
    path: ({ projectId, insights }) => `/project/${projectId}/alerts/new?insight=${insights.trend}`,
    wait: 'Set at least one bound',
  },
  {
    name: 'persons',
    path: ({ projectId }) => `/project/${projectId}/persons?columns=["email","plan"]`,
    wait: 'walker',
  },
  ...(['properties', 'events', 'flags', 'ids'] as const).map((tab) => ({
    name: tab === 'properties' ? 'person' : `person-${tab}`,
    path: ({ projectId }: Seeded) => `/project/${projectId}/persons/walker3@example.org?tab=${tab}`,
    ...(tab === 'properties' && { readme: 'dark' as const }),
    wait: { properties: 'shoe_size', events: 'product viewed', flags: 'new-checkout', ids: 'Merges' }[tab],
  })),
  { name: 'cohorts', path: ({ projectId }) => `/project/${projectId}/cohorts`, wait: 'Beta testers' },
  { name: 'cohort', path: ({ projectId }) => `/project/${projectId}/cohorts/1`, wait: 'Active teams' },
  { name: 'definitions', path: ({ projectId }) => `/project/${projectId}/definitions`, wait: 'order placed' },
  { name: 'settings', path: ({ projectId }) => `/project/${projectId}/settings`, wait: 'Project API key' },
  { name: 'groups', path: ({ projectId }) => `/project/${projectId}/groups`, wait: 'team-b' },
  { name: 'group', path: ({ projectId }) => `/project/${projectId}/groups/0/team-b`, wait: 'First seen' },
  { name: 'actions', path: ({ projectId }) => `/project/${projectId}/actions/new`, wait: 'Matching events' },
  { name: 'members', path: ({ projectId }) => `/project/${projectId}/members`, wait: 'ada@example.org' },
  { name: 'activity', path: ({ projectId }) => `/project/${projectId}/activity`, wait: 'Beta testers' },
  { name: 'audit', path: ({ projectId }) => `/project/${projectId}/audit`, wait: 'Beta testers' },
  { name: 'account', path: () => '/account', wait: 'Personal API keys' },
  { name: 'flags', path: ({ projectId }) => `/project/${projectId}/flags`, wait: 'fast-search' },
  {
    name: 'flag',
    path: ({ projectId, flagId }) => `/project/${projectId}/flags/${flagId}`,
    wait: 'Last change',
    readme: 'light',
  },
  {
    name: 'flag-edit',
    path: ({ projectId, flagId }) => `/project/${projectId}/flags/${flagId}?tab=release`,
    wait: 'Matches ',
  },
  {
    name: 'flag-review',
    path: ({ projectId, flagId }) => `/project/${projectId}/flags/${flagId}?tab=release`,
    wait: 'Matches ',
    prepare: async (page) => {
      await page.getByLabel('Rollout of condition 2').fill('60');
      await page.getByRole('button', { name: 'Review and save' }).click();
      await page.getByText('get a different value').waitFor();
    },
  },
  {
    name: 'flag-try',
    path: ({ projectId, flagId }) => `/project/${projectId}/flags/${flagId}?tab=try&who=walker3%40example.org`,
    wait: 'Value for',
  },
  {
    name: 'flag-access',
    path: ({ projectId, flagId }) => `/project/${projectId}/flags/${flagId}?tab=access`,
    wait: 'Admins and the creator',
  },
  {
    name: 'flag-history',
    path: ({ projectId, flagId }) => `/project/${projectId}/flags/${flagId}?tab=history`,
    wait: 'Version 1',
  },
  {
    name: 'flag-schedule',
    path: ({ projectId, flagId }) => `/project/${projectId}/flags/${flagId}?tab=schedule`,
    wait: 'Schedule',
  },
  { name: 'flags-import', path: ({ projectId }) => `/project/${projectId}/flags/import`, wait: 'Product' },
  { name: 'flag-new', path: ({ projectId }) => `/project/${projectId}/flags/new`, wait: 'Key' },
  { name: 'experiments', path: ({ projectId }) => `/project/${projectId}/experiments`, wait: 'Experiments' },
  { name: 'experiment-new', path: ({ projectId }) => `/project/${projectId}/experiments/new`, wait: 'Hypothesis' },
  { name: 'annotations', path: ({ projectId }) => `/project/${projectId}/annotations`, wait: 'Annotations' },
  { name: 'insight-new', path: ({ projectId }) => `/project/${projectId}/insights/new`, wait: 'Refresh' },
  { name: 'action-list', path: ({ projectId }) => `/project/${projectId}/actions`, wait: 'Actions' },
  { name: 'reset', path: () => '/reset', wait: 'password', signedOut: true },
  { name: 'not-found', path: ({ projectId }) => `/project/${projectId}/flags/99999`, wait: 'not' },
  { name: 'status', path: () => '/status', wait: 'Versions' },
];

const README_SIZE = { width: 1280, height: 800 };
const REVIEW_SIZES = [
  { width: 1440, height: 900 },
  { width: 1024, height: 768 },
  { width: 380, height: 780 },
];
const IS_REVIEW = process.argv.includes('--review');
const FOLDER = IS_REVIEW ? '.screenshots' : 'docs/screenshots';

const PORT = Number(process.env['PORT'] ?? 8971);
const URL = `http://127.0.0.1:${PORT}`;

async function main(wanted: readonly string[]): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'cairn-screenshots-'));
  const server = spawn('node', ['scripts/start.js'], {
    env: environment(dataDir),
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const browser = await chromium.launch({ executablePath: findBrowser() ?? '', args: ['--no-sandbox'] });
  try {
    await untilReady(server);
    await takeAll(browser, await seed(URL), wanted);
  } finally {
    await browser.close();
    await stop(server);
    rmSync(dataDir, { recursive: true, force: true });
  }
}

const environment = (dataDir: string): NodeJS.ProcessEnv => ({
  ...process.env,
  DATA_DIR: dataDir,
  PORT: String(PORT),
  LOG_LEVEL: 'warn',
  PUBLIC_URL: 'https://cairn.example.org',
  INIT_ADMIN_EMAIL: ACCOUNT.email,
  INIT_ADMIN_PASSWORD: ACCOUNT.password,
  INIT_PROJECT_API_KEY: KEYS.project,
  INIT_PERSONAL_API_KEY: KEYS.personal,
});

async function untilReady(server: ChildProcess): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    if (server.exitCode !== null) throw new Error('The server did not start');
    if (
      await fetch(`${URL}/_readyz`).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      return;
    await sleep(100);
  }
  throw new Error('The server did not become ready');
}

async function stop(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null) return;
  const gone = new Promise((resolve) => server.once('exit', resolve));
  server.kill('SIGTERM');
  await gone;
}

async function takeAll(browser: Browser, seeded: Seeded, wanted: readonly string[]): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  const shots = PAGES.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const viewport of IS_REVIEW ? REVIEW_SIZES : [README_SIZE]) {
      const options = { viewport, colorScheme, locale: 'en-GB', timezoneId: 'UTC', baseURL: URL };
      const context = await browser.newContext(options);
      for (const shot of shots) {
        if (IS_REVIEW) await take(context, shot, seeded, `${shot.name}-${viewport.width}-${colorScheme}`);
        else if (shot.readme === colorScheme) await take(context, shot, seeded, shot.name);
      }
      await context.close();
    }
  }
}

async function take(context: BrowserContext, shot: Shot, seeded: Seeded, file: string): Promise<void> {
  if (shot.signedOut) await context.clearCookies();
  // Once per context: sign-in is rate-limited.
  else if ((await context.cookies()).length === 0) await context.request.post('/api/login/', { data: ACCOUNT });
  const page = await context.newPage();
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) console.warn(`${shot.name}: ${message.text()}`);
  });
  await page.goto(shot.path(seeded));
  await page.getByText(shot.wait).locator('visible=true').first().waitFor();
  await shot.prepare?.(page);
  await page.waitForTimeout(400);
  await keep(page, `${FOLDER}/${file}`);
  await page.close();
}

/** Converted to WebP by the browser: a quarter of the size, which matters because they are committed. */
async function keep(page: Page, path: string): Promise<void> {
  const picture = await page.screenshot({ animations: 'disabled', fullPage: IS_REVIEW });
  if (IS_REVIEW) return writeFileSync(`${path}.png`, picture);
  const draft = await page.context().newPage();
  const data = `data:image/png;base64,${picture.toString('base64')}`;
  const written = await draft.evaluate<number[]>(`(async () => {
    const bitmap = await createImageBitmap(await (await fetch('${data}')).blob());
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
    canvas.getContext('2d').drawImage(bitmap, 0, 0);
    const blob = await canvas.convertToBlob({ type: 'image/webp', quality: 0.82 });
    return Array.from(new Uint8Array(await blob.arrayBuffer()));
  })()`);
  await draft.close();
  writeFileSync(`${path}.webp`, Buffer.from(written));
}

await main(process.argv.slice(2).filter((argument) => !argument.startsWith('--')));
