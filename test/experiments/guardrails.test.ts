/** Guardrails of a started server: what harms is stopped, once, with the evidence. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { capture, type SentEvent } from '../support/capture.ts';
import { type Answer, clientFor } from '../support/client.ts';
import { START, startServer, type TestProject, type TestServer } from '../support/server.ts';
import { type Hook, startHook } from '../support/webhook.ts';

let server: TestServer;
let project: TestProject;
let client: ReturnType<typeof clientFor>;
let hook: Hook;
beforeAll(async () => {
  hook = await startHook();
  server = await startServer({ config: { webhookAllowPrivate: true, publicUrl: 'https://cairn.example.org' } });
  client = clientFor(server);
});
afterAll(async () => {
  await server.close();
  await hook.close();
});
beforeEach(async () => {
  server.setNow(START);
  project = await server.createProject();
});

const MINUTE = 60_000;
const later = (minutes: number): string => new Date(Date.parse(START) + minutes * MINUTE).toISOString();
const path = (rest = ''): string => `/api/projects/${project.projectId}/experiments/${rest}`;

const CRASHED = {
  metric_type: 'funnel',
  name: 'crashes',
  goal: 'decrease',
  series: [{ kind: 'EventsNode', event: 'crash' }],
};

const start = async (guardrail: object, rest: object = {}): Promise<Answer['body']> => {
  const made = await client.post(path(), {
    body: {
      name: 'Risky',
      allow_unknown_events: true,
      feature_flag_key: 'risky',
      guardrails: [{ metric: CRASHED, ...guardrail }],
      stats_config: { cuped: { enabled: false } },
      start_date: START,
      ...rest,
    },
  });
  expect([made.status, made.body.detail]).toEqual([201, undefined]);
  return made.body;
};
const read = async (id: number): Promise<Answer['body']> => (await client.get(path(`${id}/`))).body;
const check = async (minutes: number): Promise<void> => {
  server.setNow(later(minutes));
  await server.checkGuardrails();
};

/** People of both variants, a share of whom crash. */
const people = (name: string, each: number, shares: { control: number; test: number }, minute: number): SentEvent[] =>
  (['control', 'test'] as const).flatMap((variant) =>
    Array.from({ length: each }, (_, at) => at).flatMap((at) => {
      const who = { distinct_id: `${name}-${variant}-${at}`, timestamp: later(minute) };
      const properties = { $feature_flag: 'risky', $feature_flag_response: variant };
      return [
        { event: '$feature_flag_called', properties, ...who },
        ...(at < each * shares[variant] ? [{ event: 'crash', ...who }] : []),
      ];
    }),
  );
const send = (events: SentEvent[]) => capture(server, project.projectKey, events);
const HARM = { control: 0.1, test: 0.4 };

/** What the project's webhook was told, oldest first. */
const told = async (): Promise<string[]> => {
  const { body } = await client.get(`/api/projects/${project.projectId}/deliveries/`);
  return body.results.map(({ title }: { title: string }) => title).reverse();
};

describe('the webhook of a project', () => {
  it('hears of the launch, the end and the shipping, each once', async () => {
    const settings = { slack_incoming_webhook: hook.url };
    expect((await client.patch(`/api/projects/${project.projectId}/`, { body: settings })).status).toBe(200);
    const { id } = await start({});
    await client.patch(path(`${id}/`), { body: { name: 'Renamed <!channel>' } });
    await client.post(path(`${id}/end/`), { body: { conclusion: 'won', conclusion_comment: 'as hoped' } });
    await client.post(path(`${id}/ship_variant/`), { body: { variant_key: 'test' } });
    expect(await told()).toEqual([
      'Risky: launched',
      'Renamed <!channel>: ended',
      'Renamed <!channel>: test shipped to everyone',
    ]);
    const requests = await hook.waitForRequests(3);
    const shipped = requests.find(({ text }) => text.includes('shipped'));
    expect(shipped?.text).toContain('&lt;!channel&gt;: test shipped to everyone');
    expect(shipped?.text).toContain('Conclusion: won. as hoped');
    expect(shipped?.text).toContain(`https://cairn.example.org/project/${project.projectId}/experiments/${id}`);
    expect((await read(id)).shipped).toMatchObject({ variant: 'test' });
  });

  it('hears of a start that was planned once it is done', async () => {
    await client.patch(`/api/projects/${project.projectId}/`, { body: { slack_incoming_webhook: hook.url } });
    await start({}, { start_date: later(10) });
    expect(await told()).toEqual([]);
    server.setNow(later(11));
    await server.followExperimentSchedule();
    expect(await told()).toEqual(['Risky: launched']);
  });
});

