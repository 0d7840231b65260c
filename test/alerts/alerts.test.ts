/** Alerts through the API: in PostHog's shape, checked by the leader, told by mail and webhooks, once for each slot. */
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ADMIN, MEMBER } from '../../src/stores/metadata/accounts.ts';
import { capture } from '../support/capture.ts';
import { clientFor } from '../support/client.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import { addMember } from '../support/people.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { type Hook, startHook } from '../support/webhook.ts';

let server: TestServer;
let client: ReturnType<typeof clientFor>;
let mail: MailServer;
let hook: Hook;
/** Of the owner. */
let email: string;
const all = '/api/projects/1/alerts/';
const HOUR = 3_600_000;
/** A Thursday, ten minutes after the full hour. */
const T0 = Date.parse('2026-01-15T12:10:00Z');

beforeAll(async () => {
  mail = await startMailServer();
  hook = await startHook();
  server = await startServer({
    now: new Date(T0).toISOString(),
    config: { ...mail.config, publicUrl: 'https://cairn.example.org', webhookAllowPrivate: true },
  });
  client = clientFor(server);
  email = (await client.get('/api/users/@me/')).body.email;
});
afterAll(async () => {
  await server.close();
  await hook.close();
  await mail.close();
});

let now = T0;
const at = (ms: number): void => {
  now = ms;
  server.setNow(new Date(ms).toISOString());
};
beforeEach(async () => {
  // Every test begins some days later, so that they do not see each other's events.
  const { results } = (await client.get(`${all}?limit=1000`)).body;
  for (const { id } of results) await client.delete(`${all}${id}/`);
  at(T0 + Math.ceil((now - T0) / (100 * 24 * HOUR) + 0.001) * 100 * 24 * HOUR);
  hook.requests.length = 0;
  mail.mails.length = 0;
});

const events = (event: string, times: readonly number[]) =>
  capture(
    server,
    server.projectKey,
    times.map((ms, i) => ({ event, distinct_id: `d${i}`, timestamp: new Date(ms).toISOString() })),
  );
const repeat = (count: number, ms: number): number[] => Array.from({ length: count }, (_, i) => ms + i * 1000);

interface Check {
  calculated_value: number;
  state: string;
}

let names = 0;
async function makeInsight(event: string, filters: object = {}): Promise<number> {
  const body = { name: `Insight ${++names}`, filters: { insight: 'TRENDS', events: [{ id: event }], ...filters } };
  return (await client.post('/api/projects/1/insights/', { body })).body.id;
}
const lowerThan = (lower: number) => ({ configuration: { type: 'absolute', bounds: { lower, upper: null } } });
async function makeAlert(body: object) {
  const answer = await client.post(all, {
    body: { name: 'Low', calculation_interval: 'hourly', threshold: lowerThan(10), ...body },
  });
  expect([answer.status, answer.body.detail]).toEqual([201, undefined]);
  return answer.body;
}
const one = async (id: string) => (await client.get(`${all}${id}/`)).body;
/** Moves on to the time when the slot that starts then is checked, and waits for the check. */
async function checkSlot(id: string, slot: number, length = HOUR) {
  at(slot + length + 61_000);
  const name = `${new Date(slot).toISOString().slice(0, 16)}Z`;
  await expect.poll(async () => (await one(id)).checks[0]?.slot).toBe(name);
  return (await one(id)).checks[0];
}
const deliveries = async (query = '') => (await client.get(`/api/projects/1/deliveries/${query}`)).body.results;
const hourOf = (ms: number): number => Math.floor(ms / HOUR) * HOUR;

