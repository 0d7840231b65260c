/** Fields of experiments that clients read and write, the list, and what may change when. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
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

const DAY = 86_400_000;
/** As the API shows times. */
const day = (days: number): string => new Date(Date.parse(START) + days * DAY).toISOString().replace('.000Z', 'Z');
const path = (rest = ''): string => `/api/projects/${project.projectId}/experiments/${rest}`;
const ORDERS = { metric_type: 'mean', name: 'orders', source: { kind: 'EventsNode', event: 'order' } };
const make = async (key: string, rest: object = {}): Promise<Answer['body']> => {
  const body = { name: key, feature_flag_key: key, allow_unknown_events: true, metrics: [ORDERS], ...rest };
  const answer = await client.post(path(), { body });
  expect([answer.status, answer.body.detail]).toEqual([201, undefined]);
  return answer.body;
};
const change = (id: number, body: object): Promise<Answer> => client.patch(path(`${id}/`), { body });
const names = async (query: string): Promise<string[]> =>
  (await client.get(path(query))).body.results.map(({ name }: { name: string }) => name);

describe('the list of experiments', () => {
  it('is filtered and ordered', async () => {
    await make('draft', { description: 'Cheaper shipping' });
    const running = await make('running', { start_date: START });
    const stopped = await make('stopped', { start_date: day(-3) });
    await client.post(path(`${stopped.id}/end/`), { body: {} });
    await client.post(path(`${(await make('paused', { start_date: day(-1) })).id}/pause/`));
    expect(await names('')).toEqual(['paused', 'stopped', 'running', 'draft']);
    expect(await names('?status=running')).toEqual(['running']);
    expect(await names('?status=paused')).toEqual(['paused']);
    expect(await names('?status=complete')).toEqual(['stopped']);
    expect(await names('?search=SHIPPING')).toEqual(['draft']);
    expect(await names(`?feature_flag_id=${running.feature_flag.id}`)).toEqual(['running']);
    expect(await names(`?created_by_id=${running.created_by.id}&limit=2`)).toEqual(['paused', 'stopped']);
    expect(await names('?created_by_id=999999')).toEqual([]);
    expect(await names('?order=name')).toEqual(['draft', 'paused', 'running', 'stopped']);
    expect(await names('?order=-duration')).toEqual(['stopped', 'paused', 'running', 'draft']);
    expect(await names('?order=status')).toEqual(['draft', 'running', 'paused', 'stopped']);
    for (const [query, attr] of [
      ['?order=constructor', 'order'],
      ['?status=lost', 'status'],
      ['?feature_flag_id=x', 'feature_flag_id'],
    ])
      expect((await client.get(path(query))).body).toMatchObject({ type: 'validation_error', attr });
  });
});

