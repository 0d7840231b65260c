/** Trends, lifecycle, stickiness and retention over HTTP: answers, links, bad input, other projects. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { capture, type SentEvent } from '../support/capture.ts';
import { clientFor } from '../support/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let client: ReturnType<typeof clientFor>;

const at = (day: number, hour = 10): string => `2026-01-${String(day).padStart(2, '0')}T${hour}:30:00Z`;
const visit = (who: string, day: number, properties: object = {}): SentEvent => ({
  event: 'visit',
  distinct_id: who,
  timestamp: at(day),
  properties: { ...properties, $set: { team: who < 'c' ? 'red' : 'blue' } },
});

beforeAll(async () => {
  server = await startServer();
  client = clientFor(server);
  const personless = { $process_person_profile: false };
  await capture(server, server.projectKey, [
    visit('ann', 9, { plan: 'pro', amount: 3, $groups: { company: 'acme' } }),
    visit('ann', 10, { plan: 'pro', amount: 5, $groups: { company: 'acme' } }),
    visit('ann', 10, { plan: 'free', amount: 2 }),
    visit('bob', 10, { plan: 'free', $groups: { company: 'initech' } }),
    visit('bob', 12, { amount: 8 }),
    visit('cyd', 12, { plan: '', amount: 1 }),
    visit('cyd', 13, { plan: null }),
    visit('dan', 15, { plan: 'pro' }),
    { event: 'visit', distinct_id: 'nobody', timestamp: at(12), properties: { plan: 'pro', ...personless } },
    { event: '$identify', distinct_id: 'ann', timestamp: at(14), properties: { $anon_distinct_id: 'early' } },
  ]);
});
afterAll(() => server.close());

const path = (rest: string): string => `/api/projects/${server.projectId}/${rest}`;
const ask = async (fields: object, of = 'trend') => {
  const { status, body } = await client.post(path(`insights/${of}/`), { body: fields });
  expect([status, body.detail]).toEqual([200, undefined]);
  return body;
};
const get = async (url: string) => {
  const { status, body } = await client.get(url.startsWith('/') ? url : `/${url}`);
  expect([status, body.detail]).toEqual([200, undefined]);
  return body;
};
const visits = (over: object = {}) => ({ events: [{ id: 'visit', ...over }], date_from: '2026-01-09' });

describe('a trend', () => {
  it('has the fields that clients expect', async () => {
    const body = await ask({ ...visits({ math: 'dau', name: 'Visits', properties: [] }), date_to: '2026-01-10' });
    expect(body).toMatchObject({ timezone: 'UTC', is_cached: false, last_refresh: '2026-01-15T12:00:00Z', next: null });
    const [{ persons_urls: links, ...item }] = body.result;
    expect(item).toEqual({
      action: {
        id: 'visit',
        type: 'events',
        order: 0,
        name: 'Visits',
        custom_name: null,
        math: 'dau',
        math_property: null,
        math_group_type_index: null,
        properties: [],
      },
      label: 'Visits',
      count: 3,
      data: [1, 2],
      labels: ['9-Jan-2026', '10-Jan-2026'],
      days: ['2026-01-09', '2026-01-10'],
      filter: {
        events: [{ id: 'visit', math: 'dau', name: 'Visits', properties: [] }],
        date_from: '2026-01-09',
        date_to: '2026-01-10',
      },
    });
    expect(links).toHaveLength(2);
    expect(links[1].url).toMatch(/^api\/projects\/1\/persons\/trends\/\?events=/);
    expect(links[1].filter).toMatchObject({
      entity_id: 'visit',
      entity_math: 'dau',
      date_from: '2026-01-10T00:00:00.000Z',
    });
  });

  it('names cohorts of a breakdown however they are listed', async () => {
    const groups = [{ properties: [{ key: 'team', value: 'red', type: 'person' }] }];
    const { body: cohort } = await client.post(path('cohorts/'), { body: { name: 'Red team', groups } });
    await server.settleCohorts();
    for (const over of [
      { breakdown: [cohort.id], breakdown_type: 'cohort' },
      { breakdowns: [{ property: cohort.id, type: 'cohort' }] },
    ]) {
      const { result } = await ask({ ...visits(), ...over });
      expect(result.map(({ label }: { label: string }) => label)).toEqual(['visit - Red team']);
    }
  });

  it('gives the same answer to GET', async () => {
    const query = new URLSearchParams({ events: JSON.stringify(visits().events), date_from: '2026-01-09' });
    const got = await client.get(path(`insights/trend/?${query}`));
    expect({ ...got.body, is_cached: true }).toEqual(await ask(visits()));
    expect(got.body.result[0].data).toEqual([1, 3, 0, 3, 1, 0, 1]);
  });

  it('counts events without a person, but no person for them', async () => {
    const day = { date_from: '2026-01-12', date_to: '2026-01-12', display: 'BoldNumber' };
    const number = async (math: string) => (await ask({ ...visits({ math }), ...day })).result[0].aggregated_value;
    expect([await number('total'), await number('dau')]).toEqual([3, 2]);
  });

  it('uses persons as they are now, after changes and merges', async () => {
    const byTeam = async () => {
      const { result } = await ask({ ...visits({ math: 'dau' }), breakdown: 'mood', breakdown_type: 'person' });
      return result.map((item: { label: string; count: number }) => [item.label, item.count]);
    };
    await capture(server, server.projectKey, [
      { event: 'other', distinct_id: 'eve', properties: { $set: { mood: 'good' } } },
      { event: 'visit', distinct_id: 'eve', timestamp: at(8) },
    ]);
    expect(await byTeam()).toEqual([['visit - none', 7]]);
    await capture(server, server.projectKey, [
      { event: '$identify', distinct_id: 'dan', timestamp: at(15), properties: { $anon_distinct_id: 'eve' } },
    ]);
    expect(await byTeam()).toEqual([
      ['visit - none', 6],
      ['visit - good', 1],
    ]);
  });
});

interface Link {
  url: string;
}
interface Item {
  label: string;
  data: number[];
  persons_urls: Link[];
  persons: Link;
  aggregated_value: number;
}

const countOf = async ({ url }: Link): Promise<number> => {
  const { results } = await get(url);
  expect(results[0].people).toHaveLength(results[0].count);
  return results[0].count;
};

const QUESTIONS: [string, object][] = [
  ['dau by day', visits({ math: 'dau' })],
  ['dau by week', { ...visits({ math: 'dau' }), interval: 'week' }],
  ['weekly actives', visits({ math: 'weekly_active' })],
  ['cumulative dau', { ...visits({ math: 'dau' }), display: 'ActionsLineGraphCumulative' }],
  ['groups', visits({ math: 'unique_group', math_group_type_index: 0 })],
  ['dau by plan', { ...visits({ math: 'dau' }), breakdown: 'plan' }],
  ['dau by team', { ...visits({ math: 'dau' }), breakdown: 'team', breakdown_type: 'person' }],
  ['dau of all users', { ...visits({ math: 'dau' }), breakdown: ['all'], breakdown_type: 'cohort' }],
  ['dau by bins', { ...visits({ math: 'dau' }), breakdown: 'amount', breakdown_histogram_bin_count: 2 }],
  ['dau compared', { ...visits({ math: 'dau' }), date_from: '2026-01-12', compare: true }],
  [
    'dau with filters',
    {
      ...visits({ math: 'dau', properties: [{ key: 'plan', value: 'pro' }] }),
      properties: [{ key: 'team', value: 'red', type: 'person' }],
    },
  ],
  ['stickiness', { ...visits(), insight: 'STICKINESS' }],
  ['stickiness of groups', { ...visits({ math: 'unique_group', math_group_type_index: 0 }), insight: 'STICKINESS' }],
  ['lifecycle', { ...visits(), insight: 'LIFECYCLE' }],
];

describe('every link to persons', () => {
  it.each(QUESTIONS)('leads to as many persons as the number says: %s', async (_name, fields) => {
    const { result } = (await ask(fields)) as { result: Item[] };
    expect(result.some(({ data }) => data.some((number) => number !== 0))).toBe(true);
    for (const { data, persons_urls: links } of result) {
      const counts = await Promise.all(links.map(countOf));
      expect(counts).toEqual(data.map(Math.abs));
    }
  });

  it('leads to as many persons as a total says', async () => {
    const { result } = await ask({ ...visits({ math: 'dau' }), breakdown: 'plan', display: 'ActionsPie' });
    const items = result as Item[];
    expect(items.map(({ label }) => label).sort()).toEqual([
      'visit - free',
      'visit - none',
      'visit - null',
      'visit - pro',
    ]);
    for (const { persons, aggregated_value } of items) expect(await countOf(persons)).toBe(aggregated_value);
  });

  it.each([
    ['by day', {}],
    ['for the first time', { retention_type: 'retention_first_time' }],
    ['by week', { period: 'Week', total_intervals: 3 }],
    ['by plan', { breakdowns: [{ property: 'plan', type: 'event' }] }],
  ])('leads to the persons of retention and their returns: %s', async (_name, over) => {
    const { result } = await ask({ target_entity: { id: 'visit', type: 'events' }, ...over }, 'retention');
    for (const { values, people_url } of result) {
      const people = (await get(people_url)).result as { person: object; appearances: number[] }[];
      const counts = values.map(
        (_: unknown, k: number) => people.filter(({ appearances }) => appearances[k] === 1).length,
      );
      expect(values.map(({ count }: { count: number }) => count)).toEqual(counts);
    }
    expect(result.some(({ values }: { values: { count: number }[] }) => (values[0]?.count ?? 0) > 0)).toBe(true);
  });
});

describe('the persons behind a number', () => {
  const asked = `persons/trends/?entity_id=visit&entity_type=events&date_from=2026-01-09`;

  it('are found by a part of their distinct id, as in funnels', async () => {
    const [{ people }] = (await get(path(`${asked}&search=yd`))).results;
    expect(people.map((one: { distinct_ids: string[] }) => one.distinct_ids)).toEqual([['cyd']]);
  });

  it('come with the most active first, in pages', async () => {
    const all = await get(path(asked));
    const [{ people }] = all.results;
    expect(people.map((one: { value_at_data_point: number }) => one.value_at_data_point)).toEqual([3, 2, 2, 1]);
    expect(people[0]).toMatchObject({ type: 'person', properties: { team: 'red' }, distinct_ids: ['ann', 'early'] });
    expect(all).toMatchObject({ next: null, missing_persons: 0, is_cached: false });
    const first = await get(path(`${asked}&limit=3`));
    expect([first.results[0].count, first.initial]).toEqual([
      3,
      new URL(path(`${asked}&limit=3`), server.url).toString(),
    ]);
    const { pathname, search } = new URL(first.next);
    expect((await get(pathname + search)).results[0].people).toEqual(people.slice(3));
    expect((await get(`/api/person/trends/?${asked.split('?')[1]}`)).results).toEqual(all.results);
  });

  it('come as CSV', async () => {
    const { body, headers } = await client.get(path(`${asked}&format=csv`));
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const [head, ...lines] = body.trimEnd().split('\r\n');
    expect([head.split(',').includes('value_at_data_point'), lines.length]).toEqual([true, 4]);
  });

  it('have the fields of a single person in lifecycle', async () => {
    const query = `events=${JSON.stringify([{ id: 'visit' }])}&target_date=2026-01-10&lifecycle_type=returning`;
    const body = await get(path(`persons/lifecycle/?${query}`));
    expect(body).toMatchObject({ next: null, results: [{ count: 1, people: [{ distinct_ids: ['ann', 'early'] }] }] });
    expect(body.results[0].people[0].type).toBeUndefined();
  });
});

describe('bad input', () => {
  it.each([
    ['trend', { events: 'no list' }, 'events'],
    ['trend', { ...visits(), interval: 'year' }, 'interval'],
    ['trend', { ...visits({ math: 'sum' }) }, 'math_property'],
    ['trend', { ...visits(), date_from: 'yesterday-ish' }, 'date_from'],
    ['trend', { ...visits(), date_to: '2020-01-01' }, 'date_from'],
    ['trend', { ...visits(), formula: 'A +' }, 'formula'],
    [
      'trend',
      { ...visits(), breakdown: 'size', breakdown_type: 'group', breakdown_group_type_index: 7 },
      'breakdown_group_type_index',
    ],
    ['retention', { period: 'Year' }, 'period'],
    ['retention', { total_intervals: 0 }, 'total_intervals'],
  ])('is refused with the name of the field: %s %j', async (of, body, attr) => {
    const answer = await client.post(path(`insights/${of}/`), { body });
    expect([answer.status, answer.body.type, answer.body.attr]).toEqual([400, 'validation_error', attr]);
  });

  it('of questions for persons is refused too', async () => {
    const attr = async (rest: string) => {
      const { status, body } = await client.get(path(`persons/${rest}`));
      return [status, body.attr];
    };
    expect(await attr('trends/')).toEqual([400, 'entity_id']);
    expect(await attr('lifecycle/?lifecycle_type=new')).toEqual([400, 'target_date']);
    expect(await attr('lifecycle/?target_date=2026-01-10')).toEqual([400, 'lifecycle_type']);
    expect(await attr('stickiness/?entity_id=visit')).toEqual([400, 'stickiness_days']);
    expect(await attr('retention/?selected_interval=99')).toEqual([400, 'selected_interval']);
  });

  it('that looks like SQL is treated as data', async () => {
    const evil = `'; drop table event_rows; --`;
    const fields = { ...visits({ math: 'dau', properties: [{ key: evil, value: evil }] }), breakdown: evil };
    expect((await ask(fields)).result).toEqual([]);
    expect((await ask({ target_entity: { id: evil } }, 'retention')).result[0].values[0].count).toBe(0);
    expect((await ask(visits())).result[0].count).toBeGreaterThan(0);
  });
});

it('shows no data of other projects', async () => {
  const other = await server.createProject({ foreign: true });
  const stranger = clientFor({ ...server, personalKey: other.personalKey });
  expect((await stranger.post(path('insights/trend/'), { body: visits() })).status).toBe(404);
  const own = await stranger.post(`/api/projects/${other.projectId}/insights/trend/`, { body: visits() });
  expect(own.body.result[0].count).toBe(0);
});
