/** Alerts in a real browser: from an insight, with a back-test, snoozed, tested, and in the log of deliveries. */
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

describe.skipIf(!hasBrowser)('alerts in the console', () => {
  let server: TestServer;
  let hook: Hook;
  let browser: Browser;
  let page: Page;
  let pageErrors: string[];
  let insight: number;
  beforeAll(async () => {
    hook = await startHook();
    const config = { initAdminEmail: ACCOUNT.email, initAdminPassword: ACCOUNT.password, webhookAllowPrivate: true };
    server = await startServer({ now: new Date(NOW).toISOString(), config });
    browser = await openBrowser();
    ({ page, pageErrors } = await watchedPage(browser, server.url));
    await page.setViewportSize({ width: 1440, height: 1000 });
    await page.request.post(`${server.url}/api/login/`, { data: ACCOUNT });
    // Three weeks of hours; every fifth day is nearly empty in the morning.
    const hours = Array.from({ length: 21 * 24 }, (_, i) => i + 1);
    const sent = hours.flatMap((ago) => {
      const count = ago % 120 < 3 ? 1 : 4 + (ago % 3);
      const timestamp = new Date(NOW - ago * HOUR_MS).toISOString();
      return Array.from({ length: count }, (_, i) => ({ event: 'signed up', distinct_id: `u${i}`, timestamp }));
    });
    await capture(server, server.projectKey, sent);
    const filters = { insight: 'TRENDS', events: [{ id: 'signed up' }] };
    const body = { name: 'Sign-ups <b>of a long & ugly name</b>', saved: true, filters };
    insight = (await clientFor(server).post('/api/projects/1/insights/', { body })).body.id;
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
    await hook?.close();
  });

  it('teach what to do where there are none', async () => {
    await page.goto(`${server.url}/project/1/alerts`);
    await page.getByText('No alerts yet').waitFor();
    await saveScreenshot(page, 'alerts-empty');
  });

  it('are made from an insight, with the back-test of what is typed', async () => {
    await page.goto(`${server.url}/project/1/insights/${insight}`);
    await page.getByRole('link', { name: 'Alert', exact: true }).click();
    await page.getByText('Set at least one bound.').first().waitFor();
    await page.getByLabel('Name').fill('Sign-ups are low');
    await page.getByLabel('Below').fill('3');
    const found = page.getByText(/it would have fired/);
    await found.waitFor();
    // Ninety days, of which the first ten weeks are empty: one long firing, then one each fifth day.
    await expect.poll(() => found.textContent()).toMatch(/In the last 91 days it would have fired [2-9] times, /);
    await expect.poll(() => page.locator('.chart-line .band').count()).toBe(1);
    expect(await page.locator('.chart-annotations circle').count()).toBeGreaterThan(2);
    await saveScreenshot(page, 'alert-form');
    await page.getByLabel('Below').fill('6');
    await page.getByText('That is often').waitFor();
    await page.getByRole('button', { name: 'Use the suggested bounds' }).click();
    await expect.poll(() => page.getByLabel('Below').inputValue()).not.toBe('6');
    await page.getByLabel('Below').fill('3');
    await page.getByRole('button', { name: 'Add webhook' }).click();
    await page.getByLabel('Address').fill(hook.url);
    await page.getByRole('button', { name: 'Create alert' }).click();
    await page.getByRole('heading', { name: 'Sign-ups are low' }).waitFor();
    await page.getByText('Sign-ups <b>of a long & ugly name</b> is below 3 in an hour').waitFor();
    const { results } = (await clientFor(server).get('/api/projects/1/alerts/')).body;
    expect(results[0]).toMatchObject({
      name: 'Sign-ups are low',
      calculation_interval: 'hourly',
      threshold: { configuration: { type: 'absolute', bounds: { lower: 3, upper: null } } },
      targets: [{ type: 'slack_webhook', url: hook.url }],
    });
  });

  it('can be tested, snoozed and changed', async () => {
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByText(/test messages? sent/).waitFor();
    await hook.waitForRequests(1);
    await page.getByText('Snooze', { exact: true }).click();
    await page.getByRole('button', { name: 'Snooze for a day' }).click();
    await page.getByText('Snoozed until').waitFor();
    await page.getByRole('button', { name: 'End snooze' }).click();
    await page.getByText('Not firing').waitFor();
    await page.getByRole('tab', { name: 'Settings' }).click();
    await page.getByLabel('Periods in a row').fill('2');
    await page.getByRole('button', { name: 'Save changes' }).click();
    const saved = async () => (await clientFor(server).get('/api/projects/1/alerts/')).body.results[0];
    await expect.poll(async () => (await saved()).hysteresis.for).toBe(2);
    expect((await saved()).targets[0].url).toBe(hook.url);
    await page.getByRole('tab', { name: 'Checks' }).click();
    await page.getByText('Not checked yet').waitFor();
    await saveScreenshot(page, 'alert-checks');
  });

  it('have a log of deliveries', async () => {
    await page.goto(`${server.url}/project/1/alerts?tab=deliveries`);
    await page.getByText('Test: Sign-ups are low').first().waitFor();
    await page.getByText('sent', { exact: true }).first().waitFor();
    for (const [width, theme] of [
      [1440, 'light'],
      [1024, 'dark'],
      [380, 'light'],
    ] as const) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme: theme });
      await saveScreenshot(page, `deliveries-${width}`);
      await page.goto(`${server.url}/project/1/alerts`);
      await page.getByText('Sign-ups are low').first().waitFor();
      await saveScreenshot(page, `alerts-${width}`);
      await page.getByText('Sign-ups are low').first().click();
      await page.getByRole('tab', { name: 'Settings' }).click();
      await page.getByText(/it would have fired/).waitFor();
      await saveScreenshot(page, `alert-${width}`);
      const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
      expect([width, overflow <= 0]).toEqual([width, true]);
      await page.goto(`${server.url}/project/1/alerts?tab=deliveries`);
      await page.getByText('Test: Sign-ups are low').first().waitFor();
    }
  });

  it('are made on changes of single flags, chosen by their keys', async () => {
    const flag = async (key: string): Promise<number> =>
      (await clientFor(server).post('/api/projects/1/feature_flags/', { body: { key, name: `Name of ${key}` } })).body
        .id;
    const [checkout, search] = [await flag('new-checkout'), await flag('fast-search')];
    await page.goto(`${server.url}/project/1/alerts/new`);
    await page.getByLabel('Name').fill('Risky flags');
    await page.getByLabel('Watch').selectOption('flags');
    const flags = page.getByRole('combobox', { name: 'These flags' });
    await flags.fill('no such flag');
    await flags.press('Enter');
    await page.getByText('No flag has the key “no such flag”').waitFor();
    for (const key of ['new-checkout', 'fast-search']) {
      await flags.fill(key.slice(1));
      await page.getByRole('option', { name: `${key} Name of` }).click();
    }
    await page.getByRole('button', { name: 'Remove fast-search' }).waitFor();
    expect(await page.getByText('No flag has the key').count()).toBe(0);
    await saveScreenshot(page, 'alert-flags');
    await page.getByRole('button', { name: 'Create alert' }).click();
    await page.getByRole('heading', { name: 'Risky flags' }).waitFor();
    const made = async () => {
      const { results } = (await clientFor(server).get('/api/projects/1/alerts/')).body;
      return results.find(({ name }: { name: string }) => name === 'Risky flags');
    };
    expect((await made()).config).toMatchObject({ type: 'FlagChangeConfig', flag_ids: [checkout, search] });
    await page.getByRole('tab', { name: 'Settings' }).click();
    await page.getByRole('button', { name: 'Remove new-checkout' }).click();
    await page.getByRole('button', { name: 'Save changes' }).click();
    await expect.poll(async () => (await made()).config.flag_ids).toEqual([search]);
  });

  it('are made on a statement, on new errors and on the disk, without a back-test of what is not known', async () => {
    await page.setViewportSize({ width: 1440, height: 1000 });
    const query = { kind: 'HogQLQuery', query: 'select count() from events' };
    const saved = await clientFor(server).post('/api/projects/1/insights/', { body: { name: 'All events', query } });
    await page.goto(`${server.url}/project/1/alerts/new?insight=${saved.body.id}`);
    await page.getByText('The first number of the last row').waitFor();
    await page.getByText('Only what is now is known of it').waitFor();
    expect(await page.getByLabel('Fires when').count()).toBe(0);
    await page.getByLabel('Name').fill('Few events');
    await page.getByLabel('Below').fill('10');
    await saveScreenshot(page, 'alert-sql');
    await page.getByRole('button', { name: 'Create alert' }).click();
    await page.getByText('All events is below 10 in an hour').waitFor();

    await page.goto(`${server.url}/project/1/alerts/new`);
    await page.getByLabel('Name').fill('Free space');
    await page.getByLabel('Watch').selectOption('disk');
    await page.getByText('In percent of the disk').waitFor();
    await page.getByLabel('Below').fill('10');
    await page.getByRole('button', { name: 'Create alert' }).click();
    await page.getByText('Free disk space in percent is below 10 in an hour').waitFor();

    await page.goto(`${server.url}/project/1/alerts/new`);
    await page.getByLabel('Name').fill('Something new');
    await page.getByLabel('Watch').selectOption('errors');
    await page.getByText(/it would have fired/).waitFor();
    expect(await page.getByLabel('Below').count()).toBe(0);
    await saveScreenshot(page, 'alert-errors');
    await page.getByRole('button', { name: 'Create alert' }).click();
    await page.getByText('A new exception, ingestion warning or dead letter').waitFor();
    const { results } = (await clientFor(server).get('/api/projects/1/alerts/')).body;
    const made = (name: string) => results.find((alert: { name: string }) => alert.name === name);
    expect(made('Something new')).toMatchObject({ config: { type: 'NewErrorConfig' }, threshold: null, insight: null });
    expect(made('Free space')).toMatchObject({
      config: { type: 'DiskConfig' },
      threshold: { configuration: { bounds: { lower: 10, upper: null } } },
    });
    expect(made('Few events')).toMatchObject({ config: { type: 'SqlAlertConfig' }, insight: { id: saved.body.id } });
  });

  it('make no error in the page', () => {
    expect(pageErrors).toEqual([]);
  });
});