describe('an alert without an insight', () => {
  const exception = (ms: number, properties: Record<string, unknown>) => ({
    event: '$exception',
    distinct_id: 'd',
    timestamp: new Date(ms).toISOString(),
    properties,
  });
  const send = (batch: Parameters<typeof capture>[2]) => capture(server, server.projectKey, batch);

  it('tells of exceptions of a kind that was not seen for two weeks, by fingerprint or by type and message', async () => {
    const hour = hourOf(now);
    const known = { $exception_fingerprint: 'known' };
    const list = (value: string) => ({
      $exception_list: [{ type: 'TypeError', value, mechanism: { type: 'generic' } }],
    });
    await send([exception(hour - 13 * 24 * HOUR, known), exception(hour - 20 * 24 * HOUR, list('order 1 is "gone"'))]);
    const { id } = await makeAlert({
      config: { type: 'NewErrorConfig' },
      threshold: null,
      targets: [{ type: 'webhook', url: hook.url }],
    });
    expect(await checkSlot(id, hour)).toMatchObject({ calculated_value: 0, state: 'Not firing' });
    await send([
      exception(now, known),
      exception(now, { $exception_fingerprint: 'fresh' }),
      // One kind: only numbers differ.
      exception(now + 1, list('order 2 is "gone"')),
      exception(now + 2, list('order 33 is "gone"')),
    ]);
    await server.drain();
    expect(await checkSlot(id, hour + HOUR)).toMatchObject({ calculated_value: 2, state: 'Firing' });
    await hook.waitForRequests(1);
    const { data } = JSON.parse(hook.requests[0]?.body ?? '');
    expect(data.notes).toEqual(['New exception: fresh', 'New exception: TypeError: order 0 is \\"gone\\"']);
    // They are known now.
    await send([exception(now, { $exception_fingerprint: 'fresh' })]);
    await server.drain();
    expect(await checkSlot(id, hour + 2 * HOUR)).toMatchObject({ calculated_value: 0, state: 'Not firing' });
  }, 30_000);

  it('tells of new ingestion warnings and of dead letters', async () => {
    const minute = Math.floor(now / 60_000) * 60_000;
    const { id } = await makeAlert({
      config: { type: 'NewErrorConfig' },
      threshold: null,
      calculation_interval: 'every_minute',
      targets: [{ type: 'webhook', url: hook.url }],
    });
    await server.tamper(
      "insert into ingestion_warnings (project_id, type, details, happened_at) values (1, 'cannot_merge', '{}', ?)",
      minute + 1000,
    );
    await server.tamper(
      `insert into dead_letters (project_id, event_uuid, error, payload, context, received_at, failed_at)
       values (1, '0190a5b0-0000-7000-8000-000000000001', 'boom', '{}', '{}', 1, ?)`,
      minute + 2000,
    );
    expect(await checkSlot(id, minute, 60_000)).toMatchObject({ calculated_value: 2, state: 'Firing' });
    await hook.waitForRequests(1);
    expect(JSON.parse(hook.requests[0]?.body ?? '').data.notes).toEqual([
      'New ingestion warning: cannot_merge',
      'An event could not be processed: see the dead letters',
    ]);
    at(now + HOUR);
    const test = await client.post(`${all}backtest/`, {
      body: { config: { type: 'NewErrorConfig' }, calculation_interval: 'hourly', weeks: 1 },
    });
    expect([test.status, test.body.would_fire.length]).toEqual([200, 1]);
  }, 30_000);

  it('watches the free space of the disk, which is a percentage', async () => {
    const hour = hourOf(now);
    const config = { type: 'DiskConfig' };
    const { id } = await makeAlert({ config, threshold: lowerThan(101) });
    const { calculated_value: free, state } = await checkSlot(id, hour);
    expect([free >= 0 && free <= 100, state]).toEqual([true, 'Firing']);
    const seasonal = { condition: { type: 'seasonal' }, threshold: { configuration: { type: 'deviation' } } };
    const refused = await client.post(all, { body: { name: 'x', config, ...seasonal } });
    expect([refused.status, refused.body.attr]).toEqual([400, 'condition']);
  }, 20_000);
});

describe('an alert on a statement', () => {
  const query = {
    kind: 'HogQLQuery',
    query: "select 'x', 3 union all select 'y', count() from events where event = 'sql seen'",
  };
  const config = { type: 'SqlAlertConfig' };

  it('watches the first number of the last row', async () => {
    const saved = await client.post('/api/projects/1/insights/', { body: { name: 'Rows', query } });
    expect(saved.status).toBe(201);
    const hour = hourOf(now);
    const { id } = await makeAlert({ insight: saved.body.id, config, targets: [{ type: 'webhook', url: hook.url }] });
    expect(await checkSlot(id, hour)).toMatchObject({ calculated_value: 0, state: 'Firing' });
    await expect.poll(() => hook.requests.length, { timeout: 5000 }).toBe(1);
    await events('sql seen', repeat(12, now));
    await server.drain();
    expect(await checkSlot(id, hour + HOUR)).toMatchObject({ calculated_value: 12, state: 'Not firing' });
  }, 30_000);

  it('has absolute bounds, and needs a statement', async () => {
    const insight = await makeInsight('signed up');
    const body = { name: 'X', insight, config, threshold: lowerThan(1), calculation_interval: 'hourly' };
    const relative = { ...body, condition: { type: 'relative_increase' } };
    expect((await client.post(all, { body: relative })).body).toMatchObject({ attr: 'condition', code: 'unsupported' });
    const hour = hourOf(now);
    const { id } = await makeAlert(body);
    expect(await checkSlot(id, hour)).toMatchObject({
      calculated_value: null,
      reason: expect.stringContaining('no SQL'),
    });
  }, 20_000);
});

