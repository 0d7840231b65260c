/** Feature flags in the console. */
import type { Browser, Page } from 'playwright-core';
import { PostHog } from 'posthog-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, openBrowser, saveScreenshot, watchedPage } from '../support/browser.ts';
import { clientFor } from '../support/client.ts';
import { addMember } from '../support/people.ts';
import { startServer, type TestServer } from '../support/server.ts';

const ACCOUNT = { email: 'ada@example.org', password: 'correct horse' };
const HOSTILE = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>';

describe.skipIf(!hasBrowser)('flags in the console', () => {
  let server: TestServer;
  let browser: Browser;
  let sdk: PostHog;
  beforeAll(async () => {
    const config = { initAdminEmail: ACCOUNT.email, initAdminPassword: ACCOUNT.password };
    server = await startServer({ now: new Date().toISOString(), config });
    browser = await openBrowser();
    sdk = new PostHog(server.projectKey, { host: server.url, flushAt: 1, flushInterval: 10 });
    const batch = ['ada', 'bob', 'eve', 'joe'].map((name, index) => ({
      event: '$identify',
      distinct_id: name,
      properties: { $set: { plan: index < 2 ? 'team' : 'free' } },
    }));
    await fetch(`${server.url}/batch/`, {
      method: 'POST',
      body: JSON.stringify({ api_key: server.projectKey, batch }),
    });
    await server.drain();
  });
  afterAll(async () => {
    await sdk?.shutdown();
    await browser?.close();
    await server?.close();
  });

  const open = async (path: string) => {
    const watched = await watchedPage(browser, server.url);
    await watched.page.context().request.post(`${server.url}/api/login/`, { data: ACCOUNT });
    await watched.page.goto(server.url + path);
    return watched;
  };
  const review = (page: Page) => page.getByRole('button', { name: 'Review and save' }).click();
  const flagsOf = async (...names: string[]) => Promise.all(names.map((name) => sdk.getFeatureFlag('new-cart', name)));

  it('are created, changed after a review of who is affected, seen by the SDK, and restored', async () => {
    const { page, pageErrors, foreignRequests } = await open('/project/1/flags');
    await page.getByText('No feature flags yet').waitFor();
    await page.getByRole('link', { name: 'New feature flag' }).click();
    await page.getByLabel('Key').fill('new cart');
    await page.getByText('Letters, numbers, hyphens and underscores are safe in every SDK and tool.').waitFor();
    await page.getByLabel('Key').fill('');
    await review(page);
    await page.getByRole('alert').getByText('Enter a key.').first().waitFor();
    await page.getByLabel('Key').fill('new-cart');
    await page.getByText('0% of all persons get the flag.').waitFor();
    await page.getByText('Matches 4 of 4 persons (100%). At 0% rollout, about 0 get the flag.').waitFor();
    await page.getByRole('spinbutton', { name: 'Rollout percentage' }).fill('100');
    await review(page);
    await page.getByText('Reaches 4 of 4 persons (100%).').waitFor();
    await page.getByRole('button', { name: 'Create flag' }).click();
    await page.waitForURL(/\/project\/1\/flags\/\d+$/);
    await page.getByRole('heading', { name: 'new-cart' }).waitFor();
    await page.getByRole('link', { name: 'All feature flags' }).click();
    await page.getByRole('link', { name: 'New feature flag' }).click();
    await page.getByText('Not created yet').waitFor();
    expect(await page.getByLabel('Key').inputValue()).toBe('');
    await page.goBack();
    await page.getByRole('link', { name: 'new-cart' }).click();
    await page.getByText('All persons get the flag.').waitFor();
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    expect(await flagsOf('ada', 'joe')).toEqual([true, true]);

    await page.getByRole('button', { name: 'Add filter' }).click();
    await page.getByText('Complete the filters to see how many match.').waitFor();
    await page.getByLabel('Property', { exact: true }).fill('pla');
    await page.getByRole('option', { name: 'plan' }).click();
    await page.getByLabel('Values').fill('te');
    await page.getByRole('option', { name: 'team' }).click();
    await page.getByText('Persons where plan equals team get the flag.').waitFor();
    await page.getByText('Matches 2 of 4 persons (50%).').waitFor();
    await saveScreenshot(page, 'console-flag-edit');
    await review(page);
    const changes = page.getByLabel('Changes', { exact: true });
    expect(await changes.textContent()).toBe(
      'Condition 1Before: All persons get the flag.After: Persons where plan equals team get the flag.',
    );
    await page.getByText('2 of 4 persons (50%)', { exact: true }).waitFor();
    const rows = page.getByRole('table', { name: 'Affected' }).getByRole('row');
    expect((await rows.allTextContents()).slice(1).toSorted()).toEqual(['eveOn→changes toOff', 'joeOn→changes toOff']);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('All changes saved (version 2).').waitFor();
    expect(await flagsOf('ada', 'bob', 'eve', 'joe')).toEqual([true, true, false, false]);

    await page.getByRole('tab', { name: 'Test' }).click();
    await page.getByLabel('Distinct ID').fill('joe');
    await page.getByRole('button', { name: 'Evaluate' }).click();
    await page.getByText("Doesn't match any release condition.").waitFor();
    expect(new URL(page.url()).search).toBe('?tab=try&who=joe');

    await page.getByRole('tab', { name: 'History' }).click();
    await page.getByRole('button', { name: 'Restore version 1' }).click();
    await page.getByText('2 of 4 persons (50%)', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Restore version', exact: true }).click();
    await page.getByRole('listitem', { name: 'Version 3' }).getByText('Current').waitFor();
    expect(await flagsOf('ada', 'joe')).toEqual([true, true]);
    expect([pageErrors, foreignRequests]).toEqual([[], []]);
    await page.close();
  });

  it('are created with a payload for 10% of persons in at most 12 clicks, and reviewed and read as a whole', async () => {
    const { page, pageErrors } = await open('/project/1/flags');
    await page.evaluate('window.clicks = 0; addEventListener("click", () => window.clicks++, true)');
    const write = async (label: string, text: string): Promise<void> => {
      await page.getByLabel(label).click();
      await page.keyboard.insertText(text);
    };
    await page.getByRole('link', { name: 'New feature flag' }).click();
    await write('Key', 'small-start');
    await page.getByRole('button', { name: '10%', exact: true }).click();
    await write('Payload when the flag is on', '{"limit": 5}');
    await review(page);
    const dialog = page.getByRole('dialog');
    await dialog.getByText('10% of all persons get the flag.').waitFor();
    await dialog.getByText('{"limit": 5}').waitFor();
    await page.getByRole('button', { name: 'Create flag' }).click();
    await page.waitForURL(/\/flags\/\d+$/);
    expect(await page.evaluate('window.clicks')).toBeLessThanOrEqual(12);
    const overview = page.getByRole('region', { name: 'Who gets the flag' });
    await overview.getByText('10% of all persons get the flag.').waitFor();
    await overview.getByText('{"limit": 5}').waitFor();
    await page.getByText('(version 1)').waitFor();
    expect(pageErrors).toEqual([]);
    await page.close();
  });

  it('never overwrite the changes of another user, and keep what the editor does not show', async () => {
    const other = clientFor({ url: server.url, personalKey: (await addMember(server, 'bob@example.org')).personalKey });
    const holdout = { id: 3, exclusion_percentage: 0 };
    const filters = { groups: [{ properties: [], rollout_percentage: 10, later: 1 }], holdout, later: [1] };
    const { id } = await server.addFlag({ key: 'shared', filters });
    const { page, pageErrors } = await open(`/project/1/flags/${id}?tab=release`);
    const path = `/api/projects/1/feature_flags/${id}/`;
    await page.getByLabel('Description').fill('by Ada');
    await other.patch(path, { body: { tags: ['by-bob'] } });
    await review(page);
    await page.getByText('bob@example.org saved version 2 while you were editing version 1.').waitFor();
    expect(await page.getByLabel('Their changes').textContent()).toBe('TagsBefore: NoneAfter: by-bob');
    await page.getByRole('button', { name: 'Keep both' }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('All changes saved (version 3).').waitFor();
    expect((await other.get(path)).body).toMatchObject({ name: 'by Ada', tags: ['by-bob'], filters });

    await page.getByRole('spinbutton', { name: 'Rollout percentage' }).fill('20');
    await other.patch(path, { body: { filters: { ...filters, groups: [{ rollout_percentage: 90 }] } } });
    await review(page);
    await page.getByText('You both changed the release conditions, variants or payloads.').waitFor();
    expect((await other.get(path)).body.filters.groups).toEqual([{ rollout_percentage: 90 }]);
    await page.getByRole('button', { name: 'Overwrite their changes' }).click();
    // Once more, between the review and the save.
    await page.getByText('persons').first().waitFor();
    await other.patch(path, { body: { filters: { ...filters, groups: [{ rollout_percentage: 80 }] } } });
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('saved version 5 while you were editing version 4.').waitFor();
    await page.getByRole('button', { name: 'Overwrite their changes' }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('All changes saved (version 6).').waitFor();
    const groups = [{ properties: [], rollout_percentage: 20, later: 1 }];
    expect((await other.get(path)).body.filters).toEqual({ groups, holdout, later: [1] });
    expect(pageErrors.filter((error) => !error.includes('409'))).toEqual([]);
    await page.close();
  });

  it('keep all digits of long numbers in payloads', async () => {
    const path = `${server.url}/api/projects/1/feature_flags/`;
    const headers = { authorization: `Bearer ${server.personalKey}`, 'content-type': 'application/json' };
    const payloads = '"payloads":{"true":{"id":1043520612345678901}}';
    const body = `{"key":"long-number","filters":{"groups":[{"rollout_percentage":10}],${payloads}}}`;
    const { id } = (await (await fetch(path, { method: 'POST', headers, body })).json()) as { id: number };
    const { page, pageErrors } = await open(`/project/1/flags/${id}?tab=release`);
    await page.getByRole('spinbutton', { name: 'Rollout percentage' }).fill('20');
    await review(page);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('All changes saved (version 2).').waitFor();
    const stored = await (await fetch(`${path}${id}/`, { headers })).text();
    expect(stored).toContain('"rollout_percentage":20');
    expect(stored).toContain(payloads);
    expect(pageErrors).toEqual([]);
    await page.close();
  });

  it('are released to cohorts and groups, shared with a role, and rolled back automatically', async () => {
    const owner = clientFor(server);
    const values = [{ type: 'person', key: 'plan', operator: 'exact', value: 'free' }];
    const cohort = await server.addCohort({
      name: 'Free riders',
      filters: { properties: { type: 'AND', values: [{ type: 'AND', values }] } },
    });
    for (const [groupKey, size] of Object.entries({ a1: 5, b2: 50 })) {
      sdk.groupIdentify({ groupType: 'company', groupKey, properties: { size }, distinctId: 'ada' });
    }
    await sdk.flush();
    await server.drain();
    const role = await owner.post('/api/organizations/@current/roles/', { body: { name: 'Support' } });
    const persons = await server.addFlag({ key: 'riders', filters: { groups: [{ rollout_percentage: 100 }] } });
    const companies = await server.addFlag({ key: 'firms', filters: { groups: [{ rollout_percentage: 100 }] } });
    const read = async (id: number) => (await owner.get(`/api/projects/1/feature_flags/${id}/`)).body;

    const { page, pageErrors } = await open(`/project/1/flags/${persons.id}?tab=release`);
    await page.getByRole('button', { name: 'Add filter' }).click();
    await page.getByLabel('Filter type').selectOption('Cohort');
    await page.getByLabel('Cohort', { exact: true }).selectOption('Free riders');
    await page.getByText('Persons in cohort Free riders get the flag.').waitFor();
    await page.getByText('Matches 2 of 4 persons (50%).').waitFor();
    await page.getByRole('button', { name: 'Add rollback condition' }).click();
    await page.getByLabel('Event').fill('$exception');
    await page.getByLabel('Threshold').fill('7');
    await page.getByText('Disable when Exception happens more than 7 times within 1 hour.').waitFor();
    await review(page);
    await page.getByText('get a different value').waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('All changes saved (version 2).').waitFor();
    const member = { key: 'id', type: 'cohort', operator: 'in', value: cohort.id };
    const metric = { event: '$exception', math: 'total', window: '1h' };
    expect(await read(persons.id)).toMatchObject({
      filters: { groups: [{ properties: [member], rollout_percentage: 100 }] },
      rollback_conditions: [{ threshold: 7, operator: 'gt', threshold_metric: metric }],
    });
    await page.getByRole('tab', { name: 'Access' }).click();
    await page.getByLabel('Role', { exact: true }).selectOption({ value: role.body.id });
    await page.getByRole('button', { name: 'Grant access' }).click();
    await page.getByRole('button', { name: 'Revoke access of Support' }).waitFor();

    for (let count = 0; count < 8; count++) sdk.capture({ event: '$exception', distinctId: 'ada' });
    await sdk.flush();
    await server.drain();
    await server.checkRollbacks();
    await page.goto(`${server.url}/project/1/flags/${persons.id}?tab=history`);
    await page.getByText('Exception happens more than 7 times within 1 hour (measured: 8)').waitFor();
    const rolledBack = page.getByRole('listitem', { name: 'Version 3' });
    expect(await rolledBack.textContent()).toMatch(/by SystemDisabledRolled back automatically/);

    await page.goto(`${server.url}/project/1/flags/${companies.id}?tab=release`);
    await page.getByLabel('Match by').selectOption('company groups');
    await page.getByRole('button', { name: 'Add filter' }).click();
    await page.getByLabel('Property', { exact: true }).fill('si');
    await page.getByRole('option', { name: 'size' }).click();
    await page.getByLabel('Operator').selectOption('is greater than');
    await page.getByLabel('Value', { exact: true }).fill('10');
    await page.getByText('Matches 1 of 2 company groups (50%).').waitFor();
    await review(page);
    await page.getByRole('cell', { name: 'a1' }).waitFor();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('All changes saved (version 2).').waitFor();
    const asks = (company: string) => sdk.getFeatureFlag('firms', 'ada', { groups: { company } });
    expect([await asks('a1'), await asks('b2')]).toEqual([false, true]);
    expect(pageErrors).toEqual([]);
    await page.close();
  });

  it('render everything as text, fit a narrow screen, and are disabled after a confirmation', async () => {
    const flag = await server.addFlag({
      key: HOSTILE,
      name: HOSTILE,
      tags: [HOSTILE],
      filters: {
        groups: [
          { properties: [{ key: HOSTILE, type: 'person', operator: 'exact', value: [HOSTILE] }], variant: HOSTILE },
        ],
        multivariate: { variants: [{ key: HOSTILE, name: HOSTILE, rollout_percentage: 100 }] },
        payloads: { [HOSTILE]: JSON.stringify(HOSTILE) },
      },
    });
    await server.addFlag({ key: 'narrow', filters: { groups: [{ rollout_percentage: 100 }] } });
    const { page, pageErrors } = await open('/project/1/flags?search=script');
    await page.setViewportSize({ width: 380, height: 780 });
    await page.getByRole('link', { name: HOSTILE }).waitFor();
    const tabs = {
      release: 'of 4 persons',
      'try&who=ada': 'Value for',
      access: 'Admins and the creator of the flag',
      'history&version=1': 'Created.',
    };
    for (const [tab, text] of Object.entries(tabs)) {
      await page.goto(`${server.url}/project/1/flags/${flag.id}?tab=${tab}`);
      await page.getByRole('heading', { name: HOSTILE }).waitFor();
      await page.getByRole('tabpanel').getByText(text).first().waitFor();
      expect(await page.locator('#app img, #app script').count()).toBe(0);
      expect([tab, await page.evaluate('[window.hacked, document.documentElement.scrollWidth]')]).toEqual([
        tab,
        [undefined, 380],
      ]);
    }
    await page.goto(`${server.url}/project/1/flags?search=narrow`);
    await page.getByRole('switch', { name: 'narrow is enabled' }).press('Space');
    await page.getByText('4 of 4 persons (100%)').waitFor();
    expect(await sdk.getFeatureFlag('narrow', 'ada')).toBe(true);
    await page.getByRole('button', { name: 'Disable flag' }).click();
    await page.getByRole('switch', { name: 'narrow is disabled' }).waitFor();
    expect(await sdk.getFeatureFlag('narrow', 'ada')).toBeUndefined();
    expect(pageErrors).toEqual([]);
    await page.close();
  });
});
