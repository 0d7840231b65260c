/** Flags are disabled when their rollback conditions are met. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { capture, type SentEvent } from '../support/capture.ts';
import { clientFor } from '../support/client.ts';
import { START, startServer, type TestProject, type TestServer } from '../support/server.ts';

let server: TestServer;
let project: TestProject;
let client: ReturnType<typeof clientFor>;
beforeAll(async () => {
  server = await startServer();
  client = clientFor(server);
});
afterAll(() => server.close());
// A project for each test, so that tests do not count each other's events.
beforeEach(async () => {
  server.setNow(START);
  project = await server.createProject();
});

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const later = (ms: number): string => new Date(Date.parse(START) + ms).toISOString();
const flags = (): string => `/api/projects/${project.projectId}/feature_flags/`;

const make = async (rollback_conditions: unknown, rest: object = {}) => {
  const { status, body } = await client.post(flags(), { body: { key: 'risky', rollback_conditions, ...rest } });
  expect([status, body.rollback_conditions]).toEqual([201, rollback_conditions]);
  return body.id as number;
};
const read = async (id: number) => (await client.get(`${flags()}${id}/`)).body;
const send = (events: SentEvent[]) => capture(server, project.projectKey, events);
const errors = (n: number, ms: number, rest: SentEvent = {}): SentEvent[] =>
  Array.from({ length: n }, () => ({ event: '$exception', timestamp: later(ms), ...rest }));
const short = (rest: object = {}, threshold = 2, operator = 'gt') => ({
  threshold,
  operator,
  threshold_metric: { event: '$exception', ...rest },
});
const isOnAt = async (id: number, ms: number): Promise<boolean> => {
  server.setNow(later(ms));
  await server.checkRollbacks();
  return (await read(id)).active;
};

describe('a condition that is met', () => {
  it('disables the flag, and the activity log says that the system did it and why', async () => {
    const condition = short({ window: '1h' });
    const id = await make([condition]);
    await send(errors(2, MINUTE));
    expect(await isOnAt(id, 2 * MINUTE)).toBe(true);
    await send(errors(1, 3 * MINUTE));
    expect(await isOnAt(id, 4 * MINUTE)).toBe(false);

    expect(await read(id)).toMatchObject({
      active: false,
      performed_rollback: true,
      version: 2,
      last_modified_by: null,
      updated_at: later(4 * MINUTE).replace('.000Z', 'Z'),
      rollback_conditions: [condition],
    });
    const [entry, ...older] = (await client.get(`${flags()}${id}/activity/`)).body.results;
    expect(older).toHaveLength(1);
    const changed = { type: 'FeatureFlag', before: null, after: true };
    expect(entry).toMatchObject({
      user: { first_name: 'System', email: null, is_system: true },
      activity: 'updated',
      detail: {
        name: 'risky',
        trigger: { job_type: 'rollback', job_id: expect.any(String), payload: { condition, value: 3 } },
        changes: [
          { ...changed, field: 'active', action: 'changed', before: true, after: false },
          { ...changed, field: 'performed_rollback', action: 'created' },
        ],
      },
    });
    const versions = (await client.get(`${flags()}${id}/versions/`)).body.results;
    expect(versions[0]).toMatchObject({ version: 2, created_by: null, flag: { active: false } });
    // Only once.
    expect(await isOnAt(id, 5 * MINUTE)).toBe(false);
    expect((await read(id)).version).toBe(2);
  });

  it('counts only new events after somebody enables the flag again', async () => {
    const id = await make(short({ window: '1h' }));
    await send(errors(5, MINUTE));
    expect(await isOnAt(id, 2 * MINUTE)).toBe(false);
    const on = await client.patch(`${flags()}${id}/`, { body: { active: true } });
    expect(on.body).toMatchObject({ active: true, performed_rollback: false });
    expect(await isOnAt(id, 3 * MINUTE)).toBe(true);
    await send(errors(3, 3 * MINUTE));
    expect(await isOnAt(id, 4 * MINUTE)).toBe(false);
  });

  it('disables a flag that others depend on, although a person cannot', async () => {
    const id = await make(short());
    const property = { type: 'flag', key: String(id), operator: 'flag_evaluates_to', value: true };
    await client.post(flags(), { body: { key: 'above', filters: { groups: [{ properties: [property] }] } } });
    expect((await client.patch(`${flags()}${id}/`, { body: { active: false } })).status).toBe(400);
    await send(errors(3, MINUTE));
    expect(await isOnAt(id, 2 * MINUTE)).toBe(false);
  });

  it('is any one of several', async () => {
    const id = await make([short({ event: 'never' }), short()]);
    await send(errors(3, MINUTE));
    expect(await isOnAt(id, 2 * MINUTE)).toBe(false);
  });
});

describe('what is counted', () => {
  it('happened since the flag was enabled, within the window, and not in the future', async () => {
    await send(errors(9, -MINUTE));
    const id = await make(short({ window_minutes: 10 }));
    await send([...errors(2, MINUTE), ...errors(9, 2 * HOUR)]);
    expect(await isOnAt(id, 2 * MINUTE)).toBe(true);
    expect(await isOnAt(id, 20 * MINUTE)).toBe(true);
    await send(errors(1, 20 * MINUTE));
    // Three since it was enabled, but two of them before the window.
    expect(await isOnAt(id, 21 * MINUTE)).toBe(true);
    await send(errors(2, 21 * MINUTE));
    expect(await isOnAt(id, 22 * MINUTE)).toBe(false);
  });

  it('matches the event name and the filters on event and person', async () => {
    const properties = [
      { key: 'level', value: 'fatal', type: 'event' },
      { key: 'plan', value: 'pro', type: 'person' },
    ];
    const id = await make(short({ properties }, 1));
    await send([
      { event: '$identify', distinct_id: 'pro', $set: { plan: 'pro' }, timestamp: later(0) },
      ...errors(3, MINUTE, { distinct_id: 'pro', properties: { level: 'warning' } }),
      ...errors(3, MINUTE, { distinct_id: 'free', properties: { level: 'fatal' } }),
      { event: 'other', timestamp: later(MINUTE), distinct_id: 'pro', properties: { level: 'fatal' } },
      ...errors(1, MINUTE, { distinct_id: 'pro', properties: { level: 'fatal' } }),
    ]);
    expect(await isOnAt(id, 2 * MINUTE)).toBe(true);
    await send(errors(1, MINUTE, { distinct_id: 'pro', properties: { level: 'fatal' } }));
    expect(await isOnAt(id, 3 * MINUTE)).toBe(false);
  });

  it('can be persons instead of events', async () => {
    const id = await make(short({ math: 'unique_persons' }, 2, 'gte'));
    await send(errors(5, MINUTE, { distinct_id: 'ada' }));
    expect(await isOnAt(id, 2 * MINUTE)).toBe(true);
    await send(errors(1, 2 * MINUTE, { distinct_id: 'grace' }));
    expect(await isOnAt(id, 3 * MINUTE)).toBe(false);
  });

  it('does not include events of other projects', async () => {
    const id = await make(short());
    await capture(server, server.projectKey, errors(9, MINUTE));
    expect(await isOnAt(id, 2 * MINUTE)).toBe(true);
  });

  it.each([
    ['lt', 3, false],
    ['lt', 2, true],
    ['lte', 2, false],
    ['lte', 1, true],
    ['gt', 2, true],
    ['gte', 2, false],
  ])('is compared: 2 %s %d, so the flag is on: %s', async (operator, threshold, isOn) => {
    const id = await make(short({ window: '30m' }, threshold, operator));
    await send(errors(2, 20 * MINUTE));
    // A lower limit is not checked before the flag has been on for the length of the window.
    if (operator.startsWith('lt')) expect(await isOnAt(id, 29 * MINUTE)).toBe(true);
    expect(await isOnAt(id, 30 * MINUTE)).toBe(isOn);
  });
});

describe('an insight', () => {
  const insight = (series: object, threshold: number, operator = 'gt', rest: object = {}) => ({
    threshold,
    threshold_metric: { insight: 'trends', events: [{ order: 0, id: '$pageview', ...series }], ...rest },
    operator,
    threshold_type: 'insight',
  });
  const views = (n: number, day: number, distinct_id = 'ada'): SentEvent[] =>
    Array.from({ length: n }, () => ({ event: '$pageview', timestamp: later(day * DAY + HOUR), distinct_id }));

  it('is the daily average over seven days', async () => {
    const id = await make([insight({}, 2)]);
    await send(views(7, 0));
    server.setNow(later(6 * DAY + 2 * HOUR));
    await send(views(7, 6));
    expect(await isOnAt(id, 6 * DAY + 2 * HOUR)).toBe(true);
    await send(views(1, 6));
    expect(await isOnAt(id, 6 * DAY + 3 * HOUR)).toBe(false);
  });

  it('is not checked against a lower limit for seven days', async () => {
    const id = await make([insight({}, 10, 'lt', { properties: [] })]);
    expect(await isOnAt(id, 6 * DAY)).toBe(true);
    expect(await isOnAt(id, 7 * DAY)).toBe(false);
  });

  it('can be about persons by day, and about any event', async () => {
    const [daily, any] = [insight({ math: 'dau' }, 3 / 7, 'gte'), insight({ id: null }, 2)];
    const id = await make([daily]);
    const other = await make([any], { key: 'other' });
    server.setNow(later(2 * DAY));
    await send([...views(5, 0), ...views(5, 1)]);
    expect(await isOnAt(id, 2 * DAY)).toBe(true);
    await send([{ event: 'something else', timestamp: later(DAY) }, ...views(4, 1, 'grace')]);
    expect(await isOnAt(id, 2 * DAY + HOUR)).toBe(false);
    expect((await read(other)).active).toBe(false);
  });
});

it('exceptions are compared with those of the day before the flag was enabled', async () => {
  const condition = { threshold: 1.5, threshold_metric: {}, operator: 'gt', threshold_type: 'sentry' };
  await send([...errors(4, -HOUR), ...errors(9, -2 * DAY)]);
  const id = await make([condition]);
  await send(errors(6, HOUR));
  expect(await isOnAt(id, 2 * HOUR)).toBe(true);
  await send(errors(1, HOUR));
  expect(await isOnAt(id, 3 * HOUR)).toBe(false);
  const [{ detail }] = (await client.get(`${flags()}${id}/activity/`)).body.results;
  expect(detail.trigger.payload).toEqual({ condition, value: 7, base: 4 });
});

it('exceptions do not count where there were none before', async () => {
  const id = await make({ threshold: 2, operator: 'gt', threshold_type: 'sentry' });
  await send(errors(9, HOUR));
  expect(await isOnAt(id, 2 * HOUR)).toBe(true);
});

describe('flags without a condition that could be met', () => {
  it.each([[null], [[]], [{}]])('stay on: %j', async (conditions) => {
    const id = await make(conditions);
    await send(errors(9, MINUTE));
    expect(await isOnAt(id, 2 * MINUTE)).toBe(true);
  });

  it('are not changed when they are disabled or deleted', async () => {
    const off = await make(short(), { active: false });
    const gone = await make(short(), { key: 'gone', deleted: true });
    await send(errors(9, MINUTE));
    await isOnAt(off, 2 * MINUTE);
    expect([(await read(off)).version, (await read(gone)).version]).toEqual([1, 1]);
  });

  it('do not keep the others from being checked', async () => {
    const broken = await make(short());
    const id = await make(short(), { key: 'second' });
    const stored = await server.metadata.flags.get(project.projectId, broken);
    if (!stored) throw new Error('The flag is not stored');
    await server.metadata.flags.update({ ...stored, rollbackConditions: ['nonsense'], version: 2 });
    await send(errors(3, MINUTE));
    expect(await isOnAt(id, 2 * MINUTE)).toBe(false);
    expect((await read(broken)).active).toBe(true);
  });
});

describe('a condition that could not be measured is refused', () => {
  const metric = (threshold_metric: unknown) => ({ threshold: 1, operator: 'gt', threshold_metric });
  const filter = (properties: unknown) => metric({ event: 'a', properties });
  const OPERATOR = 'The operator of a rollback condition is one of gt, gte, lt, lte, got';
  const WINDOW = 'A window is a time from a minute to 31 days, such as "90m", "1h" or "7d", got';
  it.each<[unknown, string]>([
    ['soon', 'Rollback conditions are an object or a list.'],
    [5, 'Rollback conditions are an object or a list.'],
    [[{ any: 'thing' }, { ...short(), operator: 'eq' }], `${OPERATOR} eq.`],
    [Array.from({ length: 21 }, () => short()), 'A flag takes up to 20 rollback conditions.'],
    [{ ...short(), threshold: undefined }, 'The threshold of a rollback condition is a number, got None.'],
    [{ threshold_type: 'sentry', operator: 'gt' }, 'The threshold of a rollback condition is a number, got None.'],
    [{ ...short(), threshold: 'many' }, 'The threshold of a rollback condition is a number, got many.'],
    [{ ...short(), operator: 'eq' }, `${OPERATOR} eq.`],
    [{ ...short(), operator: undefined }, `${OPERATOR} None.`],
    [{ ...short(), threshold_type: 'prometheus' }, "threshold_type is 'insight' or 'sentry', got prometheus."],
    [metric({}), 'threshold_metric needs the name of an event as `event`, or an insight with `events`.'],
    [metric({ event: '' }), 'threshold_metric needs the name of an event as `event`, or an insight with `events`.'],
    [metric({ event: 'a', math: 'p90' }), "math is 'total' or 'unique_persons', got p90."],
    [metric({ event: 'a', window: '1w' }), `${WINDOW} 1w.`],
    [metric({ event: 'a', window: '32d' }), `${WINDOW} 32d.`],
    [metric({ event: 'a', window_minutes: 0 }), `${WINDOW} 0.`],
    [metric({ event: 'a', window_minutes: 'x' }), `${WINDOW} x.`],
    [metric({ insight: 'FUNNELS', events: [{ id: 'a' }] }), 'Rollback conditions measure trends, not FUNNELS.'],
    [metric({ events: [] }), 'threshold_metric.events must hold exactly one event.'],
    [metric({ events: [{ id: 'a' }, { id: 'b' }] }), 'threshold_metric.events must hold exactly one event.'],
    [metric({ events: [{ id: 5 }] }), 'The id of an event is its name, or null for all events, got 5.'],
    [metric({ events: [{ id: 'a', math: 'sum' }] }), "math is 'total' or 'dau', got sum."],
    ...['actions', 'breakdown', 'formula', 'filter_test_accounts'].map((name): [unknown, string] => [
      metric({ events: [{ id: 'a' }], [name]: name === 'actions' ? [{ id: 1 }] : 'x' }),
      `threshold_metric.${name} cannot be measured in a rollback condition.`,
    ]),
    [filter('x'), 'Properties of a threshold_metric are a list of filters.'],
    [filter([5]), 'This is no filter on a property: 5.'],
    [
      filter([{ key: 'a', value: 'x', operator: 'like' }]),
      "This is no filter on a property: {'key': 'a', 'value': 'x', 'operator': 'like'}.",
    ],
    [filter([{ key: 'a' }]), "The filter on 'a' has nothing to compare with."],
    [
      filter([{ key: 'id', value: 1, type: 'cohort' }]),
      'Rollback conditions look at properties of events and persons, not at type cohort.',
    ],
  ])('%j', async (rollback_conditions, detail) => {
    const answer = await client.post(flags(), { body: { key: 'refused', rollback_conditions } });
    const expected = { type: 'validation_error', code: 'invalid_input', detail, attr: 'rollback_conditions' };
    expect([answer.status, answer.body]).toEqual([400, expected]);
  });
});

describe('the field is free-form', () => {
  it.each<[unknown]>([
    [null],
    [{}],
    [[]],
    [{ property1: null, property2: null }],
    [{ operator: 'gt', threshold: 5 }],
    [{ threshold: 5, threshold_metric: 'errors' }],
    [{ a: { b: [1, 'x', { c: true }] } }],
    [['x', 5, null, [1], { any: 'thing' }]],
    [Array.from({ length: 50 }, (_, i) => ({ i }))],
  ])('%j is stored and returned', async (rollback_conditions) => {
    const made = await client.post(flags(), { body: { key: 'free', rollback_conditions } });
    expect([made.status, made.body.rollback_conditions]).toEqual([201, rollback_conditions]);
    expect((await read(made.body.id)).rollback_conditions).toEqual(rollback_conditions);
    const changed = await client.patch(`${flags()}${made.body.id}/`, { body: { rollback_conditions: { x: 1 } } });
    expect([changed.status, changed.body.rollback_conditions]).toEqual([200, { x: 1 }]);
  });

  it('and what has the form of a condition acts beside the rest', async () => {
    const id = await make([{ note: 'of our own' }, 'text', short()]);
    await send(errors(3, MINUTE));
    expect(await isOnAt(id, 2 * MINUTE)).toBe(false);
  });

  it('is limited in size', async () => {
    const answer = await client.post(flags(), {
      body: { key: 'large', rollback_conditions: { note: 'x'.repeat(65 * 1024) } },
    });
    expect([answer.status, answer.body.code, answer.body.attr]).toEqual([400, 'too_large', 'rollback_conditions']);
  });
});

it('a server checks by itself, every minute', async () => {
  const own = await startServer();
  const { get, post } = clientFor(own);
  const path = '/api/projects/1/feature_flags/';
  const { id } = (await post(path, { body: { key: 'risky', rollback_conditions: short() } })).body;
  await capture(own, own.projectKey, errors(3, MINUTE));
  own.setNow(later(2 * MINUTE));
  const isOn = async () => (await get(`${path}${id}/`)).body.active;
  await expect.poll(isOn, { timeout: 20_000, interval: 200 }).toBe(false);
  await own.close();
});