describe('an alert', () => {
  it('has every field that clients know', async () => {
    const insight = await makeInsight('signed up');
    const made = await makeAlert({
      insight,
      subscribed_users: [1],
      config: { type: 'TrendsAlertConfig', series_index: 0 },
      hysteresis: { for: 2, clear_for: 2, margin: 0.1, remind_every: '1d' },
    });
    const { created_by, insight: shortInsight, subscribed_users, ...rest } = made;
    expect([created_by.id, subscribed_users[0].id]).toEqual([1, 1]);
    expect(shortInsight).toEqual({
      id: insight,
      short_id: expect.any(String),
      name: `Insight ${names}`,
      derived_name: null,
    });
    expect(rest).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'Low',
      enabled: true,
      targets: [],
      condition: { type: 'absolute_value' },
      threshold: lowerThan(10),
      config: { type: 'TrendsAlertConfig', series_index: 0, check_ongoing_interval: false },
      calculation_interval: 'hourly',
      skip_weekend: false,
      snoozed_until: null,
      hysteresis: { for: 2, clear_for: 2, margin: 0.1, remind_every: '1d' },
      state: 'Not firing',
      last_notified_at: null,
      last_checked_at: null,
      next_check_at: new Date(hourOf(now) + HOUR + 60_000).toISOString().replace('.000Z', 'Z'),
      last_value: null,
      checks: [],
      created_at: new Date(now).toISOString().replace('.000Z', 'Z'),
    });
    expect((await client.get(`${all}?insight=${insight}`)).body.results).toEqual([made]);
    expect((await client.get(`${all}?insight=${insight + 1}`)).body.count).toBe(0);
    expect((await client.delete(`${all}${made.id}/`)).status).toBe(204);
    expect((await client.get(`${all}${made.id}/`)).status).toBe(404);
  });

  it('fires once, by mail and webhooks, and clears once', async () => {
    const insight = await makeInsight('paid');
    const slot = hourOf(now);
    await events('paid', repeat(3, slot + 60_000));
    const alert = await makeAlert({
      name: 'Payments <low>',
      insight,
      subscribed_users: [1],
      targets: [
        { type: 'slack_webhook', url: `${hook.url}/slack` },
        { type: 'webhook', url: `${hook.url}/signed` },
      ],
    });
    const secret = alert.targets[1].secret;
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect((await one(alert.id)).targets[1].secret).toBeUndefined();
    expect(await checkSlot(alert.id, slot)).toMatchObject({
      calculated_value: 3,
      bounds: { lower: 10, upper: null },
      state: 'Firing',
      late: false,
      missed: 0,
      targets_notified: [expect.stringContaining('…@'), expect.stringMatching(/\/…$/), expect.stringMatching(/\/…$/)],
    });
    expect(await one(alert.id)).toMatchObject({ state: 'Firing', last_value: 3 });
    await hook.waitForRequests(2);
    const slack = hook.requests.find(({ path }) => path?.endsWith('/slack'));
    expect(slack?.text).toContain('Firing: Payments &lt;low&gt;');
    expect(JSON.parse(slack?.body ?? '{}').blocks[0].text.text).toContain('Usual: at least 10');
    const signed = hook.requests.find(({ path }) => path?.endsWith('/signed'));
    expect(JSON.parse(signed?.body ?? '{}')).toMatchObject({
      type: 'alert.firing',
      data: { alert: { id: alert.id, name: 'Payments <low>' }, value: 3, bounds: { lower: 10, upper: null } },
    });
    const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signature } = signed?.headers ?? {};
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
    const expected = createHmac('sha256', key).update(`${id}.${time}.${signed?.body}`).digest('base64');
    expect(signature).toBe(`v1,${expected}`);
    const text = await mail.take(email);
    expect(text).toMatch(/Subject: Firing: Payments <low>/);
    expect(text).toContain(`https://cairn.example.org/project/1/alerts/${alert.id}`);
    expect(text).toContain('Payments &lt;low&gt;</h2>');
    // The next hour is still low: nothing is said.
    await checkSlot(alert.id, slot + HOUR);
    expect(await hook.staysAt(2)).toBe(true);
    await events('paid', repeat(12, slot + 2 * HOUR));
    expect(await checkSlot(alert.id, slot + 2 * HOUR)).toMatchObject({ calculated_value: 12, state: 'Not firing' });
    await hook.waitForRequests(4);
    expect(hook.requests[2]?.text ?? hook.requests[3]?.text).toContain('Back to 12; lasted 2 h');
    expect(await mail.take(email)).toContain('Cleared');
    const log = await deliveries(`?subject_id=${alert.id}`);
    expect(log.map(({ state }: { state: string }) => state)).toEqual(Array(6).fill('sent'));
    expect(new Set(log.map(({ message_id }: { message_id: string }) => message_id)).size).toBe(6);
  });

  it('is checked for the newest slot only after a standstill, with what was missed', async () => {
    const alert = await makeAlert({ insight: await makeInsight('standstill'), targets: [] });
    const slot = hourOf(now) + 7 * 24 * HOUR;
    expect(await checkSlot(alert.id, slot)).toMatchObject({ state: 'Firing', missed: 168 });
    const { count } = (await client.get(`${all}${alert.id}/checks/`)).body;
    expect(count).toBe(1);
  });

  it('reminds once for a slot, also when the clock jumps', async () => {
    const insight = await makeInsight('jumps');
    const targets = [{ type: 'webhook', url: hook.url }];
    const alert = await makeAlert({ insight, targets, hysteresis: { remind_every: '1h' } });
    const slot = hourOf(now);
    await checkSlot(alert.id, slot);
    await hook.waitForRequests(1);
    // Back by an hour, and on by three days.
    at(slot + 61_000);
    expect(await hook.staysAt(1)).toBe(true);
    expect(await checkSlot(alert.id, slot + 72 * HOUR)).toMatchObject({ state: 'Firing', missed: 71 });
    await hook.waitForRequests(2);
    // Back by three days, and on by an hour.
    at(slot + 2 * HOUR);
    expect(await hook.staysAt(2)).toBe(true);
    at(slot + 3 * HOUR + 61_000);
    expect(await hook.staysAt(2)).toBe(true);
    expect(await checkSlot(alert.id, slot + 73 * HOUR)).toMatchObject({ state: 'Firing', missed: 0 });
    const requests = await hook.waitForRequests(3);
    expect(await hook.staysAt(3)).toBe(true);
    const name = (hours: number): string => `${new Date(slot + hours * HOUR).toISOString().slice(0, 16)}Z`;
    const told = requests.map(({ body }) => JSON.parse(body));
    expect(told.map(({ type, data }) => [type, data.slot])).toEqual([
      ['alert.firing', name(0)],
      ['alert.reminder', name(72)],
      ['alert.reminder', name(73)],
    ]);
    expect(new Set(requests.map(({ headers }) => headers['webhook-id'])).size).toBe(3);
  });

  it('says nothing while it is snoozed, and tells of a fresh firing afterwards', async () => {
    const insight = await makeInsight('snoozed');
    const slot = hourOf(now);
    const alert = await makeAlert({ insight, targets: [{ type: 'slack_webhook', url: hook.url }] });
    const until = new Date(slot + 3 * HOUR).toISOString();
    const { body } = await client.patch(`${all}${alert.id}/`, { body: { snoozed_until: until } });
    expect(body.state).toBe('Snoozed');
    expect((await checkSlot(alert.id, slot)).state).toBe('Snoozed');
    await events('snoozed', [...repeat(20, slot + 2 * HOUR), ...repeat(20, slot + 4 * HOUR)]);
    // It clears after the snooze, but nobody was told that it had fired.
    await checkSlot(alert.id, slot + 2 * HOUR);
    expect((await one(alert.id)).state).toBe('Not firing');
    expect(await hook.staysAt(0)).toBe(true);
    await checkSlot(alert.id, slot + 3 * HOUR);
    await hook.waitForRequests(1);
  });

  it('starts anew when its condition changes', async () => {
    const alert = await makeAlert({ insight: await makeInsight('changed') });
    const slot = hourOf(now);
    expect((await checkSlot(alert.id, slot)).state).toBe('Firing');
    const renamed = await client.patch(`${all}${alert.id}/`, { body: { name: 'Renamed' } });
    expect(renamed.body.state).toBe('Firing');
    const changed = await client.patch(`${all}${alert.id}/`, { body: { threshold: lowerThan(5) } });
    expect(changed.body).toMatchObject({
      state: 'Not firing',
      threshold: lowerThan(5),
      calculation_interval: 'hourly',
    });
  });

  it('that cannot be computed is told once, after three in a row, and never as low', async () => {
    const insight = await makeInsight('gone');
    const alert = await makeAlert({ insight, targets: [{ type: 'slack_webhook', url: hook.url }] });
    await client.patch(`/api/projects/1/insights/${insight}/`, { body: { deleted: true } });
    const slot = hourOf(now);
    for (const n of [0, 1]) expect((await checkSlot(alert.id, slot + n * HOUR)).state).toBe('Not firing');
    expect(await hook.staysAt(0)).toBe(true);
    expect(await checkSlot(alert.id, slot + 2 * HOUR)).toMatchObject({
      state: 'Errored',
      reason: 'The insight was deleted.',
    });
    await checkSlot(alert.id, slot + 3 * HOUR);
    expect((await hook.waitForRequests(1))[0]?.text).toContain('Cannot be checked: Low');
    expect(await hook.staysAt(1)).toBe(true);
  });
});

