/** A site through the API: from captured events to the numbers of the page. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { capture } from '../support/capture.ts';
import { type Answer, clientFor } from '../support/client.ts';
import { OpenApi } from '../support/openapi.ts';
import { isWithoutEvents, START, startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let client: ReturnType<typeof clientFor>;
const site = '/api/projects/1/web_analytics';
const days = { date_from: '2026-01-13', date_to: '2026-01-14' };

const view = (who: string, time: string, properties: object = {}) => ({
  event: '$pageview',
  distinct_id: who,
  timestamp: `2026-01-${time}Z`,
  properties: {
    $session_id: `${who}-1`,
    $current_url: 'https://example.com/',
    $pathname: '/',
    $host: 'example.com',
    $referring_domain: '$direct',
    $browser: 'Firefox',
    // Otherwise the user agent of these tests would be that of a bot.
    $lib: 'test',
    ...properties,
  },
});

/** Loads of a page with the time of the largest paint; on a day of their own. */
const loads = (path: string, times: readonly unknown[]) =>
  times.map((time) => ({
    event: '$web_vitals',
    distinct_id: 'vic',
    timestamp: '2026-01-08T10:00:00Z',
    properties: { $pathname: path, $web_vitals_LCP_value: time, $web_vitals_CLS_value: 0.1, $lib: 'test' },
  }));
const VITALS = [
  ...loads('/fast', [100, 200, 300, 400, 500]),
  ...loads('/slow', [5000, 5000, 5000, 5000, 9000, -1, 'slow']),
  ...loads('/seldom', [9000, 9000]),
];

beforeAll(async () => {
  server = await startServer();
  client = clientFor(server);
  const google = { $referring_domain: 'www.google.com', $geoip_country_code: 'DE' };
  await capture(server, server.projectKey, [
    view('ann', '13T10:00:00', google),
    view('ann', '13T10:02:00', { $pathname: '/user/17' }),
    view('bob', '13T11:00:00', google),
    view('cat', '14T09:00:00', { utm_source: '=cmd()', $geoip_country_code: 'CH' }),
    view('bot', '14T09:00:00', { $is_bot: true, $bot_name: 'Googlebot' }),
    view('me', '14T09:00:00', { $host: 'localhost:5173' }),
    view('old', '11T09:00:00'),
    { event: 'signed up', distinct_id: 'ann', timestamp: '2026-01-13T10:01:00Z', properties: {} },
    ...VITALS,
  ]);
});
afterAll(() => server.close());

const ask = async (path: string, fields: object = {}): Promise<Answer['body']> => {
  const { status, body } = await client.post(`${site}/${path}/`, { body: { ...days, ...fields } });
  expect([status, body.detail]).toEqual([200, undefined]);
  return body;
};

describe.skipIf(isWithoutEvents)('web vitals', () => {
  it('have the pages where they are worst, with at least five values', async () => {
    const body = await ask('overview', { date_from: '2026-01-08', date_to: '2026-01-08' });
    const { LCP, CLS, INP } = body.vitals;
    expect(LCP).toEqual({
      p75: 6000,
      band: 'poor',
      n: 12,
      pages: [
        { path: '/slow', p75: 5000, n: 5, band: 'poor' },
        { path: '/fast', p75: 400, n: 5, band: 'good' },
      ],
    });
    expect([CLS.n, CLS.pages.map(({ path }: { path: string }) => path)]).toEqual([14, ['/fast', '/slow']]);
    expect(INP).toEqual({ p75: null, band: null, n: 0, pages: [] });
  });

  it('are those of the sessions that pass', async () => {
    const filters = [{ key: 'country', operator: 'exact', value: 'DE' }];
    const body = await ask('overview', { date_from: '2026-01-08', date_to: '2026-01-08', filters });
    expect(body.vitals.LCP).toEqual({ p75: null, band: null, n: 0, pages: [] });
  });
});

