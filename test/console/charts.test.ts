/** Charts in a real browser: what they show, and what can be done with them. */
import { readFileSync } from 'node:fs';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, openBrowser, watchedPage } from '../support/browser.ts';
import { call } from '../support/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

const ACCOUNT = { email: 'ada@example.org', password: 'correct horse' };
const DAY_MS = 86_400_000;
const PREFIX = 'https://shop.example.org/a/very/long/prefix/that/all/pages/of/the/catalogue/share/item-';

/** In the page. */
declare function getComputedStyle(element: unknown): Record<'backgroundColor' | 'overflowX' | 'overflowY', string>;

describe.skipIf(!hasBrowser)('charts in the console', () => {
  let server: TestServer;
  let browser: Browser;
  let page: Page;
  let pageErrors: string[];
  beforeAll(async () => {
    // The real time, because the browser expires cookies by its own clock.
    const now = Date.now();
    const config = { initAdminEmail: ACCOUNT.email, initAdminPassword: ACCOUNT.password };
    server = await startServer({ now: new Date(now).toISOString(), config });
    browser = await openBrowser();
    await capture(visits(now));
    const watched = await watchedPage(browser, server.url);
    ({ page, pageErrors } = watched);
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.request.post(`${server.url}/api/login/`, { data: ACCOUNT });
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });

  const capture = async (batch: object[]): Promise<void> => {
    const body = JSON.stringify({ api_key: server.projectKey, batch });
    expect((await fetch(`${server.url}/batch/`, { method: 'POST', body })).status).toBe(200);
    await server.drain();
  };
  const show = async (fields: Record<string, unknown>): Promise<Locator> => {
    const texts = Object.entries(fields).map(([name, value]): [string, string] => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]);
    await page.goto(`${server.url}/project/1/insights/new?${new URLSearchParams(texts)}`);
    await page.getByText(/^Updated/).waitFor();
    const answer = page.locator('.answer');
    // A chart is drawn once its size is known.
    await answer.locator('.chart svg, .retention, .funnel').first().waitFor();
    return answer;
  };
  const trend = (more: Record<string, unknown>): Promise<Locator> =>
    show({ insight: 'TRENDS', date_from: '-7d', events: [{ id: 'visit' }], ...more });
  const hover = async (share: number): Promise<void> => {
    const chart = page.getByRole('img').first();
    await chart.scrollIntoViewIfNeeded();
    const { x = 0, y = 0, width = 0, height = 0 } = (await chart.boundingBox()) ?? {};
    await page.mouse.move(x + width * share, y + height * 0.4);
  };

  it('draw the period that is not over as dots, and say so', async () => {
    const answer = await trend({});
    expect(await answer.locator('.chart-line .dotted').count()).toBe(1);
    expect(await answer.locator('.chart-unfinished').textContent()).toBe('Unfinished');
    expect(await answer.getByRole('columnheader').nth(4).textContent()).toContain('Unfinished');
    await trend({ date_from: isoDay(8), date_to: isoDay(1) });
    expect(await answer.locator('.dotted, .chart-unfinished').count()).toBe(0);

    await show({
      insight: 'FUNNELS',
      funnel_viz_type: 'trends',
      date_from: '-7d',
      events: [{ id: 'visit' }, { id: 'order' }],
    });
    expect(await answer.locator('.chart-line .dotted').count()).toBe(1);

    await show({
      insight: 'RETENTION',
      total_intervals: 5,
      target_entity: { id: 'visit', type: 'events' },
      returning_entity: { id: 'visit', type: 'events' },
    });
    // The last cell of every row, and no other.
    expect(await answer.locator('tbody tr:not(.average)').count()).toBe(5);
    expect(await answer.locator('td.is-unfinished').count()).toBe(5);
    expect(await answer.locator('tr:not(.average) > td.retained:not(.is-unfinished):last-of-type').count()).toBe(0);
  });

  it('snap to a point, with a tooltip beside it that has weekday, previous date and change', async () => {
    await trend({ compare: true });
    await hover(0.55);
    const line = await page.locator('.chart-crosshair line').getAttribute('x1');
    const marks = page.locator('.chart-crosshair circle');
    expect(await marks.count()).toBe(2);
    for (const mark of await marks.all()) expect(await mark.getAttribute('cx')).toBe(line);
    const tip = page.locator('.chart-tip');
    const text = (await tip.textContent()) ?? '';
    expect(text).toMatch(/^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), /);
    expect(text).toMatch(/Compared to (?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), /);
    expect(text).toMatch(/\+100%/);
    for (const share of [0.2, 0.55, 0.97]) {
      await hover(share);
      const box = (await tip.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
      for (const mark of await marks.all()) {
        const at = (await mark.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
        const isApart = box.x > at.x + at.width || box.x + box.width < at.x;
        expect(isApart).toBe(true);
      }
    }
  });

  it('hide and solo series by their legend, with mouse and keyboard', async () => {
    const answer = await trend({ breakdown: 'browser', breakdown_type: 'event' });
    const lines = answer.locator('.chart-line');
    const legend = answer.getByRole('list', { name: 'Series' });
    const chrome = legend.getByRole('button', { name: 'Chrome' });
    expect(await lines.count()).toBe(3);
    expect(await answer.locator('.chart-end-labels text').count()).toBe(3);
    await chrome.click();
    expect([await lines.count(), await chrome.getAttribute('aria-pressed')]).toEqual([2, 'false']);
    await chrome.press('Enter');
    expect(await lines.count()).toBe(3);
    await chrome.dblclick();
    expect([await lines.count(), await chrome.getAttribute('aria-pressed')]).toEqual([1, 'true']);
    await chrome.click({ modifiers: ['Alt'] });
    expect(await lines.count()).toBe(3);
    await chrome.press('Alt+Enter');
    expect(await lines.count()).toBe(1);
  });

  it('tell long values apart, newest day first, each in a colour of its own or grey', async () => {
    const answer = await trend({ breakdown: 'page', breakdown_type: 'event' });
    const names = await answer.locator('tbody th .long-name').all();
    expect(names.length).toBe(25);
    const ends = await Promise.all(
      names.map(async (name) => {
        const tail = name.locator('.long-name-tail');
        const isWhole = await tail.evaluate((element) => element.scrollWidth <= element.clientWidth);
        return isWhole ? await tail.textContent() : null;
      }),
    );
    expect(new Set(ends).size).toBe(25);
    expect(await names[0]?.getAttribute('title')).toContain(PREFIX);
    const colours = await answer
      .locator('tbody th .swatch')
      .evaluateAll((swatches) => swatches.map((swatch) => getComputedStyle(swatch).backgroundColor));
    expect(new Set(colours.slice(0, 12)).size).toBe(12);
    expect(new Set(colours.slice(12)).size).toBe(1);
    const headers = await answer.getByRole('columnheader').allTextContents();
    expect(headers.slice(0, 4)).toEqual(['Series', 'Total', 'Average', 'Change']);
    expect(headers[4]).toContain('Unfinished');
    expect(headers).toHaveLength(12);
  });

  it('keep the colour of a value when others are filtered out', async () => {
    const colourOf = async (answer: Locator): Promise<string> =>
      answer
        .getByRole('row', { name: 'Safari' })
        .locator('.swatch')
        .evaluate((swatch) => getComputedStyle(swatch).backgroundColor);
    const breakdown = { breakdown: 'browser', breakdown_type: 'event' };
    const before = await colourOf(await trend(breakdown));
    const filter = { key: 'browser', type: 'event', operator: 'is_not', value: ['Chrome'] };
    expect(await colourOf(await trend({ ...breakdown, properties: [filter] }))).toBe(before);
  });

  it('show small bars, and the whole axis below them', async () => {
    const answer = await show({ insight: 'STICKINESS', date_from: '-7d', events: [{ id: 'visit' }, { id: 'rare' }] });
    await answer.getByRole('list', { name: 'Series' }).waitFor();
    const bars = await trend({ display: 'ActionsBar', events: [{ id: 'visit' }, { id: 'rare' }] });
    const heights = await bars.locator('.chart-bar path:not(.previous)').evaluateAll((paths) =>
      paths.flatMap((path) => {
        const shapes = (path.getAttribute('d') ?? '').split('M').filter((shape: string) => shape !== '');
        return shapes.map((shape: string) => {
          const [, from = 0, to = 0] = (/,([\d.]+)h[\d.]+V([\d.]+)/.exec(shape) ?? []).map(Number);
          return Math.abs(from - to);
        });
      }),
    );
    // Thousands of visits on some days, and a single rare event.
    expect(heights.length).toBeGreaterThan(8);
    expect(Math.min(...heights)).toBeGreaterThanOrEqual(1.9);
    const isAxisLast = await bars.locator('.chart-zero').evaluate((line) => {
      const all = [...(line.parentElement?.children ?? [])];
      return all.indexOf(line) > all.findLastIndex((one) => one.classList.contains('chart-bar'));
    });
    expect(isAxisLast).toBe(true);
  });

  it('begin funnels with all users, then the most common value', async () => {
    const answer = await show({
      insight: 'FUNNELS',
      date_from: '-7d',
      events: [{ id: 'visit' }, { id: 'order' }],
      breakdown: 'browser',
      breakdown_type: 'event',
    });
    const rows = answer.locator('.funnel-table .long-name');
    await rows.first().waitFor();
    expect(await rows.allTextContents()).toEqual(['Overall', 'Chrome', 'Safari', 'Firefox']);
    expect(await answer.locator('.funnel-step').first().locator('.column-bar').count()).toBe(4);
    await answer.getByRole('button', { name: /completed visit, Overall/ }).click();
    await page.getByRole('dialog').getByRole('row').nth(1).waitFor();
  });

  it('can be saved as PNG and CSV, and linked to', async () => {
    const answer = await trend({ breakdown: 'browser', breakdown_type: 'event' });
    await answer.getByText('Export', { exact: true }).click();
    const [png] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save as PNG' }).click(),
    ]);
    const bytes = readFileSync(await png.path());
    expect([png.suggestedFilename(), bytes.subarray(1, 4).toString()]).toEqual(['visit by browser.png', 'PNG']);
    // Twice the size of the chart on screen.
    const { width = 0 } = (await answer.locator('.chart').boundingBox()) ?? {};
    expect(bytes.readUInt32BE(16)).toBeGreaterThan(2 * width);
    await answer.getByText('Export', { exact: true }).click();
    const [csv] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Export CSV' }).first().click(),
    ]);
    expect(readFileSync(await csv.path(), 'utf8')).toContain('visit - Chrome');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await answer.getByText('Export', { exact: true }).click();
    await page.getByRole('button', { name: 'Copy link' }).click();
    await page.getByText('Link copied.').waitFor();
    const link = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(new URL(link).searchParams.get('breakdown')).toBe('browser');
  });

  it('fit their tiles, and obey the date range of the dashboard', async () => {
    const id = await dashboardOf(server, [
      { insight: 'TRENDS', events: [{ id: 'visit' }], breakdown: 'page', breakdown_type: 'event' },
      { insight: 'RETENTION', period: 'Day', total_intervals: 11, target_entity: { id: 'visit', type: 'events' } },
      { insight: 'TRENDS', display: 'ActionsTable', events: [{ id: 'visit' }], breakdown: 'page' },
      { insight: 'PATHS', step_limit: 5 },
    ]);
    for (const width of [1440, 380]) {
      await page.setViewportSize({ width, height: 900 });
      await page.goto(`${server.url}/project/1/dashboards/${id}?date_from=-4d`);
      await page
        .getByText(/^Updated/)
        .nth(3)
        .waitFor();
      // Charts adapt to the size of their tile.
      await page.waitForTimeout(200);
      const scrolling = await page.locator('.tile *').evaluateAll((elements) =>
        elements
          .filter((element) => {
            const { overflowX, overflowY } = getComputedStyle(element);
            const scrolls = (overflow: string): boolean => overflow === 'auto' || overflow === 'scroll';
            return (
              (scrolls(overflowY) && element.scrollHeight > element.clientHeight) ||
              (scrolls(overflowX) && element.scrollWidth > element.clientWidth)
            );
          })
          .map(({ className }) => className),
      );
      expect([width, scrolling]).toEqual([width, []]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    }
    await page.setViewportSize({ width: 1440, height: 900 });
    expect(await page.getByRole('region', { name: 'Retention' }).locator('tbody tr:not(.average)').count()).toBe(5);
  });

  it('move and resize on their dashboard with keys and mouse, and obey its comparison and filters', async () => {
    const id = await dashboardOf(server, [
      { insight: 'TRENDS', events: [{ id: 'visit' }] },
      { insight: 'TRENDS', events: [{ id: 'order' }] },
    ]);
    const path = `/api/projects/1/dashboards/${id}/`;
    const board = async () => (await call(server.url, 'GET', path)).body;
    const [first, second] = (await board()).tiles.map((tile: { id: number }) => tile.id);
    await page.goto(`${server.url}/project/1/dashboards/${id}`);
    await page
      .getByText(/^Updated/)
      .nth(1)
      .waitFor();
    const place = async (id: number) => (await board()).tiles.find((tile: { id: number }) => tile.id === id).layouts.sm;
    // Faster than they are saved.
    const move = page.getByRole('button', { name: 'Move visit: drag, or use the arrow keys' });
    for (const key of ['ArrowRight', 'ArrowRight', 'ArrowDown']) await move.press(key);
    await expect.poll(() => place(first)).toEqual({ x: 2, y: 6, w: 6, h: 6 });
    await expect.poll(() => page.locator('.tile h2').first().textContent()).toBe('order');
    await drag(move, page.locator('.tiles'));
    await expect.poll(() => place(first)).toMatchObject({ x: 0, y: 0 });
    const resize = page.getByRole('button', { name: 'Resize visit: drag, or use the arrow keys' });
    await resize.press('ArrowRight');
    await expect.poll(() => place(first)).toMatchObject({ w: 7, h: 6 });
    await resize.press('ArrowUp');
    await expect.poll(() => place(first)).toMatchObject({ w: 7, h: 5 });
    expect(await place(second)).toMatchObject({ x: 6, y: 5 });
    await drag(resize, page.locator('.tiles'));
    await expect.poll(() => place(first)).toMatchObject({ w: 2, h: 1 });
    expect(await place(second)).toMatchObject({ x: 6, y: 0 });

    await page.getByRole('button', { name: 'Add text' }).click();
    await page
      .getByRole('textbox', { name: 'Text' })
      .fill('# Aims\n\n**Ten** of <b onclick="x">them</b>, [here](javascript:alert(1))');
    await page.getByRole('dialog').getByRole('button', { name: 'Add text' }).click();
    await page.getByRole('heading', { name: 'Aims' }).waitFor();
    const text = page.locator('.tile .prose');
    expect(await text.locator('p').innerHTML()).toBe(
      '<strong>Ten</strong> of &lt;b onclick="x"&gt;them&lt;/b&gt;, <span>here</span>',
    );
    await page.locator('summary').filter({ hasText: 'Actions for text Aims' }).click();
    await page.getByRole('button', { name: 'Edit text' }).click();
    await page.getByRole('textbox', { name: 'Text' }).fill('Fewer words');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect.poll(() => text.textContent()).toBe('Fewer words');

    await page.getByLabel('Compare to').selectOption('Year before');
    await page.getByRole('button', { name: '+ Add filter' }).click();
    await page.getByRole('combobox', { name: 'Filter by' }).fill('browser');
    await page.getByRole('option', { name: 'browser', exact: true }).first().click();
    await page.getByRole('combobox', { name: 'Values' }).fill('Saf');
    await page.getByRole('option', { name: 'Safari' }).click();
    const filters = { compare: true, compare_to: '-1y' };
    const safari = { type: 'event', key: 'browser', operator: 'exact', value: ['Safari'] };
    await expect.poll(async () => (await board()).filters).toEqual({ ...filters, properties: [safari] });
    expect((await board()).tiles[1].insight.filters).toMatchObject({ ...filters, properties: [safari] });
    await page.getByText('More', { exact: true }).click();
    await page.getByRole('button', { name: 'Duplicate' }).click();
    await page.getByRole('heading', { name: /\(copy\)$/ }).waitFor();
    expect(pageErrors).toEqual([]);
  });

  it('say how old they are, as time goes by', async () => {
    await page.clock.install();
    await trend({});
    // The server's clock stands still, so that the result may be some minutes old already.
    await page.clock.fastForward('30:00');
    await page.getByText(/^Updated 3\d minutes ago/).waitFor();
    await page.clock.fastForward('30:00');
    await page.getByText(/^Updated 1 hour ago/).waitFor();
    expect(pageErrors).toEqual([]);
  });
});

