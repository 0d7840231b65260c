/** The frame of the console: search, dialogs, and that every page is accessible. */
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { hasBrowser, openBrowser, watchedPage } from '../support/browser.ts';
import { clientFor } from '../support/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

/** Pages of project 1; one of each kind of insight, one with each tab that has elements of its own. */
const PAGES: readonly string[] = [
  'web?from=-30d',
  'web?from=-30d&sources=utm_campaign&places=city',
  'dashboards',
  'dashboards/1',
  'insights',
  'insights/new',
  'insights/new?insight=FUNNELS&events=[{"id":"$pageview"},{"id":"$identify"}]',
  'insights/new?insight=RETENTION',
  'insights/new?insight=PATHS',
  'insights/new?insight=LIFECYCLE&events=[{"id":"$pageview"}]',
  'persons',
  'persons/demo-device-1',
  'persons/demo-device-1?tab=events',
  'groups',
  'groups/0/demo-club-1',
  'groups/0/demo-club-1?tab=events',
  'groups/0/demo-club-1?tab=related',
  'groups/0/demo-club-1?tab=flags',
  'cohorts',
  'cohorts/1',
  'cohorts?new=1',
  'flags',
  'flags/1',
  'flags/1?tab=release',
  'flags/1?tab=history',
  'flags/1?tab=access',
  'flags/1?tab=schedule',
  'flags/new',
  'flags/drift',
  'flags/import',
  'approvals',
  'early-access',
  'saved-metrics',
  'holdouts',
  'live',
  'live?tab=not-stored',
  'actions',
  'actions/new',
  'actions/1',
  'definitions',
  'annotations',
  'destinations',
  'destinations?tab=exports',
  'destinations/new',
  'exports/new',
  'sql',
  'web',
  'experiments',
  'experiments/1',
  'experiments/2',
  'settings',
  'members',
  'activity',
  'audit',
  'welcome',
  'assistants',
  'nothing',
];
const OTHER_PAGES: readonly string[] = ['/account', '/status', '/help', '/docs?search=personal_api_keys'];

const SIGNED_OUT_PAGES: readonly string[] = ['/login', '/setup#token=unknown', '/reset'];

const ACCOUNT = { email: 'ada@example.org', password: 'correct horse' };

