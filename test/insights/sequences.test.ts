/** Funnels, paths and correlation over HTTP: every number links to the persons that it counts. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { capture, type SentEvent } from '../support/capture.ts';
import { clientFor } from '../support/client.ts';
import { startServer, type TestProject, type TestServer } from '../support/server.ts';

const P = '/api/projects/1';
const RANGE = { date_from: '2026-01-01', date_to: '2026-01-10' };
const FUNNEL = {
  insight: 'FUNNELS',
  events: [
    { id: 'visit', order: 0 },
    { id: 'sign up', order: 1 },
    { id: 'pay', order: 2 },
  ],
  ...RANGE,
};

let server: TestServer;
let stranger: TestProject;
let client: ReturnType<typeof clientFor>;

/** Person n does the first n % 4 steps, on day n % 5; persons with even numbers view the prices in between. */
function eventsOf(n: number): SentEvent[] {
  const at = (minute: number): string => `2026-01-0${1 + (n % 5)}T08:${String(minute).padStart(2, '0')}:00Z`;
  const plan = n % 3 === 0 ? 'pro' : 'free';
  const did = (event: string, minute: number, properties: object = {}): SentEvent => ({
    event,
    distinct_id: `person-${n}`,
    timestamp: at(minute),
    properties: { plan, $set: { plan }, $groups: { company: `company-${n % 2}` }, ...properties },
  });
  const steps = ['visit', 'sign up', 'pay'].slice(0, n % 4).map((event, step) => did(event, 10 * step));
  return [...steps, ...(n % 2 === 0 ? [did('$pageview', 5, { $current_url: '/prices/' })] : [])];
}

beforeAll(async () => {
  server = await startServer({ now: '2026-01-12T12:00:00Z' });
  client = clientFor(server);
  stranger = await server.createProject({ foreign: true });
  await capture(server, server.projectKey, Array.from({ length: 40 }, (_, n) => eventsOf(n)).flat());
});
afterAll(() => server.close());

const ask = async (path: string, body: object) => {
  const answer = await client.post(`${P}/insights/${path}/`, { body });
  expect(answer.status).toBe(200);
  return answer.body.result;
};

const countPeople = async (url: string): Promise<number> => {
  const { status, body } = await client.get(url);
  expect([url, status, body.missing_persons]).toEqual([url, 200, 0]);
  expect(body.results[0].people.length).toBe(body.results[0].count);
  return body.results[0].count;
};

interface Step {
  order: number;
  count: number;
  converted_people_url: string;
  dropped_people_url: string | null;
}

async function checkSteps(steps: readonly Step[]): Promise<void> {
  for (const { order, count, converted_people_url: converted, dropped_people_url: dropped } of steps) {
    expect(await countPeople(converted)).toBe(count);
    const before = steps[order - 1]?.count ?? count;
    expect(dropped === null ? 0 : await countPeople(dropped)).toBe(before - count);
  }
}

describe('every number of a funnel links to the persons that it counts', () => {
  it.each(['ordered', 'strict', 'unordered'])('in %s funnels', async (funnel_order_type) => {
    const steps = await ask('funnel', { ...FUNNEL, funnel_order_type });
    expect(steps.length).toBe(3);
    if (funnel_order_type === 'ordered') expect(steps.map((step: Step) => step.count)).toEqual([30, 20, 10]);
    await checkSteps(steps);
  });

  it.each<object>([
    { breakdown: 'plan', breakdown_type: 'person' },
    { breakdown: 'plan', breakdown_attribution_type: 'step', breakdown_attribution_value: 1 },
    { breakdown: 'plan', breakdown_attribution_type: 'all_events', breakdown_limit: 1 },
    { breakdown: ['all'], breakdown_type: 'cohort' },
  ])('with a breakdown: %j', async (breakdown) => {
    const groups = await ask('funnel', { ...FUNNEL, ...breakdown });
    expect(groups.length).toBeGreaterThan(0);
    for (const steps of groups) await checkSteps(steps);
  });

  it('over time', async () => {
    const [trend] = await ask('funnel', { ...FUNNEL, funnel_viz_type: 'trends' });
    expect(trend.count).toBe(10);
    for (const [day, { converted_people_url, dropped_people_url }] of trend.persons_urls.entries()) {
      const [converted, dropped] = [await countPeople(converted_people_url), await countPeople(dropped_people_url)];
      const all = converted + dropped;
      expect(all === 0 ? 0 : Math.round((10_000 * converted) / all) / 100).toBe(trend.data[day]);
    }
  });

  it('of groups', async () => {
    const steps = await ask('funnel', { ...FUNNEL, aggregation_group_type_index: 0 });
    expect(steps.map((step: Step) => step.count)).toEqual([2, 2, 1]);
  });
});

