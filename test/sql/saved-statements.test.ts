/** Statements that are saved as insights: on dashboards, behind shared links, for alerts. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lastNumber } from '../../src/features/sql/rules/saved-query.ts';
import { capture } from '../support/capture.ts';
import { clientFor } from '../support/client.ts';
import { isEmbedded, startServer, type TestServer } from '../support/server.ts';

const INSIGHTS = '/api/projects/1/insights/';
const SECRET = 'a-word-that-only-members-read';
let server: TestServer;
let client: ReturnType<typeof clientFor>;

beforeAll(async () => {
  server = await startServer({ now: '2026-01-15T12:00:00Z' });
  client = clientFor(server);
  const event = (name: string, day: number, properties = {}) => ({
    event: name,
    distinct_id: 'ann@example.org',
    timestamp: `2026-01-${day}T09:00:00Z`,
    properties,
  });
  await capture(server, server.projectKey, [
    event('bought', 10, { plan: 'pro', amount: 5 }),
    event('bought', 14, { plan: 'free', amount: 20, $set: { team: 'red' } }),
    event('bought', 15, { plan: 'pro', amount: 30 }),
  ]);
});
afterAll(() => server.close());

const BY_DAY = `select toDate(timestamp) as day, count() as n from events where {filters} and '${SECRET}' <> '' group by day order by day`;
const node = (query: string, more: Record<string, unknown> = {}) => ({
  kind: 'DataVisualizationNode',
  source: { kind: 'HogQLQuery', query, ...more },
  display: 'ActionsLineGraph',
});
const save = (query: unknown, more: Record<string, unknown> = {}) =>
  client.post(INSIGHTS, { body: { name: 'By day', query, saved: true, ...more } });

describe.skipIf(!isEmbedded)('a saved statement', () => {
  it('is kept as PostHog sends it, and answered when it is asked for', async () => {
    const { status, body } = await save(node(BY_DAY));
    expect([status, body.query, body.filters, body.result]).toEqual([201, node(BY_DAY), {}, null]);
    const shown = (await client.get(`${INSIGHTS}${body.id}/?refresh=true`)).body;
    expect(shown).toMatchObject({
      result: [
        ['2026-01-10', 1],
        ['2026-01-14', 1],
        ['2026-01-15', 1],
      ],
      columns: ['day', 'n'],
      types: [
        ['day', 'Date'],
        ['n', 'UInt64'],
      ],
      hasMore: false,
      is_cached: false,
    });
    expect(lastNumber({ types: shown.types, results: shown.result })).toBe(1);
    const listed = (await client.get(`${INSIGHTS}?insight=SQL`)).body;
    expect(listed.results.map(({ id }: { id: number }) => id)).toEqual([body.id]);
  });

  it('is a CSV or a Parquet file, of all its rows', async () => {
    const { body } = await save(node(`select event, count() as n, '=1' as formula from events group by event`), {
      name: 'Été: "bought"',
    });
    const fileOf = (format: string) =>
      fetch(`${server.url}${INSIGHTS}${body.id}/?format=${format}`, {
        headers: { authorization: `Bearer ${server.personalKey}` },
      });
    const csv = await fileOf('csv');
    expect([csv.status, csv.headers.get('content-disposition')]).toEqual([200, 'attachment; filename="t-bought.csv"']);
    expect(await csv.text()).toBe(`event,n,formula\r\nbought,3,'=1\r\n`);
    const parquet = await fileOf('parquet');
    expect(parquet.headers.get('content-type')).toBe('application/vnd.apache.parquet');
    const bytes = Buffer.from(await parquet.arrayBuffer());
    expect([bytes.length, bytes.subarray(0, 4).toString()]).toEqual([
      Number(parquet.headers.get('content-length')),
      'PAR1',
    ]);
    expect((await fileOf('other')).headers.get('content-type')).toContain('json');
    const trend = await client.post(INSIGHTS, {
      body: { name: 'Trend', filters: { insight: 'TRENDS', events: [{ id: 'bought' }] } },
    });
    expect((await client.get(`${INSIGHTS}${trend.body.id}/?format=csv`)).body.id).toBe(trend.body.id);
  });

  it('gets the node around it, and is replaced by filters', async () => {
    const { body } = await save({ kind: 'HogQLQuery', query: 'select 1 as one' });
    expect(body.query).toEqual({
      kind: 'DataVisualizationNode',
      source: { kind: 'HogQLQuery', query: 'select 1 as one' },
    });
    const renamed = await client.patch(`${INSIGHTS}${body.id}/`, { body: { name: 'One' } });
    expect(renamed.body.query).toEqual(body.query);
    const changed = await client.patch(`${INSIGHTS}${body.id}/`, {
      body: { filters: { insight: 'TRENDS', events: [{ id: 'bought' }] } },
    });
    expect([changed.status, changed.body.query]).toEqual([200, null]);
  });

  it.each([
    [{ kind: 'HogQLQuery', query: 'select nope from events' }, 'column_unknown', 'query.query'],
    [{ kind: 'HogQLQuery', query: 'select * from event_rows' }, 'table_not_allowed', 'query.query'],
    [{ kind: 'TrendsQuery' }, 'query_kind_unsupported', 'query.kind'],
    ['select 1', 'invalid_input', 'query'],
  ])('is not saved as %j', async (query, code, attr) => {
    const { status, body } = await save(query);
    expect([status, body.code, body.attr]).toEqual([400, code, attr]);
  });

  it.each([
    [[{ key: 'plan', value: 'pro' }], 2],
    [[{ key: 'plan', value: ['pro', 'free'], operator: 'exact' }], 3],
    [[{ key: 'plan', value: 'PR', operator: 'icontains' }], 2],
    [[{ key: 'plan', value: '^f', operator: 'regex' }], 1],
    [[{ key: 'amount', value: '6', operator: 'gt' }], 2],
    [[{ key: 'other', value: 'x', operator: 'is_not' }], 3],
    [[{ key: 'amount', value: 'is_set', operator: 'is_set' }], 3],
    [[{ key: 'team', value: 'red', type: 'person' }], 3],
    [
      {
        type: 'OR',
        values: [
          { key: 'plan', value: 'free' },
          { key: 'amount', value: 5 },
        ],
      },
      2,
    ],
    [[{ key: `x"') or (1=1`, value: `' or 1=1 --` }], 0],
  ])('counts the property filters %j', async (properties, expected) => {
    const query = { kind: 'HogQLQuery', query: 'select count() as n from events where {filters}' };
    const { body } = await client.post('/api/projects/1/query/', {
      body: { query: { ...query, filters: { properties } } },
    });
    expect(body.results).toEqual([[expected]]);
  });

  it('has the dates and filters of its dashboard', async () => {
    const { id } = (await save(node(BY_DAY))).body;
    const dashboard = await client.post('/api/projects/1/dashboards/', {
      body: {
        name: 'Sales',
        filters: { date_from: '2026-01-14', properties: [{ key: 'plan', value: 'pro', type: 'event' }] },
      },
    });
    await client.patch(`${INSIGHTS}${id}/`, { body: { dashboards: [dashboard.body.id] } });
    const shown = await client.get(`/api/projects/1/dashboards/${dashboard.body.id}/?refresh=true`);
    expect(shown.body.tiles[0].insight).toMatchObject({ result: [['2026-01-15', 1]], columns: ['day', 'n'] });
  });

  it('shows visitors its rows and not its text, nor who somebody is', async () => {
    const share = async (query: string) => {
      const { id } = (await save(node(query))).body;
      const { body } = await client.patch(`${INSIGHTS}${id}/sharing/`, { body: { enabled: true } });
      const response = await fetch(`${server.url}/shared/${body.access_token}.json`);
      const text = await response.text();
      expect(text).not.toContain(SECRET);
      expect(text).not.toContain('select');
      expect(text).not.toContain('example.org');
      return JSON.parse(text).tiles[0].insight;
    };
    expect(await share(BY_DAY)).toMatchObject({
      query: { kind: 'DataVisualizationNode', display: 'ActionsLineGraph' },
      columns: ['day', 'n'],
      result: [
        ['2026-01-10', 1],
        ['2026-01-14', 1],
        ['2026-01-15', 1],
      ],
    });
    expect(await share('select distinct_id as who from events limit 1')).toMatchObject({ result: [['•••']] });
    expect(await share('select distinct_id from events')).toMatchObject({ result: null });
  });

  it('is kept for other readers until something changes', async () => {
    const { id } = (await save(node('select count() as n from events'))).body;
    const result = async () => (await client.get(`${INSIGHTS}${id}/?refresh=true`)).body.result;
    const before = Number((await result())[0][0]);
    await capture(server, server.projectKey, [{ event: 'bought', distinct_id: 'bob', properties: {} }]);
    server.setNow('2026-01-15T12:05:00Z');
    await expect.poll(result).toEqual([[before + 1]]);
  });
});

describe('the number that an alert watches', () => {
  const types = [
    ['day', 'Date'],
    ['n', 'UInt64'],
    ['x', 'Float64'],
  ];
  it.each([
    [
      [
        ['a', 1, 2],
        ['b', 3, 4],
      ],
      3,
    ],
    [[['a', '9007199254740993', 0]], 9007199254740992],
    [[['a', null, 1]], null],
    [[], null],
  ])('of %j is %j', (results, expected) => {
    expect(lastNumber({ types, results })).toBe(expected);
  });
  it('is none where no column has numbers', () => {
    expect(lastNumber({ types: [['a', 'String']], results: [['1']] })).toBeNull();
  });
});
