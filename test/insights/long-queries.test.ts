/** Long queries and cached answers over HTTP. */
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { capture, type SentEvent } from '../support/capture.ts';
import { clientFor } from '../support/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ config: { queryTimeoutSeconds: 2 } });
});
afterAll(() => server.close());

const bought = (who: string, day = '15', over: object = {}): SentEvent => ({
  event: 'bought',
  distinct_id: who,
  timestamp: `2026-01-${day}T10:00:00Z`,
  properties: { plan: 'pro', $set: { team: 'red' }, ...over },
});

const path = (rest: string, projectId = server.projectId): string => `/api/projects/${projectId}/${rest}`;
const ask = async (of: string, fields: object, projectId = server.projectId) => {
  const { status, body } = await clientFor(server).post(path(`insights/${of}/`, projectId), { body: fields });
  expect([status, body.detail]).toEqual([200, undefined]);
  return body;
};
const TREND = { events: [{ id: 'bought' }], date_from: '-3d' };
const trend = async (over: object = {}, projectId?: number) => {
  const { result, is_cached, last_refresh } = await ask('trend', { ...TREND, ...over }, projectId);
  return { count: result[0].count, is_cached, last_refresh };
};

describe('a cached answer', () => {
  it('is used until events of the project are stored, or a refresh is requested', async () => {
    await capture(server, server.projectKey, [bought('ann')]);
    const first = { count: 1, is_cached: false, last_refresh: '2026-01-15T12:00:00Z' };
    expect(await trend()).toEqual(first);
    server.setNow('2026-01-15T12:10:00Z');
    expect(await trend()).toEqual({ ...first, is_cached: true });
    const foreign = await server.createProject();
    await capture(server, foreign.projectKey, [bought('zed')]);
    expect(await trend()).toEqual({ ...first, is_cached: true });
    const fresh = { ...first, last_refresh: '2026-01-15T12:10:00Z' };
    expect(await trend({ refresh: true })).toEqual(fresh);
    expect(await trend()).toEqual({ ...fresh, is_cached: true });
    await capture(server, server.projectKey, [bought('bob')]);
    expect(await trend()).toEqual({ ...fresh, count: 2 });
    expect(await trend({}, foreign.projectId)).toMatchObject({ count: 1, is_cached: false });
  });

  it('is not used on another day, or for ranges that end now', async () => {
    await trend();
    expect(await trend()).toMatchObject({ is_cached: true });
    server.setNow('2026-01-16T00:00:01Z');
    expect(await trend()).toMatchObject({ count: 2, is_cached: false });
    server.setNow('2026-01-19T00:00:01Z');
    expect(await trend()).toMatchObject({ count: 0, is_cached: false });
    server.setNow('2026-01-16T09:59:59Z');
    const hours = { date_from: '-24h', interval: 'hour' };
    expect(await trend(hours)).toMatchObject({ count: 2 });
    server.setNow('2026-01-16T11:00:00Z');
    expect(await trend(hours)).toMatchObject({ count: 0, is_cached: false });
    server.setNow('2026-01-15T12:10:00Z');
  });

  it.each([
    ['funnel', { events: [{ id: 'bought', order: 0 }] }],
    ['path', {}],
    ['retention', { target_entity: { id: 'bought', type: 'events' }, total_intervals: 3 }],
    ['trend', { events: [{ id: 'bought' }], insight: 'STICKINESS', shown_as: 'Stickiness' }],
    ['trend', { events: [{ id: 'bought' }], insight: 'LIFECYCLE', shown_as: 'Lifecycle' }],
    ['funnel/correlation', { events: [{ id: 'bought', order: 0 }], funnel_correlation_type: 'events' }],
  ])('is given for %s too, and is the same', async (of, fields) => {
    const { is_cached, ...first } = await ask(of, { ...fields, date_from: '-3d' });
    expect(is_cached).toBe(false);
    expect(await ask(of, { ...fields, date_from: '-3d' })).toEqual({ ...first, is_cached: true });
  });

  it('is invalidated by changes of persons and of settings', async () => {
    const red = {
      events: [{ id: 'bought', math: 'dau' }],
      properties: [{ key: 'team', value: 'red', type: 'person' }],
    };
    expect(await trend(red)).toMatchObject({ count: 2 });
    const client = clientFor(server);
    const { body } = await client.get(path('persons/?distinct_id=ann'));
    await client.patch(path(`persons/${body.results[0].id}/`), { body: { properties: { team: 'blue' } } });
    expect(await trend(red)).toMatchObject({ count: 1, is_cached: false });
    const tested = { ...red, filter_test_accounts: true };
    expect(await trend(tested)).toMatchObject({ count: 1 });
    await client.patch(path(''), { body: { test_account_filters: [{ key: 'plan', value: 'free' }] } });
    expect(await trend(tested)).toMatchObject({ count: 0, is_cached: false });
    await client.delete(path(`persons/${body.results[0].id}/?delete_events=true`));
    expect(await trend()).toMatchObject({ count: 1, is_cached: false });
  });
});