describe.skipIf(isWithoutEvents)('properties of sessions in insights', () => {
  const trend = async (fields: object): Promise<Answer['body']> => {
    const events = [{ id: '$pageview' }];
    const { body } = await client.post('/api/projects/1/insights/trend/', { body: { events, ...days, ...fields } });
    return body.result;
  };
  const counts = (result: { breakdown_value: string; count: number }[]) =>
    Object.fromEntries(result.map(({ breakdown_value: value, count }) => [value, count]));

  it('break down by channel, by the rules of the project as they are now', async () => {
    const byChannel = { breakdown: '$channel_type', breakdown_type: 'session' };
    expect(counts(await trend(byChannel))).toEqual({ 'Organic Search': 3, Direct: 3 });
    const rule = {
      channel: 'Sheets',
      combiner: 'AND',
      items: [{ key: 'utm_source', op: 'icontains', value: ['cmd'] }],
    };
    await client.patch('/api/projects/1/', { body: { web_analytics: { channel_rules: [rule] } } });
    expect(counts(await trend(byChannel))).toEqual({ 'Organic Search': 3, Direct: 2, Sheets: 1 });
    await client.patch('/api/projects/1/', { body: { web_analytics: { channel_rules: [] } } });
  });

  it('filter, and give the bounce rate as an average', async () => {
    const [rate] = await trend({
      events: [{ id: '$pageview', math: 'avg', math_property: '$is_bounce' }],
      properties: [{ key: '$entry_referring_domain', value: 'google', operator: 'icontains', type: 'session' }],
      display: 'BoldNumber',
    });
    expect(rate.aggregated_value).toBe(0.5);
    const [views] = await trend({ properties: [{ key: '$exit_pathname', value: '/user/17', type: 'session' }] });
    expect(views.count).toBe(2);
  });
});

describe.skipIf(isWithoutEvents)('the overview', () => {
  it('counts visitors, views, sessions, bounces and durations, and compares them', async () => {
    const body = await ask('overview', { compare: 'previous_period' });
    expect(body).toMatchObject({
      date_from: '2026-01-13',
      date_to: '2026-01-14',
      interval: 'hour',
      has_data: true,
      left_out: { bots: 1, own: 1, hidden: 0 },
      totals: {
        visitors: { value: 3, previous: 1, change: 200 },
        views: { value: 4, previous: 1, change: 300 },
        sessions: { value: 3, previous: 1, change: 200 },
        bounce_rate: { value: 2 / 3, previous: 1, change: -33 },
        average_duration: { value: 40, previous: 0, change: null },
        new_visitors: { value: 3, previous: 1, change: 200 },
      },
    });
    expect(body.series.days).toHaveLength(48);
    expect(body.series.previous.days[0]).toBe('2026-01-11 00:00:00');
    expect(body.series.views.reduce((sum: number, one: number) => sum + one, 0)).toBe(4);
    const document = await OpenApi.of(server);
    expect(document.problemsOf('GET', `${site}/overview/`, { status: 200, body })).toEqual([]);
  });

  it('ranks channels, sources, pages and countries', async () => {
    const { tables } = await ask('overview');
    expect(tables.channel).toEqual({
      rows: [
        ['Organic Search', { visitors: 2, sessions: 2, bounce_rate: 0.5, average_duration: 60 }],
        ['Direct', { visitors: 1, sessions: 1, bounce_rate: 1, average_duration: 0 }],
      ],
      total: 2,
      more: false,
    });
    expect(tables.source.rows.map(([name]: [string]) => name)).toEqual(['Google', '=cmd()']);
    expect(tables.page.rows).toEqual([
      ['/', { visitors: 3, views: 3 }],
      ['/user/17', { visitors: 1, views: 1 }],
    ]);
    expect(tables.country.rows.map(([name, { visitors }]: [string, { visitors: number }]) => [name, visitors])).toEqual(
      [
        ['DE', 2],
        ['CH', 1],
      ],
    );
  });

  it('is the same as the trend of page views', async () => {
    const body = { ...days, events: [{ id: '$pageview' }, { id: '$pageview', math: 'dau' }], display: 'BoldNumber' };
    const trend = await client.post('/api/projects/1/insights/trend/', { body });
    const { totals } = await ask('overview', { include_bots: true, include_own: true });
    expect([totals.views.value, totals.visitors.value]).toEqual(
      trend.body.result.map((one: { aggregated_value: number }) => one.aggregated_value),
    );
  });

  it('also counts visitors without a person, whom the trend of unique users leaves out', async () => {
    const alone = { $process_person_profile: false };
    await capture(server, server.projectKey, [
      view('anon-1', '03T10:00:00', alone),
      view('anon-2', '03T10:00:00', alone),
      view('eve', '03T10:00:00'),
    ]);
    const day = { date_from: '2026-01-03', date_to: '2026-01-03' };
    const body = { ...day, events: [{ id: '$pageview' }, { id: '$pageview', math: 'dau' }], display: 'BoldNumber' };
    const trend = await client.post('/api/projects/1/insights/trend/', { body });
    expect(trend.body.result.map((one: { aggregated_value: number }) => one.aggregated_value)).toEqual([3, 1]);
    const { totals } = await ask('overview', day);
    expect([totals.views.value, totals.visitors.value]).toEqual([3, 3]);
  });

  it('keeps to sessions that pass the filters', async () => {
    const filters = [{ key: 'source', value: 'Google' }];
    const found = await ask('overview', { filters, goal: 'signed up' });
    expect(found.totals).toMatchObject({ visitors: { value: 2 }, views: { value: 3 }, sessions: { value: 2 } });
    const goal = { id: 'signed up', name: 'signed up', type: 'event', value: 'signed up' };
    expect(found.goals).toEqual([{ ...goal, conversions: 1, converters: 1, rate: 0.5 }]);
    const person = await ask('overview', { filters: [{ key: 'distinct_id', type: 'person', value: 'nobody' }] });
    expect(person.totals).toMatchObject({ visitors: { value: 0 }, bounce_rate: { value: null } });
    const ofPage = await ask('overview', { filters: [{ key: 'path', operator: 'regex', value: ['^/user/\\d+$'] }] });
    expect(ofPage.totals).toMatchObject({ views: { value: 1 }, average_duration: { value: 120 } });
  });

  it('follows the settings of the project at once', async () => {
    const settings = {
      bounce_seconds: 1,
      path_rules: [{ pattern: '/user/\\d+', replacement: '/user/:id' }],
      channel_rules: [
        { channel: 'Partners', combiner: 'AND', items: [{ key: 'utm_source', op: 'icontains', value: 'cmd' }] },
      ],
      hidden_referrers: ['google.com'],
      goals: [{ name: 'Profile', type: 'path', value: '^/user/' }],
    };
    expect((await client.patch('/api/projects/1/', { body: { web_analytics: settings } })).status).toBe(200);
    const hidden = await ask('overview');
    expect(hidden.left_out).toEqual({ bots: 1, own: 1, hidden: 3 });
    expect(hidden.tables.channel.rows.map(([name]: [string]) => name)).toEqual(['Partners']);
    await client.patch('/api/projects/1/', { body: { web_analytics: { hidden_referrers: [] } } });
    const shown = await ask('overview');
    expect(shown.tables.page.rows[1]).toEqual(['/user/:id', { visitors: 1, views: 1 }]);
    expect(shown.goals).toMatchObject([{ name: 'Profile', conversions: 1, converters: 1 }]);
    await client.patch('/api/projects/1/', {
      body: { web_analytics: { bounce_seconds: 10, path_rules: [], channel_rules: [], goals: [] } },
    });
  });
});