describe('what can be watched', () => {
  it('values of a breakdown, of which the worst is named', async () => {
    const insight = await makeInsight('visit', { breakdown: 'browser', breakdown_type: 'event' });
    const slot = hourOf(now);
    const sent = [...Array(12).fill('Chrome'), ...Array(3).fill('Firefox')].map((browser, i) => ({
      event: 'visit',
      distinct_id: `v${i}`,
      timestamp: new Date(slot + 1000).toISOString(),
      properties: { browser },
    }));
    await capture(server, server.projectKey, sent);
    const alert = await makeAlert({ insight });
    expect(await checkSlot(alert.id, slot)).toMatchObject({ calculated_value: 3, breakdown_value: 'Firefox' });
  });

  it('a minute', async () => {
    const insight = await makeInsight('minute');
    const slot = Math.floor(now / 60_000) * 60_000;
    await events('minute', [slot + 1000, slot + 2000, slot + 61_000]);
    const alert = await makeAlert({ insight, calculation_interval: 'every_minute', threshold: lowerThan(2) });
    expect(await checkSlot(alert.id, slot, 60_000)).toMatchObject({ calculated_value: 2, state: 'Not firing' });
    expect(await checkSlot(alert.id, slot + 60_000, 60_000)).toMatchObject({ calculated_value: 1, state: 'Firing' });
  });

  it('the conversion of a funnel, retention and lifecycle', async () => {
    const day = Math.floor(now / (24 * HOUR)) * 24 * HOUR;
    await events('began', repeat(4, day + HOUR));
    await events('began', repeat(1, day + 25 * HOUR));
    await events('ended', repeat(1, day + 2 * HOUR));
    const filters = {
      insight: 'FUNNELS',
      events: [
        { id: 'began', order: 0 },
        { id: 'ended', order: 1 },
      ],
    };
    const daily = { calculation_interval: 'daily', threshold: lowerThan(10) };
    const funnel = await makeAlert({
      ...daily,
      insight: await makeInsight('', filters),
      config: { type: 'FunnelAlertConfig' },
    });
    const began = { id: 'began', type: 'events' };
    const retention = await makeAlert({
      ...daily,
      insight: await makeInsight('', { insight: 'RETENTION', target_entity: began, returning_entity: began }),
      config: { type: 'RetentionAlertConfig', period: 1 },
    });
    const lifecycle = await makeAlert({
      ...daily,
      insight: await makeInsight('began', { insight: 'LIFECYCLE' }),
      // Tests before this one have seen the same persons.
      config: { type: 'LifecycleAlertConfig', status: 'resurrecting' },
    });
    expect((await checkSlot(funnel.id, day, 24 * HOUR)).calculated_value).toBe(25);
    expect((await checkSlot(lifecycle.id, day, 24 * HOUR)).calculated_value).toBe(4);
    // Of the four of the first day, one came back on the second.
    expect((await checkSlot(retention.id, day + 24 * HOUR, 24 * HOUR)).calculated_value).toBe(25);
  });

  it('retention over many hours and in months of the calendar', async () => {
    const month = (back: number, day: number): number => {
      const date = new Date(now);
      return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - back, day, 12);
    };
    // Four in one month, of whom one came back in the next; and four in one hour, of whom two came back in the next.
    await events('paid', repeat(4, month(2, 5)));
    await events('paid', [month(1, 27)]);
    const hours = hourOf(now) - 600 * HOUR;
    await events('opened', repeat(4, hours));
    await events('opened', repeat(2, hours + HOUR));
    await server.drain();
    const valuesOf = async (event: string, interval: string) => {
      const entity = { id: event, type: 'events' };
      const filters = { insight: 'RETENTION', target_entity: entity, returning_entity: entity };
      const { status, body } = await client.post(`${all}backtest/`, {
        body: {
          insight: await makeInsight('', filters),
          config: { type: 'RetentionAlertConfig', period: 1 },
          calculation_interval: interval,
          threshold: lowerThan(10),
          weeks: 8,
        },
      });
      expect([status, body.detail]).toEqual([200, undefined]);
      const found = body.starts.map((start: string, i: number) => [Date.parse(start), body.values[i]]);
      return { slots: body.slots, found: found.filter(([, value]: number[]) => value !== 0) };
    };
    expect(await valuesOf('opened', 'hourly')).toEqual({ slots: 8 * 168, found: [[hours + HOUR, 50]] });
    expect((await valuesOf('paid', 'monthly')).found).toEqual([[month(1, 1) - 12 * HOUR, 25]]);
  });

  it('an event that falls silent', async () => {
    const slot = hourOf(now);
    await events('heartbeat', [slot - 2 * HOUR]);
    const config = { type: 'SilentEventConfig', event: 'heartbeat', silent_for: '3h' };
    const alert = await makeAlert({ config, threshold: null });
    expect(alert).toMatchObject({ config, threshold: null, insight: null });
    expect(await checkSlot(alert.id, slot)).toMatchObject({ calculated_value: 1, state: 'Not firing' });
    expect(await checkSlot(alert.id, slot + HOUR)).toMatchObject({ calculated_value: 0, state: 'Firing' });
  });

  it('changes of flags, in every slot that has some', async () => {
    const { id } = (await client.post('/api/projects/1/feature_flags/', { body: { key: `watched-${now}` } })).body;
    const config = { type: 'FlagChangeConfig', flag_ids: [id], kinds: ['active'] };
    const targets = [{ type: 'slack_webhook', url: hook.url }];
    const alert = await makeAlert({ config, threshold: null, targets });
    const slot = hourOf(now);
    const toggle = (active: boolean) => client.patch(`/api/projects/1/feature_flags/${id}/`, { body: { active } });
    await toggle(false);
    expect((await checkSlot(alert.id, slot)).state).toBe('Firing');
    await toggle(true);
    await checkSlot(alert.id, slot + HOUR);
    await hook.waitForRequests(2);
    expect(hook.requests[0]?.text).toContain(`watched-`);
    expect((await checkSlot(alert.id, slot + 2 * HOUR)).state).toBe('Not firing');
    expect(await hook.staysAt(2)).toBe(true);
  });

  it('changes of flags with a tag, and of those that are named', async () => {
    const flag = async (name: string, tags: string[]): Promise<number> =>
      (await client.post('/api/projects/1/feature_flags/', { body: { key: `${name}-${now}`, tags } })).body.id;
    const tagged = await flag('tagged', ['billing', 'old']);
    const [named, other] = [await flag('named', []), await flag('other', ['old'])];
    const config = { type: 'FlagChangeConfig', flag_ids: [named], tags: ['billing'], kinds: ['active'] };
    const targets = [{ type: 'webhook', url: hook.url }];
    const alert = await makeAlert({ config, threshold: null, targets });
    expect(alert.config).toEqual(config);
    const slot = hourOf(now);
    const disable = (id: number) => client.patch(`/api/projects/1/feature_flags/${id}/`, { body: { active: false } });
    await disable(other);
    expect(await checkSlot(alert.id, slot)).toMatchObject({ calculated_value: 0, state: 'Not firing' });
    for (const id of [tagged, named]) await disable(id);
    expect(await checkSlot(alert.id, slot + HOUR)).toMatchObject({ calculated_value: 2, state: 'Firing' });
    const [request] = await hook.waitForRequests(1);
    const { type, data } = JSON.parse(request?.body ?? '');
    expect([type, data.notes.length]).toEqual(['flag.changed', 2]);
    expect(['tagged-', 'named-', 'other-'].map((name) => String(data.notes).includes(name))).toEqual([
      true,
      true,
      false,
    ]);
  });

  it('the slot that is not over, if it is already too high', async () => {
    const insight = await makeInsight('flood');
    const config = { type: 'TrendsAlertConfig', series_index: 0, check_ongoing_interval: true };
    const threshold = { configuration: { type: 'absolute', bounds: { lower: null, upper: 5 } } };
    const alert = await makeAlert({ insight, config, threshold });
    const slot = hourOf(now);
    await events('flood', repeat(9, now));
    at(now + 6 * 60_000);
    await expect.poll(async () => (await one(alert.id)).state).toBe('Firing');
    expect((await one(alert.id)).checks[0].slot).toBe(`${new Date(slot).toISOString().slice(0, 16)}Z`);
  });
});