describe('a query that takes too long', () => {
  /** Many texts and patterns that look far ahead: a statement that keeps the engine busy for many seconds. */
  const busy = (value: readonly string[]) => [{ key: 'text', operator: 'regex', value }];
  const slow = busy(Array.from({ length: 120 }, (_, i) => `(a.{0,40}b.{0,40}c.{0,40}d.{0,9}){6}z${i}`));
  const asking = (properties: object) => ({ events: [{ id: 'busy', properties }], date_from: '-3d', refresh: true });
  const client = () => clientFor(server);
  beforeAll(async () => {
    const properties = { text: 'abcdefgh'.repeat(40) };
    const event = { event: 'busy', distinct_id: 'bee', timestamp: '2026-01-15T10:00:00Z', properties };
    for (let round = 0; round < 3; round++) await capture(server, server.projectKey, Array(8000).fill(event));
  });

  /** As many at once as the engine answers: it must have let go of what was stopped. */
  const engineAnswers = async () => {
    const rows = await Promise.all(
      [1, 2].map(() => server.query("select count(*) as n from event_rows where event = 'busy'")),
    );
    expect(rows.map(([row]) => Number(row?.['n']))).toEqual([24_000, 24_000]);
  };

  it('is stopped with advice what to narrow, and frees the engine', async () => {
    const answers = await Promise.all([
      client().post(path('insights/trend/'), { body: asking(slow) }),
      client().post(path('insights/trend/'), { body: { ...asking(slow), date_from: '-4d' } }),
    ]);
    for (const { status, body } of answers) {
      expect([status, body.type, body.code, body.attr]).toEqual([400, 'validation_error', 'query_too_slow', null]);
      expect(body.detail).toMatch(/^The query took longer than 2 seconds and was stopped. Use a shorter range/);
    }
    await engineAnswers();
  });

  it('ends when its caller disconnects, and frees the engine', async () => {
    const send = async (): Promise<void> => {
      const sent = request(new URL(path('insights/trend/'), server.url), {
        method: 'POST',
        headers: { authorization: `Bearer ${server.personalKey}`, 'content-type': 'application/json' },
      });
      sent.on('error', () => undefined);
      const closed = new Promise((resolve) => sent.once('close', resolve));
      sent.end(JSON.stringify(asking(slow)));
      await sleep(300);
      sent.destroy();
      await closed;
    };
    await Promise.all([send(), send()]);
    await engineAnswers();
  });

  it('does not stop events and small queries', async () => {
    const stopped = client().post(path('insights/trend/'), { body: asking(slow) });
    await capture(server, server.projectKey, [bought('late')]);
    // On a busy machine even a small one may run into the limit beside it.
    await vi.waitFor(async () => expect(await trend()).toMatchObject({ count: 2 }), { timeout: 15_000 });
    expect((await stopped).body.code).toBe('query_too_slow');
  });

  it.each(['', '&format=csv'])('is stopped in the list of events%s', async (format) => {
    const filters = encodeURIComponent(JSON.stringify(slow));
    const list = path(`events/?event=busy&after=2026-01-14&properties=${filters}${format}`);
    const { status, body } = await client().get(list);
    const { code } = typeof body === 'string' ? JSON.parse(body) : body;
    expect([status, code]).toEqual([400, 'query_too_slow']);
  });
});

describe('a query that needs too much memory', () => {
  it('is refused with advice what to narrow', async () => {
    const small = await startServer({ config: { eventsMemoryMb: 64 } });
    const properties = { text: 'abcdefgh'.repeat(40) };
    const event = { event: 'busy', distinct_id: 'bee', timestamp: '2026-01-15T10:00:00Z', properties };
    await capture(small, small.projectKey, Array(8000).fill(event));
    const value = Array.from({ length: 1000 }, (_, i) => `z${i}$`);
    const events = [{ id: 'busy', properties: [{ key: 'text', operator: 'regex', value }] }];
    const { status, body } = await clientFor(small).post(path('insights/trend/', small.projectId), {
      body: { events },
    });
    await small.close();
    expect([status, body.code]).toEqual([400, 'query_too_large']);
    expect(body.detail).toMatch(/^The query needs more memory than it may use. Use a shorter range/);
  });
});
