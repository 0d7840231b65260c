/** Rules at the edges of insights, over HTTP: rolling hours, attribution in unordered funnels, the future, bad filters. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { capture, type SentEvent } from '../support/capture.ts';
import { clientFor } from '../support/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let client: ReturnType<typeof clientFor>;

const at = (event: string, distinct_id: string, timestamp: string, b?: string): SentEvent => ({
  event,
  distinct_id,
  timestamp,
  properties: b === undefined ? {} : { b },
});

beforeAll(async () => {
  server = await startServer({ now: '2020-02-20T12:00:00Z' });
  client = clientFor(server);
  await capture(server, server.projectKey, [
    at('rolling', 'ann', '2020-01-09T12:30:00Z'),
    at('sign up', 'p1', '2020-01-02T10:00:00Z', 'Chrome'),
    at('buy', 'p1', '2020-01-02T11:00:00Z'),
    at('sign up', 'p2', '2020-01-02T10:00:00Z'),
    at('buy', 'p2', '2020-01-02T11:00:00Z', 'Safari'),
    at('sign up', 'p3', '2020-01-02T10:00:00Z', 'Mac'),
    at('buy', 'p3', '2020-01-02T11:00:00Z'),
  ]);
});
afterAll(() => server.close());

const ask = async (path: string, body: object) => {
  const answer = await client.post(`/api/projects/1/insights/${path}/`, { body });
  expect([answer.status, answer.body.detail]).toEqual([200, undefined]);
  return answer.body.result;
};

interface Person {
  distinct_ids: string[];
}
const peopleAt = async (url: string): Promise<string[]> => {
  const { status, body } = await client.get(url.startsWith('/') ? url : `/${url}`);
  expect(status).toBe(200);
  return body.results[0].people.flatMap((person: Person) => person.distinct_ids).sort();
};

describe('active users by hour', () => {
  const byHour = { interval: 'hour', date_from: '2020-01-09T00:00:00', date_to: '2020-02-12T00:00:00' };

  it.each([
    ['weekly_active', '2020-01-16 12:00:00'],
    ['monthly_active', '2020-02-08 12:00:00'],
  ])('count as %s from the hour of their event until %s', async (math, last) => {
    const [item] = await ask('trend', { ...byHour, events: [{ id: 'rolling', math }] });
    const days = item.days.filter((_: string, index: number) => item.data[index] === 1);
    expect([days[0], days.at(-1)]).toEqual(['2020-01-09 12:00:00', last]);
    expect(days).toHaveLength((Date.parse(`${last}Z`) - Date.parse('2020-01-09T12:00:00Z')) / 3_600_000 + 1);
  });

  it('have the persons behind each hour', async () => {
    const [item] = await ask('trend', { ...byHour, events: [{ id: 'rolling', math: 'weekly_active' }] });
    const people = (day: string) => peopleAt(item.persons_urls[item.days.indexOf(day)].url);
    expect(await people('2020-01-09 11:00:00')).toEqual([]);
    expect(await people('2020-01-09 12:00:00')).toEqual(['ann']);
    expect(await people('2020-01-16 12:00:00')).toEqual(['ann']);
    expect(await people('2020-01-16 13:00:00')).toEqual([]);
  });
});

interface Step {
  breakdown_value: string[];
  count: number;
  converted_people_url: string;
  dropped_people_url: string | null;
}

describe('an unordered funnel by a property', () => {
  const funnel = {
    events: [
      { id: 'sign up', order: 0 },
      { id: 'buy', order: 1 },
    ],
    date_from: '2020-01-01',
    date_to: '2020-01-08',
    funnel_order_type: 'unordered',
    breakdown: 'b',
    breakdown_type: 'event',
  };
  const countsOf = (groups: Step[][]) =>
    Object.fromEntries(groups.map((steps) => [steps[0]?.breakdown_value.join(), steps.map(({ count }) => count)]));

  it.each([
    [
      { breakdown_attribution_type: 'step', breakdown_attribution_value: 1 },
      { '': [3, 2], Chrome: [1, 0], Mac: [1, 0], Safari: [1, 1] },
    ],
    [
      { breakdown_attribution_type: 'step', breakdown_attribution_value: 0 },
      { '': [3, 1], Chrome: [1, 1], Mac: [1, 1], Safari: [1, 0] },
    ],
    [{ breakdown_attribution_type: 'first_touch' }, { Chrome: [1, 1], Mac: [1, 1], Safari: [1, 1] }],
    [{ breakdown_attribution_type: 'last_touch' }, { Chrome: [1, 1], Mac: [1, 1], Safari: [1, 1] }],
    [{ breakdown_attribution_type: 'all_events' }, { '': [3, 0], Chrome: [1, 0], Mac: [1, 0], Safari: [1, 0] }],
  ])('attributes by %j, and lists the persons whom it counts', async (attribution, wanted) => {
    const groups: Step[][] = await ask('funnel', { ...funnel, ...attribution });
    expect(countsOf(groups)).toEqual(wanted);
    for (const steps of groups) {
      for (const [index, step] of steps.entries()) {
        expect(await peopleAt(step.converted_people_url)).toHaveLength(step.count);
        if (step.dropped_people_url === null) continue;
        expect(await peopleAt(step.dropped_people_url)).toHaveLength((steps[index - 1]?.count ?? 0) - step.count);
      }
    }
  });

  it.each([
    ['ordered', { '': [2, 2], Safari: [1, 1] }],
    ['strict', { '': [2, 2], Safari: [1, 1] }],
  ])('has no rotation where it is %s', async (order, wanted) => {
    const attribution = { breakdown_attribution_type: 'step', breakdown_attribution_value: 1 };
    expect(countsOf(await ask('funnel', { ...funnel, ...attribution, funnel_order_type: order }))).toEqual(wanted);
  });
});

describe('dates in the future', () => {
  const future = { date_from: '2020-03-01', events: [{ id: 'buy' }, { id: 'sign up', order: 1 }] };
  const noPoints = { count: 0, data: [], labels: [], days: [] };

  it.each([{}, { interval: 'hour' }, { interval: 'week' }, { interval: 'month' }, { compare: true }])(
    'give trends, stickiness and lifecycle without points: %j',
    async (fields) => {
      for (const insight of ['TRENDS', 'STICKINESS', 'LIFECYCLE']) {
        const items = await ask('trend', { ...future, ...fields, insight });
        expect(items.length).toBeGreaterThan(0);
        for (const item of items) expect(item).toMatchObject(noPoints);
      }
    },
  );

  it.each([
    { breakdown: 'b' },
    { breakdown: 'b', breakdown_histogram_bin_count: 3 },
    { formula: 'A + B' },
    { display: 'ActionsPie' },
    { display: 'ActionsLineGraphCumulative' },
    { display: 'BoldNumber', events: [{ id: 'buy', math: 'weekly_active' }] },
    { events: [{ id: 'buy', math: 'dau' }] },
    { events: [{ id: 'buy', math: 'monthly_active' }], interval: 'hour' },
    { events: [{ id: 'buy', math: 'avg_count_per_actor' }] },
    { events: [{ id: 'buy', math: 'p90', math_property: '$session_duration' }] },
  ])('give trends nothing to count: %j', async (fields) => {
    for (const item of await ask('trend', { ...future, ...fields })) expect(item.data).toEqual([]);
  });

  it('give the other kinds their empty answer', async () => {
    expect((await ask('funnel', future)).map(({ count }: Step) => count)).toEqual([0, 0]);
    expect(await ask('funnel', { ...future, breakdown: 'b', breakdown_type: 'event' })).toEqual([]);
    const [trend] = await ask('funnel', { ...future, funnel_viz_type: 'trends' });
    expect(trend).toMatchObject({ count: 0, data: [], days: [], labels: [] });
    expect(await ask('funnel', { ...future, funnel_viz_type: 'time_to_convert' })).toMatchObject({ bins: [] });
    expect(await ask('path', future)).toEqual([]);
    expect(await ask('funnel/correlation', future)).toEqual({ events: [], skewed: true });
    const rows = await ask('retention', { ...future, target_entity: { id: 'buy' } });
    expect(rows).toHaveLength(11);
  });

  it('give no persons', async () => {
    const query = new URLSearchParams({ date_from: '2020-03-01', entity_id: 'buy', events: '[{"id":"buy"}]' });
    const more =
      '&stickiness_days=1&target_date=2020-03-01&lifecycle_type=new&funnel_step=1&funnel_correlation_person_entity={"id":"x"}';
    for (const path of ['trends', 'stickiness', 'lifecycle', 'funnel', 'path', 'funnel/correlation']) {
      const { status, body } = await client.get(`/api/projects/1/persons/${path}/?${query}${more}`);
      expect([path, status, body.results?.[0].people]).toEqual([path, 200, []]);
    }
  });

  it('are no excuse for a range that ends before it begins', async () => {
    const { status, body } = await client.get(
      '/api/projects/1/insights/trend/?date_from=2020-02-01&date_to=2020-01-01',
    );
    expect([status, body.attr]).toEqual([400, 'date_from']);
  });
});

describe('properties that cannot be read', () => {
  const P = '/api/projects/1';
  const WRONG = { type: 'validation_error', code: 'invalid_input', detail: 'Properties are unparsable!', attr: null };

  it.each([
    ...[
      'trend/',
      'trend/?insight=LIFECYCLE',
      'trend/?insight=STICKINESS',
      'funnel/',
      'funnel/correlation/',
      'retention/',
      'path/',
    ].map((path) => `${P}/insights/${path}`),
    ...[
      '',
      'trends/?entity_id=buy',
      'funnel/?funnel_step=1',
      'retention/',
      'path/',
      'stickiness/?entity_id=buy&stickiness_days=1',
      'lifecycle/?target_date=-1d&lifecycle_type=new',
    ].map((path) => `${P}/persons/${path}`),
    `${P}/events/`,
    `${P}/groups/?group_type_index=0`,
  ])('are an error of the whole request at %s', async (path) => {
    const { status, body } = await client.get(`${path}${path.includes('?') ? '&' : '?'}properties={`);
    expect([status, body]).toEqual([400, WRONG]);
  });

  it('also in a series', async () => {
    const body = { events: [{ id: 'buy', properties: 5 }] };
    for (const path of ['trend', 'funnel']) {
      const answer = await client.post(`${P}/insights/${path}/`, { body });
      expect([answer.status, answer.body]).toEqual([400, WRONG]);
    }
  });
});
