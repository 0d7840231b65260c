/** Persons, cohorts and definitions in a real browser. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, openBrowser, saveScreenshot, watchedPage } from '../support/browser.ts';
import { capture } from '../support/capture.ts';
import { clientFor } from '../support/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

const HOSTILE = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>';
const P = '/project/1';

describe.skipIf(!hasBrowser)('persons in the console', () => {
  let server: TestServer;
  let browser: Browser;
  let client: ReturnType<typeof clientFor>;
  let cookie: { name: string; value: string };
  beforeAll(async () => {
    server = await startServer({ now: new Date().toISOString() });
    browser = await openBrowser();
    client = clientFor(server);
    const set = (distinct_id: string, $set: object) => ({ event: 'visit', distinct_id, properties: { $set } });
    await capture(server, server.projectKey, [
      set('ada', { email: 'ada@example.org', plan: 'free' }),
      set('phone', { device: 'phone' }),
      set('victim', { name: HOSTILE, email: HOSTILE, [HOSTILE]: HOSTILE, deep: [{ [HOSTILE]: HOSTILE }] }),
      { event: HOSTILE, distinct_id: 'victim' },
    ]);
    await capture(server, server.projectKey, [
      { event: '$identify', distinct_id: 'ada', properties: { $anon_distinct_id: 'phone' } },
    ]);
    await client.post('/api/projects/1/cohorts/', {
      body: { name: HOSTILE, description: HOSTILE, is_static: true, _create_static_person_ids: ['victim'] },
    });
    cookie = await session(server);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });

  const open = async (path: string) => {
    const watched = await watchedPage(browser, server.url);
    await watched.page.context().addCookies([{ ...cookie, url: server.url }]);
    await watched.page.goto(server.url + path);
    return watched;
  };
  const personOf = async (distinctId: string) =>
    (await client.get(`/api/projects/1/persons/?distinct_id=${distinctId}`)).body.results[0];

  it('finds a person, edits a property, and shows its history', async () => {
    const { page, pageErrors, foreignRequests } = await open(`${P}/persons`);
    await page.getByLabel('Search').fill('ada@example');
    await expect.poll(() => page.getByRole('row').count()).toBe(2);
    expect(new URL(page.url()).searchParams.get('search')).toBe('ada@example');
    await page.getByRole('link', { name: 'ada@example.org' }).click();
    await page.getByRole('heading', { name: 'ada@example.org', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Edit plan' }).click();
    await page.getByLabel('Type').selectOption('json');
    await page.getByLabel('Value', { exact: true }).fill('{"name": ');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Invalid JSON.').waitFor();
    await page.getByLabel('Value', { exact: true }).fill('{"name": "team"}');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('plan saved.').waitFor();
    expect((await personOf('ada')).properties.plan).toEqual({ name: 'team' });
    await page.getByRole('button', { name: 'History plan' }).click();
    await page.getByRole('dialog').getByText('Edited by').waitFor();
    expect(await page.getByRole('dialog').getByText('free', { exact: true }).count()).toBe(2);
    await saveScreenshot(page, 'person-history');
    expect([pageErrors, foreignRequests]).toEqual([[], []]);
    await page.close();
  });

  it('undoes a merge after a confirmation', async () => {
    const { page, pageErrors } = await open(`${P}/persons/ada?tab=ids`);
    await page.getByRole('heading', { name: '2 distinct IDs' }).waitFor();
    await page.getByRole('button', { name: 'Undo…' }).click();
    await page.getByText('1 distinct ID and 1 event move back to the merged person').waitFor();
    await page.getByRole('button', { name: 'Undo merge' }).click();
    await page.getByRole('heading', { name: '1 distinct ID', exact: true }).waitFor();
    await page.getByText('Undone', { exact: true }).waitFor();
    const [ada, phone] = [await personOf('ada'), await personOf('phone')];
    expect([ada.distinct_ids, phone.distinct_ids, phone.properties.device]).toEqual([['ada'], ['phone'], 'phone']);
    expect(pageErrors).toEqual([]);
    await page.close();
  });

  it('renders what visitors sent as text, on every page', async () => {
    const { page, pageErrors, foreignRequests } = await open('/account');
    const { uuid } = await personOf('victim');
    const pages = [
      `${P}/persons?columns=${encodeURIComponent(JSON.stringify(['email', HOSTILE]))}`,
      `${P}/persons/${uuid}`,
      `${P}/persons/${uuid}?tab=events`,
      `${P}/persons/${uuid}?tab=cohorts`,
      `${P}/cohorts`,
      `${P}/cohorts/1`,
      `${P}/definitions`,
      `${P}/definitions?tab=person-properties`,
      `${P}/activity`,
    ];
    for (const path of pages) {
      await page.goto(server.url + path);
      await page.getByText(HOSTILE).first().waitFor();
      const made = await page.evaluate(
        '[typeof window.hacked, document.querySelectorAll("main img, main script").length]',
      );
      expect([path, made]).toEqual([path, ['undefined', 0]]);
    }
    expect([pageErrors, foreignRequests]).toEqual([[], []]);
    await page.close();
  });

  it('exports the listed persons as CSV', async () => {
    const { page } = await open(`${P}/persons?search=ada@`);
    const link = page.getByRole('link', { name: 'Export CSV' });
    await expect.poll(() => link.getAttribute('href')).toBe('/api/projects/1/persons.csv?search=ada%40');
    const saved = page.waitForEvent('download');
    await link.click();
    expect((await saved).suggestedFilename()).toBe('persons.csv');
    await page.getByText('Exported 1 row to persons.csv.').waitFor();
    await page.close();
  });

  it('deletes a person with events, and shows the progress', async () => {
    await capture(server, server.projectKey, [{ distinct_id: 'leaving' }, { distinct_id: 'leaving' }]);
    const { page, pageErrors } = await open(`${P}/persons/leaving`);
    await page.getByRole('button', { name: 'Delete…' }).click();
    await page.getByLabel('Also delete 2 events').check();
    const confirm = page.getByRole('button', { name: 'Delete person and events' });
    expect(await confirm.isDisabled()).toBe(true);
    await page.getByLabel('Type delete to confirm').fill('delete');
    await confirm.click();
    const progress = page.getByRole('region', { name: 'Deletion' });
    await progress.getByText('2 events').waitFor();
    expect(await progress.getByRole('progressbar').getAttribute('value')).toMatch(/^[23]$/);
    expect(await personOf('leaving')).toBeUndefined();
    expect(pageErrors).toEqual([]);
    await page.close();
  });

  it('verifies several events at once', async () => {
    const { page } = await open(`${P}/definitions?search=visit`);
    await page.getByLabel('Select visit').check();
    await page.getByRole('button', { name: 'Verify' }).click();
    await page.getByText('1 definition updated.').waitFor();
    const { body } = await client.get('/api/projects/1/event_definitions/?search=visit');
    expect(body.results[0].verified).toBe(true);
    await page.close();
  });

  it('deletes a definition after a question', async () => {
    await capture(server, server.projectKey, [{ event: 'mistaken', distinct_id: 'ada' }]);
    const { page } = await open(`${P}/definitions?search=mistaken`);
    await page.getByLabel('Edit mistaken').click();
    await page.getByRole('button', { name: 'Delete…' }).click();
    await page.getByText('Events are kept.').waitFor();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('mistaken deleted.').waitFor();
    await page.getByLabel('Edit mistaken').waitFor({ state: 'detached' });
    expect((await client.get('/api/projects/1/event_definitions/?search=mistaken')).body.count).toBe(0);
    await page.close();
  });

  it('fits a narrow screen', async () => {
    const { page } = await open('/account');
    await page.setViewportSize({ width: 380, height: 780 });
    const pages = ['persons', 'persons/ada', 'persons/ada?tab=ids', 'cohorts', 'cohorts/1?tab=criteria', 'definitions'];
    for (const path of [...pages, 'settings', 'groups', 'members', 'activity']) {
      await page.goto(`${server.url}${P}/${path}`);
      await settled(page);
      expect([path, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([path, 380]);
    }
    await page.close();
  });
});

const settled = async (page: Page): Promise<void> => {
  await page.getByRole('heading', { level: 1 }).waitFor();
  await expect.poll(() => page.getByText('Loading…').count()).toBe(0);
};

/** Creates an account with the setup token, and returns the session cookie. */
async function session({ url, setupToken }: TestServer): Promise<{ name: string; value: string }> {
  const body = { token: setupToken, email: 'eve@example.org', password: 'correct horse', first_name: 'Eve' };
  const answer = await fetch(`${url}/api/setup/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url },
    body: JSON.stringify(body),
  });
  const [name = '', value = ''] = (answer.headers.get('set-cookie') ?? '').split(';')[0]?.split('=') ?? [];
  expect([answer.status < 300, name !== '']).toEqual([true, true]);
  return { name, value };
}
