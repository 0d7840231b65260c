/** Insights and their persons as CSV, of a started server. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { capture } from '../support/capture.ts';
import { clientFor } from '../support/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let client: ReturnType<typeof clientFor>;
beforeAll(async () => {
  server = await startServer();
  client = clientFor(server);
  const event = (name: string, who: string, time: string) => ({
    event: name,
    distinct_id: who,
    timestamp: `2026-01-${time}:00Z`,
    properties: { plan: who === 'ann' ? 'pro, "plus"' : 'free', $set: { email: `${who}@example.org` } },
  });
  await capture(server, server.projectKey, [
    event('visit', 'ann', '13T10:00'),
    event('visit', 'ann', '14T10:00'),
    event('visit', 'bob', '14T10:00'),
    event('paid', 'ann', '14T10:10'),
    { ...event('=cmd()', '@bad', '12T10:00'), properties: { plan: '+x', $set: { email: '=1+1' } } },
  ]);
});
afterAll(() => server.close());

const dates = { date_from: '2026-01-13', date_to: '2026-01-14' };
const query = (fields: object): string =>
  new URLSearchParams(
    Object.entries({ ...dates, ...fields }).map(([name, value]): [string, string] => [
      name,
      typeof value === 'object' ? JSON.stringify(value) : String(value),
    ]),
  ).toString();
const table = async (path: string, fields: object): Promise<string[]> => {
  const { status, body, headers } = await client.get(`/api/projects/1/${path}?${query({ format: 'csv', ...fields })}`);
  expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
  expect(body === '' || body.endsWith('\r\n')).toBe(true);
  return body.split('\r\n').slice(0, -1);
};
const visits = { events: [{ id: 'visit' }] };
const steps = {
  events: [
    { id: 'visit', order: 0 },
    { id: 'paid', order: 1 },
  ],
};

const CASES: [string, string, object, string[]][] = [
  ['a trend', 'insights/trend/', visits, ['series,13-Jan-2026,14-Jan-2026', 'visit,1.0,2.0']],
  [
    'a trend in parts, with commas and quotes',
    'insights/trend/',
    { ...visits, breakdown: 'plan' },
    ['series,13-Jan-2026,14-Jan-2026', '"visit - pro, ""plus""",1.0,1.0', 'visit - free,0.0,1.0'],
  ],
  [
    'a trend of two periods',
    'insights/trend/',
    { ...visits, compare: true },
    ['series,day 0,day 1', 'visit - current,1.0,2.0', 'visit - previous,0.0,0.0'],
  ],
  ['a total', 'insights/trend/', { ...visits, display: 'BoldNumber' }, ['series,total count', 'visit,3.0']],
  ['no series', 'insights/trend/', {}, ['series']],
  ['stickiness', 'insights/trend/', { ...visits, insight: 'STICKINESS' }, ['series,1 day,2 days', 'visit,1.0,1.0']],
  [
    'retention',
    'insights/retention/',
    { target_entity: { id: 'visit' }, total_intervals: 2 },
    ['cohort,cohort size,Day 1', '2026-01-13T00:00:00Z,1,1', '2026-01-14T00:00:00Z,2,'],
  ],
  [
    'retention in parts',
    'insights/retention/',
    { target_entity: { id: 'paid' }, total_intervals: 2, breakdowns: [{ property: 'plan', type: 'event' }] },
    ['cohort,cohort size,Period 1', '"pro, ""plus""",1,0'],
  ],
  [
    'a funnel',
    'insights/funnel/',
    steps,
    [
      'name,breakdown_value,action_id,count,median_conversion_time (seconds),average_conversion_time (seconds)',
      'visit,,visit,2,,',
      'paid,,paid,1,43800,43800',
    ],
  ],
  [
    'a funnel in parts',
    'insights/funnel/',
    { ...steps, breakdown: 'plan', events: [{ id: 'visit' }] },
    [
      'name,breakdown_value,action_id,count,median_conversion_time (seconds),average_conversion_time (seconds)',
      'visit,free,visit,1,,',
      'visit,"pro, ""plus""",visit,1,,',
    ],
  ],
  [
    'a funnel over time',
    'insights/funnel/',
    { ...steps, funnel_viz_type: 'trends' },
    ['series,13-Jan-2026,14-Jan-2026', 'percent,100,50'],
  ],
  [
    'the times of a funnel',
    'insights/funnel/',
    { ...steps, funnel_viz_type: 'time_to_convert', bin_count: 1 },
    ['from (seconds),persons', '43800,1', '43860,0'],
  ],
  ['paths', 'insights/path/', {}, ['source,target,value,average_conversion_time', '1_visit,2_paid,1,600000']],
  [
    'a correlation',
    'insights/funnel/correlation/',
    { ...steps, funnel_correlation_type: 'properties', funnel_correlation_names: ['email'] },
    [
      'event,success_count,failure_count,odds_ratio,correlation_type',
      'email::ann@example.org,1,0,4,success',
      'email::bob@example.org,0,1,0.25,failure',
    ],
  ],
];

describe('as CSV', () => {
  it.each(CASES)('is %s', async (_name, path, fields, lines) => {
    const found = await table(path, fields);
    expect([found[0], ...found.slice(1).sort()]).toEqual([lines[0], ...lines.slice(1).sort()]);
  });

  it('has the names that were given to series', async () => {
    const named = {
      events: [
        { id: 'visit', custom_name: 'Visits of people' },
        { id: 'paid', order: 1 },
      ],
    };
    const rows = async (fields: object) => (await table('insights/trend/', { ...named, ...fields })).slice(1);
    expect(await rows({})).toEqual(['Visits of people,1.0,2.0', 'paid,0.0,1.0']);
    expect(await rows({ breakdown: 'plan' })).toEqual([
      '"Visits of people - pro, ""plus""",1.0,1.0',
      'Visits of people - free,0.0,1.0',
      '"paid - pro, ""plus""",0.0,1.0',
    ]);
    expect(await rows({ compare: true })).toContain('Visits of people - current,1.0,2.0');
    expect(await rows({ display: 'BoldNumber' })).toEqual(['Visits of people,3.0', 'paid,1.0']);
    expect(await rows({ insight: 'STICKINESS' })).toEqual(['Visits of people,1.0,1.0', 'paid,1.0,0.0']);
    expect((await rows({ insight: 'LIFECYCLE' }))[0]).toMatch(/^Visits of people - new,/);
    const steps = await table('insights/funnel/', named);
    expect(steps.map((row) => row.split(',')[0])).toEqual(['name', 'Visits of people', 'paid']);
  });

  it('has no cells that a spreadsheet would run, unless they are asked for', async () => {
    const day = { date_from: '2026-01-12', date_to: '2026-01-12' };
    const bad = { events: [{ id: '=cmd()' }], ...day };
    expect((await table('insights/trend/', bad))[1]).toBe("'=cmd(),1.0");
    expect((await table('insights/trend/', { ...bad, raw: true }))[1]).toBe('=cmd(),1.0');
    const { body } = await client.get(`/api/projects/1/insights/trend.csv?${query({ ...bad, raw: '' })}`);
    expect(body).toContain('\r\n=cmd(),1.0');
    const [, status] = await table('insights/trend/', { ...bad, insight: 'LIFECYCLE' });
    expect(status).toMatch(/^'=cmd\(\) - new,/);
    const people = await table('persons/trends/', { ...bad, entity_id: '=cmd()' });
    expect(people[1]).toContain("'@bad,");
    expect(people[1]).toContain("'=1+1,");
    expect((await table('persons/trends/', { ...bad, entity_id: '=cmd()', raw: true }))[1]).not.toContain("'");
    // Dormant persons are negative numbers, and stay numbers.
    const dormant = await table('insights/trend/', { ...visits, insight: 'LIFECYCLE', date_to: '2026-01-15' });
    expect(dormant.find((row) => row.includes('dormant'))).toBe('visit - dormant,0.0,0.0,-2.0');
  });

  it('works with a body, too', async () => {
    const { body } = await client.post('/api/projects/1/insights/trend/?format=csv', { body: { ...visits, ...dates } });
    expect(body).toBe('series,13-Jan-2026,14-Jan-2026\r\nvisit,1.0,2.0\r\n');
  });

  it('trends are also at trend.csv, with a file name and the address of the insight', async () => {
    const asked = query({ ...visits, export_name: 'Visits & "more"', export_insight_id: 'a1b2c3d4' });
    const { body, headers } = await client.get(`/api/projects/1/insights/trend.csv?${asked}`);
    const [first, ...rest] = body.split('\r\n');
    expect(first).toBe(`${new URL(server.url).origin}/insights/a1b2c3d4/`);
    expect(rest.slice(0, 2)).toEqual(['series,13-Jan-2026,14-Jan-2026', 'visit,1.0,2.0']);
    expect(headers.get('content-disposition')).toBe('attachment; filename="visits-more (2026-01-13 - 2026-01-14).csv"');
  });

  it('bad input is refused as JSON', async () => {
    const { status, body } = await client.get(`/api/projects/1/insights/trend.csv?${query({ interval: 'eon' })}`);
    expect([status, body.attr]).toEqual([400, 'interval']);
    expect((await client.get('/api/projects/1/insights/trend/?format=xml')).status).toBe(404);
  });
});

describe('the persons behind a number, as CSV', () => {
  const day = { date_from: '2026-01-14', date_to: '2026-01-14' };
  const PEOPLE: [string, string, object, string[]][] = [
    ['a trend', 'trends', { ...visits, ...day, entity_id: 'visit' }, ['ann', 'bob']],
    ['stickiness', 'stickiness', { ...visits, entity_id: 'visit', stickiness_days: 2 }, ['ann']],
    ['a lifecycle', 'lifecycle', { ...visits, target_date: '2026-01-14', lifecycle_type: 'new' }, ['bob']],
    [
      'retention',
      'retention',
      { target_entity: { id: 'visit' }, total_intervals: 2, selected_interval: 1 },
      ['ann', 'bob'],
    ],
    ['a funnel', 'funnel', { ...steps, funnel_step: -2 }, ['bob']],
    [
      'a correlation',
      'funnel/correlation',
      { ...steps, funnel_correlation_person_entity: { id: 'paid', type: 'events' } },
      [],
    ],
    ['paths', 'path', { path_start_key: '1_visit' }, ['ann']],
  ];
  it.each(PEOPLE)('of %s', async (_name, path, fields, people) => {
    for (const prefix of ['/api/projects/1/persons', '/api/person']) {
      const { status, body, headers } = await client.get(`${prefix}/${path}/?${query({ format: 'csv', ...fields })}`);
      expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
      const [head = '', ...rows] = body.split('\r\n').slice(0, -1);
      const column = head.split(',').findIndex((name: string) => /(^|\.)properties\.email$/.test(name));
      expect(rows.map((row: string) => row.split(',')[column]?.split('@')[0]).sort()).toEqual(people);
    }
  });
});