describe('a back-test', () => {
  it('is what the leader then finds, slot by slot', async () => {
    const insight = await makeInsight('seasonal');
    const slot = hourOf(now);
    const counts = [12, 3, 4, 15, 2, 11];
    await events(
      'seasonal',
      counts.flatMap((count, i) => repeat(count, slot + i * HOUR)),
    );
    const alert = await makeAlert({ insight, hysteresis: { for: 2 } });
    for (const i of counts.keys()) await checkSlot(alert.id, slot + i * HOUR);
    const { results } = (await client.get(`${all}${alert.id}/checks/`)).body;
    const body = {
      insight,
      calculation_interval: 'hourly',
      threshold: lowerThan(10),
      hysteresis: { for: 2 },
      weeks: 1,
    };
    const test = (await client.post(`${all}backtest/`, { body })).body;
    expect(test.slots).toBe(168);
    expect(test.values.slice(-6)).toEqual(results.map((check: Check) => check.calculated_value).reverse());
    expect(test.bounds.lower.slice(-6)).toEqual(Array(6).fill(10));
    expect(test.would_fire.at(-1)).toEqual({
      from: new Date(slot + HOUR).toISOString().replace('.000Z', 'Z'),
      to: new Date(slot + 3 * HOUR).toISOString().replace('.000Z', 'Z'),
      peak: 3,
      bound: 10,
      breakdown_value: null,
    });
    expect(results.map((check: Check) => check.state).reverse()).toEqual([
      'Not firing',
      'Not firing',
      'Firing',
      'Not firing',
      'Not firing',
      'Not firing',
    ]);
  });

  it('of a noisy alert suggests another bound', async () => {
    const insight = await makeInsight('noisy');
    const slot = hourOf(now);
    await events(
      'noisy',
      Array.from({ length: 160 }, (_, i) => repeat(i % 4 === 0 ? 2 : 4, slot - (i + 1) * HOUR)).flat(),
    );
    const body = { insight, calculation_interval: 'hourly', threshold: lowerThan(3), weeks: 1 };
    const test = (await client.post(`${all}backtest/`, { body })).body;
    expect(test.per_week).toBeGreaterThan(30);
    expect(test.noise).toMatch(/^\d+(\.\d)? a week$/);
    expect(test.suggestion.configuration.bounds.lower).toBeLessThan(3);
    const seasonal = { condition: { type: 'seasonal' }, threshold: { configuration: { type: 'deviation', k: 4 } } };
    const usual = (await client.post(`${all}backtest/`, { body: { ...body, ...seasonal } })).body;
    expect(usual).toMatchObject({ slots: 168, suggestion: null });
  });
});

