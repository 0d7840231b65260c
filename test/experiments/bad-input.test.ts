/** What may go wrong with an experiment: a clear state and sentence, never NaN. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { capture, type SentEvent } from '../support/capture.ts';
import { type Answer, clientFor } from '../support/client.ts';
import { START, startServer, type TestProject, type TestServer } from '../support/server.ts';

let server: TestServer;
let project: TestProject;
let client: ReturnType<typeof clientFor>;
beforeAll(async () => {
  server = await startServer();
  client = clientFor(server);
});
afterAll(() => server.close());
beforeEach(async () => {
  server.setNow(START);
  project = await server.createProject();
});

const later = (minutes: number): string => new Date(Date.parse(START) + minutes * 60_000).toISOString();
const path = (rest = ''): string => `/api/projects/${project.projectId}/experiments/${rest}`;
const flagPath = (id: number): string => `/api/projects/${project.projectId}/feature_flags/${id}/`;
const order = { kind: 'EventsNode', event: 'order' };
const ORDERS = { metric_type: 'mean', name: 'orders', source: { ...order, math: 'total' } };
const REVENUE = { metric_type: 'mean', name: 'revenue', source: { ...order, math: 'sum', math_property: 'price' } };
const PAID = { metric_type: 'funnel', name: 'paid', series: [order] };
const BASKET = {
  metric_type: 'ratio',
  name: 'basket',
  numerator: { ...order, math: 'sum', math_property: 'price' },
  denominator: order,
};
const ALL = [PAID, ORDERS, REVENUE, BASKET];

const start = async (rest: object = {}): Promise<Answer['body']> => {
  const body = {
    name: 'One',
    allow_unknown_events: true,
    feature_flag_key: 'one',
    metrics: ALL,
    start_date: START,
    ...rest,
  };
  const made = await client.post(path(), { body });
  expect([made.status, made.body.detail]).toEqual([201, undefined]);
  server.setNow(later(60));
  return made.body;
};
const call = (who: string, variant: unknown, minute = 10): SentEvent => ({
  event: '$feature_flag_called',
  distinct_id: who,
  timestamp: later(minute),
  properties: { $feature_flag: 'one', $feature_flag_response: variant },
});
const buy = (who: string, price: unknown = 10, minute = 20): SentEvent => ({
  event: 'order',
  distinct_id: who,
  timestamp: later(minute),
  properties: { price },
});
const send = (events: SentEvent[]) => capture(server, project.projectKey, events);
const people = (each: number, bought: (at: number, variant: string) => SentEvent[] = () => []): SentEvent[] =>
  ['control', 'test'].flatMap((variant) =>
    Array.from({ length: each }, (_, at) => `${variant}-${at}`).flatMap((who, at) => [
      call(who, variant),
      ...bought(at, variant).map((event) => ({ ...event, distinct_id: who })),
    ]),
  );

/** Results that can be shown: nothing in them is no number, and everything is said in a sentence. */
const results = async (id: number): Promise<Answer['body']> => {
  const answer = await client.get(path(`${id}/results/`));
  expect([answer.status, answer.body.detail]).toEqual([200, undefined]);
  const text = JSON.stringify(answer.body);
  expect(text).not.toMatch(/NaN|Infinity|undefined|\[object/);
  expect(answer.body.sentence).toMatch(/^[A-Z].*\.$/);
  for (const { variant_results: variants } of answer.body.metrics)
    for (const { sentence } of variants) expect(sentence).toMatch(/^[A-Za-z].*\.$/);
  const csv = await client.get(path(`${id}/results/?format=csv`));
  expect(csv.status).toBe(200);
  expect(csv.body).not.toMatch(/NaN|Infinity|undefined/);
  expect((await client.get(path(`${id}/timeseries_results/`))).status).toBe(200);
  return answer.body;
};
const first = (found: Answer['body']) => found.metrics[0].variant_results[0];

describe('results of an experiment', () => {
  it('without anybody', async () => {
    const { id } = await start();
    expect(await results(id)).toMatchObject({ verdict: 'no_data', sentence: 'No one has seen this yet.' });
  });

  it('with one visitor', async () => {
    const { id } = await start();
    await send([call('a', 'test'), buy('a')]);
    const found = await results(id);
    expect(found.verdict).toBe('too_early');
    expect(first(found)).toMatchObject({
      p_value: null,
      chance_to_win: null,
      lift: null,
      validation_failures: ['not-enough-exposures'],
      sentence: 'Too early to say anything: 0 of at least 100 people in control.',
    });
  });

  it('with a metric that has no events', async () => {
    const { id } = await start();
    await send(people(120));
    const found = await results(id);
    expect(found).toMatchObject({ verdict: 'too_early' });
    expect(found.sentence).toBe('Too early to say anything: too few people in control did this.');
    expect(found.metrics[3].variant_results[0]).toMatchObject({ validation_failures: ['denominator-is-zero'] });
  });

  it('with no variance at all', async () => {
    const { id } = await start({ stats_config: { cuped: { enabled: false } } });
    await send(people(120, () => [buy('', 10)]));
    const found = await results(id);
    const [paid, orders] = found.metrics;
    expect(paid.variant_results[0]).toMatchObject({ p_value: null, lift: 0, verdict: 'cannot_calculate' });
    expect(orders.variant_results[0]).toMatchObject({ p_value: null, validation_failures: ['zero-variance'] });
    expect(found.sentence).toBe('Nothing can be calculated: everybody has the same value.');
  });

  it('with infinite, huge and other values that are no numbers', async () => {
    const { id } = await start({ stats_config: { cuped: { enabled: false } } });
    const strange = ['Infinity', '-Infinity', 'NaN', '1e400', 1e300, -1e305, 'ten', null, true, [1], { a: 1 }, ''];
    await send(people(130, (at) => [buy('', at < 12 ? strange[at] : (at % 7) + 1)]));
    const found = await results(id);
    const revenue = found.metrics[2];
    expect(revenue.baseline.sum).toBeGreaterThan(0);
    expect(revenue.baseline.sum).toBeLessThan(2000);
    expect(revenue.variant_results[0]).toMatchObject({ lift: 0, verdict: 'collecting' });
  });

  it('with a flag that has no control any more', async () => {
    const { id, feature_flag } = await start();
    await send(people(120));
    const variants = ['blue', 'test'].map((key) => ({ key, rollout_percentage: 50 }));
    const filters = { groups: [{ rollout_percentage: 100 }], multivariate: { variants } };
    expect((await client.patch(flagPath(feature_flag.id), { body: { filters } })).status).toBe(200);
    const found = await results(id);
    expect(found.exposures.by_variant).toEqual({ blue: 0, test: 120, control: 120 });
    expect(found.warnings.map(({ code }: { code: string }) => code)).toContain('variant_removed');
    expect((await client.get(path(`${id}/`))).body.status).toBe('running');
  });

  it('with a flag whose percentages were changed: each phase has its own split', async () => {
    const { id, feature_flag } = await start();
    const variants = [
      { key: 'control', rollout_percentage: 90 },
      { key: 'test', rollout_percentage: 10 },
    ];
    const filters = { groups: [{ rollout_percentage: 100 }], multivariate: { variants } };
    server.setNow(later(30));
    await client.patch(flagPath(feature_flag.id), { body: { filters } });
    server.setNow(later(60));
    const uneven = Array.from({ length: 400 }, (_, at) => call(`late-${at}`, at % 10 === 0 ? 'test' : 'control', 40));
    await send([...people(200), ...uneven]);
    const found = await results(id);
    expect(found.phases).toEqual([
      { from: expect.any(String), weights: { control: 50, test: 50 } },
      { from: later(30).replace('.000Z', 'Z'), weights: { control: 90, test: 10 } },
    ]);
    expect(found.exposures.srm).toMatchObject({ status: 'ok', expected: { control: 560, test: 240 } });
    expect(found.warnings.map(({ code }: { code: string }) => code)).toContain('split_changed');
  });

  it('with a flag that somebody wants to delete: not while it runs', async () => {
    const { id, feature_flag } = await start();
    await send(people(120));
    const remove = () => client.patch(flagPath(feature_flag.id), { body: { deleted: true } });
    expect((await remove()).body).toMatchObject({
      attr: 'deleted',
      detail: `The experiment "One" (ID: ${id}) runs on this feature flag. End or delete the experiment first.`,
    });
    const flag = (await client.get(flagPath(feature_flag.id))).body;
    expect(flag).toMatchObject({
      deleted: false,
      experiment_set: [id],
      experiment_set_metadata: [{ id, name: 'One' }],
    });
    expect((await client.post(path(`${id}/pause/`))).status).toBe(200);
    expect((await remove()).status).toBe(400);
    expect((await client.post(path(`${id}/end/`))).body.status).toBe('stopped');
    expect((await remove()).status).toBe(200);
    const found = await results(id);
    expect(found.exposures.total).toBe(240);
    expect(found.warnings.map(({ code }: { code: string }) => code)).toEqual(['flag_deleted']);
    const shipped = await client.post(path(`${id}/ship_variant/`), { body: { variant_key: 'test' } });
    expect([shipped.status, shipped.body.detail]).toEqual([400, 'The feature flag of this experiment is deleted.']);
  });

  it('as a draft with a flag that was deleted: it cannot be launched', async () => {
    const draft = await client.post(path(), { body: { name: 'Draft', feature_flag_key: 'drafted' } });
    await client.patch(flagPath(draft.body.feature_flag.id), { body: { deleted: true } });
    const answer = await client.post(path(`${draft.body.id}/launch/`));
    expect([answer.status, answer.body.detail]).toEqual([400, 'The feature flag of this experiment is deleted.']);
    expect((await results(draft.body.id)).verdict).toBe('no_data');
  });

  it('with clocks that are wrong: what happened before the start or in the future does not count', async () => {
    const { id } = await start({ stats_config: { cuped: { enabled: false } } });
    await send([
      call('early', 'test', -5),
      call('future', 'control', 60 * 24),
      call('fine', 'test'),
      buy('fine', 10, 5),
      buy('fine', 10, 60 * 24 * 2),
      buy('fine', 10, 30),
    ]);
    const found = await results(id);
    expect(found.exposures.by_variant).toEqual({ control: 0, test: 1 });
    expect(found.metrics[1].variant_results[0]).toMatchObject({ number_of_samples: 1, sum: 1 });
  });

  it('with a metric whose action was deleted: the others go on', async () => {
    const action = await client.post(`/api/projects/${project.projectId}/actions/`, {
      body: { name: 'Bought', steps: [{ event: 'order' }] },
    });
    const gone = { metric_type: 'funnel', name: 'bought', series: [{ kind: 'ActionsNode', id: action.body.id }] };
    const { id } = await start({ metrics: [PAID, gone] });
    await client.patch(`/api/projects/${project.projectId}/actions/${action.body.id}/`, { body: { deleted: true } });
    const found = await results(id);
    expect(found.metrics[1]).toMatchObject({ name: 'bought', verdict: 'cannot_calculate', baseline: null });
    expect(found.metrics[0].variant_results[0].verdict).toBe('no_data');
  });

  it.each([
    [{ start_date: 'tomorrow-ish' }, 'start_date'],
    [{ parameters: { feature_flag_variants: [{ key: 'control' }] } }, 'parameters__feature_flag_variants'],
    [{ metrics: [{ ...REVENUE, upper_bound_percentile: 2 }] }, 'metrics__0__upper_bound_percentile'],
    [{ metrics: [{ ...PAID, upper_bound_percentile: 0.9 }] }, 'metrics__0'],
    [{ metrics: [{ insight_id: 12345 }] }, 'metrics__0__insight_id'],
    [{ metrics: Array.from({ length: 51 }, () => PAID) }, 'metrics'],
    [{ plan: { min_days: -1 } }, 'plan__min_days'],
    [{ stats_config: { cuped: { lookback_days: 99 } } }, 'stats_config__cuped__lookback_days'],
  ])('are refused beforehand: %j', async (body, attr) => {
    const answer = await client.post(path(), { body: { name: 'Bad', feature_flag_key: 'bad', ...body } });
    expect([answer.status, answer.body.attr]).toEqual([400, attr]);
    expect(answer.body.detail).toMatch(/\.$/);
  });
});

describe('results by a property', () => {
  it('are described for each value, and decide nothing', async () => {
    const { id } = await start({ metrics: [PAID], stats_config: { cuped: { enabled: false } } });
    await send(
      people(200, (at, variant) => (variant === 'test' || at % 4 === 0 ? [buy('')] : [])).map((event) => {
        const isMobile = Number(String(event.distinct_id).split('-')[1]) % 2 === 0;
        return { ...event, properties: { ...event.properties, $os: isMobile ? 'iOS' : 'Linux' } };
      }),
    );
    const { body } = await client.get(path(`${id}/results/?breakdown=$os`));
    expect(body.verdict).toBe('better');
    expect(body.breakdown.property).toBe('$os');
    const shown = body.breakdown.values.map(({ value, exposures, metrics }: Answer['body']) => ({
      value,
      by: exposures.by_variant,
      mean: metrics[0].variant_results[0].mean,
      verdict: metrics[0].variant_results[0].verdict,
      significant: metrics[0].variant_results[0].significant,
      baseline: metrics[0].baseline.mean,
    }));
    const both = { by: { control: 100, test: 100 }, mean: 1, verdict: 'described', significant: false };
    expect(shown.sort((a: { value: string }, b: { value: string }) => (a.value < b.value ? -1 : 1))).toEqual([
      { value: 'Linux', ...both, baseline: 0 },
      { value: 'iOS', ...both, baseline: 0.5 },
    ]);
  });
});

describe('a saved insight', () => {
  it.each([
    [
      { insight: 'TRENDS', events: [{ id: 'order', math: 'sum', math_property: 'price' }] },
      { metric_type: 'mean', source: { event: 'order', math: 'sum', math_property: 'price' } },
    ],
    [
      { insight: 'TRENDS', events: [{ id: 'order', math: 'dau' }], properties: [{ key: 'plan', value: 'pro' }] },
      { metric_type: 'funnel', series: [{ event: 'order', properties: [{ key: 'plan', value: 'pro' }] }] },
    ],
    [
      {
        insight: 'FUNNELS',
        events: [
          { id: 'order', order: 1 },
          { id: '$pageview', order: 0 },
        ],
        funnel_window_interval: 3,
      },
      {
        metric_type: 'funnel',
        series: [{ event: '$pageview' }, { event: 'order' }],
        conversion_window: 3,
        conversion_window_unit: 'day',
      },
    ],
    [
      { insight: 'RETENTION', target_entity: { id: 'order' }, returning_entity: { id: 'order' }, period: 'Week' },
      { metric_type: 'retention', retention_window_unit: 'week', start_event: { event: 'order' } },
    ],
  ])('becomes a metric: %j', async (filters, metric) => {
    const insights = `/api/projects/${project.projectId}/insights/`;
    const saved = await client.post(insights, { body: { name: 'Saved', filters, saved: true } });
    const made = await client.post(path(), {
      body: {
        name: 'By insight',
        feature_flag_key: 'by',
        metrics: [{ insight_id: saved.body.short_id }],
        allow_unknown_events: true,
      },
    });
    expect([made.status, made.body.detail]).toEqual([201, undefined]);
    expect(made.body.metrics[0]).toMatchObject({ name: 'Saved', ...metric });
  });

  it('of paths cannot be one', async () => {
    const insights = `/api/projects/${project.projectId}/insights/`;
    const saved = await client.post(insights, { body: { filters: { insight: 'PATHS' }, saved: true } });
    const made = await client.post(path(), {
      body: { name: 'Paths', feature_flag_key: 'by', metrics: [{ insight_id: saved.body.id }] },
    });
    expect([made.status, made.body.attr]).toEqual([400, 'metrics__0']);
  });
});