describe.skipIf(isWithoutEvents)('a breakdown', () => {
  it('is searched, ordered and cut into pages', async () => {
    const one = await ask('breakdown', { by: 'page', limit: 1 });
    expect(one).toMatchObject({ by: 'page', total: 2, more: true, rows: [['/', { visitors: 3, views: 3 }]] });
    expect((await ask('breakdown', { by: 'page', limit: 1, offset: 1 })).rows[0][0]).toBe('/user/17');
    expect((await ask('breakdown', { by: 'page', search: 'USER' })).rows).toHaveLength(1);
    expect((await ask('breakdown', { by: 'page', order: 'visitors' })).rows[0][0]).toBe('/user/17');
    expect((await ask('breakdown', { by: 'bot' })).rows).toEqual([['Googlebot', { visitors: 1, views: 1 }]]);
    expect((await ask('breakdown', { by: 'region' })).rows[0][0]).toBe('(none)');
  });

  it('is by hour of the week, and by whether visitors are new', async () => {
    const hours = await ask('breakdown', { by: 'hour', order: 'value' });
    // 2026-01-13 was a Tuesday.
    expect(hours.rows.map(([value, { sessions }]: [string, { sessions: number }]) => [value, sessions])).toEqual([
      ['2 10', 1],
      ['2 11', 1],
      ['3 09', 1],
    ]);
    expect((await ask('breakdown', { by: 'new' })).rows).toMatchObject([['true', { visitors: 3, sessions: 3 }]]);
  });

  it('says how often sessions end on a page', async () => {
    const { rows } = await ask('breakdown', { by: 'page' });
    expect(rows[0]).toEqual(['/', { visitors: 3, views: 3, exit_rate: 2 / 3, time_on_page: null, scroll_depth: null }]);
  });

  it('is a CSV file without formulas', async () => {
    const { body } = await client.get(`${site}/breakdown.csv?${new URLSearchParams({ ...days, by: 'utm_source' })}`);
    expect(body.split('\r\n').slice(0, 3)).toEqual([
      'utm_source,visitors,sessions,bounce_rate,average_duration',
      '(none),2,2,0.5,60',
      "'=cmd(),1,1,1,0",
    ]);
    const lines = (await client.get(`${site}/overview.csv?${new URLSearchParams(days)}`)).body.split('\r\n');
    expect([lines[0], lines[11]]).toEqual([
      'day,visitors,views,sessions,bounce_rate,average_duration',
      '2026-01-13 10:00:00,1,2,1,0,120',
    ]);
  });
});

