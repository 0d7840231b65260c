/** Links to parts of a site: what they show, that visitors can only narrow it, and that nothing else opens by them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { capture } from '../support/capture.ts';
import { call, clientFor } from '../support/client.ts';
import { addMember, cookieOf } from '../support/people.ts';
import { START, startServer, type TestServer } from '../support/server.ts';

const SHARES = '/api/projects/1/web_analytics/shares/';
let server: TestServer;
let owner: ReturnType<typeof clientFor>;

/** Three visitors: of the blog from Germany, of the blog from France, of the shop. */
const VISITS = [
  { distinct_id: 'a', pages: ['/blog/one', '/shop'], country: 'DE', browser: 'Firefox' },
  { distinct_id: 'b', pages: ['/blog/two'], country: 'FR', browser: 'Chrome' },
  { distinct_id: 'c', pages: ['/shop', '/u/zanzibar@example.org'], country: 'DE', browser: 'Chrome' },
];

beforeAll(async () => {
  server = await startServer({ config: { trustProxy: true } });
  owner = clientFor(server);
  await capture(
    server,
    server.projectKey,
    VISITS.flatMap(({ distinct_id, pages, country, browser }) =>
      pages.map(($pathname, at) => ({
        event: '$pageview',
        distinct_id,
        timestamp: new Date(Date.parse(START) - (60 - at) * 60_000).toISOString(),
        properties: {
          $pathname,
          $session_id: `s-${distinct_id}`,
          $geoip_country_code: country,
          $browser: browser,
          $lib: 'test',
        },
      })),
    ),
  );
  await server.drain();
});
afterAll(() => server.close());

let visits = 0;
/** Each visitor comes from another network. */
const visit = (path: string, headers: Record<string, string> = {}, method = 'GET', body?: unknown) => {
  visits++;
  const from = { 'x-forwarded-for': `203.1.${visits >> 8}.${visits & 255}`, ...headers };
  return call(server.url, method, path, { key: null, headers: from, ...(body === undefined ? {} : { body }) });
};
const make = async (name: string, filters: object[] = [], more: object = {}) =>
  (await owner.post(SHARES, { body: { name, filters, ...more } })).body;
const BLOG = { key: 'path', operator: 'icontains', value: '/blog' };
const only = (...filters: object[]): string => `filters=${encodeURIComponent(JSON.stringify(filters))}`;
const valuesOf = (table: { rows: [string, { visitors: number }][] }) =>
  table.rows.map(([value, { visitors }]) => [value, visitors]);

