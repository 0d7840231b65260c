/** Experiments of a started server: from a draft to a shipped variant, with results on the way. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { capture } from '../support/capture.ts';
import { type Answer, clientFor } from '../support/client.ts';
import { OpenApi } from '../support/openapi.ts';
import { isWithoutEvents, startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let client: ReturnType<typeof clientFor>;
const all = '/api/projects/1/experiments/';

beforeAll(async () => {
  server = await startServer();
  client = clientFor(server);
});
afterAll(() => server.close());

const ORDERS = {
  metric_type: 'mean',
  name: 'orders',
  source: { kind: 'EventsNode', event: 'order', math: 'total' },
};
const PAID = { metric_type: 'funnel', name: 'paid', series: [{ kind: 'EventsNode', event: 'order' }] };

const make = async (body: object): Promise<Answer['body']> => {
  const answer = await client.post(all, { body: { allow_unknown_events: true, ...body } });
  expect([answer.status, answer.body.detail]).toEqual([201, undefined]);
  return answer.body;
};
const act = (id: number, action: string, body: object = {}): Promise<Answer> =>
  client.post(`${all}${id}/${action}/`, { body });
const results = async (id: number): Promise<Answer['body']> => (await client.get(`${all}${id}/results/`)).body;

describe('the life of an experiment', () => {
  it('begins as a draft with a flag that is off', async () => {
    const made = await make({ name: 'Checkout', feature_flag_key: 'checkout-1', metrics: [ORDERS] });
    expect(made).toMatchObject({
      status: 'draft',
      start_date: null,
      feature_flag: { key: 'checkout-1', active: false },
      parameters: {
        feature_flag_variants: [
          { key: 'control', split_percent: 50 },
          { key: 'test', split_percent: 50 },
        ],
      },
    });
    expect(made.metrics[0].uuid).toMatch(/^[0-9a-f-]{36}$/);
    expect((await client.get(`${all}${made.id}/`)).body).toEqual(made);
    expect((await client.get(`${all}?search=check`)).body).toMatchObject({ count: 1, results: [{ id: made.id }] });
  });

  it('is launched, ended and shipped, each step once', async () => {
    const { id } = await make({ name: 'Steps', feature_flag_key: 'steps' });
    expect((await act(id, 'end')).body.detail).toBe('Experiment has not been launched yet.');
    const launched = await act(id, 'launch');
    expect(launched.body).toMatchObject({ status: 'running', feature_flag: { active: true } });
    expect((await act(id, 'launch')).body).toMatchObject({ detail: 'Experiment has already been launched.' });
    expect((await act(id, 'ship_variant', { variant_key: 'other' })).body).toMatchObject({ attr: 'variant_key' });
    const ended = await act(id, 'end', { conclusion: 'inconclusive' });
    expect(ended.body).toMatchObject({ status: 'stopped', conclusion: 'inconclusive' });
    expect((await act(id, 'end')).body.detail).toBe('Experiment has already ended.');
    const shipped = await act(id, 'ship_variant', { variant_key: 'test', conclusion: 'won' });
    expect(shipped.body.feature_flag.filters.groups).toEqual([
      { properties: [], rollout_percentage: 100, variant: 'test' },
      { properties: [], rollout_percentage: 100 },
    ]);
    const log = (await client.get(`${all}${id}/activity/`)).body.results;
    expect(log.map(({ activity }: { activity: string }) => activity)).toEqual([
      'updated',
      'updated',
      'updated',
      'created',
    ]);
  });

  it('is paused while its flag is off', async () => {
    const { id, feature_flag } = await make({ name: 'Paused', feature_flag_key: 'paused', start_date: '2026-01-15' });
    await client.patch(`/api/projects/1/feature_flags/${feature_flag.id}/`, { body: { active: false } });
    expect((await client.get(`${all}${id}/`)).body.status).toBe('paused');
  });

  it('is paused, resumed, ended, archived and made a draft again', async () => {
    const { id } = await make({ name: 'States', feature_flag_key: 'states' });
    expect((await act(id, 'pause')).body.detail).toBe('Experiment has not been launched yet.');
    await act(id, 'launch');
    expect((await act(id, 'resume')).body.detail).toBe('Experiment is not paused.');
    expect((await act(id, 'pause')).body.status).toBe('paused');
    expect((await act(id, 'pause')).body.detail).toBe('Experiment is already paused.');
    expect((await act(id, 'resume')).body.status).toBe('running');
    expect((await act(id, 'archive')).body.detail).toBe('Experiment must be ended before it can be archived.');
    await act(id, 'end', { conclusion: 'invalid' });
    expect((await act(id, 'archive')).body.archived).toBe(true);
    expect((await act(id, 'unarchive')).body.archived).toBe(false);
    expect((await act(id, 'reset')).body).toMatchObject({ status: 'draft', conclusion: null, end_date: null });
    expect((await act(id, 'reset')).body.detail).toBe('Experiment is already in draft state.');
  });

  it('keeps what was changed after the start', async () => {
    const { id } = await make({ name: 'Changed', feature_flag_key: 'changed', metrics: [ORDERS] });
    await client.patch(`${all}${id}/`, { body: { metrics: [PAID], allow_unknown_events: true } });
    await act(id, 'launch');
    expect((await client.patch(`${all}${id}/`, { body: { name: 'Renamed' } })).body.changed_after_start).toEqual([]);
    const changed = await client.patch(`${all}${id}/`, { body: { metrics: [ORDERS], plan: { min_days: 3 } } });
    expect(changed.body.changed_after_start).toMatchObject([
      {
        at: '2026-01-15T12:00:00.000Z',
        fields: ['metrics', 'plan'],
        plan_before: { frozen_at: '2026-01-15T12:00:00.000Z' },
      },
    ]);
  });

  it('is deleted by a change', async () => {
    const { id } = await make({ name: 'Gone', feature_flag_key: 'gone' });
    expect((await client.delete(`${all}${id}/`)).status).toBe(405);
    expect((await client.patch(`${all}${id}/`, { body: { deleted: true } })).body.deleted).toBe(true);
    expect((await client.get(`${all}${id}/`)).status).toBe(404);
  });

  it.each([
    [{ metrics: [{ metric_type: 'quantile' }] }, 'metrics__0__metric_type'],
    [{ metrics: [{ metric_type: 'mean' }] }, 'metrics__0__source'],
    [{ metrics: [{ ...ORDERS, conversion_window: -1 }] }, 'metrics__0__conversion_window'],
    [{ metrics: [{ ...ORDERS, source: { ...ORDERS.source, math: 'hogql' } }] }, 'metrics__0__source__math'],
    [{ stats_config: { frequentist: { alpha: 2 } } }, 'stats_config__frequentist__alpha'],
    [{ stats_config: { bayesian: { difference_type: 'half' } } }, 'stats_config__bayesian__difference_type'],
    [{ parameters: { feature_flag_variants: [{ key: 'a' }, { key: 'b' }] } }, 'parameters__feature_flag_variants'],
    [{ start_date: 'soon' }, 'start_date'],
  ])('refuses %j', async (body, attr) => {
    const answer = await client.post(all, { body: { name: 'Bad', feature_flag_key: 'bad', ...body } });
    expect([answer.status, answer.body.attr]).toEqual([400, attr]);
  });

  it('needs a flag with variants and a control', async () => {
    await client.post('/api/projects/1/feature_flags/', { body: { key: 'plain', filters: { groups: [{}] } } });
    const answer = await client.post(all, { body: { name: 'Plain', feature_flag_key: 'plain' } });
    expect([answer.status, answer.body.attr]).toEqual([400, 'feature_flag_key']);
  });
});

describe.skipIf(isWithoutEvents)('the results', () => {
  const call = (who: string, variant: string) => ({
    event: '$feature_flag_called',
    distinct_id: who,
    timestamp: '2026-01-15T12:10:00Z',
    properties: { $feature_flag: 'button', $feature_flag_response: variant },
  });
  const order = (who: string, time: string) => ({ event: 'order', distinct_id: who, timestamp: `2026-01-15T${time}Z` });

  it('say what was measured, and that it is too early', async () => {
    const { id } = await make({
      name: 'Button',
      feature_flag_key: 'button',
      metrics: [ORDERS, PAID],
      stats_config: { cuped: { enabled: false } },
    });
    expect(await results(id)).toMatchObject({ verdict: 'no_data', exposures: { total: 0 } });
    await act(id, 'launch');
    server.setNow('2026-01-15T12:30:00Z');
    await capture(server, server.projectKey, [
      ...['a', 'b', 'c'].map((who) => call(who, 'control')),
      ...['d', 'e', 'f'].map((who) => call(who, 'test')),
      call('g', 'control'),
      call('g', 'test'),
      call('h', 'holdout-1'),
      order('a', '12:05:00'),
      order('a', '12:15:00'),
      order('d', '12:15:00'),
      order('d', '12:16:00'),
      order('e', '12:20:00'),
      order('g', '12:20:00'),
    ]);
    const found = await results(id);
    expect(found.exposures).toMatchObject({
      total: 6,
      by_variant: { control: 3, test: 3 },
      multiple: { same_id: 1, merged_ids: 0 },
      srm: { status: 'not_enough_data' },
    });
    expect(found).toMatchObject({ verdict: 'too_early', decision_allowed: false });
    const [orders, paid] = found.metrics;
    expect(orders.baseline).toMatchObject({ number_of_samples: 3, sum: 1, sum_squares: 1 });
    expect(orders.variant_results[0]).toMatchObject({
      key: 'test',
      number_of_samples: 3,
      sum: 3,
      sum_squares: 5,
      significant: false,
      validation_failures: ['not-enough-exposures', 'not-enough-metric-data'],
      verdict: 'too_early',
      sentence: 'Too early to say anything: 3 of at least 100 people in control.',
    });
    expect(orders.variant_results[0].difference).toBeCloseTo(2 / 3, 12);
    expect(paid.variant_results[0]).toMatchObject({ sum: 2, step_counts: [2], fixed: { p_method: 'fisher' } });
    expect((await client.get(`${all}${id}/exposures/`)).body).toEqual(found.exposures);
    expect(found).toMatchObject({ status: 'running', next_step: 'Let it run.', plan: { users: 6, min_days: 7 } });
    expect(orders).toMatchObject({ added_later: false, fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/) });
    const ask = async (query: object) => (await client.post('/api/projects/1/query/', { body: { query } })).body;
    const asked = await ask({ kind: 'ExperimentQuery', experiment_id: id, metric: ORDERS });
    expect(asked.baseline).toEqual(orders.baseline);
    expect(asked.variant_results[0]).toMatchObject({ key: 'test', sum: 3, p_value: orders.variant_results[0].p_value });
    expect(await ask({ kind: 'ExperimentExposureQuery', experiment_id: id })).toMatchObject({
      total_exposures: { control: 3, test: 3 },
      timeseries: found.exposures.timeseries,
      // One person met both variants, but halves lose as many each.
      bias_risk: null,
    });
    expect(await ask({ kind: 'TrendsQuery' })).toMatchObject({ attr: 'query.kind' });
    expect(await ask({ kind: 'ExperimentQuery', experiment_id: id })).toMatchObject({ attr: 'query__metric' });
    expect(await ask({ kind: 'ExperimentQuery', experiment_id: 99_999, metric: ORDERS })).toMatchObject({
      code: 'not_found',
    });
    const api = await OpenApi.of(server);
    expect(api.problemsOf('GET', `${all}${id}/results/`, { status: 200, body: found })).toEqual([]);
  });

  it.each([
    ['exclude', { multiple_variant_percentage: 25 }],
    ['first_seen', null],
  ])('warn of a bias where people in several variants of an uneven split are left out: %s', async (handling, risk) => {
    const key = `uneven-${handling}`;
    const { id } = await make({
      name: key,
      feature_flag_key: key,
      exposure_criteria: { multiple_variant_handling: handling },
      parameters: {
        feature_flag_variants: [
          { key: 'control', rollout_percentage: 80 },
          { key: 'test', rollout_percentage: 20 },
        ],
      },
    });
    await act(id, 'launch');
    server.setNow('2026-01-15T12:31:00Z');
    const met = (who: string, variant: string) => ({
      ...call(`${key}-${who}`, variant),
      timestamp: '2026-01-15T12:30:30Z',
      properties: { $feature_flag: key, $feature_flag_response: variant },
    });
    const seen = [met('a', 'control'), met('b', 'control'), met('c', 'test'), met('d', 'control'), met('d', 'test')];
    await capture(server, server.projectKey, seen);
    const query = { kind: 'ExperimentExposureQuery', experiment_id: id };
    const { body } = await client.post('/api/projects/1/query/', { body: { query } });
    expect(body.bias_risk).toEqual(risk);
  });

  it('say which variant is better', async () => {
    const { id } = await make({
      name: 'Offer',
      feature_flag_key: 'offer',
      metrics: [PAID],
      stats_config: { cuped: { enabled: false } },
      start_date: '2026-01-15T12:30:00Z',
    });
    server.setNow('2026-01-15T14:00:00Z');
    const people = Array.from({ length: 600 }, (_, at) => ({ who: `offer-${at}`, at }));
    await capture(
      server,
      server.projectKey,
      people.flatMap(({ who, at }) => {
        const variant = at % 2 === 0 ? 'control' : 'test';
        const seen = { ...call(who, variant), timestamp: '2026-01-15T13:00:00Z' };
        const converts = at % (variant === 'control' ? 10 : 3) === 0 || (variant === 'test' && at % 5 < 2);
        return [
          { ...seen, properties: { $feature_flag: 'offer', $feature_flag_response: variant } },
          ...(converts ? [order(who, '13:10:00')] : []),
        ];
      }),
    );
    const found = await results(id);
    expect(found).toMatchObject({ verdict: 'better', decision_allowed: true });
    expect(found.sentence).toMatch(/^test raises paid by \d+\.\d % \(/);
    const [variant] = found.metrics[0].variant_results;
    expect(variant.sequential.p_value).toBeLessThan(0.05);
    expect(variant.chance_to_win).toBeGreaterThan(0.99);
    expect(variant.lift_interval[0]).toBeGreaterThan(0);
    expect(found.result).toMatchObject({ significant: true, significance_code: 'significant' });
    expect(found.result.variants).toMatchObject([
      { key: 'control', success_count: 60, failure_count: 240 },
      { key: 'test' },
    ]);
    expect(found.result.probability.control + found.result.probability.test).toBeCloseTo(1, 12);
    expect(found).toMatchObject({ complete_until: '2026-01-15T14:00:00Z', plan: { days_left: null } });
    expect(found.plan.mde_now).toBeGreaterThan(0.3);
    await client.patch(`${all}${id}/`, {
      body: { stats_config: { cuped: { enabled: false }, frequentist: { difference_type: 'ABSOLUTE' } } },
    });
    const [absolute] = (await results(id)).metrics[0].variant_results;
    expect(absolute.confidence_interval).toEqual(variant.sequential.interval);
    expect(absolute.credible_interval).toEqual(variant.credible_interval);
    const course = await client.get(`${all}${id}/timeseries_results/?metric_uuid=${found.metrics[0].uuid}`);
    expect(course.body.points).toHaveLength(1);
    expect(course.body.points[0]).toMatchObject({ users: 600, variant_results: [{ lift: variant.lift }] });
    const listed = await client.get(`${all}${id}/persons/?variant=test&limit=5`);
    expect(listed.body).toMatchObject({ has_next: true });
    expect(listed.body.results).toHaveLength(5);
    expect(listed.body.results[0].distinct_ids[0]).toMatch(/^offer-\d*[13579]$/);
    expect((await client.get(`${all}${id}/persons/?variant=other`)).body.attr).toBe('variant');
    const csv = await client.get(`${all}${id}/results/?format=csv`);
    expect(csv.body.trim().split('\r\n')).toHaveLength(3);
  });

  it('warn of people who met a variant before, or got one by a condition, and count values that are no numbers', async () => {
    server.setNow('2026-01-15T14:00:00Z');
    const variants = ['control', 'test'].map((key) => ({ key, rollout_percentage: 50 }));
    const pro = {
      properties: [{ key: 'plan', value: 'pro', type: 'person' }],
      rollout_percentage: 100,
      variant: 'test',
    };
    const filters = { groups: [pro, { properties: [], rollout_percentage: 100 }], multivariate: { variants } };
    await client.post('/api/projects/1/feature_flags/', { body: { key: 'known', filters } });
    server.setNow('2026-01-15T14:30:00Z');
    const source = { kind: 'EventsNode', event: 'order', math: 'sum', math_property: 'price' };
    const metrics = [{ metric_type: 'mean', name: 'revenue', source }];
    const { id } = await make({
      name: 'Known',
      feature_flag_key: 'known',
      metrics,
      start_date: '2026-01-15T14:30:00Z',
    });
    server.setNow('2026-01-15T15:00:00Z');
    const seen = (who: string, variant: string, time: string, $set = {}) => ({
      ...call(who, variant),
      timestamp: `2026-01-15T${time}Z`,
      properties: { $feature_flag: 'known', $feature_flag_response: variant, $set },
    });
    const paid = (who: string, price: unknown) => ({ ...order(who, '14:50:00'), properties: { price } });
    await capture(server, server.projectKey, [
      seen('k1', 'control', '14:10:00'),
      seen('k1', 'control', '14:40:00'),
      seen('k2', 'test', '14:40:00', { plan: 'pro' }),
      seen('k3', 'control', '14:40:00'),
      seen('k4', 'test', '14:10:00'),
      paid('k1', 10),
      paid('k2', 'a lot'),
      paid('k2', '1e400'),
      paid('k3', 5),
    ]);
    const found = await results(id);
    expect(found.exposures).toMatchObject({ total: 3, exposed_before_start: 1, forced: 1 });
    const codes = found.warnings.map(({ code }: { code: string }) => code);
    expect(codes).toEqual(['exposed_before_start', 'forced_variants']);
    expect(found.metrics[0]).toMatchObject({
      baseline: { sum: 15, ignored_values: 0 },
      variant_results: [{ sum: 0, ignored_values: 2 }],
    });
  });

  it('name what makes the split wrong', async () => {
    const { id } = await make({ name: 'Split', feature_flag_key: 'split', start_date: '2026-01-15T14:00:00Z' });
    const people = Array.from({ length: 2000 }, (_, at) => ({ who: `split-${at}`, at }));
    server.setNow('2026-01-15T15:00:00Z');
    await capture(
      server,
      server.projectKey,
      people.flatMap(({ who, at }) => {
        const [variant, browser] = [at % 2 === 0 ? 'control' : 'test', at % 4 < 2 ? 'Safari' : 'Firefox'];
        if (browser === 'Safari' && variant === 'test' && at % 3 === 0) return [];
        const seen = { ...call(who, variant), timestamp: '2026-01-15T14:30:00Z' };
        const properties = { $feature_flag: 'split', $feature_flag_response: variant, $browser: browser };
        return [{ ...seen, properties }];
      }),
    );
    const found = await results(id);
    expect(found).toMatchObject({ verdict: 'split_broken', decision_allowed: false });
    expect(found.exposures.srm.diagnosis).toMatchObject([
      { property: '$browser', value: 'Safari', explains_all: true },
    ]);
  });

  it('name new people where those are not split as planned', async () => {
    const isKnown = (at: number): boolean => at % 4 < 2;
    const people = Array.from({ length: 1600 }, (_, at) => ({ who: `age-${at}`, at }));
    const known = people.filter(({ at }) => isKnown(at));
    await capture(
      server,
      server.projectKey,
      known.map(({ who }) => ({ event: 'visited', distinct_id: who, timestamp: '2026-01-15T14:00:00Z' })),
    );
    const { id } = await make({ name: 'age', feature_flag_key: 'age', start_date: '2026-01-17T12:00:00Z' });
    server.setNow('2026-01-17T14:00:00Z');
    await capture(
      server,
      server.projectKey,
      people.flatMap(({ who, at }) => {
        const variant = at % 2 === 0 ? 'control' : 'test';
        if (!isKnown(at) && variant === 'test' && at % 3 === 0) return [];
        const properties = { $feature_flag: 'age', $feature_flag_response: variant };
        return [{ ...call(who, variant), timestamp: '2026-01-17T13:30:00Z', properties }];
      }),
    );
    expect((await results(id)).exposures.srm.diagnosis).toMatchObject([
      { property: 'is_new_person', value: 'true', explains_all: true },
    ]);
  });

  it('are planned from the last 14 days', async () => {
    const plan = (body: object) => client.post(`${all}plan/`, { body });
    const found = await plan({ metric: PAID, event: '$feature_flag_called', plan: { mde_relative: 0.5 } });
    expect(found.body).toMatchObject({ users: expect.any(Number), days: expect.any(Number) });
    expect(found.body.sentence).toMatch(/^To find a change of 50 %: [\d,]+ people, at least \d+ days\.$/);
    // Half of the people take longer than all; a flag's own rollout is taken where there is one.
    const small = { metric: PAID, event: '$feature_flag_called', plan: { mde_relative: 0.3 } };
    const rolledOut = async (fields: object) => (await plan({ ...small, ...fields })).body.users_per_day;
    const toAll = await rolledOut({});
    expect(toAll).toBeGreaterThan(0);
    expect(await rolledOut({ rollout_percentage: 50 })).toBeCloseTo(toAll / 2, 9);
    await client.post('/api/projects/1/feature_flags/', {
      body: { key: 'a-quarter', filters: { groups: [{ properties: [], rollout_percentage: 25 }] } },
    });
    expect(await rolledOut({ feature_flag_key: 'a-quarter' })).toBeCloseTo(toAll / 4, 9);
    expect(await rolledOut({ feature_flag_key: 'no-such-flag' })).toBe(toAll);
    expect((await plan({ ...small, rollout_percentage: 101 })).status).toBe(400);
    const none = await plan({ metric: PAID, event: 'never seen' });
    expect(none.body).toMatchObject({ users: 0, planned_users: null, days: null });
    expect((await plan({ metric: { metric_type: 'quantile' } })).body.attr).toBe('metrics__0__metric_type');
  });
});
