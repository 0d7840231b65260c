/** The property timeline of a person. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { capture, type SentEvent } from '../support/capture.ts';
import { clientFor } from '../support/client.ts';
import { OpenApi } from '../support/openapi.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let api: OpenApi;
let client: ReturnType<typeof clientFor>;
beforeAll(async () => {
  server = await startServer();
  api = await OpenApi.of(server);
  client = clientFor(server);
});
afterAll(() => server.close());

const at = (day: number, hour = 0): string => new Date(Date.UTC(2026, 0, day, hour)).toISOString();
const event = (name: string, day: number, properties: Record<string, unknown> = {}, id = 'me'): SentEvent => ({
  event: name,
  distinct_id: id,
  timestamp: at(day),
  properties,
});

/** Sends the events and requests the timeline of `me`. */
async function timeline(
  events: readonly SentEvent[],
  query: Record<string, unknown> = {},
  timezone = 'UTC',
  project?: { projectId: number; projectKey: string },
) {
  const { projectId, projectKey } = project ?? (await server.createProject());
  await client.patch(`/api/projects/${projectId}/`, { body: { timezone } });
  for (const one of events) await capture(server, projectKey, [one]);
  const base = `/api/projects/${projectId}/persons/`;
  const { id } = (await client.get(`${base}?distinct_id=me`)).body.results[0];
  const text = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
  const asked = { date_from: '2026-01-01', date_to: '2026-01-10', display: 'ActionsTable', ...query };
  const parameters = Object.entries(asked).map(([name, value]): [string, string] => [name, text(value)]);
  const path = `${base}${id}/properties_timeline/?${new URLSearchParams(parameters)}`;
  const answer = await client.get(path);
  expect(api.problemsOf('GET', path, answer)).toEqual([]);
  return { ...answer, base: `${base}${id}/`, again: async () => (await client.get(path)).body };
}
// biome-ignore lint/suspicious/noExplicitAny: responses are read freely
const points = (body: any, ...keys: string[]) =>
  // biome-ignore lint/suspicious/noExplicitAny: the same
  body.points.map((point: any) => [
    point.timestamp.slice(8, 10),
    ...keys.map((key) => point.properties[key]),
    point.relevant_event_count,
  ]);
const on = (key: string) => ({ key, value: 'x', type: 'person' });

