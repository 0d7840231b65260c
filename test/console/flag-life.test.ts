/** The life of a flag, entirely through the console: what it depends on, early access, schedule, approval, rollout, archive. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, openBrowser, watchedPage } from '../support/browser.ts';
import { clientFor } from '../support/client.ts';
import { pageProblems } from '../support/page-problems.ts';
import { addMember, type TestMember } from '../support/people.ts';
import { startServer, type TestServer } from '../support/server.ts';

const ACCOUNT = { email: 'ada@example.org', password: 'correct horse' };
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The real time, because the browser expires cookies by its own clock. */
const NOW = Date.now();
const EVERYBODY = { groups: [{ properties: [], rollout_percentage: 100 }] };

describe.skipIf(!hasBrowser)('a flag in the console', () => {
  let server: TestServer;
  let browser: Browser;
  let page: Page;
  let pageErrors: string[];
  let member: TestMember;
  let client: ReturnType<typeof clientFor>;
  let production: number;
  beforeAll(async () => {
    const config = { initAdminEmail: ACCOUNT.email, initAdminPassword: ACCOUNT.password };
    server = await startServer({ now: new Date(NOW - 60 * DAY_MS).toISOString(), config });
    client = clientFor(server);
    for (const key of ['old-banner', 'old-<b>footer</b>']) await make(key, { filters: EVERYBODY });
    server.setNow(new Date(NOW).toISOString());
    member = await addMember(server, 'dev@example.org');
    production = (await server.createProject({ name: 'Production' })).projectId;
    browser = await openBrowser();
    ({ page, pageErrors } = await signedIn(ACCOUNT));
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });
  async function make(key: string, body: object = {}): Promise<number> {
    const made = await client.post('/api/projects/1/feature_flags/', { body: { key, ...body } });
    expect([made.status, made.body.detail]).toEqual([201, undefined]);
    return made.body.id;
  }
  async function signedIn(account: { email: string; password: string }) {
    const context = await browser.newContext({ viewport: { width: 1440, height: 1000 } });
    const watched = await watchedPage({ newPage: () => context.newPage() } as Browser, server.url);
    await watched.page.request.post(`${server.url}/api/login/`, { data: account });
    return watched;
  }
  const open = (path: string, on: Page = page) => on.goto(`${server.url}/project/1/${path}`);
  const flag = async (id: number) => (await client.get(`/api/projects/1/feature_flags/${id}/`)).body;
  const problems = (name: string, on: Page = page): Promise<string[]> => pageProblems(on, name);

  it('can be one that persons opt in to', async () => {
    await open('early-access');
    await page.getByText('No early access features yet').waitFor();
    await page.getByRole('button', { name: 'New early access feature' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Dark <b>mode</b>');
    await dialog.getByLabel('Documentation').fill('https://example.org/dark');
    expect(await problems('early-access-dialog')).toEqual([]);
    await dialog.getByRole('button', { name: 'Save feature' }).click();
    await page.getByRole('cell', { name: 'Beta' }).waitFor();
    const [made] = (await client.get('/api/projects/1/early_access_feature/')).body.results;
    expect([made.name, made.stage, made.feature_flag.key]).toEqual(['Dark <b>mode</b>', 'beta', 'dark-b-mode-b']);
    expect(await problems('early-access')).toEqual([]);
    // A second one with the same name: the error says what to do.
    await page.getByRole('button', { name: 'New early access feature' }).click();
    await dialog.getByLabel('Name').fill('Dark <b>mode</b>');
    await dialog.getByRole('button', { name: 'Save feature' }).click();
    await dialog.getByText('Choose that flag (feature_flag_id) or another name').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Edit Dark <b>mode</b>' }).click();
    await dialog.getByLabel('Stage').selectOption('Archived');
    await dialog.getByRole('button', { name: 'Save feature' }).click();
    await page.getByRole('cell', { name: 'Archived' }).waitFor();
    expect((await flag(made.feature_flag.id)).filters.super_groups).toBeUndefined();
    await page.getByRole('link', { name: 'dark-b-mode-b' }).click();
    await page.getByRole('tab', { name: 'Release conditions' }).click();
    await page.getByText('is not open, so that only the conditions count').waitFor();
  });

  it('looks at other flags, and says which would be a circle', async () => {
    const base = await make('base');
    const groups = [
      {
        properties: [{ type: 'flag', key: String(base), operator: 'flag_evaluates_to', value: true }],
        rollout_percentage: 100,
      },
    ];
    await make('built-on-base', { filters: { groups } });
    await make('switched-off', { active: false });
    await open(`flags/${base}?tab=release`);
    await page.getByRole('button', { name: 'Add filter' }).click();
    await page.getByLabel('Filter type').selectOption('Feature flag');
    await page.getByLabel('Flag', { exact: true }).selectOption('built-on-base');
    await page
      .getByText('That would be a circle: base → built-on-base → base. Select a flag that does not depend on base.')
      .waitFor();
    expect(await problems('flag-circle')).toEqual([]);
    await page.getByLabel('Flag', { exact: true }).selectOption('old-banner');
    expect(await page.getByText('That would be a circle').count()).toBe(0);
    await page.getByRole('button', { name: 'Review and save' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved as version 2.').waitFor();
    const oldBanner = (await client.get('/api/projects/1/feature_flags/?search=old-banner')).body.results[0].id;
    expect((await flag(base)).filters.groups[0].properties).toEqual([
      { key: String(oldBanner), type: 'flag', operator: 'flag_evaluates_to', value: true },
    ]);
    await page.getByRole('tab', { name: 'Overview' }).click();
    const card = page.getByRole('region', { name: 'Dependencies' });
    await card.getByRole('link', { name: 'old-banner' }).waitFor();
    await card.getByRole('link', { name: 'built-on-base' }).waitFor();
    // Back to what it was: the flag that it looked at is archived below.
    await client.patch(`/api/projects/1/feature_flags/${base}/`, { body: { filters: EVERYBODY } });
  });

  it('holds persons out', async () => {
    const share = [{ properties: [], rollout_percentage: 5 }];
    const { body } = await client.post('/api/projects/1/experiment_holdouts/', {
      body: { name: 'Nobody new', filters: share },
    });
    const id = await make('held');
    await open(`flags/${id}?tab=release`);
    await page.getByLabel('Holdout').selectOption('Nobody new (5%)');
    await page.getByRole('button', { name: 'Review and save' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(`5% of persons (holdout ${body.id})`).waitFor();
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved as version 2.').waitFor();
    expect((await flag(id)).filters.holdout_groups).toEqual([
      { properties: [], rollout_percentage: 5, variant: `holdout-${body.id}` },
    ]);
  });

  it('is archived with others when it is stale, and brought back', async () => {
    await open('flags');
    await page.getByLabel('Status').selectOption('Stale');
    await page.getByLabel('Select old-banner').check();
    await page.getByLabel('Select old-<b>footer</b>').check();
    await page.getByText('2 selected').waitFor();
    expect(await problems('flags-selected')).toEqual([]);
    await page.getByRole('button', { name: 'Archive…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('No client has asked for it in seven days.').first().waitFor();
    expect(await problems('archive-flags')).toEqual([]);
    await dialog.getByRole('button', { name: 'Archive 2 flags' }).click();
    await page.getByText('2 flags archived').waitFor();
    const archived = async () =>
      (await client.get('/api/projects/1/feature_flags/?deleted=true')).body.results
        .map(({ key }: { key: string }) => key)
        .sort();
    expect(await archived()).toEqual(['old-<b>footer</b>', 'old-banner']);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('2 flags restored.').waitFor();
    expect(await archived()).toEqual([]);
  });

  it('that differs in another project is found, and promoted', async () => {
    const id = await make('cart', { filters: EVERYBODY });
    await client.post(`/api/projects/${production}/feature_flags/`, {
      body: { key: 'cart', filters: { groups: [{ properties: [], rollout_percentage: 10 }] } },
    });
    await open('flags');
    await page.getByRole('link', { name: 'Drift' }).click();
    const row = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'cart', exact: true }) });
    await row.getByText('Differs').waitFor();
    expect(await problems('drift')).toEqual([]);
    await row.getByRole('button', { name: 'Promote to Production: cart' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('The flag in Production changes:').waitFor();
    await dialog.getByRole('button', { name: 'Promote', exact: true }).click();
    await page.getByText('cart promoted to Production.').waitFor();
    await expect.poll(() => row.count()).toBe(0);
    const [there] = (await client.get(`/api/projects/${production}/feature_flags/?search=cart`)).body.results;
    expect([there.filters.groups[0].rollout_percentage, there.promoted_from.flag]).toEqual([100, id]);
  });

  it('goes from a schedule over its approval and its rollout to the archive', async () => {
    const id = await make('checkout', { filters: { groups: [{ properties: [], rollout_percentage: 0 }] } });
    // A policy of the owner: large steps need a yes.
    await open('settings');
    await page.getByRole('button', { name: 'New policy' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('When').selectOption('Conditions, variants or payloads change');
    await dialog.getByLabel('Which changes').selectOption('Only if the rollout changes by');
    await dialog.getByLabel('Comparison').selectOption('at least');
    await dialog.getByLabel('Percentage points').fill('25');
    await dialog.getByLabel('Expires after (days)').fill('3');
    await dialog.getByLabel(ACCOUNT.email).check();
    expect(await problems('policy-dialog')).toEqual([]);
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Rollout changes by at least 25 points').waitFor();
    expect((await client.get('/api/projects/1/approval_policies/')).body.results).toMatchObject([
      {
        conditions: { type: 'change_amount', field: 'rollout_percentage', operator: '>=', value: 25 },
        expires_after: '3 00:00:00',
      },
    ]);
    // A developer schedules the rollout, and sees that it waits.
    const { page: dev, pageErrors: devErrors } = await signedIn(member);
    await open(`flags/${id}?tab=schedule`, dev);
    await dev.getByRole('button', { name: 'Schedule a change' }).click();
    const schedule = dev.getByRole('dialog');
    await schedule.getByLabel('Change', { exact: true }).selectOption('Roll out gradually');
    await schedule.getByLabel('Percentages').fill('10, 50, 100');
    await schedule.getByLabel('Next step').selectOption('Every hour');
    expect(await problems('schedule-dialog', dev)).toEqual([]);
    await schedule.getByRole('button', { name: 'Schedule', exact: true }).click();
    await dev.getByText('The change waits for approval.').waitFor();
    await dev.getByRole('button', { name: 'Cancel this request' }).waitFor();
    expect(await dev.getByRole('button', { name: 'Approve' }).count()).toBe(0);
    // The answer that asks for approval is a 409, which the browser reports.
    expect(devErrors.filter((error) => !error.includes('409'))).toEqual([]);
    // The owner approves it.
    await open('approvals');
    expect(await problems('approvals')).toEqual([]);
    await page.getByRole('link', { name: /checkout/ }).click();
    expect(await problems('approval')).toEqual([]);
    await page.getByLabel('Reason').fill('Seen on staging');
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('The change was approved and made.').waitFor();
    // The rollout goes on by itself.
    await dev.reload();
    const rollout = async () => (await flag(id)).filters.groups[0].rollout_percentage;
    const [change] = (await client.get(`/api/projects/1/scheduled_changes/?record_id=${id}`)).body.results;
    const made: number[] = [];
    for (const { at, rollout_percentage } of change.payload.value.steps) {
      let now = Date.parse(at);
      await expect
        .poll(
          () => {
            now += 2000;
            server.setNow(new Date(now).toISOString());
            return rollout();
          },
          { timeout: 60_000 },
        )
        .toBe(rollout_percentage);
      made.push(rollout_percentage);
    }
    expect(made).toEqual([10, 50, 100]);
    await open(`flags/${id}?tab=schedule`);
    await page.getByText('Done', { exact: true }).first().waitFor();
    expect(await problems('schedule')).toEqual([]);
    // It is archived from the list.
    await open('flags?search=checkout');
    await page.getByLabel('Select checkout').check();
    await page.getByRole('button', { name: 'Archive…' }).click();
    await dialog.getByRole('button', { name: 'Archive 1 flag' }).click();
    await page.getByText('1 flag archived: checkout.').waitFor();
    expect((await flag(id)).deleted).toBe(true);
    expect(pageErrors.filter((error) => !/ 400 |400 /.test(error))).toEqual([]);
  });
});
