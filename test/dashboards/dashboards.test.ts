/** Dashboards of a started server: tiles in their order, one range of dates over all of them, history. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { capture } from '../support/capture.ts';
import { type Answer, clientFor } from '../support/client.ts';
import { isWithoutEvents, startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let client: ReturnType<typeof clientFor>;
let visits: number;
let payments: number;
const insights = '/api/projects/1/insights/';
const all = '/api/projects/1/dashboards/';

beforeAll(async () => {
  server = await startServer();
  client = clientFor(server);
  const event = (name: string, day: number) => ({
    event: name,
    distinct_id: 'ann',
    timestamp: `2026-01-${day}T10:00:00Z`,
  });
  await capture(server, server.projectKey, [event('visit', 13), event('visit', 14), event('paid', 14)]);
  const save = async (name: string) => {
    const filters = { insight: 'TRENDS', events: [{ id: name }], date_from: '-30d', date_to: '2026-01-13' };
    return (await client.post(insights, { body: { name, filters } })).body.id;
  };
  [visits, payments] = [await save('visit'), await save('paid')];
});
afterAll(() => server.close());

const make = async (body: object): Promise<Answer['body']> => {
  const answer = await client.post(all, { body });
  expect([answer.status, answer.body.detail]).toEqual([201, undefined]);
  return answer.body;
};
const change = (id: number, body: object): Promise<Answer> => client.patch(`${all}${id}/`, { body });
const read = async (id: number, query = ''): Promise<Answer['body']> => (await client.get(`${all}${id}/${query}`)).body;
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
const order = (dashboard: any): number[] => dashboard.tiles.map((tile: any) => tile.insight.id);

describe('a dashboard', () => {
  it('returns its fields, and its insights in order', async () => {
    const made = await make({
      name: 'Company',
      description: 'What matters',
      pinned: true,
      tags: ['A', 'a'],
      filters: { date_from: '-7d', date_to: null },
      tiles: [
        { insight: payments, color: 'blue' },
        { insight: { id: visits }, layouts: { sm: { x: 1 } } },
      ],
    });
    const { id, created_by, tiles, ...rest } = made;
    expect(created_by.id).toBe(1);
    expect(rest).toEqual({
      name: 'Company',
      description: 'What matters',
      pinned: true,
      created_at: '2026-01-15T12:00:00Z',
      is_shared: false,
      deleted: false,
      creation_mode: 'default',
      filters: { date_from: '-7d' },
      tags: ['a'],
      restriction_level: 21,
      effective_restriction_level: 21,
      effective_privilege_level: 37,
    });
    expect(order(made)).toEqual([payments, visits]);
    expect(tiles[0]).toMatchObject({ order: 0, color: 'blue', layouts: {}, text: null, is_cached: false, error: null });
    expect(tiles[1]).toMatchObject({ order: 1, color: null, layouts: { sm: { x: 1 } }, last_refresh: null });
    expect(tiles[1].insight).toMatchObject({ name: 'visit', result: null, dashboards: [id] });
    expect(await read(id)).toEqual(made);
    const { body } = await client.get(all);
    const { tiles: _, ...listed } = made;
    expect(body.results.find((one: { id: number }) => one.id === id)).toEqual(listed);
    expect((await client.get(`/api/dashboard/${id}/`)).body).toEqual(made);
  });

  it.skipIf(isWithoutEvents)('applies its date range to its insights', async () => {
    const { id } = await make({ name: 'Dates', tiles: [{ insight: visits }, { insight: payments }] });
    const numbers = async () => {
      const { tiles } = await read(id, '?refresh=true');
      // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
      return tiles.map((tile: any) => [
        tile.last_refresh,
        tile.insight.result[0].data.length,
        tile.insight.result[0].count,
      ]);
    };
    const now = '2026-01-15T12:00:00Z';
    expect(await numbers()).toEqual([
      [now, 29, 1],
      [now, 29, 0],
    ]);
    await change(id, { filters: { date_from: '2026-01-13', date_to: '2026-01-14' } });
    expect(await numbers()).toEqual([
      [now, 2, 2],
      [now, 2, 1],
    ]);
    const alone = await client.get(`${insights}${visits}/?refresh=true&from_dashboard=${id}`);
    expect(alone.body.result[0].data).toEqual([1, 1]);
    expect((await client.get(`${insights}${visits}/`)).body.filters.date_from).toBe('-30d');
    // Without an end of its own the range reaches until now, whatever the insights say.
    await change(id, { filters: { date_from: '2026-01-14' } });
    expect((await numbers())[0]).toEqual([now, 2, 1]);
  });

  it.skipIf(isWithoutEvents)('compares and filters all of its tiles, in addition to what each filters', async () => {
    const own = { type: 'event', key: 'plan', operator: 'exact', value: ['pro'] };
    const added = { type: 'person', key: 'email', operator: 'is_set', value: '' };
    const nested = { type: 'OR', values: [own] };
    const create = async (properties: unknown): Promise<number> =>
      (await client.post(insights, { body: { filters: { insight: 'TRENDS', events: [{ id: 'visit' }], properties } } }))
        .body.id;
    const tiles = [{ insight: await create([own]) }, { insight: await create(nested) }];
    const filters = { compare: true, compare_to: '-1y', properties: [added] };
    const { body } = await client.post(all, { body: { name: 'Filtered', filters, tiles } });
    expect(body.filters).toEqual(filters);
    const { body: board } = await client.get(`${all}${body.id}/?refresh=true`);
    // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
    const [list, group] = board.tiles.map((tile: any) => tile.insight);
    expect(list.filters).toMatchObject({ compare: true, compare_to: '-1y', properties: [own, added] });
    expect(group.filters.properties).toEqual({ type: 'AND', values: [nested, { type: 'AND', values: [added] }] });
    expect(list.result.map((item: { compare_label: string }) => item.compare_label)).toEqual(['current', 'previous']);
    expect([list.result[1].days[0].slice(0, 4), group.result.length]).toEqual(['2025', 2]);
  });

  it('moves, colors, adds and removes single tiles', async () => {
    const { id, tiles } = await make({ name: 'Moves', tiles: [{ insight: visits }, { insight: payments }] });
    const moved = await change(id, { tiles: [{ id: tiles[0].id, order: 9, color: 'red', layouts: { xs: { y: 2 } } }] });
    expect(order(moved.body)).toEqual([payments, visits]);
    expect(moved.body.tiles[1]).toMatchObject({ id: tiles[0].id, order: 9, color: 'red', layouts: { xs: { y: 2 } } });
    expect(moved.body.tiles[0]).toMatchObject({ id: tiles[1].id, order: 1, color: null });
    const uncoloured = await change(id, { tiles: [{ insight: visits, color: null }] });
    expect(uncoloured.body.tiles[1]).toMatchObject({ id: tiles[0].id, order: 9, color: null });
    const fewer = await change(id, { tiles: [{ id: tiles[1].id, deleted: true }] });
    expect(order(fewer.body)).toEqual([visits]);
    const again = await change(id, { tiles: [{ insight: payments, order: -1 }] });
    expect(order(again.body)).toEqual([payments, visits]);
  });

  it('shows texts beside insights', async () => {
    const layouts = { sm: { x: 6, y: 0, w: 6, h: 2 } };
    const { id, tiles } = await make({
      name: 'Notes',
      tiles: [{ insight: visits }, { text: { body: '# Goals' }, layouts, color: 'blue' }, { text: { body: 'Later' } }],
    });
    const text = { insight: null, last_refresh: null, is_cached: false, error: null };
    expect(tiles.slice(1)).toEqual([
      { ...text, id: tiles[1].id, text: { body: '# Goals' }, order: 1, layouts, color: 'blue' },
      { ...text, id: tiles[2].id, text: { body: 'Later' }, order: 2, layouts: {}, color: null },
    ]);
    // As clients send back what they have read.
    const sent = [{ ...tiles[1], text: { body: '# Aims' } }, { id: tiles[2].id, deleted: true }, tiles[0]];
    const changed = await change(id, { tiles: sent });
    expect(changed.body.tiles.map((tile: { text: unknown }) => tile.text)).toEqual([null, { body: '# Aims' }]);
    const { results } = (await client.get(`${all}${id}/activity/`)).body;
    expect(results[0].detail.changes[0].after[1]).toEqual({ text: '# Aims', order: 1, layouts, color: 'blue' });
    expect((await change(id, { tiles: [{ id: tiles[0].id, text: { body: 'x' } }] })).body).toMatchObject({
      attr: 'tiles__0__text',
      detail: 'A tile shows either an insight or a text. Add another tile.',
    });
  });

  it('can be filled by updating insights', async () => {
    const one = await make({ name: 'One' });
    const two = await make({ name: 'Two', tiles: [{ insight: visits }] });
    const { id } = (await client.post(insights, { body: { name: 'Both', dashboards: [two.id, one.id] } })).body;
    expect([order(await read(one.id)), order(await read(two.id))]).toEqual([[id], [visits, id]]);
    const moved = await client.patch(`${insights}${id}/`, { body: { dashboards: [two.id] } });
    expect(moved.body.dashboards).toEqual([two.id]);
    expect(moved.body.dashboard_tiles).toEqual([
      { id: (await read(two.id)).tiles[1].id, dashboard_id: two.id, deleted: false },
    ]);
    expect(order(await read(one.id))).toEqual([]);
    const listed = await client.get(`${insights}?dashboards=[${two.id}]&order=name`);
    expect(listed.body.results.map((insight: { id: number }) => insight.id)).toEqual([id, visits]);
    const history = (await client.get(`${insights}${id}/activity/`)).body.results[0].detail.changes;
    expect(history).toEqual([
      { type: 'Insight', action: 'changed', field: 'dashboards', before: [one.id, two.id], after: [two.id] },
    ]);
  });

  it('omits deleted insights until they are restored', async () => {
    const { id } = (await client.post(insights, { body: { name: 'Passing' } })).body;
    const dashboard = await make({ name: 'Gaps', tiles: [{ insight: id }, { insight: visits }] });
    await client.patch(`${insights}${id}/`, { body: { deleted: true } });
    expect(order(await read(dashboard.id))).toEqual([visits]);
    await client.patch(`${insights}${id}/`, { body: { deleted: false } });
    expect(order(await read(dashboard.id))).toEqual([id, visits]);
  });

  it.skipIf(isWithoutEvents)('reports the error of one insight, and answers the rest', async () => {
    const { id } = (await client.post(insights, { body: { filters: { events: ['visit'] } } })).body;
    await server.tamper('update insights set filters = ? where id = ?', '{"events":["visit"],"interval":"eon"}', id);
    const dashboard = await make({ name: 'Broken', tiles: [{ insight: id }, { insight: visits }] });
    const { tiles } = await read(dashboard.id, '?refresh=true');
    expect([tiles[0].insight.result, tiles[0].error]).toEqual([
      null,
      expect.stringContaining('interval cannot be "eon"'),
    ]);
    expect(tiles[1].insight.result[0].label).toBe('visit');
  });

  it('is deleted by an update, and its insights are removed from it', async () => {
    const { id } = await make({ name: 'Gone', tiles: [{ insight: payments }] });
    const refused = await client.delete(`${all}${id}/`);
    expect([refused.status, refused.body]).toEqual([405, '']);
    expect((await client.get(`${insights}${payments}/`)).body.dashboards).toContain(id);
    await change(id, { deleted: true });
    expect((await client.get(`${insights}${payments}/`)).body.dashboards).not.toContain(id);
    expect((await client.get(all)).body.results.map((one: { id: number }) => one.id)).not.toContain(id);
    const put = await client.patch(`${insights}${payments}/`, { body: { dashboards: [id] } });
    expect([put.status, put.body.attr, put.body.code]).toEqual([400, 'dashboards', 'does_not_exist']);
    expect((await client.get(`${all}${id}/`)).status).toBe(404);
    await change(id, { deleted: false });
    expect((await client.get(`${all}${id}/`)).body).toMatchObject({ id, name: 'Gone' });
  });

  it.each([
    ['no name', {}, 'name', 'required'],
    ['an empty name', { name: ' ' }, 'name', 'blank'],
    ['a date that is none', { name: 'x', filters: { date_from: 'soon' } }, 'filters__date_from', 'invalid_input'],
    [
      'a comparison that is none',
      { name: 'x', filters: { compare_to: 'soon' } },
      'filters__compare_to',
      'invalid_input',
    ],
    [
      'invalid property filters',
      { name: 'x', filters: { properties: [{ type: 'x', key: 'a' }] } },
      'filters__properties',
      'invalid_input',
    ],
    ['other filters', { name: 'x', filters: { interval: 'day' } }, 'filters', 'invalid_input'],
    ['a foreign tile', { name: 'x', tiles: [{ id: 1 }] }, 'tiles__0__id', 'invalid_input'],
    ['an insight that is not there', { name: 'x', tiles: [{ insight: 999 }] }, 'tiles__0__insight', 'invalid_input'],
    ['an insight that is none', { name: 'x', tiles: [{ insight: 'x' }] }, 'tiles__0__insight', 'invalid_input'],
    ['an empty text', { name: 'x', tiles: [{ text: { body: ' ' } }] }, 'tiles__0__text__body', 'blank'],
    ['a long text', { name: 'x', tiles: [{ text: { body: 'x'.repeat(4001) } }] }, 'tiles__0__text__body', 'max_length'],
    [
      'an insight and a text',
      { name: 'x', tiles: [{ insight: 1, text: { body: 'x' } }] },
      'tiles__0__text',
      'invalid_input',
    ],
    ['a tile of nothing', { name: 'x', tiles: [{ color: 'red' }] }, 'tiles__0__insight', 'invalid_input'],
  ])('is rejected with %s, and not created', async (_name, body, attr, code) => {
    const { count } = (await client.get(all)).body;
    const { status, body: answer } = await client.post(all, { body });
    expect([status, answer.attr, answer.code]).toEqual([400, attr, code]);
    expect((await client.get(all)).body.count).toBe(count);
  });

  it('logs who changed what', async () => {
    const { id, tiles } = await make({ name: 'Told', tiles: [{ insight: visits }] });
    await change(id, { name: 'Retold', tiles: [{ id: tiles[0].id, color: 'red' }] });
    await change(id, { pinned: false });
    const { results, total_count } = (await client.get(`${all}${id}/activity/`)).body;
    const tile = { insight: visits, order: 0, layouts: {}, color: null };
    expect(total_count).toBe(2);
    expect(results[0].detail).toMatchObject({
      name: 'Retold',
      changes: [
        { field: 'name', before: 'Told', after: 'Retold' },
        { field: 'tiles', before: [tile], after: [{ ...tile, color: 'red' }] },
      ],
    });
    expect(results[1]).toMatchObject({ activity: 'created', scope: 'Dashboard' });
    expect((await client.get(`${all}activity/`)).body.results[0].item_id).toBe(String(id));
  });

  it('is visible in its project only', async () => {
    const { id } = await make({ name: 'Ours' });
    const stranger = await server.createProject({ foreign: true });
    const other = await server.createProject();
    expect((await client.get(`${all}${id}/`, { key: stranger.personalKey })).status).toBe(404);
    expect((await client.get(`/api/projects/${other.projectId}/dashboards/${id}/`)).status).toBe(404);
    const theirs = { name: 'Theirs', tiles: [{ insight: visits }] };
    const refused = await client.post(`/api/projects/${other.projectId}/dashboards/`, { body: theirs });
    expect([refused.status, refused.body.attr]).toEqual([400, 'tiles__0__insight']);
  });
});
