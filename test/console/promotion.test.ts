/** Promoting a flag to another project in the console. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, openBrowser, watchedPage } from '../support/browser.ts';
import { capture } from '../support/capture.ts';
import { clientFor } from '../support/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

const ACCOUNT = { email: 'ada@example.org', password: 'correct horse' };

describe.skipIf(!hasBrowser)('a flag in the console', () => {
  let server: TestServer;
  let browser: Browser;
  beforeAll(async () => {
    const config = { initAdminEmail: ACCOUNT.email, initAdminPassword: ACCOUNT.password };
    server = await startServer({ now: new Date().toISOString(), config });
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });

  it('is promoted after a look at what changes there, and for whom', async () => {
    const client = clientFor(server);
    const there = await server.createProject({ name: 'Production' });
    const set = (plan: string) => ({ $set: { plan } });
    await capture(server, there.projectKey, [
      { event: '$identify', distinct_id: 'ada', properties: set('pro') },
      { event: '$identify', distinct_id: 'bob', properties: set('free') },
    ]);
    const values = [{ key: 'plan', type: 'person', value: 'pro', operator: 'exact' }];
    const cohort = { name: 'Paying <b>customers</b>', filters: { properties: { type: 'AND', values } } };
    const { id } = (await client.post('/api/projects/1/cohorts/', { body: cohort })).body;
    const groups = [
      { properties: [{ type: 'cohort', key: 'id', value: id, operator: 'in' }], rollout_percentage: 100 },
    ];
    const flag = (
      await client.post('/api/projects/1/feature_flags/', { body: { key: 'new-cart', filters: { groups } } })
    ).body;
    const { page, pageErrors } = await watchedPage(browser, server.url);
    await page.context().request.post(`${server.url}/api/login/`, { data: ACCOUNT });
    await page.goto(`${server.url}/project/1/flags/${flag.id}`);
    await page.getByRole('button', { name: 'Promote…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('There is none of this name').waitFor();
    const promote = dialog.getByRole('button', { name: 'Promote', exact: true });
    expect(await promote.isDisabled()).toBe(true);
    await dialog.getByText('Copy cohorts that are not there').click();
    await dialog.getByText('of 2 users get another value there').waitFor();
    await promote.click();
    await page.getByText('new-cart promoted to Production.').waitFor();
    const [copy] = (await client.get(`/api/projects/${there.projectId}/feature_flags/`)).body.results;
    expect(copy).toMatchObject({ key: 'new-cart', active: true, promoted_from: { project: 1, flag: flag.id } });
    await client.patch(`/api/projects/1/feature_flags/${flag.id}/`, {
      body: { filters: { groups: [{ properties: [], rollout_percentage: 20 }] } },
    });
    await page.setViewportSize({ width: 380, height: 800 });
    await page.reload();
    await page.getByRole('button', { name: 'Promote…' }).click();
    await dialog.getByText('Rollout of condition 1 (%)').waitFor();
    expect(pageErrors).toEqual([]);
  });
});
