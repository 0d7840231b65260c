/** Metrics that several experiments share, and what is kept of an experiment: through the API. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { capture } from '../support/capture.ts';
import { type Answer, clientFor } from '../support/client.ts';
import { START, startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let client: ReturnType<typeof clientFor>;
const all = '/api/projects/1/experiments/';
const saved = '/api/projects/1/experiment_saved_metrics/';

beforeAll(async () => {
  server = await startServer();
  client = clientFor(server);
});
afterAll(() => server.close());

const ORDERS = { metric_type: 'funnel', series: [{ kind: 'EventsNode', event: 'order' }] };
const PLAIN = { stats_config: { cuped: { enabled: false } } };
const later = (minutes: number): string => new Date(Date.parse(START) + minutes * 60_000).toISOString();

const make = async (name: string, body: object): Promise<Answer['body']> => {
  const answer = await client.post(all, {
    body: { name, feature_flag_key: name, allow_unknown_events: true, ...body },
  });
  expect([answer.status, answer.body.detail]).toEqual([201, undefined]);
  return answer.body;
};
const results = async (id: number): Promise<Answer['body']> => (await client.get(`${all}${id}/results/`)).body;

/** People of both variants, a share of whom order. */
const expose = (flag: string, name: string, each: number, shares: Record<string, number>, minute: number) =>
  capture(
    server,
    server.projectKey,
    Object.entries(shares).flatMap(([variant, share]) =>
      Array.from({ length: each }, (_, at) => at).flatMap((at) => {
        const who = { distinct_id: `${flag}-${name}-${variant}-${at}`, timestamp: later(minute) };
        const properties = { $feature_flag: flag, $feature_flag_response: variant };
        return [
          { event: '$feature_flag_called', properties, ...who },
          ...(at < each * share ? [{ event: 'order', ...who }] : []),
        ];
      }),
    ),
  );

describe('a saved metric', () => {
  it('is a metric of every experiment that takes it, as it is now', async () => {
    const made = await client.post(saved, { body: { name: 'Orders', query: ORDERS, tags: ['shop'] } });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({ name: 'Orders', description: null, tags: ['shop'], query: ORDERS });
    const { id: metricId } = made.body;
    const uuid = made.body.query.uuid as string;
    const { id } = await make('first', {
      ...PLAIN,
      saved_metrics_ids: [{ id: metricId, metadata: { type: 'primary' } }],
      start_date: START,
    });
    expect((await client.get(`${all}${id}/`)).body).toMatchObject({
      metrics: [],
      saved_metrics: [{ experiment: id, saved_metric: metricId, metadata: { type: 'primary' }, query: { uuid } }],
    });
    server.setNow(later(10));
    await expose('first', 'a', 5, { control: 0.4, test: 0.8 }, 5);
    const found = await results(id);
    expect(found.metrics).toMatchObject([
      { uuid, name: 'Orders', role: 'primary', baseline: { sum: 2 }, variant_results: [{ sum: 4 }] },
    ]);
    expect(found.metrics[0].added_later).toBe(false);
    const other = { ...ORDERS, goal: 'decrease' };
    const changed = await client.patch(`${saved}${metricId}/`, { body: { query: other, name: 'Fewer orders' } });
    expect(changed.body.query.uuid).toBe(uuid);
    const again = await results(id);
    expect(again.metrics[0]).toMatchObject({ name: 'Fewer orders', goal: 'decrease' });
    expect(again.metrics[0].fingerprint).not.toBe(found.metrics[0].fingerprint);
    expect((await client.get(`${all}${id}/`)).body.changed_after_start).toMatchObject([{ fields: ['saved_metrics'] }]);
    expect((await client.delete(`${saved}${metricId}/`)).body.detail).toContain('"first" is running');
    await client.post(`${all}${id}/end/`, { body: {} });
    expect((await client.delete(`${saved}${metricId}/`)).status).toBe(204);
    expect((await results(id)).metrics).toEqual([]);
    expect((await client.get(`${saved}${metricId}/`)).status).toBe(404);
  });

  it('is shown as added later where it came after the start', async () => {
    const { id: metricId } = (await client.post(saved, { body: { name: 'Late', query: ORDERS } })).body;
    const { id } = await make('late', { start_date: later(10) });
    await client.patch(`${all}${id}/`, { body: { saved_metrics_ids: [{ id: metricId }] } });
    expect((await results(id)).metrics).toMatchObject([{ name: 'Late', role: 'primary', added_later: true }]);
  });

  it.each([
    [{ query: { metric_type: 'mean' } }, 'query__source'],
    [{ query: { ...ORDERS, series: [] } }, 'query__series'],
    [{ query: 'orders' }, 'query'],
    [{ name: '' }, 'name'],
  ])('is refused with %j', async (body, attr) => {
    const answer = await client.post(saved, { body: { name: 'Bad', query: ORDERS, ...body } });
    expect([answer.status, answer.body.attr]).toEqual([400, attr]);
  });

  it.each([
    [[{ id: 99_999 }], 'saved_metrics_ids__0__id'],
    [[{ metadata: {} }], 'saved_metrics_ids__0'],
    [[{ id: 1, metadata: { type: 'third' } }], 'saved_metrics_ids__0__metadata__type'],
  ])('cannot be taken as %j', async (saved_metrics_ids, attr) => {
    const answer = await client.post(all, { body: { name: 'x', feature_flag_key: 'x', saved_metrics_ids } });
    expect([answer.status, answer.body.attr]).toEqual([400, attr]);
  });
});