describe('a link to a part of the site', () => {
  it('is made, listed, renamed and revoked', async () => {
    const made = await owner.post(SHARES, { body: { name: 'Blog', filters: [BLOG] } });
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      ...{ id: expect.any(Number), name: 'Blog', filters: [BLOG], url: `/shared/${made.body.access_token}` },
      ...{ access_token: expect.stringMatching(/^[0-9A-Za-z]{43}$/), enabled: true, password_required: false },
      ...{ expires_at: null, views_30d: 0, created_at: expect.any(String), created_by_email: expect.any(String) },
    });
    const { id, url } = made.body;
    await visit(`${url}.json`);
    const renamed = await owner.patch(`${SHARES}${id}/`, { body: { name: 'Magazine' } });
    expect(renamed.body).toEqual({ ...made.body, name: 'Magazine', views_30d: 1 });
    expect((await owner.get(SHARES)).body.results).toEqual([renamed.body]);
    expect((await owner.get(`${SHARES}${id}/`)).body).toEqual(renamed.body);
    expect((await visit(`${url}.json`)).body.name).toBe('Magazine');
    expect((await owner.delete(`${SHARES}${id}/`)).status).toBe(204);
    expect((await visit(`${url}.json`)).status).toBe(404);
    expect((await owner.get(SHARES)).body.results).toEqual([]);
    expect((await owner.delete(`${SHARES}${id}/`)).status).toBe(404);
    const log = (await owner.get('/api/organizations/@current/activity/?limit=100')).body.results;
    const own = log.filter((entry: { item_id: string }) => entry.item_id === `web ${id}`);
    expect(own.map((entry: { activity: string }) => entry.activity)).toEqual(['deleted', 'updated', 'created']);
  });

  it('shows what fits its filters, with the tables of the page', async () => {
    const { url } = await make('Blog', [BLOG]);
    const { overview, kind, name, settings } = (await visit(`${url}.json`)).body;
    expect([kind, name, settings.allowFilters, settings.allowDates]).toEqual(['web', 'Blog', true, true]);
    expect(overview.totals.visitors.value).toBe(2);
    expect(overview.totals.views.value).toBe(2);
    expect(valuesOf(overview.tables.country)).toEqual([
      ['DE', 1],
      ['FR', 1],
    ]);
    expect(Object.keys(overview.tables)).toEqual(expect.arrayContaining(['utm_campaign', 'city', 'screen_size']));
  });

  it('can be narrowed by visitors, and never widened', async () => {
    const { url } = await make('Blog', [BLOG]);
    const totals = async (...filters: object[]) => {
      const { visitors, views } = (await visit(`${url}.json?${only(...filters)}`)).body.overview.totals;
      return [visitors.value, views.value];
    };
    expect(await totals()).toEqual([2, 2]);
    expect(await totals({ key: 'country', value: 'DE' })).toEqual([1, 1]);
    expect(await totals({ key: 'path', value: '/shop' })).toEqual([0, 0]);
    expect(await totals({ key: 'path', operator: 'is_not', value: '/blog/one' })).toEqual([1, 1]);
    expect(await totals({ key: 'browser', value: 'Chrome' }, { key: 'country', value: 'DE' })).toEqual([0, 0]);
    // Fields of the API that would count more are no part of the address.
    const { body } = await visit(`${url}.json?include_bots=true&date_from=-3650d&host=x&filters=`);
    expect([body.overview.totals.visitors.value, body.dates.chosen]).toEqual([2, null]);
  });

  it('has whole tables, and files', async () => {
    const { url } = await make('Blog', [BLOG]);
    const table = await visit(`${url}/breakdown.json?by=page&${only({ key: 'country', value: 'FR' })}`);
    expect([table.status, valuesOf(table.body)]).toEqual([200, [['/blog/two', 1]]]);
    expect(table.headers.get('x-robots-tag')).toBe('noindex');
    const csv = await visit(`${url}/breakdown.csv?by=country`);
    expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const cells = (text: string) =>
      text
        .trim()
        .split('\r\n')
        .map((line) => line.split(','));
    expect(cells(csv.body).map(([value, visitors]) => `${value},${visitors}`)).toEqual([
      'country,visitors',
      'DE,1',
      'FR,1',
    ]);
    const days = cells((await visit(`${url}/overview.csv`)).body);
    expect(days[0]?.slice(0, 4)).toEqual(['day', 'visitors', 'views', 'sessions']);
    expect(days.at(-1)?.slice(0, 4)).toEqual(['2026-01-15', '2', '2', '2']);
  });

  it('masks addresses of people, in tables and files', async () => {
    const { url } = await make('Everything');
    const answers = [
      await visit(`${url}.json`),
      await visit(`${url}/breakdown.json?by=page`),
      await visit(`${url}/breakdown.csv?by=page`),
    ];
    for (const { status, body } of answers) {
      const text = JSON.stringify(body);
      expect(status).toBe(200);
      expect(text).toContain('/u/•••');
      expect(text).not.toContain('zanzibar');
    }
    const guessed = await visit(`${url}.json?${only({ key: 'path', value: '/u/zanzibar@example.org' })}`);
    expect([guessed.status, guessed.body.attr]).toEqual([400, 'filters']);
  });

  it('changes at once with its filters', async () => {
    const { url, id } = await make('Blog', [BLOG]);
    expect((await visit(`${url}.json`)).body.overview.totals.visitors.value).toBe(2);
    await owner.patch(`${SHARES}${id}/`, { body: { filters: [BLOG, { key: 'country', value: 'FR' }] } });
    expect((await visit(`${url}.json`)).body.overview.totals.visitors.value).toBe(1);
    expect(valuesOf((await visit(`${url}/breakdown.json?by=country`)).body)).toEqual([['FR', 1]]);
  });

  it('may ask for a password, for tables and files, too', async () => {
    const { url, password_required } = await make('Board', [], { password: 'correct horse' });
    expect(password_required).toBe(true);
    const paths = [`${url}.json`, `${url}/breakdown.json?by=page`, `${url}/overview.csv`];
    const statuses = async (headers = {}) => {
      const found: number[] = [];
      for (const path of paths) found.push((await visit(path, headers)).status);
      return found;
    };
    expect(await statuses()).toEqual([401, 401, 401]);
    const cookie = cookieOf((await visit(url, {}, 'POST', { password: 'correct horse' })).headers);
    expect(await statuses({ cookie })).toEqual([200, 200, 200]);
  });

  it('has what other links have', async () => {
    const { id, url } = await make('Blog', [BLOG]);
    const sharing = `${SHARES}${id}/sharing/`;
    expect((await owner.get(sharing)).body).toMatchObject({ enabled: true, settings: { allowFilters: true } });
    await owner.patch(sharing, { body: { settings: { allowFilters: false } } });
    const asked = only({ key: 'country', value: 'DE' });
    expect((await visit(`${url}.json?${asked}`)).body.overview.totals.visitors.value).toBe(2);
    const { body } = await owner.post(`${sharing}refresh/`, {});
    expect((await visit(`${url}.json`)).status).toBe(404);
    expect((await visit(`/shared/${body.access_token}.json`)).status).toBe(200);
  });
});

