/** Metrics and exposures beyond plain counts, over HTTP: thresholds, orders of funnels, different sessions, activation. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { capture, type SentEvent } from '../support/capture.ts';
import { type Answer, clientFor } from '../support/client.ts';
import { START, startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let client: ReturnType<typeof clientFor>;
const all = '/api/projects/1/experiments/';
const later = (minutes: number): string => new Date(Date.parse(START) + minutes * 60_000).toISOString();

const call = (who: string, variant: string): SentEvent => ({
  event: '$feature_flag_called',
  distinct_id: who,
  timestamp: later(10),
  properties: { $feature_flag: 'kinds', $feature_flag_response: variant },
});
const did = (who: string, event: string, minute: number, properties = {}): SentEvent => ({
  event,
  distinct_id: who,
  timestamp: later(minute),
  properties,
});

/** Two people in each variant: in `test` one does everything in order, the other backwards with something between. */
const EVENTS = [
  call('c1', 'control'),
  call('c2', 'control'),
  call('t1', 'test'),
  call('t2', 'test'),
  did('c1', 'pay', 5, { amount: 100 }),
  did('c1', 'pay', 20, { amount: 4, $session_id: 's1' }),
  did('t1', 'view', 20, { $session_id: 's1' }),
  did('t1', 'pay', 21, { amount: 6, $session_id: 's1' }),
  did('t1', 'pay', 25, { amount: 6, $session_id: 's2' }),
  did('t2', 'pay', 20, { amount: 1 }),
  did('t2', 'look around', 21),
  did('t2', 'view', 22),
];

beforeAll(async () => {
  server = await startServer();
  client = clientFor(server);
  server.setNow(later(60));
  await capture(server, server.projectKey, EVENTS);
});
afterAll(() => server.close());

const node = (event: string, rest = {}): object => ({ kind: 'EventsNode', event, ...rest });
const PAID = { metric_type: 'mean', source: node('pay', { math: 'sum', math_property: 'amount' }) };
const FUNNEL = { metric_type: 'funnel', series: [node('view'), node('pay')] };

/** Launched before the first event, if at all. */
async function create(body: object): Promise<Answer> {
  server.setNow(START);
  const stats = { stats_config: { cuped: { enabled: false } }, allow_unknown_events: true };
  const given = { name: 'Kinds', feature_flag_key: 'kinds', ...stats, ...body };
  const answer = await client.post(all, { body: given });
  server.setNow(later(60));
  return answer;
}

/** The sum of the values in `control` and in `test`. */
async function sums(body: object): Promise<number[][]> {
  const made = await create({ start_date: START, ...body });
  expect([made.status, made.body.detail]).toEqual([201, undefined]);
  const { metrics } = (await client.get(`${all}${made.body.id}/results/`)).body;
  await client.patch(`${all}${made.body.id}/`, { body: { deleted: true } });
  return metrics.map((metric: { baseline: { sum: number }; variant_results: { sum: number }[] }) => [
    metric.baseline.sum,
    metric.variant_results[0]?.sum,
  ]);
}

describe('metrics', () => {
  it('count who reaches a threshold', async () => {
    expect(
      await sums({
        metrics: [
          { ...PAID, threshold: 4 },
          { ...PAID, threshold: 12 },
          { ...PAID, threshold: 12.5 },
        ],
      }),
    ).toEqual([
      [1, 1],
      [0, 1],
      [0, 0],
    ]);
  });

  it('are funnels in order, in any order, or with nothing in between', async () => {
    const orders = ['ordered', 'unordered', 'strict'].map((funnel_order_type) => ({ ...FUNNEL, funnel_order_type }));
    const backwards = { ...FUNNEL, series: [node('pay'), node('view')] };
    expect(await sums({ metrics: [...orders, backwards, { ...backwards, funnel_order_type: 'strict' }] })).toEqual([
      [0, 1],
      [0, 2],
      [0, 1],
      [0, 1],
      [0, 0],
    ]);
  });

  it('count different sessions and people', async () => {
    const unique = ['unique_session', 'dau', 'total'].map((math) => ({
      metric_type: 'mean',
      source: node('pay', { math }),
    }));
    expect(await sums({ metrics: unique })).toEqual([
      [1, 2],
      [1, 2],
      [1, 3],
    ]);
  });

  it.each([
    [{ ...PAID, threshold: 0 }, 'metrics__0__threshold'],
    [{ ...PAID, threshold: '5' }, 'metrics__0__threshold'],
    [{ ...PAID, source: node('pay', { math: 'dau' }), threshold: 2 }, 'metrics__0__threshold'],
    [{ ...PAID, threshold: 2, upper_bound_percentile: 0.9 }, 'metrics__0'],
    [{ ...FUNNEL, funnel_order_type: 'any' }, 'metrics__0__funnel_order_type'],
    [
      { ...PAID, source: node('pay', { math: 'unique_group', math_group_type_index: 7 }) },
      'metrics__0__source__math_group_type_index',
    ],
  ])('refuse %j', async (metric, attr) => {
    const answer = await create({ metrics: [metric] });
    expect([answer.status, answer.body.attr]).toEqual([400, attr]);
  });
});

describe('a conversion window', () => {
  it('counts those whose window has ended by now, also after the end of the experiment', async () => {
    const windowed = { ...PAID, conversion_window: 1, conversion_window_unit: 'hour' };
    const made = await create({ start_date: START, metrics: [windowed] });
    const counted = async (minute: number): Promise<number | null> => {
      server.setNow(later(minute));
      const { metrics } = (await client.get(`${all}${made.body.id}/results/`)).body;
      return metrics[0].baseline?.number_of_samples ?? null;
    };
    expect(await counted(60)).toBe(null);
    await client.post(`${all}${made.body.id}/end/`);
    expect(await counted(69)).toBe(null);
    expect(await counted(71)).toBe(2);
    await client.patch(`${all}${made.body.id}/`, { body: { deleted: true } });
  });
});

describe('an answer', () => {
  it('is kept for the rest of the minute while nothing is new', async () => {
    const made = await create({ start_date: START, metrics: [PAID] });
    const asOf = async (seconds: number): Promise<string> => {
      server.setNow(new Date(Date.parse(START) + 3_600_000 + seconds * 1000).toISOString());
      return (await client.get(`${all}${made.body.id}/results/`)).body.is_cached;
    };
    expect([await asOf(61), await asOf(75), await asOf(121)]).toEqual([false, true, false]);
    await client.patch(`${all}${made.body.id}/`, { body: { deleted: true } });
  });
});

describe('an activation', () => {
  const activation = { exposure_criteria: { activation_config: node('view') } };

  it('counts people from its event on, in the variant that they met', async () => {
    const made = await create({ start_date: START, metrics: [PAID], ...activation });
    const results = (await client.get(`${all}${made.body.id}/results/`)).body;
    expect(results.exposures.by_variant).toEqual({ control: 0, test: 2 });
    // What the second one paid was before.
    expect(results.metrics[0].variant_results[0].sum).toBe(12);
    const persons = (await client.get(`${all}${made.body.id}/persons/?variant=test`)).body;
    expect(persons.results).toHaveLength(2);
    await client.patch(`${all}${made.body.id}/`, { body: { deleted: true } });
  });

  it('is refused where it is no object', async () => {
    const answer = await create({ exposure_criteria: { activation_config: 'view' } });
    expect([answer.status, answer.body.attr]).toEqual([400, 'activation_config']);
  });
});