it('every edge of a path links to the persons who took it', async () => {
  const edges = await ask('path', RANGE);
  expect(edges[0]).toMatchObject({ source: expect.stringMatching(/^1_/), value: expect.any(Number) });
  const all = await client.post(`${P}/persons/path/`, { body: RANGE });
  expect(all.body.results[0].count).toBeGreaterThan(0);
  for (const { people_url, value } of edges) expect(await countPeople(people_url)).toBe(value);
});

it.each<object>([
  {},
  { funnel_correlation_type: 'properties', funnel_correlation_names: ['plan'] },
  { funnel_correlation_type: 'event_with_properties', funnel_correlation_event_names: ['$pageview'] },
])('every correlation links to its persons: %j', async (compared) => {
  const { events, skewed } = await ask('funnel/correlation', { ...FUNNEL, ...compared });
  expect([skewed, events.length > 0]).toEqual([false, true]);
  for (const { success_count, failure_count, success_people_url, failure_people_url } of events) {
    expect([await countPeople(success_people_url), await countPeople(failure_people_url)]).toEqual([
      success_count,
      failure_count,
    ]);
  }
});

describe('persons', () => {
  it('come in pages without gaps', async () => {
    const seen = new Set<string>();
    let url: string | null = `${P}/persons/funnel/?limit=7&funnel_step=1&${new URLSearchParams({
      events: JSON.stringify(FUNNEL.events),
      ...RANGE,
    })}`;
    while (url !== null) {
      const { body }: Awaited<ReturnType<typeof client.get>> = await client.get(url);
      for (const { uuid } of body.results[0].people) seen.add(uuid);
      url = body.next;
    }
    expect(seen.size).toBe(30);
  });

  it('come as CSV, and at the legacy path', async () => {
    const body = { ...FUNNEL, funnel_step: 3 };
    const csv = await client.post(`${P}/persons/funnel/?format=csv`, { body });
    expect(String(csv.body).trim().split('\r\n').length).toBe(11);
    expect((await client.post('/api/person/funnel/', { body })).body.results[0].count).toBe(10);
  });

  it('can be searched', async () => {
    const body = { ...FUNNEL, funnel_step: 1, search: 'person-17' };
    const found = await client.post(`${P}/persons/funnel/`, { body });
    expect(found.body.results[0].people.map((person: { name: string }) => person.name)).toEqual(['person-17']);
  });
});

describe('bad input', () => {
  it.each<[string, object, string | null]>([
    ['persons/funnel', FUNNEL, 'funnel_step'],
    ['persons/funnel', { funnel_step: 1 }, 'events'],
    ['insights/funnel', { ...FUNNEL, funnel_window_days: -1 }, 'funnel_window_days'],
    ['insights/funnel', { ...FUNNEL, breakdown: 'x', breakdown_type: 'session' }, 'breakdown'],
    ['insights/funnel', { ...FUNNEL, actions: [{ id: 7 }] }, null],
    ['insights/funnel', { ...FUNNEL, date_from: "'; drop table event_rows; --" }, 'date_from'],
    ['insights/funnel/correlation', { ...FUNNEL, funnel_correlation_type: 'properties' }, 'funnel_correlation_names'],
    ['persons/funnel/correlation', FUNNEL, 'funnel_correlation_person_entity'],
    ['insights/path', { step_limit: 0 }, 'step_limit'],
    ['insights/path', { funnel_paths: 'funnel_path_after_step' }, 'funnel_filter'],
  ])('is refused: %s %j', async (path, body, attr) => {
    const answer = await client.post(`${P}/${path}/`, { body });
    expect([answer.status, answer.body.attr]).toEqual([400, attr]);
  });

  it('does not reach other projects', async () => {
    const theirs = { key: stranger.personalKey, body: FUNNEL };
    expect((await client.post(`${P}/insights/funnel/`, theirs)).status).toBe(404);
    const own = await client.post(`/api/projects/${stranger.projectId}/insights/funnel/`, theirs);
    expect(own.body.result.map((step: Step) => step.count)).toEqual([0, 0, 0]);
  });

  it('treats SQL and patterns as data', async () => {
    const [step] = await ask('funnel', { ...FUNNEL, events: [{ id: "x' or 1=1 --" }, { id: '\0' }] });
    expect(step.count).toBe(0);
    const cleaned = await ask('path', { ...RANGE, local_path_cleaning_filters: [{ regex: '(a+)+$', alias: '$1' }] });
    expect(cleaned.length).toBeGreaterThan(0);
  });
});