describe('an experiment', () => {
  it('returns what was written, and a fingerprint of what is measured', async () => {
    const written = {
      primary_metrics_ordered_uuids: ['b', 'a'],
      secondary_metrics_ordered_uuids: null,
      only_count_matured_users: true,
      excluded_variants: ['test'],
      running_time_calculation: { recommended: 7 },
      scheduling_config: { end_at_max_days: true },
      filters: { insight: 'TRENDS' },
      secondary_metrics: [{ name: 'old' }],
    };
    const made = await make('written', written);
    expect(made).toMatchObject({ ...written, user_access_level: 'editor' });
    const [metric] = made.metrics;
    expect(metric.fingerprint).toMatch(/^[0-9a-f]{64}$/);
    const renamed = await change(made.id, { metrics: [{ ...metric, name: 'renamed' }] });
    expect(renamed.body.metrics[0].fingerprint).toBe(metric.fingerprint);
    const other = await change(made.id, { metrics: [{ ...metric, goal: 'decrease' }] });
    expect(other.body.metrics[0].fingerprint).not.toBe(metric.fingerprint);
    expect((await change(made.id, { excluded_variants: ['control'] })).body.attr).toBe('excluded_variants');
  });

  it('needs events that were seen, unless it allows others', async () => {
    const answer = await client.post(path(), { body: { name: 'x', feature_flag_key: 'x', metrics: [ORDERS] } });
    expect([answer.status, answer.body.attr]).toEqual([400, 'metrics__0__source__event']);
    expect((await client.get(`/api/projects/${project.projectId}/feature_flags/`)).body.count).toBe(0);
    const { id, metrics } = await make('known');
    // What was accepted once is sent again by clients that change something else.
    expect((await change(id, { metrics })).status).toBe(200);
  });

  it('takes its dates from a change', async () => {
    const { id } = await make('dates');
    expect((await change(id, { end_date: START })).body.detail).toBe('Experiment has not been launched yet.');
    expect((await change(id, { start_date: START, end_date: day(1) })).body.attr).toBe('end_date');
    expect((await change(id, { start_date: day(-2) })).body).toMatchObject({
      status: 'running',
      start_date: day(-2),
      plan: { frozen_at: '2026-01-15T12:00:00.000Z' },
    });
    expect((await change(id, { start_date: day(-3) })).body).toMatchObject({
      start_date: day(-3),
      changed_after_start: [{ fields: ['start_date'] }],
    });
    expect((await change(id, { start_date: null })).body.attr).toBe('start_date');
    expect((await change(id, { end_date: day(-4) })).body.attr).toBe('end_date');
    expect((await change(id, { end_date: day(4) })).body.attr).toBe('end_date');
    expect((await change(id, { end_date: START, conclusion: 'lost' })).body).toMatchObject({
      status: 'stopped',
      end_date: day(0),
      conclusion: 'lost',
    });
    expect((await change(id, { end_date: day(-1) })).body.changed_after_start[1].fields).toEqual(['end_date']);
    expect((await change(id, { end_date: null })).body.attr).toBe('end_date');
  });

  it('starts by itself at a date in the future, and ends after its last day', async () => {
    const config = { plan: { max_days: 2 }, scheduling_config: { end_at_max_days: true } };
    const { id } = await make('later', { start_date: day(1), ...config });
    const read = async () => (await client.get(path(`${id}/`))).body;
    await server.followExperimentSchedule();
    expect(await read()).toMatchObject({ status: 'draft', start_date: day(1), feature_flag: { active: false } });
    server.setNow(day(1.01));
    await server.followExperimentSchedule();
    expect(await read()).toMatchObject({
      status: 'running',
      start_date: day(1),
      feature_flag: { active: true },
      plan: { max_days: 2 },
    });
    await server.followExperimentSchedule();
    expect((await read()).status).toBe('running');
    server.setNow(day(3.01));
    await server.followExperimentSchedule();
    expect(await read()).toMatchObject({ status: 'stopped', end_date: day(3.01) });
    const [last] = (await client.get(path(`${id}/activity/`))).body.results;
    expect(last).toMatchObject({ user: { is_system: true }, detail: { trigger: { job_type: 'experiment_schedule' } } });
  });

  it('keeps type, variants and group type from the launch on', async () => {
    const { id } = await make('fixed', { start_date: START });
    const variants = (...keys: string[]) => keys.map((key) => ({ key, rollout_percentage: 100 / keys.length }));
    for (const [body, attr] of [
      [{ type: 'web' }, 'type'],
      [{ parameters: { feature_flag_variants: variants('control', 'other') } }, 'parameters__feature_flag_variants'],
      [{ parameters: { aggregation_group_type_index: 0 } }, 'parameters__aggregation_group_type_index'],
      [{ feature_flag_key: 'another' }, 'feature_flag_key'],
    ] as const)
      expect((await change(id, body)).body).toMatchObject({ type: 'validation_error', attr });
    expect((await change(id, { type: 'product' })).status).toBe(200);
  });

  it('sets percentages and rollout on its flag: of a draft, or when asked to', async () => {
    const { id } = await make('split', {
      parameters: {
        feature_flag_variants: [{ key: 'Control' }, { key: 'b' }].map((one) => ({ ...one, split_percent: 50 })),
      },
    });
    const shares = (control: number) => ({
      feature_flag_variants: [
        { key: 'control', split_percent: control },
        { key: 'b', split_percent: 100 - control },
      ],
    });
    const flagOf = ({ body }: Answer) => body.feature_flag.filters;
    const sharesOf = (answer: Answer) =>
      flagOf(answer).multivariate.variants.map((one: { rollout_percentage: number }) => one.rollout_percentage);
    expect(sharesOf(await change(id, { parameters: { ...shares(20), rollout_percentage: 40 } }))).toEqual([20, 80]);
    expect(flagOf(await client.post(path(`${id}/launch/`))).groups[0].rollout_percentage).toBe(40);
    expect(sharesOf(await change(id, { parameters: shares(70) }))).toEqual([20, 80]);
    const asked = { parameters: shares(70), update_feature_flag_params: true };
    expect(sharesOf(await change(id, asked))).toEqual([70, 30]);
    expect((await change(id, { ...asked, parameters: { rollout_percentage: 101 } })).body.attr).toBe(
      'parameters__rollout_percentage',
    );
  });

  it('is told to SDKs while it runs', async () => {
    const { id } = await make('told', { start_date: START });
    const told = async (): Promise<boolean> => {
      const body = { token: project.projectKey, distinct_id: 'a' };
      return (await client.post('/flags/?v=2', { body })).body.flags.told.metadata.has_experiment;
    };
    expect(await told()).toBe(true);
    await client.post(path(`${id}/end/`), { body: {} });
    expect(await told()).toBe(false);
  });
});