describe('a guardrail that is harmed', () => {
  it('gives everybody control, ends the experiment, and says why in both activity logs', async () => {
    await client.patch(`/api/projects/${project.projectId}/`, { body: { slack_incoming_webhook: hook.url } });
    const { id, feature_flag } = await start({ action: 'roll_back' });
    server.setNow(later(3));
    await send(people('a', 300, HARM, 1));
    await check(4);
    expect((await read(id)).status).toBe('running');
    await check(5);
    // Without new data it is the same evidence, not a second one.
    expect((await read(id)).status).toBe('running');
    await send(people('b', 10, HARM, 5));
    await check(6);
    const ended = await read(id);
    expect(ended).toMatchObject({
      status: 'stopped',
      conclusion: 'stopped_early',
      rolled_back: { metric: 'crashes', variant: 'test', users: { baseline: 310, variant: 310 }, at: later(6) },
      feature_flag: { active: true },
    });
    expect(ended.rolled_back.interval[0]).toBeGreaterThan(0.02 * ended.rolled_back.baseline_mean);
    expect(ended.feature_flag.filters.groups).toEqual([
      { properties: [], rollout_percentage: 100, variant: 'control' },
      { properties: [], rollout_percentage: 100 },
    ]);
    const trigger = { job_type: 'guardrail', payload: { action: 'roll_back', metric: 'crashes', variant: 'test' } };
    const system = { user: { is_system: true }, activity: 'updated', detail: { trigger } };
    expect((await client.get(path(`${id}/activity/`))).body.results[0]).toMatchObject(system);
    const flags = `/api/projects/${project.projectId}/feature_flags/${feature_flag.id}/`;
    expect((await client.get(`${flags}activity/`)).body.results[0]).toMatchObject(system);
    const { version } = (await client.get(flags)).body;
    await send(people('c', 10, HARM, 6));
    await check(7);
    await check(8);
    expect((await client.get(flags)).body.version).toBe(version);
    expect((await read(id)).guardrail_alarms).toHaveLength(1);
    expect(await told()).toEqual(['Risky: launched', 'Risky: rolled back by a guardrail']);
  });

  it('pauses, and judges anew after somebody resumes', async () => {
    const { id } = await start({ action: 'pause' });
    server.setNow(later(3));
    await send(people('a', 300, HARM, 1));
    await check(4);
    await send(people('b', 10, HARM, 4));
    await check(5);
    expect(await read(id)).toMatchObject({ status: 'paused', end_date: null, guardrail_alarms: [{ action: 'pause' }] });
    expect((await client.post(path(`${id}/resume/`))).status).toBe(200);
    await check(6);
    await send(people('c', 20, HARM, 6));
    await check(7);
    expect((await read(id)).status).toBe('running');
  });

  it('gives only the people of the harmful variant control, and goes on with the others', async () => {
    const keys = ['control', 'good', 'bad', 'fine'];
    const feature_flag_variants = keys.map((key) => ({ key, rollout_percentage: 25 }));
    const { id } = await start({ action: 'roll_back' }, { parameters: { feature_flag_variants } });
    const ids = Array.from({ length: 120 }, (_, at) => `decided-${at}`);
    const variantOf = async (who: string): Promise<string> => {
      const body = { token: project.projectKey, distinct_id: who };
      return (await client.post('/flags/?v=2', { body })).body.flags.risky.variant;
    };
    const valuesNow = () => Promise.all(ids.map(variantOf));
    const before = await valuesNow();
    expect(new Set(before)).toEqual(new Set(keys));
    const crashes = (name: string, each: number, minute: number): SentEvent[] =>
      keys.flatMap((variant) =>
        Array.from({ length: each }, (_, at) => at).flatMap((at) => {
          const who = { distinct_id: `${name}-${variant}-${at}`, timestamp: later(minute) };
          const properties = { $feature_flag: 'risky', $feature_flag_response: variant };
          const called = { event: '$feature_flag_called', properties, ...who };
          return at < each * (variant === 'bad' ? 0.45 : 0.15) ? [called, { event: 'crash', ...who }] : [called];
        }),
      );
    server.setNow(later(3));
    await send(crashes('a', 260, 1));
    await check(4);
    await send(crashes('b', 8, 4));
    await check(5);
    const found = await read(id);
    expect(found).toMatchObject({ status: 'running', rolled_back: null, end_date: null });
    expect(found.guardrail_alarms).toMatchObject([
      { action: 'roll_back', variant: 'bad', goes_on_with: ['good', 'fine'] },
    ]);
    expect(await valuesNow()).toEqual(before.map((value) => (value === 'bad' ? 'control' : value)));
    // It does no more harm, so nothing more is done.
    await send(crashes('c', 8, 5));
    await check(6);
    await check(7);
    expect((await read(id)).guardrail_alarms).toHaveLength(1);
    // The flag can be edited afterwards, which undoes it.
    const flag = `/api/projects/${project.projectId}/feature_flags/${found.feature_flag.id}/`;
    const { filters } = found.feature_flag;
    expect((await client.patch(flag, { body: { filters } })).status).toBe(200);
    const restored = { ...filters, multivariate: { variants: feature_flag_variants } };
    expect((await client.patch(flag, { body: { filters: restored } })).status).toBe(200);
    expect(await valuesNow()).toEqual(before);
  });

  it('only tells, unless it says otherwise', async () => {
    const { id } = await start({});
    server.setNow(later(3));
    await send(people('a', 300, HARM, 1));
    await check(4);
    for (const minute of [5, 6, 7]) {
      await send(people(`more-${minute}`, 10, HARM, minute - 1));
      await check(minute);
    }
    expect(await read(id)).toMatchObject({ status: 'running', feature_flag: { active: true } });
    expect((await read(id)).guardrail_alarms).toMatchObject([{ action: 'notify', variant: 'test' }]);
  });
});