describe('what was found', () => {
  it('keeps the day of the first crossing, whatever the numbers say later, until a reset', async () => {
    server.setNow(later(20));
    const metrics = [{ ...ORDERS, name: 'orders' }];
    const { id } = await make('crossed', { ...PLAIN, metrics, start_date: later(20) });
    await expose('crossed', 'a', 200, { control: 0.2, test: 0.5 }, 20);
    server.setNow(later(30));
    const first = (await results(id)).metrics[0].variant_results[0];
    expect(first.sequential.first_crossed).toBe('2026-01-15T12:30:00Z');
    await expose('crossed', 'b', 400, { control: 0.6, test: 0.45 }, 30);
    server.setNow(later(40));
    const second = (await results(id)).metrics[0].variant_results[0];
    expect(second.sequential.p_value).toBeGreaterThan(0.05);
    expect(second.sequential.first_crossed).toBe('2026-01-15T12:30:00Z');
    await client.post(`${all}${id}/reset/`);
    await client.patch(`${all}${id}/`, { body: { start_date: later(20) } });
    expect((await results(id)).metrics[0].variant_results[0].sequential.first_crossed).toBeNull();
  });

  it('is the result of a fixed plan at the look that reached it', async () => {
    server.setNow(later(50));
    const plan = { planned_users: 400, min_days: 0 };
    const stats_config = { stopping: 'fixed', cuped: { enabled: false } };
    const metrics = [{ ...ORDERS, name: 'orders' }];
    const { id } = await make('fixed', { stats_config, plan, metrics, start_date: later(50) });
    await expose('fixed', 'a', 150, { control: 0.2, test: 0.6 }, 50);
    server.setNow(later(51));
    expect(await results(id)).toMatchObject({ verdict: 'collecting', planned_result: null });
    await expose('fixed', 'b', 60, { control: 0.2, test: 0.6 }, 51);
    server.setNow(later(60));
    expect(await results(id)).toMatchObject({ verdict: 'better', planned_result: { verdict: 'better' } });
    await expose('fixed', 'c', 300, { control: 0.6, test: 0.3 }, 60);
    server.setNow(later(70));
    const found = await results(id);
    expect(found).toMatchObject({ verdict: 'better', plan: { users: 1020 }, planned_result: { plan: { users: 420 } } });
    expect(found.metrics[0].variant_results[0]).toMatchObject({ number_of_samples: 510, significant: false });
  });
});

describe('the cohort of the exposed', () => {
  it('has everybody who counts, and those who came since when it is made again', async () => {
    server.setNow(later(80));
    const draft = await make('cohort', {});
    const path = `${all}${draft.id}/create_exposure_cohort_for_experiment/`;
    expect((await client.post(path)).body.detail).toBe('Experiment has not been launched yet.');
    await client.post(`${all}${draft.id}/launch/`);
    await expose('cohort', 'a', 3, { control: 0, test: 0 }, 81);
    server.setNow(later(90));
    const made = await client.post(path);
    expect([made.status, made.body.cohort.is_static]).toEqual([201, true]);
    const members = async (): Promise<number> =>
      (await client.get(`/api/projects/1/cohorts/${made.body.cohort.id}/persons/`)).body.results.length;
    expect(await members()).toBe(6);
    expect((await client.get(`${all}${draft.id}/`)).body.exposure_cohort).toBe(made.body.cohort.id);
    await expose('cohort', 'b', 1, { control: 0, test: 0 }, 91);
    server.setNow(later(100));
    expect((await client.post(path)).body.cohort.id).toBe(made.body.cohort.id);
    expect(await members()).toBe(8);
  });
});

describe('a running experiment', () => {
  it('is looked at once a day, although no one asks', { timeout: 90_000 }, async () => {
    server.setNow(later(110));
    const metrics = [{ ...ORDERS, name: 'orders' }];
    const { id } = await make('unseen', { ...PLAIN, metrics, start_date: later(110) });
    await expose('unseen', 'a', 200, { control: 0.2, test: 0.5 }, 110);
    const day = 24 * 60;
    server.setNow(later(2 * day));
    await vi.waitFor(
      async () => {
        const found = await server.rows('select * from experiment_findings where experiment_id = ?', id);
        expect(found.length).toBeGreaterThan(0);
      },
      { timeout: 60_000, interval: 100 },
    );
    server.setNow(later(4 * day));
    const [variant] = (await results(id)).metrics[0].variant_results;
    expect(variant.sequential.first_crossed).toBe('2026-01-17T12:00:00Z');
  });
});