describe.skipIf(isWithoutEvents)('what is behind a number', () => {
  it('are sessions, newest first', async () => {
    const { results } = await ask('sessions', { filters: [{ key: 'channel', value: 'Organic Search' }] });
    expect(results.map(({ id }: { id: string }) => id)).toEqual(['bob-1', 'ann-1']);
    expect(results[1]).toMatchObject({
      start: '2026-01-13T10:00:00Z',
      duration: 120,
      views: 2,
      bounced: false,
      entry: '/',
      exit: '/user/17',
      channel: 'Organic Search',
      source: 'Google',
      country: 'DE',
      device: null,
    });
  });

  it('are persons', async () => {
    const { results } = await ask('people', { filters: [{ key: 'country', value: 'CH' }] });
    expect(results.map(({ distinct_ids }: { distinct_ids: string[] }) => distinct_ids)).toEqual([['cat']]);
  });
});

describe.skipIf(isWithoutEvents)('now', () => {
  it('has the visitors of the last five minutes, and their pages', async () => {
    const now = START;
    await capture(server, server.projectKey, [
      { ...view('liv', '01T00:00:00', { $pathname: '/live' }), timestamp: now },
    ]);
    const { body } = await client.get(`${site}/live/`);
    expect(body).toMatchObject({ visitors: 1, pages: [{ path: '/live', country: null }] });
    expect((await ask('overview')).totals.live).toBe(1);
  });

  it('knows what the events say', async () => {
    const { body } = await client.get(`${site}/status/`);
    expect(body).toMatchObject({ has_data: true, with_session: 1, cookieless: 0 });
    expect(body.hosts).toContain('example.com');
  });
});

describe.skipIf(isWithoutEvents)('bad input', () => {
  it.each([
    [{ date_from: '2026-01-10', date_to: '2026-01-01' }, 'date_from'],
    [{ date_from: 'soon' }, 'date_from'],
    [{ date_from: '1990-01-01', date_to: '2026-01-01' }, 'date_from'],
    [{ compare: 'last' }, 'compare'],
    [{ tables: 'channel,nothing' }, 'tables'],
    [{ filters: [{ key: 'shoe size', value: '1' }] }, 'filters'],
    [{ filters: [{ key: 'source', operator: 'gt', value: '1' }] }, 'filters'],
    [{ filters: [{ key: 'source', operator: 'regex', value: '(' }] }, 'filters'],
    [{ filters: [{ key: 'source', value: 'x'.repeat(401) }] }, 'filters'],
    [{ filters: [{ key: 'source', value: { a: 1 } }] }, 'filters'],
    [{ filters: Array.from({ length: 51 }, () => ({ key: 'source', value: 'x' })) }, 'filters'],
    [{ filters: 'x' }, 'filters'],
  ])('is explained: %j', async (fields, attr) => {
    const { status, body } = await client.post(`${site}/overview/`, { body: { ...days, ...fields } });
    expect([status, body.type, body.attr]).toEqual([400, 'validation_error', attr]);
  });

  it('is explained in breakdowns', async () => {
    const wrong = [{}, { by: 'shoes' }, { by: 'page', limit: 0 }, { by: 'page', order: 'size' }];
    const answers = await Promise.all(wrong.map((body) => client.post(`${site}/breakdown/`, { body })));
    expect(answers.map(({ status, body }) => [status, body.attr])).toEqual([
      [400, 'by'],
      [400, 'by'],
      [400, 'limit'],
      [400, 'order'],
    ]);
  });

  it('of visitors is bounded: absurd referrers, thousands of tags, clocks', async () => {
    const many = Array.from({ length: 1500 }, (_, at) =>
      view(`m${at}`, '05T09:00:00', { utm_source: `tag ${at}`, $session_id: `m${at}` }),
    );
    const odd = [
      view('x1', '05T09:00:00', { $referring_domain: 'x'.repeat(5000), utm_source: '<script>😀' }),
      view('x2', '05T09:00:00', { $referrer: 'http://[::1', $current_url: 'javascript:alert(1)', $pathname: null }),
      { ...view('x3', '05T09:00:00', { $session_id: { a: 1 } }), timestamp: '0001-01-01T00:00:00Z' },
    ];
    await capture(server, server.projectKey, [...many, ...odd]);
    const found = await ask('overview', { date_from: '2026-01-05', date_to: '2026-01-05' });
    expect(found.totals.views.value).toBe(1502);
    expect(found.tables.source).toMatchObject({ total: 1502, more: true });
    expect(found.tables.source.rows).toHaveLength(10);
  });

  it('is no data', async () => {
    const empty = await server.createProject();
    const { body } = await clientFor({ ...empty, url: server.url }).get(
      `/api/projects/${empty.projectId}/web_analytics/overview/`,
    );
    expect(body).toMatchObject({ has_data: false, totals: { visitors: { value: 0 }, bounce_rate: { value: null } } });
  });
});