describe('what is refused', () => {
  it.each([
    ['no name', { filters: [] }, 'name'],
    ['an empty name', { name: '' }, 'name'],
    ['an unknown key', { name: 'x', filters: [{ key: 'nonsense', value: '1' }] }, 'filters'],
    ['a wrong pattern', { name: 'x', filters: [{ key: 'path', operator: 'regex', value: '(' }] }, 'filters'],
    ['filters that are no list', { name: 'x', filters: 'all' }, 'filters'],
    ['a short password', { name: 'x', password: 'short' }, 'password'],
  ])('is a link with %s', async (_, body, attr) => {
    const { status, body: error } = await owner.post(SHARES, { body });
    expect([status, error.attr]).toEqual([400, attr]);
  });

  it('is a table that does not exist, and a table of something else', async () => {
    const { url } = await make('Site');
    expect((await visit(`${url}/breakdown.json`)).status).toBe(400);
    expect((await visit(`${url}/breakdown.json?by=person`)).status).toBe(400);
    const insight = await owner.post('/api/projects/1/insights/', { body: { name: 'x', filters: {} } });
    const sharing = `/api/projects/1/insights/${insight.body.id}/sharing/`;
    const { access_token: token } = (await owner.patch(sharing, { body: { enabled: true } })).body;
    expect((await visit(`/shared/${token}/breakdown.json?by=page`)).status).toBe(404);
    expect((await visit(`/shared/${token}/overview.csv`)).status).toBe(404);
  });

  it('is a link of another project, and one for those who may only read', async () => {
    const { id } = await make('Site');
    const foreign = await server.createProject({ foreign: true });
    const elsewhere = `/api/projects/${foreign.projectId}/web_analytics/shares/${id}/`;
    expect((await owner.get(elsewhere, { key: foreign.personalKey })).status).toBe(404);
    expect((await owner.delete(elsewhere, { key: foreign.personalKey })).status).toBe(404);
    expect((await owner.get(elsewhere)).status).toBe(404);
    const member = { key: (await addMember(server, 'member@example.org')).personalKey };
    const access = { resource: 'insights', access_level: 21 };
    await owner.post('/api/organizations/@current/resource_access/', { body: access });
    expect((await owner.get(SHARES, member)).status).toBe(200);
    expect((await owner.post(SHARES, { ...member, body: { name: 'x' } })).status).toBe(403);
    expect((await owner.delete(`${SHARES}${id}/`, member)).status).toBe(403);
  });

  it('are more questions of a link than a minute allows', async () => {
    server.setNow('2026-01-15T13:00:00.000Z');
    const { url } = await make('Site');
    const statuses: number[] = [];
    for (let at = 0; at < 125; at++) {
      statuses.push((await visit(`${url}/breakdown.json?by=page&${only({ key: 'city', value: `c${at}` })}`)).status);
    }
    expect([statuses.filter((one) => one === 200).length, statuses.at(-1)]).toEqual([120, 429]);
    server.setNow('2026-01-15T13:01:01.000Z');
    expect((await visit(`${url}.json`)).status).toBe(200);
  });
});