describe('a guardrail does nothing', () => {
  it.each([
    ['with few people', 90, HARM, {}],
    ['with fewer people than it asks for', 220, HARM, { min_users: 1000 }],
    ['without harm', 220, { control: 0.3, test: 0.3 }, {}],
    ['for being good', 220, { control: 0.4, test: 0.1 }, {}],
    ['within its margin', 220, { control: 0.3, test: 0.45 }, { margin_relative: 2 }],
  ])('%s', async (_, each, shares, rest) => {
    const { id } = await start({ action: 'roll_back', ...rest });
    server.setNow(later(3));
    await send(people('a', each, shares, 1));
    await check(4);
    await send(people('b', 5, shares, 4));
    await check(5);
    expect(await read(id)).toMatchObject({ status: 'running', guardrail_alarms: [], rolled_back: null });
  });

  it.each([
    ['but tell', false, { status: 'running', guardrail_alarms: [{ action: 'notify', split: 'mismatch' }] }],
    ['but pause, if that was wanted', true, { status: 'paused', guardrail_alarms: [{ action: 'pause' }] }],
  ])('%s, while the split is not as planned', async (_, pause_on_split, expected) => {
    const guardrails = pause_on_split ? { guardrails: [] } : {};
    const { id } = await start({ action: 'roll_back' }, { pause_on_split, ...guardrails });
    server.setNow(later(3));
    const lopsided = [...people('a', 300, HARM, 1), ...people('b', 300, HARM, 1)].filter(
      ({ distinct_id: who }) => !String(who).startsWith('b-test'),
    );
    await send(lopsided);
    await check(4);
    await send(people('c', 5, HARM, 4));
    await check(5);
    expect(await read(id)).toMatchObject(expected);
  });
});

describe('the results', () => {
  it('show what guardrails say, beside the metrics', async () => {
    const metrics = [{ ...CRASHED, uuid: '0190a0a0-0000-7000-8000-000000000001' }];
    const guardrails = [{ metric_uuid: metrics[0]?.uuid, margin_relative: 0.1, action: 'notify' }];
    const { id } = await start({}, { metrics, guardrails });
    server.setNow(later(3));
    await send(people('a', 300, HARM, 1));
    const { body } = await client.get(path(`${id}/results/`));
    expect(body.metrics.map(({ role }: { role: string }) => role)).toEqual(['primary', 'guardrail']);
    expect(body.metrics[1]).toMatchObject({
      guardrail: { margin_relative: 0.1, action: 'notify', min_users: 200 },
      variant_results: [{ verdict: 'harm', p_value_adjusted: null, significant: false }],
    });
  });

  it.each([
    [{ action: 'explode' }, 'guardrails__0__action'],
    [{ margin_relative: -1 }, 'guardrails__0__margin_relative'],
    [{ metric: null, metric_uuid: 'none' }, 'guardrails__0__metric_uuid'],
  ])('refuse %j', async (guardrail, attr) => {
    const guardrails = [{ metric: CRASHED, ...guardrail }];
    const answer = await client.post(path(), { body: { name: 'x', feature_flag_key: 'x', guardrails } });
    expect([answer.status, answer.body.attr]).toEqual([400, attr]);
  });
});
