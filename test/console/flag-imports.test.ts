/** Importing flags of other products in the console: chosen, looked at, imported. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hasBrowser, openBrowser, watchedPage } from '../support/browser.ts';
import { capture } from '../support/capture.ts';
import { clientFor } from '../support/client.ts';
import { pageProblems } from '../support/page-problems.ts';
import { startServer, type TestServer } from '../support/server.ts';

const ACCOUNT = { email: 'ada@example.org', password: 'correct horse' };

const UNLEASH = {
  features: ['everyone', 'third', 'beta-<b>list</b>', 'moon'].map((name) => ({ name, description: '', variants: [] })),
  featureEnvironments: [
    ...['everyone', 'third', 'beta-<b>list</b>', 'moon'].map((featureName) => ({
      featureName,
      environment: 'development',
      enabled: true,
    })),
    { featureName: 'everyone', environment: 'staging', enabled: false },
  ],
  featureStrategies: [
    { featureName: 'everyone', environment: 'development', name: 'default', constraints: [], parameters: {} },
    {
      featureName: 'third',
      environment: 'development',
      name: 'flexibleRollout',
      constraints: [],
      parameters: { rollout: '33', stickiness: 'default', groupId: 'third' },
    },
    {
      featureName: 'beta-<b>list</b>',
      environment: 'development',
      name: 'default',
      constraints: [],
      parameters: {},
      segments: [1],
    },
    { featureName: 'moon', environment: 'development', name: 'byMoon', constraints: [], parameters: {} },
  ],
  segments: [
    { id: 1, name: 'Beta', constraints: [{ contextName: 'plan', operator: 'IN', values: ['beta'], inverted: false }] },
  ],
};
const GROWTHBOOK = `{"features": {
  "dark-mode": {"defaultValue": false, "rules": [{"condition": {"plan": "paid"}, "force": true}]},
  "limits": {"defaultValue": {"id": 9007199254740993}},
  "half": {"defaultValue": false, "rules": [{"force": true, "coverage": 0.5}]},
  "child": {"defaultValue": false, "rules": [
    {"force": true, "parentConditions": [{"id": "half", "condition": {"value": true}}]}]},
  "nested": {"defaultValue": false, "rules": [{"force": true, "condition": {"a.b": 1}}]}}}`;
const POSTHOG = {
  results: [
    {
      id: 4,
      key: 'from-posthog',
      name: 'Moved',
      active: true,
      filters: {
        groups: [{ properties: [{ key: 'id', type: 'cohort', value: 5, operator: 'in' }], rollout_percentage: 30 }],
      },
    },
  ],
  cohorts: [
    {
      id: 5,
      name: 'Testers',
      filters: {
        properties: { type: 'AND', values: [{ key: 'tester', type: 'person', value: 'yes', operator: 'exact' }] },
      },
    },
  ],
};

describe.skipIf(!hasBrowser)('flags of another product in the console', () => {
  let server: TestServer;
  let browser: Browser;
  let page: Page;
  let pageErrors: string[];
  let client: ReturnType<typeof clientFor>;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());
  beforeEach(async () => {
    const config = { initAdminEmail: ACCOUNT.email, initAdminPassword: ACCOUNT.password };
    server = await startServer({ now: new Date().toISOString(), config });
    client = clientFor(server);
    const context = await browser.newContext({ viewport: { width: 1440, height: 1000 } });
    ({ page, pageErrors } = await watchedPage({ newPage: () => context.newPage() } as Browser, server.url));
    await page.request.post(`${server.url}/api/login/`, { data: ACCOUNT });
    await page.goto(`${server.url}/project/1/flags`);
  });
  afterEach(async () => {
    await page?.context().close();
    await server?.close();
  });

  const flagsByKey = async () =>
    Object.fromEntries(
      (await client.get('/api/projects/1/feature_flags/')).body.results.map(
        (flag: { key: string; id: number; filters: object }) => [flag.key, flag],
      ),
    );
  const choose = (content: string | object, name = 'flags.json') =>
    page.getByLabel(/^File/).setInputFiles({
      name,
      mimeType: 'application/json',
      buffer: Buffer.from(typeof content === 'string' ? content : JSON.stringify(content)),
    });
  const row = (key: string) => page.getByRole('row').filter({ has: page.getByText(key, { exact: true }) });
  const counts = () => page.getByRole('list', { name: 'Flags of the file' }).getByRole('listitem').allInnerTexts();
  const importIt = (name: string) => page.getByRole('button', { name }).click();

  it('are imported from Unleash with their people, after a look at what happens to each', async () => {
    await page.getByRole('link', { name: 'Import from another product' }).click();
    await page.getByRole('heading', { name: 'Import feature flags' }).waitFor();
    expect(await pageProblems(page, 'import-empty')).toEqual([]);
    await choose(UNLEASH);
    await row('third').waitFor();
    // It has no production.
    expect(await page.getByLabel('Environment').inputValue()).toBe('development');
    expect(await counts()).toEqual(['3 Create', '0 Change', '0 No change', '1 Left out']);
    expect(await row('everyone').textContent()).toContain('Everyone keeps their value.');
    expect(await row('third').textContent()).toContain('Everyone keeps their value, by the hash of Unleash.');
    expect(await row('moon').textContent()).toContain("Cannot be converted: strategy 'byMoon'.");
    await page.getByText('Segments become release conditions of the flags that use them.').waitFor();
    expect(await pageProblems(page, 'import-plan')).toEqual([]);
    expect(await flagsByKey()).toEqual({});
    await importIt('Import 3 flags');
    await page.getByText('3 flags created, 0 changed. 1 flag keeps its people by the hash of Unleash.').waitFor();
    expect(await pageProblems(page, 'import-done')).toEqual([]);
    const flags = await flagsByKey();
    expect(Object.keys(flags).sort()).toEqual(['beta-<b>list</b>', 'everyone', 'third']);
    expect(flags['third'].filters.groups).toMatchObject([
      { rollout_percentage: 33, bucketing: [{ hash: 'unleash', salt: 'third', ranges: [{ from: 0, to: 33 }] }] },
    ]);
    await page.getByRole('link', { name: 'third', exact: true }).click();
    await page.getByRole('heading', { name: 'third', exact: true }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/project/1/flags/${flags['third'].id}`);
    // The same file once more.
    await page.goto(`${server.url}/project/1/flags/import`);
    await choose(UNLEASH);
    await row('third').waitFor();
    expect(await counts()).toEqual(['0 Create', '0 Change', '3 No change', '1 Left out']);
    expect(await page.getByRole('button', { name: 'Nothing to import' }).isDisabled()).toBe(true);
    await page.getByLabel('Environment').selectOption('staging');
    await page.getByText('Cannot be converted: it has no environment "staging".').first().waitFor();
    expect(await counts()).toEqual(['0 Create', '1 Change', '0 No change', '3 Left out']);
    await page.getByText('What changes', { exact: true }).click();
    await page.getByRole('list', { name: 'Changes of everyone' }).waitFor();
    expect(pageErrors).toEqual([]);
  });

  it('keep their people, their percentage or are left out, as is chosen for each, from GrowthBook', async () => {
    await page.goto(`${server.url}/project/1/flags/import?source=growthbook`);
    await choose(GROWTHBOOK, 'payload.json');
    await row('half').waitFor();
    expect(await counts()).toEqual(['4 Create', '0 Change', '0 No change', '1 Left out']);
    expect(await row('nested').textContent()).toContain(
      'Cannot be converted: a condition on the nested attribute a.b.',
    );
    const kept = page.getByLabel('What to keep of half');
    await kept.selectOption('Leave out');
    await expect.poll(counts).toEqual(['2 Create', '0 Change', '0 No change', '3 Left out']);
    expect(await row('child').textContent()).toContain('It depends on "half", which is not imported yet.');
    await kept.selectOption('Keep the percentage only');
    await page.getByText(/^(9\d\d|1,0\d\d) of 2,000 sample users get another value\.$/).waitFor();
    expect(await pageProblems(page, 'import-percentage')).toEqual([]);
    const child = page.getByLabel('What to keep of child');
    expect(await child.inputValue()).toBe('nothing');
    await child.selectOption('Import it');
    await expect.poll(counts).toEqual(['4 Create', '0 Change', '0 No change', '1 Left out']);
    await kept.selectOption('Keep the people');
    await expect.poll(() => row('child').textContent()).toContain('Everyone keeps their value.');
    await kept.selectOption('Keep the percentage only');
    await page.getByText('sample users get another value').waitFor();
    await importIt('Import 3 flags');
    await page.getByText('3 flags created, 0 changed.').waitFor();
    const flags = await flagsByKey();
    expect(Object.keys(flags).sort()).toEqual(['dark-mode', 'half', 'limits']);
    expect(flags['half'].filters.groups).toEqual([{ properties: [], rollout_percentage: 50 }]);
    const decided = await fetch(`${server.url}/decide/?v=3`, {
      method: 'POST',
      body: JSON.stringify({ token: server.projectKey, distinct_id: 'u' }),
    });
    expect(await decided.text()).toContain('9007199254740993');
    expect(pageErrors).toEqual([]);
  });

  it('bring cohorts along from another PostHog, when its response is pasted', async () => {
    await page.goto(`${server.url}/project/1/flags/import`);
    await page.getByLabel('Product').selectOption('PostHog');
    await page.getByText('Paste it instead').click();
    await page.getByLabel('JSON').fill(JSON.stringify(POSTHOG));
    await page.getByText('Cohorts: 1 cohort to create.').waitFor();
    expect(await counts()).toEqual(['1 Create', '0 Change', '0 No change', '0 Left out']);
    await importIt('Import 1 flag');
    await page.getByText('1 flag created, 0 changed.').waitFor();
    const [cohort] = (await client.get('/api/projects/1/cohorts/')).body.results;
    expect([cohort.name, (await flagsByKey())['from-posthog'].filters.groups[0].properties[0].value]).toEqual([
      'Testers',
      cohort.id,
    ]);
    expect(pageErrors).toEqual([]);
  });

  it('say what is wrong with a file, and what to do', async () => {
    await page.goto(`${server.url}/project/1/flags/import`);
    const problem = page.getByRole('alert');
    const cases: [string, string][] = [
      ['', 'flags.json is empty.'],
      ['<!doctype html><p>Sign in', 'flags.json is not JSON: it looks like a web page. Export it as JSON.'],
      ['version: 1\nfeatures: []', 'flags.json is not JSON: it looks like YAML. Export it as JSON.'],
      ['[1]', 'flags.json is a list. An export is a JSON object: choose the whole response or file.'],
      [' '.repeat(21_500_000), 'flags.json has 21.5 MB. The limit is 20 MB: export fewer flags at a time.'],
      [GROWTHBOOK, 'This looks like an export of GrowthBook, not of Unleash. Import it as GrowthBook.'],
      ['{"a": 1}', 'There are no flags in it. An export of Unleash has them in "features"'],
    ];
    for (const [content, message] of cases) {
      await choose(content);
      await expect
        .poll(() => problem.allInnerTexts(), { message: content.slice(0, 40) })
        .toEqual([expect.stringContaining(message)]);
    }
    await choose(GROWTHBOOK);
    await page.getByLabel('Product').selectOption('GrowthBook');
    await row('half').waitFor();
    expect(await problem.count()).toBe(0);
    // Another person changes a flag between the preview and the import.
    await client.post('/api/projects/1/feature_flags/', { body: { key: 'meanwhile' } });
    await importIt('Import 4 flags');
    await page.getByText('changed since').waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('Flags of this project that the file does not have stay as they are: 1.').waitFor();
    await importIt('Import 4 flags');
    await page.getByText('4 flags created, 0 changed.').waitFor();
  });

  it('are dropped as a file', async () => {
    await page.goto(`${server.url}/project/1/flags/import?source=flagd`);
    const definitions = {
      flags: { banner: { state: 'ENABLED', variants: { on: true, off: false }, defaultVariant: 'on' } },
    };
    const transfer = await page.evaluateHandle(`(() => {
      const data = new DataTransfer();
      data.items.add(new File([${JSON.stringify(JSON.stringify(definitions))}], 'flagd.json'));
      return data;
    })()`);
    await page.getByRole('region', { name: 'Export' }).dispatchEvent('drop', { dataTransfer: transfer });
    await page.getByText('File: flagd.json').waitFor();
    await importIt('Import 1 flag');
    await page.getByText('1 flag created, 0 changed.').waitFor();
    expect(Object.keys(await flagsByKey())).toEqual(['banner']);
    expect(pageErrors).toEqual([]);
  });

  it('get another percentage in the editor, after a look at who gets the flag: nobody loses it', async () => {
    const ranges = (to: number) => [
      {
        properties: [],
        rollout_percentage: to / 10,
        bucketing: [{ hash: 'growthbook_1', salt: 'grow', by: 'distinct_id', of: 1000, ranges: [{ from: 0, to }] }],
      },
    ];
    const path = '/api/projects/1/feature_flags/';
    const { id } = (await client.post(path, { body: { key: 'grow', filters: { groups: ranges(300) } } })).body;
    const events = Array.from({ length: 40 }, (_, at) => ({ event: 'seen', distinct_id: `grown-${at}` }));
    await capture(server, server.projectKey, events);
    const wanted = { id, filters: { groups: ranges(600) } };
    const { users_changed: changed, total_users: total } = (
      await client.post(`${path}user_blast_radius/`, { body: wanted })
    ).body;
    expect(changed).toBeGreaterThan(0);
    await page.goto(`${server.url}/project/1/flags/${id}?tab=release`);
    await page.getByLabel('Rollout percentage').fill('60');
    await page.getByRole('button', { name: 'Review and save' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(new RegExp(`^${changed} of ${total} persons`)).waitFor();
    expect(await pageProblems(page, 'review-imported')).toEqual([]);
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('All changes saved (version 2).').waitFor();
    expect((await flagsByKey())['grow'].filters.groups).toEqual(ranges(600));
    expect(pageErrors).toEqual([]);
  });

  it('are rehashed on their page, after a look at whose value changes', async () => {
    const bucketing = (salt: string) => [
      { hash: 'growthbook_1', salt, by: 'distinct_id', of: 1000, ranges: [{ from: 0, to: 300 }] },
    ];
    const group = { properties: [], rollout_percentage: 30, bucketing: bucketing('half') };
    const make = async (key: string, groups: object[], more = {}) =>
      (await client.post('/api/projects/1/feature_flags/', { body: { key, filters: { groups, ...more } } })).body;
    const { id } = await make('half', [group]);
    await capture(
      server,
      server.projectKey,
      Array.from({ length: 40 }, (_, at) => ({ event: 'seen', distinct_id: `user-${at}` })),
    );
    const { users_changed: changed } = (await client.post(`/api/projects/1/feature_flags/${id}/rehash/`)).body;
    await page.goto(`${server.url}/project/1/flags/${id}`);
    await page.getByRole('heading', { name: 'Hashed as by GrowthBook' }).waitFor();
    expect(await pageProblems(page, 'rehash-card')).toEqual([]);
    await page.getByRole('button', { name: 'Rehash…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(new RegExp(`^${changed} of 40 persons`)).waitFor();
    expect(await pageProblems(page, 'rehash-dialog')).toEqual([]);
    await dialog.getByRole('button', { name: 'Rehash', exact: true }).click();
    await page.getByText('half rehashed.').waitFor();
    await expect.poll(() => page.getByText('Hashed as by').count()).toBe(0);
    const { filters, version } = (await flagsByKey())['half'];
    expect([filters.groups, version]).toEqual([[{ properties: [], rollout_percentage: 30 }], 2]);
    expect(pageErrors).toEqual([]);
    // One that percentages alone cannot express.
    const other = await make('early', [{ ...group, bucketing: bucketing('early') }], { early_exit: true });
    await page.goto(`${server.url}/project/1/flags/${other.id}`);
    await page.getByRole('button', { name: 'Rehash…' }).click();
    await dialog.getByText('Percentages alone cannot say what this flag says').waitFor();
    expect(await dialog.getByRole('button', { name: 'Rehash', exact: true }).isDisabled()).toBe(true);
  });
});
