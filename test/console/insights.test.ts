/** Insights in a real browser: from an event to a dashboard. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, openBrowser, saveScreenshot, watchedPage } from '../support/browser.ts';
import { call } from '../support/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

const ACCOUNT = { email: 'ada@example.org', password: 'correct horse' };
const HOSTILE = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>';

describe.skipIf(!hasBrowser)('insights in the console', () => {
  let server: TestServer;
  let browser: Browser;
  beforeAll(async () => {
    // The real time, because the browser expires cookies by its own clock.
    const config = { initAdminEmail: ACCOUNT.email, initAdminPassword: ACCOUNT.password };
    server = await startServer({ now: new Date().toISOString(), config });
    browser = await openBrowser();
    await capture(['ann', 'ben', 'cy'].map((id) => [id, 'signed up', {}]));
    await capture([
      ['ann', 'order placed', { price: 20 }],
      ['ann', HOSTILE, { [HOSTILE]: HOSTILE, $current_url: HOSTILE }],
      ['ann', HOSTILE, { [HOSTILE]: 'plain' }],
    ]);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });

  const capture = async (events: [id: string, event: string, properties: object][]): Promise<void> => {
    const batch = events.map(([distinct_id, event, properties], at) => ({
      distinct_id,
      event,
      properties,
      timestamp: new Date(Date.now() - 60_000 + at).toISOString(),
    }));
    const body = JSON.stringify({ api_key: server.projectKey, batch });
    expect((await fetch(`${server.url}/batch/`, { method: 'POST', body })).status).toBe(200);
    await server.drain();
  };
  const open = async (path: string) => {
    const watched = await watchedPage(browser, server.url);
    await watched.page.request.post(`${server.url}/api/login/`, { data: ACCOUNT });
    await watched.page.goto(server.url + path);
    return watched;
  };
  const choose = async (page: Page, label: string, part: string, name: string): Promise<void> => {
    await page.getByRole('combobox', { name: label, exact: true }).fill(part);
    await page.getByRole('option', { name, exact: true }).first().click();
  };

  it('go from suggested events to a funnel, its persons, a cohort and a dashboard', async () => {
    const { page, pageErrors, foreignRequests } = await open('/project/1/insights');
    await page.getByText('No saved insights yet').waitFor();
    await page.getByRole('link', { name: 'Funnel', exact: true }).click();
    await page.getByText('Select an event for at least two steps.').waitFor();
    // A new query starts with an event.
    await expect.poll(() => page.getByRole('combobox', { name: 'Step 1' }).inputValue()).not.toBe('');
    await choose(page, 'Step 1', 'sign', 'signed up');
    await choose(page, 'Step 2', 'ord', 'order placed');
    await page.getByRole('button', { name: '3 completed signed up: view persons' }).waitFor();
    await page.getByRole('button', { name: '2 dropped off before order placed: view persons' }).waitFor();
    const asked = new URL(page.url()).searchParams;
    expect([asked.get('insight'), asked.get('events')]).toEqual([
      'FUNNELS',
      '[{"id":"signed up","order":0},{"id":"order placed","order":1}]',
    ]);

    await page.getByRole('button', { name: '2 dropped off before order placed: view persons' }).click();
    const drawer = page.getByRole('dialog', { name: 'Dropped off before step 2: order placed' });
    await drawer.getByText('ben').waitFor();
    expect(await drawer.getByRole('row').count()).toBe(3);
    expect(new URL(page.url()).searchParams.get('open')).toBe('0.1.d');
    await saveScreenshot(page, 'insight-persons');
    await drawer.getByRole('button', { name: 'Save as cohort' }).click();
    await page.getByLabel('Name').fill('Nearly bought');
    await page.getByRole('button', { name: 'Save cohort' }).click();
    await page.getByText('Saved 2 persons to Nearly bought.').waitFor();
    const { body: cohorts } = await call(server.url, 'GET', '/api/projects/1/cohorts/');
    const [{ id, is_static }] = cohorts.results;
    const { body: members } = await call(server.url, 'GET', `/api/projects/1/cohorts/${id}/persons/`);
    const names = members.results.map(({ name }: { name: string }) => name).sort();
    expect([is_static, names]).toEqual([true, ['ben', 'cy']]);
    await page.getByRole('button', { name: 'Done' }).click();
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });

    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByLabel('Name').fill('Who buys');
    await page.getByRole('button', { name: 'Save insight' }).click();
    await page.getByRole('heading', { name: 'Who buys' }).waitFor();
    await page.getByRole('button', { name: 'Add to dashboard' }).click();
    await page.getByLabel('New dashboard').fill('Every morning');
    await page.getByRole('button', { name: 'Create and add' }).click();
    await page.getByRole('link', { name: 'Open' }).click();
    await page.getByRole('heading', { name: 'Every morning' }).waitFor();
    await page.getByRole('button', { name: '1 completed order placed: view persons' }).click();
    await page.getByRole('dialog').getByText('ann').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Override date range' }).click();
    await page.getByRole('button', { name: 'Save for everyone' }).click();
    await page.getByRole('button', { name: 'Use date range of each insight' }).waitFor();
    const { body: board } = await call(server.url, 'GET', '/api/projects/1/dashboards/1/');
    expect([board.filters, board.tiles.length]).toEqual([{ date_from: '-30d' }, 1]);
    expect([pageErrors, foreignRequests]).toEqual([[], []]);
    await page.close();
  });

  it('keep a choice that is made while the first events are being looked up', async () => {
    const { page, pageErrors } = await open('/project/1/insights');
    // Clicks as soon as the names have arrived: after the page was drawn with them, before its effects run.
    await page.evaluate(`{
      const { text } = Response.prototype;
      Response.prototype.text = async function () {
        const body = await text.call(this);
        if (this.url.includes('event_definitions')) {
          Response.prototype.text = text;
          setTimeout(() => [...document.querySelectorAll('[role=tab]')].find((tab) => tab.textContent === 'Funnel').click());
        }
        return body;
      };
    }`);
    await page.getByRole('link', { name: 'New insight' }).click();
    await page.getByRole('combobox', { name: 'Step 2' }).waitFor();
    expect(await page.getByRole('combobox', { name: 'Step 1' }).inputValue()).toBe('signed up');
    await new Promise((done) => setTimeout(done, 200));
    expect(await page.getByRole('tab', { selected: true }).textContent()).toBe('Funnel');
    expect(pageErrors).toEqual([]);
    await page.close();
  });

  it('need few clicks: a funnel with breakdown and exclusion, who dropped off, retention, a dashboard', async () => {
    const { page, pageErrors } = await open('/project/1/insights');
    let clicks = 0;
    const click = async (role: 'link' | 'button' | 'tab' | 'option' | 'checkbox', name: string | RegExp) => {
      clicks += 1;
      await page.getByRole(role, { name, exact: true }).first().click();
    };
    // Typing is no click.
    await click('link', 'New insight');
    await click('tab', 'Funnel');
    // It starts with the most common event, and the empty step has the focus.
    await expect.poll(() => page.getByRole('combobox', { name: 'Step 1' }).inputValue()).toBe('signed up');
    await page.getByRole('listbox', { name: 'Step 2' }).waitFor();
    await page.keyboard.type('order');
    await click('option', 'order placed');
    await click('button', '+ Add breakdown');
    await page.getByRole('combobox', { name: 'Break down by' }).fill('price');
    await click('option', 'price');
    await click('button', '+ Add exclusion');
    await page.getByRole('combobox', { name: 'Excluded event' }).fill(HOSTILE.slice(0, 20));
    await click('option', HOSTILE);
    await page.getByRole('button', { name: /2 dropped off before order placed, Overall/ }).waitFor();
    expect(clicks).toBeLessThanOrEqual(9);
    const asked = new URL(page.url()).searchParams;
    expect([asked.get('breakdown'), asked.get('exclusions')]).toEqual([
      'price',
      JSON.stringify([{ id: HOSTILE, type: 'events', funnel_from_step: 0, funnel_to_step: 1 }]),
    ]);

    clicks = 0;
    await click('button', '2 dropped off before order placed: view persons');
    await page.getByRole('dialog').getByText('ben').waitFor();
    expect(clicks).toBe(1);
    await page.keyboard.press('Escape');

    clicks = 0;
    await page.goto(`${server.url}/project/1/insights`);
    await click('link', 'New insight');
    await click('tab', 'Retention');
    await page.getByRole('row', { name: /Weighted average/ }).waitFor();
    expect(clicks).toBe(2);

    await call(server.url, 'POST', '/api/projects/1/dashboards/', { body: { name: 'Mornings' } });
    clicks = 0;
    await click('button', 'Save');
    await click('checkbox', 'Mornings');
    await click('button', 'Save insight');
    await page.getByText('Insight saved.').waitFor();
    expect(clicks).toBe(3);
    const { body: boards } = await call(server.url, 'GET', '/api/projects/1/dashboards/');
    const board = boards.results.find(({ name }: { name: string }) => name === 'Mornings');
    const { body } = await call(server.url, 'GET', `/api/projects/1/dashboards/${board.id}/`);
    expect(body.tiles.map(({ insight }: { insight: { name: string } }) => insight.name)).toHaveLength(1);
    expect(pageErrors).toEqual([]);
    await page.close();
  });

  it('render what visitors sent as text, in every chart', async () => {
    const { page, pageErrors, foreignRequests } = await open('/project/1/insights/new');
    const pictures: [fields: Record<string, unknown>, shown: string][] = [
      [{ insight: 'TRENDS', events: [{ id: HOSTILE }], breakdown: HOSTILE }, HOSTILE],
      [{ insight: 'TRENDS', display: 'ActionsBarValue', events: [{ id: HOSTILE }] }, HOSTILE],
      [{ insight: 'FUNNELS', events: [{ id: 'signed up' }, { id: HOSTILE }], breakdown: HOSTILE }, HOSTILE],
      [{ insight: 'PATHS' }, HOSTILE],
    ];
    for (const [fields, shown] of pictures) {
      const texts = Object.entries(fields).map(([name, value]): [string, string] => [
        name,
        typeof value === 'string' ? value : JSON.stringify(value),
      ]);
      await page.goto(`${server.url}/project/1/insights/new?${new URLSearchParams(texts)}`);
      const answer = page.locator('.answer');
      await answer.getByText(shown, { exact: true }).locator('visible=true').first().waitFor();
      const chart = answer.getByRole('img');
      if ((await answer.locator('.chart').count()) > 0) {
        await chart.scrollIntoViewIfNeeded();
        const { x = 0, y = 0, width = 0 } = (await chart.boundingBox()) ?? {};
        await page.mouse.move(x + width - 40, y + 100);
        await page.locator('.chart-tip').waitFor();
        expect(await page.locator('.chart-tip').textContent()).toContain(HOSTILE);
        await page.mouse.down();
        await page.mouse.up();
        const drawer = page.getByRole('dialog');
        await drawer.getByRole('cell', { name: 'ann' }).waitFor();
        expect(await drawer.getByRole('heading').textContent()).toContain(HOSTILE);
      }
      expect(await page.evaluate('window.hacked')).toBeUndefined();
      expect(await page.locator('#app img, #app script').count()).toBe(0);
    }
    expect([pageErrors, foreignRequests]).toEqual([[], []]);
    await page.close();
  });

  it('keep the breakdown between types, and undo changes with Back', async () => {
    const events = encodeURIComponent('[{"id":"order placed"}]');
    const query = `insight=TRENDS&events=${events}&breakdown=price&breakdown_type=event&date_from=-30d`;
    const { page } = await open(`/project/1/insights/new?${query}`);
    const value = (name: string): string | null => new URL(page.url()).searchParams.get(name);
    const chartTop = async (): Promise<number> => (await page.getByRole('img').first().boundingBox())?.y ?? 9999;
    await page.getByRole('img').first().waitFor();
    // In the first view, beside the query.
    expect(await chartTop()).toBeLessThan(500);
    // Changes in quick succession would be one step.
    const pause = (): Promise<void> => page.waitForTimeout(1100);
    await page.getByRole('tab', { name: 'Lifecycle' }).click();
    await expect.poll(() => value('insight')).toBe('LIFECYCLE');
    expect(value('breakdown')).toBeNull();
    await pause();
    await page.getByRole('tab', { name: 'Trends' }).click();
    await expect.poll(() => [value('insight'), value('breakdown')]).toEqual(['TRENDS', 'price']);
    await pause();
    await page.getByLabel('Date range').selectOption('Last 90 days');
    await expect.poll(() => value('date_from')).toBe('-90d');
    await page.goBack();
    await expect.poll(() => [value('insight'), value('date_from')]).toEqual(['TRENDS', '-30d']);
    await expect.poll(() => page.getByLabel('Date range').inputValue()).toBe('-30d');
    await page.goBack();
    await expect.poll(() => value('insight')).toBe('LIFECYCLE');
    await page.goBack();
    await expect.poll(() => [value('insight'), value('breakdown')]).toEqual(['TRENDS', 'price']);
    await page.close();
  });

  it('show errors, can be cancelled, and fit a narrow screen', async () => {
    const events = encodeURIComponent('[{"id":"signed up"},{"id":"order placed"}]');
    const { page } = await open(`/project/1/insights/new?insight=TRENDS&events=${events}&formula=A%2FC`);
    await page.setViewportSize({ width: 380, height: 780 });
    const alert = page.getByRole('alert');
    await alert.getByRole('button', { name: 'Try again' }).waitFor();
    expect(await alert.textContent()).toContain('C');
    await page.getByLabel('Formula').fill('A / B');
    await alert.waitFor({ state: 'detached' });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(380);

    await page.route(/insights\/trend/, async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 1500));
      await route.continue().catch(() => undefined);
    });
    await page.getByRole('button', { name: 'Refresh' }).click();
    await page.getByText('Running query…').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Query cancelled').waitFor();
    await page.unroute(/insights\/trend/);
    await page.getByRole('button', { name: 'Run again' }).click();
    await page.getByRole('button', { name: 'Refresh' }).waitFor();
    await page.close();
  });
});