describe.skipIf(!hasBrowser)('the shell of the console', () => {
  let server: TestServer;
  let browser: Browser;
  beforeAll(async () => {
    const config = { initAdminEmail: ACCOUNT.email, initAdminPassword: ACCOUNT.password };
    server = await startServer({ now: new Date().toISOString(), config });
    browser = await openBrowser();
    const client = clientFor(server);
    await client.post('/api/projects/1/demo_data/');
    await vi.waitFor(
      async () => expect((await client.get('/api/projects/1/demo_data/')).body).toMatchObject({ state: 'done' }),
      { timeout: 120_000, interval: 200 },
    );
    await server.drain();
    const steps = [
      { event: '$autocapture', text: 'Buy' },
      { event: '$pageview', url: '/maps' },
    ];
    await client.post('/api/projects/1/actions/', { body: { name: 'Looked at maps', steps } });
    const tiles = [{ text: { body: '# Aims\n\n- **Ten** [thousand](https://example.org) hikers' } }];
    await client.patch('/api/projects/1/dashboards/1/', { body: { tiles } });
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });

  const signedIn = async () => {
    const watched = await watchedPage(browser, server.url);
    await watched.page.context().request.post(`${server.url}/api/login/`, { data: ACCOUNT });
    return watched;
  };

  /** What axe finds, one line for each element. */
  async function problemsOf(page: Page, options: axe.RunOptions): Promise<string[]> {
    const { violations } = await page.evaluate<axe.AxeResults>(`axe.run(document, ${JSON.stringify(options)})`);
    return violations.flatMap(({ id, nodes }) => nodes.map(({ target, html }) => `${id}: ${target} ${html}`));
  }

  const signedInPages = [...PAGES.map((path) => `/project/1/${path}`), ...OTHER_PAGES];
  const parts = Array.from({ length: Math.ceil(signedInPages.length / 10) }, (_, n) =>
    signedInPages.slice(10 * n, 10 * n + 10),
  );
  it.each(parts.map((paths) => ({ first: paths[0], paths })))(
    'shows nothing that axe objects to, in light and dark, and cuts nothing at 1024 and 380 px: from $first on',
    async ({ paths }) => {
      const { page, pageErrors } = await signedIn();
      expect(await checkedWithAxe(page, paths)).toEqual({});
      expect(pageErrors).toEqual([]);
      await page.close();
    },
  );

  it('shows the same to visitors who are not signed in', async () => {
    const { page } = await watchedPage(browser, server.url);
    expect(await checkedWithAxe(page, SIGNED_OUT_PAGES)).toEqual({});
    await page.close();
  });

  /** By path, without those that have no problems. */
  async function checkedWithAxe(page: Page, paths: readonly string[]): Promise<Record<string, string[]>> {
    const found: Record<string, string[]> = {};
    for (const path of paths) {
      // Without transitions, which would be measured halfway.
      await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
      await page.goto(server.url + path);
      await page.locator('h1').waitFor();
      await expect.poll(() => page.locator('.skeleton').count()).toBe(0);
      await page.evaluate(axe.source);
      const light = await problemsOf(page, {});
      await page.emulateMedia({ colorScheme: 'dark' });
      // The elements are the same, only their colours differ.
      const dark = await problemsOf(page, { runOnly: ['color-contrast', 'link-in-text-block'] });
      const all = [
        ...light,
        ...dark.map((problem) => `dark ${problem}`),
        ...(await cutAt(page, 1024)),
        ...(await cutAt(page, 380)),
      ];
      if (all.length > 0) found[path] = all;
    }
    return found;
  }

  /** The page if it scrolls sideways, and tables that do, at a width. Tables with a column for each period may. */
  async function cutAt(page: Page, width: number): Promise<string[]> {
    const { height = 720, width: before = 1280 } = page.viewportSize() ?? {};
    await page.setViewportSize({ width, height });
    // Charts and tables learn of it in the next frames.
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    const cut = await page.evaluate<
      string[]
    >(`[document.documentElement, ...document.querySelectorAll('div.table-frame')]
      .filter((one) => one.scrollWidth > one.clientWidth)
      .map((one) => one.querySelector('table')?.ariaLabel ?? one.tagName)`);
    await page.setViewportSize({ width: before, height });
    return cut.map((name) => `cut at ${width} px: ${name}`);
  }

  it('says what does not exist, and links to the list', async () => {
    const { page } = await signedIn();
    for (const [path, name, list] of [
      ['cohorts/999', 'Cohort', 'All cohorts'],
      ['dashboards/999', 'Dashboard', 'All dashboards'],
      ['insights/999', 'Insight', 'All insights'],
      ['actions/999', 'Action', 'All actions'],
      ['persons/never-seen', 'Person', 'All persons'],
      ['groups/0/never-seen', 'Group', 'All groups'],
      ['flags/999', 'Feature flag', 'All feature flags'],
    ] as const) {
      await page.goto(`${server.url}/project/1/${path}`);
      await page.getByText(`${name} not found`).waitFor();
      expect(await page.locator('.empty').getByRole('link', { name: list }).count()).toBe(1);
      expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    }
    await page.close();
  });

  it('says that there is no such page where an address is mistyped, and JSON to all who do not ask for a page', async () => {
    const { page } = await signedIn();
    const visit = await page.goto(`${server.url}/flagz?x=1`);
    expect([visit?.status(), visit?.headers()['cache-control']]).toEqual([404, 'no-store']);
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    await page.getByRole('link', { name: 'Go to the home page' }).click();
    await page.waitForURL('**/project/1/web');
    await page.close();
    const html = { headers: { accept: 'text/html,*/*' } };
    for (const [path, init] of [
      ['/flagz', {}],
      ['/api/flagz/', html],
      ['/flagz', { ...html, method: 'POST' }],
    ] as const) {
      const answer = await fetch(server.url + path, init);
      expect([answer.status, await answer.json()]).toMatchObject([404, { detail: 'Endpoint not found.' }]);
    }
    const head = await fetch(`${server.url}/flagz`, { ...html, method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([404, '']);
  });

  it('shows the selected tab on a narrow screen', async () => {
    const { page } = await signedIn();
    await page.setViewportSize({ width: 380, height: 780 });
    await page.goto(`${server.url}/project/1/flags/1?tab=history`);
    const box = await page.getByRole('tab', { name: 'History' }).boundingBox();
    expect(box?.x).toBeGreaterThanOrEqual(0);
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(380);
    await page.close();
  });

  it('finds pages, content and guides with Ctrl+K', async () => {
    const { page, pageErrors } = await signedIn();
    await page.goto(`${server.url}/project/1/persons`);
    await page.getByRole('heading', { name: 'Persons' }).waitFor();
    const find = async (text: string, section: string) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Search' }).fill(text);
      await page.getByRole('listbox').getByText(section, { exact: true }).waitFor();
    };
    await find('pageview', 'Events');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/live\?event=%24pageview$/);
    await find('dashb', 'Pages');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/dashboards$/);
    await find('backups', 'Help');
    await page.keyboard.press('Escape');
    await page.getByRole('combobox', { name: 'Search' }).waitFor({ state: 'detached' });
    const flag = (await server.metadata.flags.listByProject(1))[0];
    await find(flag?.key ?? '', 'Feature flags');
    await page
      .getByRole('option', { name: flag?.key ?? '' })
      .first()
      .click();
    await page.waitForURL(/\/flags\/\d+$/);
    expect(pageErrors).toEqual([]);
    await page.close();
  });

  it('starts dialogs at their first field, with what they are for as the last button', async () => {
    const { page } = await signedIn();
    const focused = () =>
      page.evaluate<string>(`document.activeElement.labels?.[0]?.textContent ?? document.activeElement.textContent`);
    const buttons = () => page.getByRole('dialog').locator('form button, footer button').allTextContents();
    await page.goto(`${server.url}/project/1/members`);
    await page.getByRole('button', { name: 'Invite member' }).click();
    expect([await focused(), await buttons()]).toEqual(['Email', ['Cancel', 'Create link']]);
    await page.goto(`${server.url}/project/1/dashboards`);
    await page.getByRole('button', { name: 'New dashboard' }).first().click();
    expect([await focused(), (await buttons())[0]]).toEqual(['Name', 'Cancel']);
    await page.close();
  });

  it('finds deleted flags and insights, and restores them', async () => {
    const client = clientFor(server);
    const insight = (await client.post('/api/projects/1/insights/', { body: { name: 'Gone', saved: true } })).body;
    const flag = await server.addFlag({ key: 'gone-flag' });
    await client.patch(`/api/projects/1/insights/${insight.id}/`, { body: { deleted: true } });
    await client.patch(`/api/projects/1/feature_flags/${flag.id}/`, { body: { deleted: true } });
    const { page, pageErrors } = await signedIn();
    await page.goto(`${server.url}/project/1/insights`);
    await page.getByLabel('Deleted').check();
    await page.getByRole('button', { name: 'Restore Gone' }).click();
    await page.getByText('Gone restored.').waitFor();
    await page.goto(`${server.url}/project/1/flags`);
    await page.getByLabel('Status').selectOption('Deleted');
    await page.getByRole('link', { name: 'gone-flag' }).click();
    await page.getByRole('button', { name: 'Restore', exact: true }).click();
    await page.getByText('gone-flag restored.').waitFor();
    expect((await client.get(`/api/projects/1/insights/${insight.id}/`)).body).toMatchObject({ deleted: false });
    expect((await client.get(`/api/projects/1/feature_flags/${flag.id}/`)).body).toMatchObject({ deleted: false });
    expect(pageErrors).toEqual([]);
    await page.close();
  });

  it('makes a static cohort from a file', async () => {
    const { page, pageErrors } = await signedIn();
    await page.goto(`${server.url}/project/1/cohorts?new=1`);
    await page.getByLabel('Name').fill('From a file');
    await page.getByLabel('Type').selectOption('static');
    const { results } = (await clientFor(server).get('/api/projects/1/persons/?limit=2')).body as {
      results: { distinct_ids: string[] }[];
    };
    const text = ['distinct_id', ...results.map(({ distinct_ids }) => distinct_ids[0])].join('\n');
    const file = { name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(text) };
    await page.getByLabel('Persons from a file').setInputFiles(file);
    await page.getByRole('button', { name: 'Create cohort' }).last().click();
    await page.getByRole('heading', { name: 'From a file' }).waitFor();
    await expect.poll(() => page.getByRole('row').count()).toBe(3);
    expect(pageErrors).toEqual([]);
    await page.close();
  });
});
