/** Actions, and filters on groups, sessions and elements, of a started server: kept, changed, and asked for everywhere. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { capture } from '../support/capture.ts';
import { type Answer, clientFor } from '../support/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let client: ReturnType<typeof clientFor>;
const all = '/api/projects/1/actions/';
const dates = { date_from: '2026-01-13', date_to: '2026-01-14' };

beforeAll(async () => {
  server = await startServer();
  client = clientFor(server);
  const group = (key: string, set: object) => ({
    event: '$groupidentify',
    distinct_id: 'setup',
    timestamp: '2025-01-01T00:00:00Z',
    properties: { $group_type: 'company', $group_key: key, $group_set: set },
  });
  const event = (name: string, who: string, time: string, properties: Record<string, unknown> = {}) => ({
    event: name,
    distinct_id: who,
    timestamp: `2026-01-${time}:00Z`,
    properties,
  });
  const click = (text: string) => ({ $elements: [{ tag_name: 'button', $el_text: text }, { tag_name: 'form' }] });
  await capture(server, server.projectKey, [
    group('acme', { industry: 'steel', size: 10 }),
    group('initech', { industry: 'paper', size: null }),
    event('visit', 'ann', '13T10:00', { $current_url: 'https://x.test/pricing', $session_id: 'a' }),
    event('$autocapture', 'ann', '13T10:05', { ...click('Buy'), $groups: { company: 'acme' }, $session_id: 'a' }),
    event('visit', 'bob', '14T10:00', {
      $current_url: 'https://x.test/',
      $groups: { company: 'initech' },
      $session_id: 'b',
    }),
    event('$autocapture', 'bob', '14T10:01', { ...click('Cancel'), $groups: { company: 'initech' } }),
    event('paid', 'bob', '14T10:02', { amount: 5, $groups: { company: 'acme' } }),
  ]);
});
afterAll(() => server.close());

const make = async (body: object): Promise<Answer['body']> => {
  const answer = await client.post(all, { body });
  expect([answer.status, answer.body.detail]).toEqual([201, undefined]);
  return answer.body;
};
const ask = async (of: string, fields: object): Promise<Answer['body']> => {
  const { status, body } = await client.post(`/api/projects/1/insights/${of}/`, { body: { ...dates, ...fields } });
  expect([status, body.detail]).toEqual([200, undefined]);
  return body.result;
};
const bought = {
  name: 'Bought',
  steps: [
    { event: '$autocapture', tag_name: 'button', text: 'Buy' },
    { event: 'paid', properties: [{ key: 'amount', value: 3, operator: 'gt' }] },
  ],
};

describe('an action', () => {
  it('has every field that clients know', async () => {
    const { created_by, ...made } = await make({ ...bought, tags: ['A'], description: 'Money' });
    expect(created_by.id).toBe(1);
    const empty = { url: null, url_matching: 'contains', href: null, selector: null };
    expect(made).toEqual({
      id: made.id,
      name: 'Bought',
      description: 'Money',
      tags: ['a'],
      post_to_slack: false,
      slack_message_format: '',
      steps: [
        { ...empty, event: '$autocapture', tag_name: 'button', text: 'Buy', properties: [] },
        { ...empty, event: 'paid', tag_name: null, text: null, properties: bought.steps[1]?.properties },
      ],
      created_at: '2026-01-15T12:00:00Z',
      deleted: false,
      is_calculating: false,
      last_calculated_at: null,
      team_id: 1,
      is_action: true,
    });
    expect((await client.get(`${all}${made.id}/`)).body).toEqual({ ...made, created_by });
    expect((await client.get('/api/action/')).body).toEqual({ results: [{ ...made, created_by }] });
    await client.patch(`${all}${made.id}/`, { body: { deleted: true } });
    expect((await client.get(all)).body).toEqual({ results: [] });
  });

  it('has a unique name among those that are not deleted', async () => {
    const { id } = await make({ name: 'Once' });
    const again = await client.post(all, { body: { name: 'Once' } });
    expect([again.status, again.body.attr, again.body.code]).toEqual([400, 'name', 'unique']);
    const refused = await client.delete(`${all}${id}/`);
    expect([refused.status, refused.body]).toEqual([405, '']);
    await client.patch(`${all}${id}/`, { body: { deleted: true } });
    await make({ name: 'Once' });
    const back = await client.patch(`${all}${id}/`, { body: { deleted: false } });
    expect([back.status, back.body.code]).toEqual([400, 'unique']);
  });

  it.each([
    ['no name', {}, 'name', 'required'],
    ['steps that are no list', { name: 'x', steps: 5 }, 'steps', 'not_a_list'],
    ['a bad step', { name: 'x', steps: [{ url_matching: 'like' }] }, 'steps__0__url_matching', 'invalid_choice'],
    ['a webhook', { name: 'x', post_to_slack: true }, 'post_to_slack', 'invalid_input'],
  ])('is refused with %s', async (_name, body, attr, code) => {
    const { status, body: answer } = await client.post(all, { body });
    expect([status, answer.attr, answer.code]).toEqual([400, attr, code]);
  });

  it('records who changed what', async () => {
    const { id } = await make({ name: 'Told' });
    await client.patch(`${all}${id}/`, { body: { steps: [{ event: 'paid' }] } });
    const { results } = (await client.get(`${all}${id}/activity/`)).body;
    expect(results.map((one: { activity: string }) => one.activity)).toEqual(['updated', 'created']);
    expect(results[0].detail.changes).toEqual([
      { type: 'Action', action: 'changed', field: 'steps', before: [], after: [{ event: 'paid' }] },
    ]);
  });
});

describe('an action is queried like an event', () => {
  let action: number;
  beforeAll(async () => {
    action = (await make({ ...bought, name: 'Bought something' })).id;
  });

  it('in trends, with the persons behind them', async () => {
    const [series] = await ask('trend', { actions: [{ id: action, math: 'dau' }] });
    expect([series.label, series.data]).toEqual(['Bought something', [1, 1]]);
    const { body } = await client.get(`/${series.persons_urls[1].url}`);
    expect(body.results[0].people.map((one: { distinct_ids: string[] }) => one.distinct_ids)).toEqual([['bob']]);
  });

  it('in funnels, stickiness, lifecycle and retention', async () => {
    const funnel = await ask('funnel', { events: [{ id: 'visit', order: 0 }], actions: [{ id: action, order: 1 }] });
    expect(funnel.map((step: { count: number }) => step.count)).toEqual([2, 2]);
    expect(funnel[1]).toMatchObject({ action_id: action, type: 'actions', name: 'Bought something' });
    const [sticky] = await ask('trend', { insight: 'STICKINESS', actions: [{ id: action }] });
    expect(sticky.data).toEqual([2, 0]);
    const entity = { id: action, type: 'actions' };
    const rows = await ask('retention', { target_entity: entity, returning_entity: entity, total_intervals: 2 });
    expect(rows.map((row: { values: { count: number }[] }) => row.values.map(({ count }) => count))).toEqual([
      [1, 0],
      [1],
    ]);
  });

  it('in the list of events', async () => {
    const { body } = await client.get(`/api/projects/1/events/?action_id=${action}`);
    expect(body.results.map((one: { event: string }) => one.event)).toEqual(['paid', '$autocapture']);
    const { id } = await make({ name: 'Nothing' });
    expect((await client.get(`/api/projects/1/events/?action_id=${id}`)).body.results).toEqual([]);
  });

  it.each([
    ['contains', '/pricing', 1],
    ['exact', 'https://x.test/', 1],
    ['regex', 'x\\.test/.*', 2],
    ['regex', '(', 0],
  ])('by the address of the page: %s %s', async (url_matching, url, count) => {
    const { id } = await make({ name: `${url_matching} ${url}`, steps: [{ event: 'visit', url, url_matching }] });
    expect((await ask('trend', { actions: [{ id }] }))[0].count).toBe(count);
  });

  it('and if it does not exist, trends ignore it and others reject it', async () => {
    expect(await ask('trend', { actions: [{ id: 9999 }] })).toEqual([]);
    for (const [of, fields] of [
      ['retention', { target_entity: { id: 9999, type: 'actions' } }],
      ['funnel', { actions: [{ id: 9999 }] }],
    ] as const) {
      const { status, body } = await client.post(`/api/projects/1/insights/${of}/`, { body: fields });
      expect([status, body.detail]).toEqual([400, 'Action ID 9999 does not exist!']);
    }
  });

  it('and counts as usage of its events', async () => {
    const usage = async () => {
      await server.flushUsage();
      const { results } = (await client.get('/api/projects/1/event_definitions/')).body;
      return results.find((one: { name: string }) => one.name === 'paid').query_usage_30_day;
    };
    const before = await usage();
    await ask('trend', { actions: [{ id: action }] });
    expect((await usage()) - before).toBe(1);
  });
});

describe('filters on groups, sessions and elements', () => {
  const industry = (value: string, operator = 'exact') => ({
    key: 'industry',
    type: 'group',
    group_type_index: 0,
    value,
    operator,
  });
  const session = (operator: string, value: number) => ({ key: '$session_duration', type: 'session', operator, value });
  const element = (key: string, value: string, operator = 'exact') => ({ key, type: 'element', value, operator });

  const CASES: [string, object, number][] = [
    ['a group of steel', industry('steel'), 2],
    ['no group of steel: events of no group too', industry('steel', 'is_not'), 3],
    ['a group that says its size, even if it is null', { ...industry('', 'is_set'), key: 'size' }, 4],
    ['a large group', { ...industry('5', 'gt'), key: 'size' }, 2],
    ['a group by a pattern', industry('^p', 'regex'), 2],
    ['a long session', session('gt', 200), 2],
    ['a short session: events of none are in none', session('lt', 200), 1],
    ['no such session', session('gt', 300), 0],
    ['a text on a button', element('text', 'Buy'), 1],
    ['a part of it', element('text', 'B', 'icontains'), 1],
    ['another tag further out', element('tag_name', 'form'), 2],
    ['a selector', element('selector', 'form > button'), 2],
    ['a selector the other way round', element('selector', 'button > form'), 0],
    ['no button', element('tag_name', 'button', 'is_not'), 3],
  ];

  it.each(CASES)('find %s: in trends, funnels, the list of events', async (_name, filter, count) => {
    const properties = [filter];
    const [series] = await ask('trend', { events: [{ id: null }], properties });
    expect(series.count).toBe(count);
    const [own] = await ask('trend', { events: [{ id: null, properties }] });
    expect(own.count).toBe(count);
    const query = new URLSearchParams({ properties: JSON.stringify(properties), after: '2026-01-01' });
    expect((await client.get(`/api/projects/1/events/?${query}`)).body.results).toHaveLength(count);
    const [step] = await ask('funnel', { events: [{ id: null, order: 0 }], properties });
    expect(step.count > 0).toBe(count > 0);
  });

  it('work in paths', async () => {
    const events = [{ source: '1_visit', target: '2_$autocapture', value: 1 }];
    expect(await ask('path', { properties: [session('gt', 200)] })).toMatchObject(events);
    expect(await ask('path', { properties: [industry('paper')] })).toMatchObject(events);
    expect(await ask('path', { properties: [element('text', 'Buy')] })).toEqual([]);
  });

  it.each([
    [{ key: 'x', type: 'session', value: 1 }, /Sessions have no such property/],
    [{ key: 'x', type: 'group', value: 1 }, /group_type_index/],
    [{ key: 'x', type: 'element', value: 1 }, /tag_name, text, href and selector/],
  ])('are refused with a sentence: %j', async (filter, sentence) => {
    const { status, body } = await client.post('/api/projects/1/insights/trend/', {
      body: { events: ['visit'], properties: [filter] },
    });
    expect([status, body.attr]).toEqual([400, 'properties']);
    expect(body.detail).toMatch(sentence);
  });
});

describe('breakdowns by group properties', () => {
  const byIndustry = { breakdown: 'industry', breakdown_type: 'group', breakdown_group_type_index: 0 };
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
  const parts = (items: any[]) => items.map((item) => [item.breakdown_value, item.count]);

  it('show the value of each group, and an empty one without a group', async () => {
    const items = await ask('trend', { events: [{ id: null }], ...byIndustry });
    expect(parts(items)).toEqual([
      ['paper', 2],
      ['steel', 2],
      ['', 1],
    ]);
    const { body } = await client.get(`/${items[1].persons_urls[1].url}`);
    expect(body.results[0].people.map((one: { distinct_ids: string[] }) => one.distinct_ids)).toEqual([['bob']]);
  });

  it('distinguish missing values from null', async () => {
    const items = await ask('trend', { events: [{ id: null }], ...byIndustry, breakdown: 'size' });
    expect(parts(items).sort()).toEqual([
      ['', 1],
      ['10', 2],
      ['null', 2],
    ]);
  });

  it('work in retention too', async () => {
    const rows = await ask('retention', { target_entity: { id: 'paid' }, total_intervals: 2, ...byIndustry });
    expect(rows).toMatchObject([{ label: 'steel', values: [{ count: 1 }, { count: 0 }] }]);
  });

  it('work in funnels too, like those by session duration', async () => {
    const steps = (...names: string[]) => ({ events: names.map((id, order) => ({ id, order })) });
    // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
    const counts = (groups: any[][]) =>
      groups.map((group) => [group[0].breakdown_value, ...group.map((step) => step.count)]).sort();
    expect(counts(await ask('funnel', { ...steps('$autocapture', 'paid'), ...byIndustry }))).toEqual([
      [['paper'], 1, 1],
      [['steel'], 1, 0],
    ]);
    const bySession = { breakdown: '$session_duration', breakdown_type: 'session' };
    expect(counts(await ask('funnel', { ...steps('visit', '$autocapture'), ...bySession }))).toEqual([
      [['0'], 1, 1],
      [['300'], 1, 1],
    ]);
  });

  it('count groups themselves', async () => {
    const unique = { math: 'unique_group', math_group_type_index: 0 };
    const [series] = await ask('trend', { events: [{ id: null, ...unique }] });
    expect(series.data).toEqual([1, 2]);
    const funnel = await ask('funnel', {
      events: [
        { id: '$autocapture', order: 0 },
        { id: 'paid', order: 1 },
      ],
      aggregation_group_type_index: 0,
    });
    expect(funnel.map((step: { count: number }) => step.count)).toEqual([2, 1]);
  });
});