describe('the property timeline', () => {
  it('has a point for each change of a filtered property', async () => {
    const { body } = await timeline(
      [
        event('a', 1, { $set: { plan: 'free', city: 'Paris' } }),
        event('a', 2, { $set: { city: 'Rome' } }),
        event('b', 3, { $set: { plan: 'pro' } }),
        event('a', 4),
        event('a', 5, { $unset: ['plan'] }),
        event('a', 6, { $set: { plan: 'free' } }),
        event('a', 11, { $set: { plan: 'late' } }),
      ],
      { properties: [on('plan')] },
    );
    expect(points(body, 'plan', 'city')).toEqual([
      ['01', 'free', 'Paris', 2],
      ['03', 'pro', 'Rome', 2],
      ['05', undefined, 'Rome', 1],
      ['06', 'free', 'Rome', 1],
    ]);
    expect(body.crucial_property_keys).toEqual(['plan']);
    expect([body.effective_date_from, body.effective_date_to]).toEqual([
      '2026-01-01T00:00:00+00:00',
      '2026-01-10T23:59:59.999999+00:00',
    ]);
  });

  it('counts only the named events, ignoring their filters', async () => {
    const series = [{ id: 'a', properties: [on('plan'), { key: 'x', value: 'nobody', type: 'event' }] }];
    const { body } = await timeline(
      [
        event('a', 1, { $set: { plan: 'free' } }),
        event('b', 2, { $set: { plan: 'pro' } }),
        event('b', 3, { $set: { plan: 'free' } }),
        event('a', 4),
        event('a', 5, { $set: { plan: 'pro' } }),
      ],
      { events: series },
    );
    expect(points(body, 'plan')).toEqual([
      ['01', 'free', 2],
      ['05', 'pro', 1],
    ]);
  });

  it('counts events of actions and the named events', async () => {
    const project = await server.createProject();
    const steps = [
      { event: 'b', url: '/pricing' },
      { event: 'c', properties: [{ key: 'tier', value: 'gold', type: 'person' }] },
    ];
    const made = await client.post(`/api/projects/${project.projectId}/actions/`, { body: { name: 'x', steps } });
    const happened = [
      event('a', 1, { $set: { plan: 'free', tier: 'gold' } }),
      event('b', 2, { $set: { plan: 'pro' } }),
      event('b', 3, { $current_url: 'https://x.test/pricing' }),
      event('c', 4, { $set: { plan: 'top' } }),
      event('d', 5, { $set: { plan: 'none' } }),
    ];
    const actions = [{ id: made.body.id, properties: [on('plan')] }];
    const { body } = await timeline(happened, { actions, events: [{ id: 'a' }] }, 'UTC', project);
    expect(body.crucial_property_keys).toEqual(['plan']);
    expect(points(body, 'plan')).toEqual([
      ['01', 'free', 1],
      ['03', 'pro', 1],
      ['04', 'top', 1],
    ]);
    expect(points((await timeline([], { actions }, 'UTC', project)).body, 'plan')).toEqual([
      ['03', 'pro', 1],
      ['04', 'top', 1],
    ]);
  });

  it('has one point without filters, and none without events', async () => {
    const events = [event('a', 1, { $set: { n: 1 } }), event('a', 2, { $set: { n: 2 } })];
    expect(points((await timeline(events)).body, 'n')).toEqual([['01', 1, 2]]);
    expect((await timeline(events, { events: [{ id: 'nothing' }] })).body.points).toEqual([]);
    expect(points((await timeline(events, { events: [{ id: null }] })).body)).toEqual([['01', 2]]);
    expect((await timeline(events, { date_from: '2025-01-01', date_to: '2025-01-05' })).body.points).toEqual([]);
  });

  it('shows past values, despite late events and manual changes', async () => {
    const { base, again } = await timeline(
      [
        event('a', 5, { $set: { plan: 'pro' } }),
        event('a', 2, { $set: { plan: 'early' } }),
        event('a', 3),
        event('a', 7),
      ],
      { properties: [on('plan')], date_to: '2026-01-20' },
    );
    await client.patch(base, { body: { properties: { plan: 'by hand' } } });
    expect(points(await again(), 'plan')).toEqual([
      ['02', 'early', 2],
      ['05', 'pro', 2],
    ]);
  });

  it('uses the properties of that time for events of a merged person', async () => {
    const { body } = await timeline(
      [
        event('a', 1, { $set: { plan: 'anonymous', seen: 1 } }, 'anon'),
        event('a', 2, { $set: { plan: 'free' } }),
        event('a', 3, {}, 'anon'),
        event('$identify', 4, { $anon_distinct_id: 'anon' }),
        event('a', 5, {}, 'anon'),
      ],
      { properties: [on('plan')] },
    );
    expect(points(body, 'plan', 'seen')).toEqual([
      ['01', 'anonymous', 1, 1],
      ['02', 'free', undefined, 1],
      ['03', 'anonymous', 1, 1],
      ['04', 'free', 1, 2],
    ]);
  });

  it('takes implicit properties from events', async () => {
    const { body } = await timeline(
      [
        event('a', 1, { $browser: 'Firefox', $screen_width: 1024 }),
        event('a', 2, { $browser: 'Chrome' }),
        event('$exception', 3, { $browser: 'Crashed' }),
        event('a', 4),
        event('b', 5, { $browser: 'Safari', $screen_width: 640 }),
        event('a', 6),
      ],
      { properties: [on('$browser')], date_from: '2026-01-02', events: [{ id: 'a' }, { id: '$exception' }] },
    );
    expect(points(body, '$browser', '$screen_width', '$initial_browser')).toEqual([
      ['02', 'Chrome', 1024, 'Firefox', 3],
      ['06', 'Safari', 640, 'Firefox', 1],
    ]);
  });

  it('makes points for a breakdown too', async () => {
    const events = [event('a', 1, { $set: { foo: 1 } }), event('a', 2, { $set: { foo: 2 } })];
    for (const breakdown of ['foo', ['foo', 'bar']]) {
      const { body } = await timeline(events, { breakdown, breakdown_type: 'person', properties: [on('zoo')] });
      expect(points(body, 'foo')).toEqual([
        ['01', 1, 1],
        ['02', 2, 1],
      ]);
      expect(body.crucial_property_keys).toEqual([...[breakdown].flat(), 'zoo'].sort());
    }
    expect((await timeline(events, { breakdown: 'foo' })).body.crucial_property_keys).toEqual([]);
  });

  it('uses days in the project time zone', async () => {
    const { body } = await timeline([event('a', 1)], { date_from: '2026-01-02', date_to: '2026-01-03' }, 'Asia/Tokyo');
    expect([body.effective_date_from, body.effective_date_to]).toEqual([
      '2026-01-01T15:00:00+00:00',
      '2026-01-03T14:59:59.999999+00:00',
    ]);
  });

  it.each([
    [{ events: '{' }, 'events'],
    [{ events: '5' }, 'events'],
    [{ actions: [{ id: 999_999 }] }, 'actions'],
    [{ actions: ['x'] }, 'actions'],
    [{ interval: 'toString' }, 'interval'],
    [{ date_from: 'yesterday' }, 'date_from'],
    [{ properties: '{' }, null],
  ])('rejects %j', async (query, attr) => {
    const { status, body } = await timeline([event('a', 1)], query);
    expect([status, body.type, body.attr]).toEqual([400, 'validation_error', attr]);
  });

  it('is available as CSV and under the legacy path', async () => {
    const { base, body } = await timeline([event('a', 1, { $set: { plan: 'free' } })]);
    const csv = await client.get(`${base}properties_timeline/?format=csv&date_from=all`);
    expect(csv.body).toMatch(/^properties\.\$creator_event_uuid,properties\.plan,relevant_event_count,timestamp\r\n/);
    expect(points(body)).toEqual([['01', 1]]);
    const project = Number(base.split('/')[3]);
    const [{ api_token: token }] = (await client.get('/api/projects/?limit=1000')).body.results.filter(
      (one: { id: number }) => one.id === project,
    );
    const legacy = base.replace(`projects/${project}/persons`, 'person');
    const { status } = await client.get(`${legacy}properties_timeline/?token=${token}`);
    expect(status).toBe(200);
  });
});
