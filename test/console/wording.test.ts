/** The words on screen: phrases that the console no longer uses, on every page and in every state that a URL can open. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OLD_PHRASES } from '../../console/src/old-phrases.ts';
import { hasBrowser, openBrowser, watchedPage } from '../support/browser.ts';
import { call } from '../support/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

const ACCOUNT = { email: 'ada@example.org', password: 'correct horse' };
const P = '/project/1';

const insight = (fields: Record<string, unknown>): string => {
  const texts = Object.entries(fields).map(([name, value]): [string, string] => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  return `${P}/insights/new?${new URLSearchParams(texts)}`;
};
const EVENTS = [{ id: '$pageview' }, { id: 'signed up' }];
const ENTITY = { id: '$pageview', type: 'events' };

const PAGES = [
  '/account',
  '/status',
  ...['live', 'live?tab=not-stored', 'persons', 'persons/ada', 'groups', 'insights', 'dashboards', 'cohorts', 'web'],
  ...['properties', 'events', 'flags', 'cohorts', 'ids', 'history'].map((tab) => `persons/ada?tab=${tab}`),
  ...['release', 'try&who=ada', 'access', 'history'].map((tab) => `flags/1?tab=${tab}`),
  ...['persons', 'criteria', 'history'].map((tab) => `cohorts/1?tab=${tab}`),
  ...['flags', 'flags/new', 'definitions', 'definitions?tab=person-properties', 'cohorts?new=1', 'dashboards/1'],
  ...['activity', 'audit', 'members', 'settings', 'welcome', 'assistants', 'nothing-here'],
].map((path) => (path.startsWith('/') ? path : `${P}/${path}`));

const INSIGHTS = [
  { insight: 'TRENDS', events: EVENTS, compare: true, breakdown: '$browser' },
  { insight: 'TRENDS', events: EVENTS, display: 'BoldNumber' },
  { insight: 'FUNNELS', events: EVENTS },
  { insight: 'FUNNELS', events: EVENTS, funnel_viz_type: 'trends' },
  { insight: 'RETENTION', target_entity: ENTITY, returning_entity: ENTITY },
  { insight: 'LIFECYCLE', events: [EVENTS[0]] },
  { insight: 'STICKINESS', events: EVENTS },
  { insight: 'PATHS', start_point: '/pricing' },
].map(insight);

describe.skipIf(!hasBrowser)('the words of the console', () => {
  let server: TestServer;
  let browser: Browser;
  let page: Page;
  beforeAll(async () => {
    const config = { initAdminEmail: ACCOUNT.email, initAdminPassword: ACCOUNT.password };
    server = await startServer({ now: new Date().toISOString(), config });
    browser = await openBrowser();
    const batch = ['$pageview', 'signed up'].map((event) => ({
      event,
      distinct_id: 'ada',
      properties: { $current_url: 'https://a.test/pricing', $browser: 'Firefox', $set: { plan: 'team' } },
    }));
    await fetch(`${server.url}/batch/`, {
      method: 'POST',
      body: JSON.stringify({ api_key: server.projectKey, batch }),
    });
    await server.drain();
    await server.addFlag({ key: 'cart', filters: { groups: [{ properties: [], rollout_percentage: 50 }] } });
    await call(server.url, 'POST', '/api/projects/1/cohorts/', { body: { name: 'Beta', is_static: true } });
    await call(server.url, 'POST', '/api/projects/1/dashboards/', { body: { name: 'Weekly' } });
    ({ page } = await watchedPage(browser, server.url));
    await page.request.post(`${server.url}/api/login/`, { data: ACCOUNT });
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });

  /** Everything that is shown or read out, with tooltips, placeholders and options. */
  const textsOf = async (path: string): Promise<string> => {
    await page.goto(server.url + path);
    await page.locator('main :is(h1, h3)').first().waitFor();
    await expect.poll(() => page.getByText('Loading…').count()).toBe(0);
    return page.evaluate<string>(`[
      document.title,
      document.body.textContent,
      ...[...document.querySelectorAll('[aria-label], [title], [placeholder]')].flatMap((one) =>
        ['aria-label', 'title', 'placeholder'].map((name) => one.getAttribute(name) ?? ''),
      ),
    ].join('\\n')`);
  };

  it('are those of the field, on every page', async () => {
    for (const path of [...PAGES, ...INSIGHTS]) {
      const text = await textsOf(path);
      expect([path, OLD_PHRASES.filter((phrase) => text.toLowerCase().includes(phrase.toLowerCase()))]).toEqual([
        path,
        [],
      ]);
    }
  });

  it('show friendly names with the raw names beside them, and send the raw names', async () => {
    await page.goto(`${server.url}${P}/definitions`);
    const row = page.getByRole('row', { name: 'Pageview' });
    await row.waitFor();
    expect(await row.textContent()).toContain('Pageview $pageview');
    await page.goto(`${server.url}${P}/live`);
    await page.getByLabel('Event', { exact: true }).fill('Pagev');
    await page.getByRole('option', { name: 'Pageview' }).click();
    await expect.poll(() => new URL(page.url()).searchParams.get('event')).toBe('$pageview');
    expect(await page.getByLabel('Event', { exact: true }).inputValue()).toBe('Pageview');
    await page.getByRole('cell', { name: 'Pageview', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Add filter' }).click();
    const filterBy = page.getByRole('combobox', { name: 'Filter by' });
    await filterBy.fill('Current U');
    await page.getByRole('option', { name: 'Current URL' }).first().click();
    const values = page.getByRole('combobox', { name: 'Values' });
    await values.fill('https://a.test/pricing');
    await values.press('Enter');
    await expect.poll(() => new URL(page.url()).searchParams.get('properties')).toContain('"key":"$current_url"');
    await page.getByRole('button', { name: 'Add filter' }).click();
    await filterBy.pressSequentially('$os_version');
    expect(await filterBy.inputValue()).toBe('$os_version');
    await filterBy.press('Enter');
    await page.getByLabel('OS version', { exact: true }).waitFor();
  });
});