describe('deliveries', () => {
  const make = async () =>
    makeAlert({
      insight: await makeInsight('none'),
      enabled: false,
      targets: [{ type: 'slack_webhook', url: hook.url }],
    });

  it('have a test button, whose messages are marked', async () => {
    const alert = await make();
    expect((await client.post(`${all}${alert.id}/test/`)).body).toEqual({ deliveries: 1 });
    expect((await hook.waitForRequests(1))[0]?.text).toContain('Test: Low');
    await expect.poll(async () => (await deliveries('?kind=test'))[0]?.state).toBe('sent');
  });

  it.each([
    ['kind', 'alert, test, notice, audit, experiment, digest, flag'],
    ['state', 'waiting, sending, sent, failed, unknown, skipped'],
  ])('are listed by a known %s only', async (name, allowed) => {
    const { status, body } = await client.get(`/api/projects/1/deliveries/?${name}=other`);
    expect([status, body.attr, body.detail]).toEqual([400, name, `${name} is one of ${allowed}.`]);
  });

  it('are tried again with the same id, heeding Retry-After', async () => {
    const alert = await make();
    hook.answers.push({ status: 500 }, { status: 429, headers: { 'retry-after': '600' } });
    await client.post(`${all}${alert.id}/test/`);
    await hook.waitForRequests(1);
    await expect.poll(async () => (await deliveries())[0].attempts.length).toBe(1);
    expect((await deliveries())[0]).toMatchObject({ state: 'waiting', attempts: [{ status: 500 }] });
    at(now + 40_000);
    await hook.waitForRequests(2);
    await expect.poll(async () => (await deliveries())[0].attempts.length).toBe(2);
    at(now + 300_000);
    expect(await hook.staysAt(2)).toBe(true);
    at(now + 301_000);
    await hook.waitForRequests(3);
    await expect.poll(async () => (await deliveries())[0].state).toBe('sent');
    expect(new Set(hook.requests.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  });

  it('are given up after ten attempts, and can be repeated by a request', async () => {
    const alert = await make();
    hook.answers.push(...Array(10).fill({ status: 503 }));
    const began = now;
    await client.post(`${all}${alert.id}/test/`);
    for (let n = 1; n <= 10; n++) {
      await hook.waitForRequests(n);
      await expect.poll(async () => (await deliveries())[0].attempts.length).toBe(n);
      if (n < 10) at(Date.parse((await deliveries())[0].next_attempt_at) + 1);
    }
    // A day, more or less by a fifth.
    expect(Math.abs((now - began) / HOUR - 23.7)).toBeLessThan(4.8);
    const [failed] = await deliveries();
    expect(failed).toMatchObject({ state: 'failed', next_attempt_at: null });
    const again = await client.post(`/api/projects/1/deliveries/${failed.id}/retry/`);
    expect([again.status, again.body.state]).toEqual([200, 'waiting']);
    await hook.waitForRequests(11);
    await expect.poll(async () => (await deliveries())[0].state).toBe('sent');
    expect((await client.post(`/api/projects/1/deliveries/${failed.id}/retry/`)).status).toBe(409);
  });

  it('to a target that is gone pause it and tell its owner, until it is saved again', async () => {
    const alert = await make();
    hook.answers.push({ status: 410 });
    await client.post(`${all}${alert.id}/test/`);
    const text = await mail.take(email);
    expect(text).toContain('A webhook of an alert does not exist any more');
    const [{ id, type, paused }] = (await one(alert.id)).targets;
    expect(paused).toBe('it answered 410');
    at(now + 1000);
    await client.post(`${all}${alert.id}/test/`);
    await expect.poll(async () => (await deliveries('?kind=test'))[0].state).toBe('skipped');
    const saved = await client.patch(`${all}${alert.id}/`, { body: { targets: [{ id, type }] } });
    expect(saved.body.targets[0]).toMatchObject({ id, paused: null });
    at(now + 2000);
    await client.post(`${all}${alert.id}/test/`);
    await hook.waitForRequests(2);
  });

  it('that are refused fail at once; redirects are not followed', async () => {
    const alert = await make();
    hook.answers.push({ status: 301, headers: { location: '/elsewhere' } });
    await client.post(`${all}${alert.id}/test/`);
    await expect.poll(async () => (await deliveries())[0].state).toBe('failed');
    expect((await deliveries())[0].attempts[0].error).toContain('a redirect');
    expect(hook.requests).toHaveLength(1);
  });

  it('are delivered to a receiver whose answer never ends, and tried again at one that never answers', async () => {
    const alert = await make();
    hook.answers.push('endless', 'hang');
    await client.post(`${all}${alert.id}/test/`);
    await expect.poll(async () => (await deliveries())[0].state).toBe('sent');
    at(now + 1000);
    await client.post(`${all}${alert.id}/test/`);
    await expect.poll(async () => (await deliveries())[0].attempts, { timeout: 60_000 }).toHaveLength(1);
    expect((await deliveries())[0]).toMatchObject({
      state: 'waiting',
      attempts: [{ status: null, error: 'TimeoutError' }],
    });
  });

  it('are signed with both secrets for a day after one was replaced', async () => {
    const alert = await makeAlert({
      insight: await makeInsight('none'),
      enabled: false,
      targets: [{ type: 'webhook', url: hook.url }],
    });
    const [{ id }] = alert.targets;
    const rolled = await client.patch(`${all}${alert.id}/`, {
      body: { targets: [{ id, type: 'webhook', roll_secret: true }] },
    });
    expect(rolled.body.targets[0].secret).not.toBe(alert.targets[0].secret);
    await client.post(`${all}${alert.id}/test/`);
    await hook.waitForRequests(1);
    expect(hook.requests[0]?.headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/);
    at(now + 25 * HOUR);
    await client.post(`${all}${alert.id}/test/`);
    await hook.waitForRequests(2);
    expect(hook.requests[1]?.headers['webhook-signature']).toMatch(/^v1,\S+$/);
  });
});

describe('nobody but members is told', () => {
  it('and mails stop when somebody leaves', async () => {
    const leaver = 'leaver@example.org';
    await addMember(server, leaver);
    const user = await server.metadata.users.getByEmail(leaver);
    mail.mails.length = 0;
    const alert = await makeAlert({ insight: await makeInsight('left'), subscribed_users: [user?.id] });
    await client.post(`${all}${alert.id}/test/`);
    expect(await mail.take(leaver)).toContain('Test: Low');
    await server.tamper('delete from memberships where user_id = ?', user?.id);
    at(now + 1000);
    expect((await client.post(`${all}${alert.id}/test/`)).body.deliveries).toBe(0);
  });

  it('members who are no admins add no addresses, and see them shortened', async () => {
    const member = clientFor({ ...server, ...(await addMember(server, 'member@example.org', MEMBER)) });
    const admin = clientFor({ ...server, ...(await addMember(server, 'admin@example.org', ADMIN)) });
    const insight = await makeInsight('rights');
    const body = { name: 'x', insight, threshold: lowerThan(1), targets: [{ type: 'slack_webhook', url: hook.url }] };
    expect((await member.post(all, { body })).status).toBe(403);
    const made = await admin.post(all, { body });
    expect([made.status, made.body.targets[0].url]).toEqual([201, hook.url]);
    const seen = (await member.get(`${all}${made.body.id}/`)).body.targets[0];
    expect(seen.url).toBe(`${new URL(hook.url).origin}/…`);
    const { id, type } = seen;
    expect((await member.patch(`${all}${made.body.id}/`, { body: { targets: [{ id, type }] } })).status).toBe(200);
    expect((await one(made.body.id)).targets[0].url).toBe(hook.url);
    await client.post(`${all}${made.body.id}/test/`);
    const log = (await member.get('/api/projects/1/deliveries/')).body.results[0];
    expect(log.target).toBe(`${new URL(hook.url).origin}/…`);
  });
});
