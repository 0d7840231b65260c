/** The life of a change in a real browser: a policy, a schedule that waits, its approval, the rollout, the archive. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, openBrowser, saveScreenshot, watchedPage } from '../support/browser.ts';
import { clientFor } from '../support/client.ts';
import { addMember } from '../support/people.ts';
import { startServer, type TestServer } from '../support/server.ts';

const ACCOUNT = { email: 'ada@example.org', password: 'correct horse' };
const HOUR_MS = 3_600_000;
/** The real time, because the browser expires cookies by its own clock. */
const NOW = Date.now();
const KEY = 'checkout <b>of a long & ugly name</b>';

describe.skipIf(!hasBrowser)('approvals in the console', () => {
  let server: TestServer;
  let browser: Browser;
  let page: Page;
  let pageErrors: string[];
  let dev: ReturnType<typeof clientFor>;
  let flag: number;
  beforeAll(async () => {
    const config = { initAdminEmail: ACCOUNT.email, initAdminPassword: ACCOUNT.password };
    server = await startServer({ now: new Date(NOW).toISOString(), config });
    const { personalKey } = await addMember(server, 'dev@example.org');
    dev = clientFor({ url: server.url, personalKey });
    const filters = { groups: [{ properties: [], rollout_percentage: 10 }] };
    flag = (await dev.post('/api/projects/1/feature_flags/', { body: { key: KEY, filters } })).body.id;
    browser = await openBrowser();
    ({ page, pageErrors } = await watchedPage(browser, server.url));
    await page.setViewportSize({ width: 1440, height: 1000 });
    await page.request.post(`${server.url}/api/login/`, { data: ACCOUNT });
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });
  const rollout = async () =>
    (await dev.get(`/api/projects/1/feature_flags/${flag}/`)).body.filters.groups[0].rollout_percentage;

  it('teach what to do where nothing waits', async () => {
    await page.goto(`${server.url}/project/1/approvals`);
    await page.getByText('Nothing waits for approval').waitFor();
  });

  it('are asked for by a policy of the project', async () => {
    await page.goto(`${server.url}/project/1/settings`);
    await page.getByRole('button', { name: 'New policy' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('When').selectOption({ label: 'Conditions, variants or payloads change' });
    await dialog.getByLabel(ACCOUNT.email).check();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('cell', { name: 'Conditions, variants or payloads change' }).waitFor();
    const { results } = (await dev.get('/api/projects/1/approval_policies/')).body;
    expect(results).toMatchObject([
      { action_key: 'feature_flag.update', approver_config: { quorum: 1, users: [1] }, enabled: true },
    ]);
  });

  it('hold back a schedule until it is approved', async () => {
    const steps = [1, 2].map((hours) => ({
      at: new Date(NOW + hours * HOUR_MS).toISOString(),
      rollout_percentage: hours * 50,
    }));
    const payload = { operation: 'ramp', value: { condition_index: 0, steps } };
    const asked = await dev.post('/api/projects/1/scheduled_changes/', {
      body: { record_id: flag, model_name: 'FeatureFlag', payload },
    });
    expect(asked.body.code).toBe('approval_required');
    await page.goto(`${server.url}/project/1/flags/${flag}`);
    await page.getByText('A change waits for approval').waitFor();
    await saveScreenshot(page, 'flag-with-waiting-change');
    await page.getByRole('link', { name: /Update feature flag/ }).click();
    await page.getByText('Rollout of condition 1 (%)').waitFor();
    await page.getByText(/known users would get another value/).waitFor();
    for (const [width, name] of [
      [1440, 'wide'],
      [1024, 'medium'],
      [380, 'narrow'],
    ] as const) {
      await page.setViewportSize({ width, height: 1000 });
      await saveScreenshot(page, `approval-${name}`);
    }
    await page.setViewportSize({ width: 1440, height: 1000 });
    expect(await page.getByRole('button', { name: 'Reject' }).isDisabled()).toBe(true);
    await page.getByLabel('Reason').fill('Seen on staging');
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('The change was approved and made.').waitFor();
    await page.getByText('Approved: Seen on staging').waitFor();
  });

  it('let the approved rollout run by itself', async () => {
    server.setNow(new Date(NOW + HOUR_MS).toISOString());
    await expect.poll(rollout, { timeout: 10_000 }).toBe(50);
    server.setNow(new Date(NOW + 2 * HOUR_MS).toISOString());
    await expect.poll(rollout, { timeout: 10_000 }).toBe(100);
    await page.goto(`${server.url}/project/1/approvals?state=all`);
    await page.getByText('Applied').waitFor();
    await saveScreenshot(page, 'approvals');
  });

  it('archive the flag in the end, and bring it back', async () => {
    await page.goto(`${server.url}/project/1/flags/${flag}`);
    const patch = (deleted: boolean) => dev.patch(`/api/projects/1/feature_flags/${flag}/`, { body: { deleted } });
    expect((await patch(true)).status).toBe(200);
    await page.reload();
    await page.getByText('This flag was deleted.').waitFor();
    await page.getByRole('button', { name: 'Restore' }).click();
    await page.getByText('restored.').waitFor();
    expect(pageErrors).toEqual([]);
  });
});
