/** Destinations in a real browser: webhooks of events and exports, made, tried, changed and paused. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, openBrowser, saveScreenshot, watchedPage } from '../support/browser.ts';
import { capture } from '../support/capture.ts';
import { clientFor } from '../support/client.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { type Hook, startHook } from '../support/webhook.ts';

const ACCOUNT = { email: 'ada@example.org', password: 'correct horse' };
const HOUR_MS = 3_600_000;
/** The real time, because the browser expires cookies by its own clock. */
const NOW = Date.now();

describe.skipIf(!hasBrowser)('destinations in the console', () => {
  let server: TestServer;
  let hook: Hook;
  let browser: Browser;
  let page: Page;
  let pageErrors: string[];
  const exportDir = mkdtempSync(join(tmpdir(), 'cairn-exports-'));
  const open = (path: string) => page.goto(`${server.url}/project/1/${path}`);
  const webhooks = async () => (await clientFor(server).get('/api/projects/1/hog_functions/')).body.results;
  const exports = async () => (await clientFor(server).get('/api/projects/1/batch_exports/')).body.results;
  beforeAll(async () => {
    hook = await startHook();
    const account = { initAdminEmail: ACCOUNT.email, initAdminPassword: ACCOUNT.password };
    server = await startServer({
      now: new Date(NOW).toISOString(),
      config: { ...account, webhookAllowPrivate: true, exportDir },
    });
    browser = await openBrowser();
    ({ page, pageErrors } = await watchedPage(browser, server.url));
    await page.setViewportSize({ width: 1440, height: 1000 });
    await page.request.post(`${server.url}/api/login/`, { data: ACCOUNT });
    await capture(server, server.projectKey, [{ event: 'order placed', distinct_id: 'a', properties: { amount: 5 } }]);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
    await hook?.close();
    rmSync(exportDir, { recursive: true, force: true });
  });

  /** At every width, in light and dark: what axe objects to, and whether the page scrolls sideways. */
  async function look(name: string): Promise<string[]> {
    const found: string[] = [];
    for (const [width, colorScheme] of [
      [380, 'dark'],
      [1024, 'dark'],
      [1440, 'light'],
    ] as const) {
      await page.setViewportSize({ width, height: 1000 });
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await saveScreenshot(page, `${name}-${width}`);
      await page.evaluate(axe.source);
      const { violations } = await page.evaluate<axe.AxeResults>('axe.run(document)');
      found.push(...violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${width} ${id}: ${html}`)));
      if (await page.evaluate('document.documentElement.scrollWidth > innerWidth'))
        found.push(`${width} is too narrow`);
    }
    return found;
  }

  it('teach what to do where there are none', async () => {
    await open('destinations');
    await page.getByText('No webhooks yet').waitFor();
    expect(await look('destinations-empty')).toEqual([]);
    await page.getByRole('tab', { name: 'Exports' }).click();
    await page.getByText('No exports yet').waitFor();
    expect(await look('exports-empty')).toEqual([]);
  });

  it('make a webhook of some events, and show its secret once', async () => {
    await open('destinations/new');
    await page.getByText('Enter the address of the webhook.').waitFor();
    await page.getByLabel('Name', { exact: true }).fill('Orders <b>to the CRM</b>');
    await page.getByLabel('Address').fill(hook.url);
    await page.getByRole('button', { name: 'Add header' }).click();
    await page.getByLabel('Name of header 1').fill('Authorization');
    await page.getByLabel('Value of header 1').fill('Bearer of mine');
    await page.getByLabel('Body').fill('{"amount": "{event.properties.amount + 1}"}');
    await page.getByRole('button', { name: 'Add event or action' }).click();
    await page.getByRole('option', { name: 'order placed' }).click();
    expect(await look('destination-form')).toEqual([]);
    await page.getByRole('button', { name: 'Create webhook' }).click();
    await page.getByText('cannot be filled in').waitFor();
    await saveScreenshot(page, 'destination-refused');
    await page.getByLabel('Body').fill('{"amount": "{event.properties.amount}"}');
    await page.getByRole('button', { name: 'Create webhook' }).click();
    await page.getByRole('dialog').getByText('whsec_').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Done' }).click();
    await page.getByRole('heading', { name: 'Orders <b>to the CRM</b>' }).waitFor();
    expect((await webhooks())[0]).toMatchObject({
      enabled: true,
      filters: { events: [{ id: 'order placed' }], actions: [] },
      inputs: { headers: { value: { Authorization: '******' } }, method: { value: 'POST' } },
    });
  });

  it('try a webhook, and list what was sent', async () => {
    await page.getByText('Nothing sent yet').waitFor();
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByRole('dialog').getByText('Arrived').waitFor();
    expect(await look('destination-test')).toEqual([]);
    await page.keyboard.press('Escape');
    await capture(server, server.projectKey, [{ event: 'order placed', distinct_id: 'b', properties: { amount: 7 } }]);
    await hook.waitForRequests(2);
    await expect.poll(async () => (await webhooks())[0].status.waiting, { timeout: 10_000 }).toBe(0);
    expect(hook.requests[1]).toMatchObject({ body: '{"amount":7}', headers: { authorization: 'Bearer of mine' } });
    await page.reload();
    await page.getByRole('row').filter({ hasText: 'order placed' }).getByText('sent', { exact: true }).waitFor();
    await page.getByText('1 sent, 0 failed, 0 skipped').waitFor();
    expect(await look('destination-requests')).toEqual([]);
    await page.getByLabel('State').selectOption('failed');
    await page.getByText('None in this state').waitFor();
  });

  it('change a webhook without losing its headers, resume and delete it', async () => {
    await page.getByRole('tab', { name: 'Settings' }).click();
    expect(await page.getByLabel('Value of header 1').inputValue()).toBe('******');
    await page.getByLabel('Description').fill('All of them');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Webhook saved.').waitFor();
    expect((await webhooks())[0]).toMatchObject({ description: 'All of them' });
    // As 24 hours of failures leave it.
    await server.tamper(
      "update destinations set paused_at = ?, failing_since = 1, last_error = 'it answered 500'",
      NOW,
    );
    await page.reload();
    await page.getByText('Paused after the address could not be reached: it answered 500').waitFor();
    expect(await look('destination-paused')).toEqual([]);
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByText('Healthy').waitFor();
    await page.getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('button', { name: 'Enable' }).waitFor();
    expect((await webhooks())[0]).toMatchObject({ enabled: false, status: { state: 'disabled' } });
    await open('destinations');
    await page.getByText('Orders <b>to the CRM</b>').waitFor();
    expect(await look('destinations')).toEqual([]);
    await page.getByText('Orders <b>to the CRM</b>').click();
    await page.getByText('More', { exact: true }).click();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete webhook' }).click();
    await page.getByText('No webhooks yet').waitFor();
    expect(await webhooks()).toEqual([]);
  });

  it('make an export to a folder, with runs and their files', async () => {
    await open('exports/new');
    await page.getByText('Give the export a name.').waitFor();
    expect(await look('export-form')).toEqual([]);
    await page.getByLabel('Name', { exact: true }).fill('Lake');
    await page.getByText('Enter the bucket.').waitFor();
    await page.getByLabel('Place').selectOption('Folder');
    await page.getByLabel('Format').selectOption('JSONLines');
    await page.getByLabel('Prefix').fill('../elsewhere');
    await page.getByRole('button', { name: 'Create export' }).click();
    await page.getByText('it must not contain').waitFor();
    await page.getByLabel('Prefix').fill('lake/{year}');
    await page.getByRole('button', { name: 'Create export' }).click();
    await page.getByText('No runs yet').waitFor();
    expect((await exports())[0]).toMatchObject({
      name: 'Lake',
      destination: { type: 'Folder', config: { prefix: 'lake/{year}', file_format: 'JSONLines', compression: 'gzip' } },
    });
    server.setNow(new Date(NOW + HOUR_MS + 120_000).toISOString());
    await expect.poll(async () => (await exports())[0].latest_runs[0]?.status, { timeout: 20_000 }).toBe('Completed');
    await page.reload();
    await page.getByRole('row').filter({ hasText: 'Completed' }).first().click();
    await page.getByRole('dialog').getByText('part-000.jsonl.gz').waitFor();
    await page.getByRole('dialog').getByText('manifest_').waitFor();
    expect(await look('export-run')).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Run again' }).click();
    await page.getByText('The run is repeated.').waitFor();
    await expect.poll(async () => (await exports())[0].latest_runs[0]?.status, { timeout: 20_000 }).toBe('Completed');
    await page.keyboard.press('Escape');
    expect(await look('export-runs')).toEqual([]);
  }, 120_000);

  it('export an earlier time, pause, resume and delete', async () => {
    await page.getByRole('tab', { name: 'Backfills' }).click();
    await page.getByRole('button', { name: 'New backfill' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Received from').fill('2999-01-01T00:00');
    await dialog.getByRole('button', { name: 'Create backfill' }).click();
    await dialog.getByText('is exported on schedule').waitFor();
    const hour = new Date(NOW - 5 * HOUR_MS).toISOString().slice(0, 13);
    await dialog.getByLabel('Received from').fill(`${hour}:00`);
    await dialog.getByRole('button', { name: 'Create backfill' }).click();
    await page.getByText('Backfill created.').waitFor();
    await page.getByRole('row').filter({ hasText: 'Completed' }).waitFor();
    expect(await look('export-backfills')).toEqual([]);
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('button', { name: 'Resume' }).waitFor();
    expect((await exports())[0].paused).toBe(true);
    await server.tamper("update batch_exports set paused_reason = 'The bucket does not exist.'");
    await page.reload();
    await page.getByText('Paused: The bucket does not exist.').waitFor();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByText('Active', { exact: true }).waitFor();
    await open('destinations?tab=exports');
    await page.getByRole('link', { name: 'Lake' }).waitFor();
    expect(await look('exports')).toEqual([]);
    await page.getByRole('link', { name: 'Lake' }).click();
    await page.getByText('More', { exact: true }).click();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete export' }).click();
    await page.getByText('No exports yet').waitFor();
    expect(await exports()).toEqual([]);
    // Only what was refused.
    expect(pageErrors.filter((one) => !/\b400\b/.test(one))).toEqual([]);
  }, 60_000);
});
