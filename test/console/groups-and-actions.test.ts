/** Groups and actions in a real browser. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, openBrowser, watchedPage } from '../support/browser.ts';
import { call } from '../support/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

const ACCOUNT = { email: 'ada@example.org', password: 'correct horse' };
const ELEMENTS =
  'button.buy:text="Buy now"attr__class="buy"nth-child="1"nth-of-type="1";body:nth-child="1"nth-of-type="1"';

describe.skipIf(!hasBrowser)('groups and actions in the console', () => {
  let server: TestServer;
  let browser: Browser;
  let page: Page;
  let pageErrors: string[];
  beforeAll(async () => {
    const config = { initAdminEmail: ACCOUNT.email, initAdminPassword: ACCOUNT.password };
    server = await startServer({ now: new Date().toISOString(), config });
    browser = await openBrowser();
    ({ page, pageErrors } = await watchedPage(browser, server.url));
    await page.request.post(`${server.url}/api/login/`, { data: ACCOUNT });
    const timestamp = new Date(Date.now() - 60_000).toISOString();
    const event = (name: string, distinct_id: string, properties: object) => ({
      event: name,
      distinct_id,
      timestamp,
      properties,
    });
    const batch = [
      event('$groupidentify', 'ann', {
        $group_type: 'company',
        $group_key: 'acme',
        $group_set: { name: 'Acme Ltd', plan: 'pro' },
      }),
      event('$groupidentify', 'ann', { $group_type: 'team', $group_key: 'red', $group_set: {} }),
      event('paid', 'ann', { $groups: { company: 'acme', team: 'red' } }),
      event('$autocapture', 'ben', { $elements_chain: ELEMENTS, $current_url: 'https://shop.example.org/cart' }),
      event('$autocapture', 'ben', { $elements_chain: ELEMENTS, $current_url: 'https://shop.example.org/' }),
    ];
    await fetch(`${server.url}/batch/`, {
      method: 'POST',
      body: JSON.stringify({ api_key: server.projectKey, batch }),
    });
    await server.drain();
    const filters = { aggregation_group_type_index: 0, groups: [{ properties: [], rollout_percentage: 100 }] };
    await call(server.url, 'POST', '/api/projects/1/feature_flags/', { body: { key: 'for-companies', filters } });
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });

  it('show a group: properties, events, persons, other groups and flags', async () => {
    await page.goto(`${server.url}/project/1/groups`);
    await page.getByRole('link', { name: 'acme' }).click();
    await page.getByRole('heading', { name: 'Acme Ltd' }).waitFor();
    await page.getByRole('region', { name: 'Group properties' }).getByText('pro').waitFor();
    await page.getByRole('tab', { name: 'Events' }).click();
    await page.getByRole('cell', { name: 'paid' }).waitFor();
    await page.getByRole('tab', { name: 'Persons and groups' }).click();
    await page.getByRole('link', { name: 'ann', exact: true }).waitFor();
    await page.getByRole('tab', { name: 'Feature flags' }).click();
    await page.getByRole('row', { name: /for-companies.*On/ }).waitFor();
    await page.getByRole('tab', { name: 'Persons and groups' }).click();
    await page.getByRole('link', { name: 'red', exact: true }).click();
    await page.getByText('No properties').waitFor();
    expect(new URL(page.url()).pathname).toBe('/project/1/groups/1/red');
    expect(pageErrors).toEqual([]);
  });

  it('make an action of a recent click, show what it matches, change and delete it', async () => {
    await page.goto(`${server.url}/project/1/actions`);
    // The page's own, and that of the empty list.
    await page.getByRole('link', { name: 'New action' }).first().click();
    await page.getByLabel('Name').fill('Bought');
    await page.getByRole('button', { name: 'Pick from recent clicks' }).click();
    await page.getByRole('button', { name: 'Use Buy now' }).click();
    await page.getByText('Autocapture with text Buy now and tag button').waitFor();
    const rows = page.getByRole('table', { name: 'Latest matching events' }).locator('tbody tr');
    await expect.poll(() => rows.count()).toBe(2);
    await page.getByLabel('Part of the URL, or all of it').fill('/cart');
    await expect.poll(() => rows.count()).toBe(1);
    await page.getByRole('button', { name: 'Create action' }).click();
    await page.getByRole('link', { name: 'Bought' }).click();
    const { body } = await call(server.url, 'GET', '/api/projects/1/actions/');
    expect(body.results[0].steps).toMatchObject([
      { event: '$autocapture', text: 'Buy now', tag_name: 'button', url: '/cart', url_matching: 'contains' },
    ]);
    await page.getByRole('button', { name: 'Delete…' }).click();
    await page.getByRole('button', { name: 'Delete action' }).click();
    await page.getByText('No actions yet').waitFor();
    expect(pageErrors).toEqual([]);
  });

  it('let each condition of a flag match by something else', async () => {
    await page.goto(`${server.url}/project/1/flags/1`);
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await page.getByRole('button', { name: 'Add condition' }).click();
    await page.getByLabel('Match by').selectOption('Choose for each condition');
    await page.getByLabel('Match condition 2 by').selectOption('Persons');
    await page.getByText('0% of all persons get the flag.').waitFor();
    await page.getByRole('button', { name: 'Review and save' }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect
      .poll(async () => (await call(server.url, 'GET', '/api/projects/1/feature_flags/1/')).body.filters.groups)
      .toMatchObject([{ aggregation_group_type_index: 0 }, { rollout_percentage: 0 }]);
    expect(pageErrors).toEqual([]);
  });
});