/** In steps, as a mouse moves. */
async function drag(handle: Locator, onto: Locator): Promise<void> {
  const page = handle.page();
  await handle.hover();
  await page.mouse.down();
  const box = await onto.boundingBox();
  if (box === null) throw new Error('It cannot be seen.');
  await page.mouse.move(box.x + 8, box.y + 8, { steps: 5 });
  await page.mouse.up();
}

const isoDay = (daysAgo: number): string => new Date(Date.now() - daysAgo * DAY_MS).toISOString().slice(0, 10);

/** Two weeks, of which the second has twice the visits of the first, by browser and page. */
function visits(now: number): object[] {
  const at = (daysAgo: number): string => new Date(now - daysAgo * DAY_MS - 1000).toISOString();
  const share = ['Chrome', 'Chrome', 'Chrome', 'Safari', 'Safari', 'Firefox'];
  return Array.from({ length: 16 }, (_, daysAgo) => daysAgo).flatMap((daysAgo) => [
    ...Array.from({ length: daysAgo < 8 ? 80 : 40 }, (_, index) => ({
      event: 'visit',
      distinct_id: `visitor-${index % 30}`,
      timestamp: at(daysAgo),
      properties: { browser: share[(index % 30) % share.length], page: `${PREFIX}${index % 40}` },
    })),
    { event: 'order', distinct_id: `visitor-${daysAgo}`, timestamp: at(daysAgo), properties: {} },
    ...(daysAgo === 1 ? [{ event: 'rare', distinct_id: 'visitor-1', timestamp: at(1), properties: {} }] : []),
  ]);
}

async function dashboardOf(server: TestServer, queries: Record<string, unknown>[]): Promise<number> {
  const tiles: object[] = [];
  for (const [order, filters] of queries.entries()) {
    const { body } = await call(server.url, 'POST', '/api/projects/1/insights/', { body: { saved: true, filters } });
    tiles.push({ insight: body.id, order });
  }
  const { body } = await call(server.url, 'POST', '/api/projects/1/dashboards/', { body: { name: 'All kinds' } });
  await call(server.url, 'PATCH', `/api/projects/1/dashboards/${body.id}/`, { body: { tiles } });
  return body.id;
}
