/** Filters and breakdowns of type `hogql` over HTTP, in everything that takes filters. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { capture, type SentEvent } from '../support/capture.ts';
import { clientFor } from '../support/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let client: ReturnType<typeof clientFor>;

const event = (name: string, who: string, time: string, properties: object = {}): SentEvent => ({
  event: name,
  distinct_id: who,
  timestamp: `2026-01-${time}:00Z`,
  properties: { ...properties, $set: { team: who < 'c' ? 'red' : 'blue', seats: who.length } },
});

beforeAll(async () => {
  server = await startServer();
  client = clientFor(server);
  const company = (name: string) => ({ $groups: { company: name } });
  await capture(server, server.projectKey, [
    { event: '$groupidentify', distinct_id: 'ann', timestamp: '2026-01-08T00:00:00Z', properties: group('acme', 50) },
    { event: '$groupidentify', distinct_id: 'ann', timestamp: '2026-01-08T00:00:00Z', properties: group('tiny', 2) },
    event('visit', 'ann', '09T10:00', { price: 12.5, plan: 'Pro', info: { city: 'Rome' }, ...company('acme') }),
    event('visit', 'bob', '10T10:00', { price: 8, plan: 'Free', ...company('tiny') }),
    event('visit', 'cyd', '10T11:00', { price: '30', plan: 'Pro' }),
    event('visit', 'dan', '11T12:00', { plan: 'x' }),
    event('pay', 'ann', '09T10:10', { amount: 5 }),
    event('pay', 'cyd', '10T11:10', { amount: 50 }),
    event('visit', 'ann', '10T10:00', { price: 1, plan: 'Pro' }),
    event('fetch', 'ann', '10T12:00', { $is_bot: true, $bot_name: 'curl', $bot_category: 'http_client' }),
    event('fetch', 'bob', '10T12:00'),
  ]);
});
afterAll(() => server.close());

const group = (key: string, size: number) => ({ $group_type: 'company', $group_key: key, $group_set: { size } });
const hogql = (key: string) => [{ type: 'hogql', key }];
const path = (rest: string): string => `/api/projects/${server.projectId}/${rest}`;
const dates = { date_from: '2026-01-09', date_to: '2026-01-11' };

const ask = async (fields: object, of = 'trend') => {
  const { status, body } = await client.post(path(`insights/${of}/`), { body: { ...dates, ...fields } });
  expect([status, body.detail]).toEqual([200, undefined]);
  return body.result;
};
const visits = (over: object = {}) => ({ events: [{ id: 'visit', ...over }] });
const get = async (url: string) => {
  const { status, body } = await client.get(url.startsWith('/') ? url : `/${url}`);
  expect([status, body.detail]).toEqual([200, undefined]);
  return body;
};

describe('filters that are expressions', () => {
  const count = async (expression: string): Promise<number> => {
    const [item] = await ask({ ...visits(), properties: hogql(expression) });
    return item.count;
  };

  it.each([
    ['properties.price > 10', 2],
    ['properties.price > 10 or properties.price is null', 3],
    ["properties.plan != 'Pro'", 2],
    ["lower(properties.plan) in ('pro', 'x')", 4],
    ["properties.info.city = 'Rome'", 1],
    ["person.properties.team = 'red'", 3],
    ["person.properties.team = 'red' and properties.price < person.properties.seats", 1],
    ['group_0.properties.size > 10', 1],
    ['group_0.properties.size is null', 3],
    ["$group_0 = 'tiny'", 1],
    ["distinct_id like 'a%'", 2],
    ["timestamp >= '2026-01-10' and toHour(timestamp) = 10", 2],
    ['timestamp > now() - interval 5 day', 1],
    ['person.id = person_id', 5],
    ['length(person_id) = 36', 5],
    ["event = 'pay'", 0],
    ['true', 5],
    ['false', 0],
    ['null', 0],
  ])('%s finds %i visits', async (expression, expected) => {
    expect(await count(expression)).toBe(expected);
  });

  it('may be of one series, in groups, and beside other filters', async () => {
    const [item] = await ask({ ...visits({ properties: hogql('properties.price > 5'), math: 'dau' }) });
    expect([item.count, item.data]).toEqual([3, [1, 2, 0]]);
    const either = {
      type: 'OR',
      values: [
        { type: 'AND', values: hogql('properties.price > 20') },
        { type: 'AND', values: [{ key: 'plan', value: 'Free' }] },
      ],
    };
    expect((await ask({ ...visits(), properties: either }))[0].count).toBe(2);
  });

  it('follow the time zone of the project', async () => {
    const other = await client.post(`/api/projects/`, { body: { name: 'Tokyo', timezone: 'Asia/Tokyo' } });
    expect(other.status).toBe(201);
    await capture(server, other.body.api_token, [event('visit', 'eve', '10T20:00')]);
    const trend = {
      ...dates,
      ...visits(),
      properties: hogql("toHour(timestamp) = 5 and timestamp > '2026-01-11 04:00'"),
    };
    const { body } = await client.post(`/api/projects/${other.body.id}/insights/trend/`, { body: trend });
    expect(body.result[0].count).toBe(1);
  });

  const STEPS = [
    { id: 'visit', order: 0 },
    { id: 'pay', order: 1 },
  ];
  const onRed = { properties: hogql("person.properties.team = 'red' and event != 'nothing'") };

  it('work in funnels', async () => {
    const steps = await ask({ insight: 'FUNNELS', events: STEPS, ...onRed }, 'funnel');
    expect(steps.map((step: { count: number }) => step.count)).toEqual([2, 1]);
    const own = [STEPS[0], { ...STEPS[1], properties: hogql('properties.amount > 10') }];
    const strict = await ask({ insight: 'FUNNELS', events: own }, 'funnel');
    expect(strict.map((step: { count: number }) => step.count)).toEqual([4, 1]);
  });

  it('work in retention, lifecycle, stickiness and paths', async () => {
    const entity = { id: 'visit', type: 'events' };
    const retention = await ask(
      { target_entity: entity, returning_entity: entity, date_to: '2026-01-11', total_intervals: 3, ...onRed },
      'retention',
    );
    expect(retention.map(({ values }: { values: { count: number }[] }) => values.map(({ count: n }) => n))).toEqual([
      [1, 1, 0],
      [2, 0],
      [0],
    ]);
    const lifecycle = await ask({ insight: 'LIFECYCLE', ...visits(), ...onRed });
    expect(lifecycle.map(({ status, data }: { status: string; data: number[] }) => [status, data]).sort()).toEqual([
      ['dormant', [0, 0, -2]],
      ['new', [0, 1, 0]],
      ['resurrecting', [1, 0, 0]],
      ['returning', [0, 1, 0]],
    ]);
    const [stickiness] = await ask({ insight: 'STICKINESS', ...visits(), ...onRed });
    expect(stickiness.data).toEqual([1, 1, 0]);
    const paths = await ask(
      { include_event_types: ['custom_event'], properties: hogql('properties.amount > 10') },
      'path',
    );
    expect(paths).toEqual([]);
    const [edge] = await ask(
      { include_event_types: ['custom_event'], properties: hogql("distinct_id = 'cyd'") },
      'path',
    );
    expect(edge).toMatchObject({ source: '1_visit', target: '2_pay', value: 1 });
  });

  it('work with groups in every kind of query', async () => {
    const large = { properties: hogql("group_0.properties.size > 10 or person.properties.team = 'x'") };
    expect((await ask({ ...visits({ math: 'dau' }), ...large }))[0].count).toBe(1);
    expect((await ask({ ...visits({ math: 'dau' }), properties: hogql('group_0.properties.size > 1') }))[0].count).toBe(
      2,
    );
    const steps = await ask({ insight: 'FUNNELS', events: STEPS.slice(0, 1), ...large }, 'funnel');
    expect(steps[0].count).toBe(1);
    const [stickiness] = await ask({ insight: 'STICKINESS', ...visits(), ...large });
    expect(stickiness.data).toEqual([1, 0, 0]);
    const entity = { id: 'visit', type: 'events' };
    const retention = await ask(
      { target_entity: entity, total_intervals: 2, date_to: '2026-01-10', ...large },
      'retention',
    );
    expect(retention[0].values[0].count).toBe(1);
  });

  it('work in the list of events', async () => {
    const list = async (expression: string) => {
      const query = new URLSearchParams({ properties: JSON.stringify(hogql(expression)) });
      const { results } = await get(path(`events/?${query}`));
      return results.map((one: { event: string; distinct_id: string }) => `${one.event} ${one.distinct_id}`);
    };
    expect(await list('properties.price > 10')).toEqual(['visit cyd', 'visit ann']);
    expect(await list("person.properties.team = 'blue' and event = 'visit'")).toEqual(['visit dan', 'visit cyd']);
    expect(await list('group_0.properties.size > 10')).toEqual(['visit ann']);
    expect(await list("match(properties.plan, '^F')")).toEqual(['visit bob']);
  });

  it('work in the list of persons', async () => {
    const list = async (filter: object) => {
      const query = new URLSearchParams({ properties: JSON.stringify(filter) });
      const { results } = await get(path(`persons/?${query}`));
      return results.map((one: { distinct_ids: string[] }) => one.distinct_ids[0]).sort();
    };
    expect(await list(hogql("properties.team = 'red' and properties.seats > 2"))).toEqual(['ann', 'bob']);
    expect(await list(hogql("person.properties.team != 'red'"))).toEqual(['cyd', 'dan']);
    expect(await list({ type: 'hogql', key: "properties.team ilike 'B%'" })).toEqual(['cyd', 'dan']);
    expect(await list([...hogql('true'), { key: 'team', value: 'red' }])).toEqual(['ann', 'bob']);
  });

  it('are kept in saved insights and their CSV', async () => {
    const filters = { insight: 'TRENDS', ...dates, ...visits(), properties: hogql('properties.price > 10') };
    const saved = await client.post(path('insights/'), { body: { name: 'High', filters } });
    expect(saved.status).toBe(201);
    expect((await get(path(`insights/${saved.body.id}/?refresh=true`))).result[0].count).toBe(2);
    expect(saved.body.filters.properties).toEqual(hogql('properties.price > 10'));
    const broken = { ...filters, properties: hogql('properties.price >') };
    const refused = await client.post(path('insights/'), { body: { name: 'Broken', filters: broken } });
    expect([refused.status, refused.body.detail]).toEqual([
      400,
      expect.stringMatching(/its end: a value was expected/),
    ]);
    const csv = await client.get(
      path(
        `insights/trend/?${new URLSearchParams({ ...dates, format: 'csv', events: '[{"id":"visit"}]', properties: JSON.stringify(hogql('properties.price > 10')) })}`,
      ),
    );
    expect(csv.body.split('\r\n')[1]).toBe('visit,1.0,1.0,0.0');
  });
});

describe('a breakdown by an expression', () => {
  const by = (breakdown: string, over: object = {}) => ({ ...visits(), breakdown, breakdown_type: 'hogql', ...over });
  const counts = (items: { breakdown_value: string; count: number }[]) =>
    items.map(({ breakdown_value, count }) => [breakdown_value, count]);

  it('splits a trend, with the persons behind each value', async () => {
    const items = await ask(by("if(properties.price > 10, 'high', 'low')"));
    expect(counts(items)).toEqual([
      ['low', 3],
      ['high', 2],
    ]);
    const people = await get(items[1].persons_urls[0].url);
    expect(people.results[0].people.map((one: { distinct_ids: string[] }) => one.distinct_ids)).toEqual([['ann']]);
  });

  it.each([
    ['$virt_is_bot', ['false', 'true']],
    ['$virt_bot_name', ['', 'curl']],
    ['$virt_traffic_category', ['', 'http_client']],
    ['$virt_traffic_type', ['', 'Automation']],
  ])('is one by a label of bots: %s', async (breakdown, values) => {
    const items = await ask({ events: [{ id: 'fetch' }], breakdown, breakdown_type: 'event' });
    expect(counts(items).sort()).toEqual(values.map((value) => [value, 1]));
    const people = await get(
      items.find((one: { breakdown_value: string }) => one.breakdown_value === values[1]).persons_urls[1].url,
    );
    expect(people.results[0].people.map((one: { distinct_ids: string[] }) => one.distinct_ids)).toEqual([['ann']]);
  });

  it('has an empty value where there is none, and a limit', async () => {
    expect(counts(await ask(by('properties.price * 2')))).toEqual([
      ['16', 1],
      ['2', 1],
      ['25', 1],
      ['60', 1],
      ['', 1],
    ]);
    expect(await ask(by('properties.price * 2', { breakdown_limit: 2 }))).toHaveLength(2);
  });

  it('reads persons and groups', async () => {
    expect(counts(await ask(by('person.properties.team')))).toEqual([
      ['red', 3],
      ['blue', 2],
    ]);
    expect(counts(await ask(by('toString(group_0.properties.size > 10)')))).toEqual([
      ['false', 4],
      ['true', 1],
    ]);
    const unique = { events: [{ id: 'visit', math: 'dau' }] };
    expect(counts(await ask(by('person.properties.team', unique)))).toEqual(
      [
        ['blue', 2],
        ['red', 3],
      ].reverse(),
    );
    expect(counts(await ask(by("concat($group_0, '-', group_0.properties.size)", unique)))).toContainEqual([
      'acme-50',
      1,
    ]);
  });

  it('splits a funnel, the rest as Other', async () => {
    const steps = {
      insight: 'FUNNELS',
      events: [
        { id: 'visit', order: 0 },
        { id: 'pay', order: 1 },
      ],
    };
    const groups = await ask(by('lower(properties.plan)', steps), 'funnel');
    const found = groups.map((one: { breakdown_value: string[]; count: number }[]) => [
      one[0]?.breakdown_value,
      ...one.map(({ count }) => count),
    ]);
    expect(found.sort()).toEqual([
      [['free'], 1, 0],
      [['pro'], 2, 2],
      [['x'], 1, 0],
    ]);
    const limited = await ask(by('lower(properties.plan)', { ...steps, breakdown_limit: 1 }), 'funnel');
    expect(limited.map(([one]: { breakdown_value: string[] }[]) => one?.breakdown_value).sort()).toEqual([
      ['Other'],
      ['pro'],
    ]);
    const pro = groups.find(([one]: { breakdown_value: string[] }[]) => one?.breakdown_value[0] === 'pro');
    const people = await get(pro[1].converted_people_url);
    expect(people.results[0].people).toHaveLength(2);
  });

  it('splits retention', async () => {
    const entity = { id: 'visit', type: 'events' };
    const breakdowns = [{ property: "if(properties.price > 10, 'high', 'low')", type: 'hogql' }];
    const rows = await ask({ target_entity: entity, total_intervals: 3, breakdowns }, 'retention');
    expect(rows.map(({ label }: { label: string }) => label).sort()).toEqual(['high', 'low']);
  });
});

describe('an expression that is not understood', () => {
  it.each([
    ['insights/trend/', { properties: hogql('properties.a = foo(1)') }, 'properties', /character 16, "foo"/],
    [
      'insights/trend/',
      { events: [{ id: 'a', properties: hogql('nope') }] },
      'events',
      /"nope": there is no such field/,
    ],
    ['insights/trend/', { breakdown: 'count()', breakdown_type: 'hogql' }, 'breakdown', /aggregates are not supported/],
    ['insights/trend/', { properties: [{ type: 'hogql' }] }, 'properties', /have an expression as key/],
    ['insights/trend/', { events: [{ id: 'a', math: 'hogql', math_hogql: 'count()' }] }, 'math', /not supported/],
    ['insights/funnel/', { events: [{ id: 'a' }], properties: hogql('1 +') }, 'properties', /its end/],
  ])('by %s %j is 400', async (route, fields, attr, detail) => {
    const { status, body } = await client.post(path(route), { body: { events: [{ id: 'visit' }], ...fields } });
    expect([status, body.attr]).toEqual([400, attr]);
    expect(body.detail).toMatch(detail);
  });

  it.each(['events/', 'persons/'])('in the list %s is 400', async (route) => {
    const query = new URLSearchParams({ properties: JSON.stringify(hogql('nope = 1')) });
    const { status, body } = await client.get(path(`${route}?${query}`));
    expect([status, body.detail]).toEqual([400, expect.stringMatching(/at character 1, "nope"/)]);
  });

  it.each([
    ['cohorts/', { name: 'c', groups: [{ properties: hogql('true') }] }, /of type person, cohort and behavioral/],
    ['actions/', { name: 'a', steps: [{ event: 'a', properties: hogql('true') }] }, /"hogql" are not supported here/],
    ['feature_flags/', { key: 'f', filters: { groups: [{ properties: hogql('true') }] } }, /person, cohort, and flag/],
  ])('in %s is 400: these are not evaluated by the event store', async (route, body, detail) => {
    const answer = await client.post(path(route), { body });
    expect([answer.status, answer.body.detail]).toEqual([400, expect.stringMatching(detail)]);
  });
});
