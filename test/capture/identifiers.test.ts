/** What identifies an event or a person: uuids in other forms, message ids, and ids that are none. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { uuidOfIdAlone } from '../../src/core/events/uuid.ts';
import { clientFor } from '../support/client.ts';
import { send, sendJson } from '../support/send.ts';
import { type Counters, START, startServer, type TestProject, type TestServer } from '../support/server.ts';

const UUID = '018a981f-4b35-7c66-825e-8b0eeae65714';

let server: TestServer;
let project: TestProject;
let before: Counters;

beforeAll(async () => {
  server = await startServer();
});
beforeEach(async () => {
  server.setNow(START);
  project = await server.createProject();
  before = await server.counters();
});
afterAll(() => server.close());

async function post(path: string, body: object): Promise<void> {
  const answer = await sendJson(server.url, path, { api_key: project.projectKey, ...body });
  expect([answer.status, answer.text]).toEqual([200, '{"status":1}']);
  await server.drain();
}

const warnings = async (): Promise<{ type: string; details: Record<string, unknown> }[]> =>
  (
    await server.rows(
      'select type, details from ingestion_warnings where project_id = ? order by id',
      project.projectId,
    )
  ).map(({ type, details }) => ({
    type,
    details: JSON.parse(details),
  }));

async function storedEvents(): Promise<{ id: string; event: string }[]> {
  const { body } = await clientFor(server).get(`/api/projects/${project.projectId}/events/`);
  return body.results;
}

/** What was counted since the test began. */
async function counted(): Promise<{ stored: number; duplicate: number; invalidUuid: number }> {
  const { stored, duplicate, dropped } = await server.counters();
  const invalidUuid = (dropped['invalid_uuid'] ?? 0) - (before.dropped['invalid_uuid'] ?? 0);
  return { stored: stored - before.stored, duplicate: duplicate - before.duplicate, invalidUuid };
}

const personIds = async (): Promise<{ person_id: number; distinct_id: string }[]> =>
  server.rows(
    'select person_id, distinct_id from person_distinct_ids where project_id = ? order by distinct_id',
    project.projectId,
  ) as Promise<{ person_id: number; distinct_id: string }[]>;

const storedUuids = async (): Promise<string[]> => (await storedEvents()).map(({ id }) => id);

describe('a uuid', () => {
  it.each([
    ['in capitals', UUID.toUpperCase()],
    ['in hex', UUID.replaceAll('-', '')],
    ['in braces', `{${UUID}}`],
    ['as a URN', `urn:uuid:${UUID}`],
  ])('%s is that uuid', async (_name, uuid) => {
    await post('/capture/', { event: 'e', distinct_id: 'd', uuid });
    await post('/capture/', { event: 'e', distinct_id: 'd', uuid: UUID });
    expect(await storedUuids()).toEqual([UUID]);
    expect(await counted()).toMatchObject({ stored: 1, duplicate: 1 });
    const fate = await clientFor(server).get(`/api/projects/${project.projectId}/events/${UUID}/fate/`);
    expect(fate.body).toMatchObject({ fate: 'stored' });
  });

  it('that is none refuses its event alone, with a warning', async () => {
    const batch = ['none', UUID, 7].map((uuid) => ({ event: 'e', distinct_id: 'd', uuid }));
    await post('/batch/', { batch });
    expect(await storedUuids()).toEqual([UUID]);
    expect(await counted()).toMatchObject({ stored: 1, invalidUuid: 2 });
    expect(await warnings()).toEqual([
      { type: 'skipping_event_invalid_uuid', details: { eventUuid: '"none"', event: 'e', distinctId: 'd' } },
      { type: 'skipping_event_invalid_uuid', details: { eventUuid: '7', event: 'e', distinctId: 'd' } },
    ]);
  });

  it('that is none refuses its event alone in the V1 protocol', async () => {
    const event = { event: 'e', distinct_id: 'd', timestamp: START, properties: {}, options: {} };
    const answer = await send(server.url, '/i/v1/analytics/events', {
      headers: {
        authorization: `Bearer ${project.projectKey}`,
        'content-type': 'application/json',
        'posthog-sdk-info': 'test/1.0.0',
        'posthog-attempt': '1',
        'posthog-request-id': UUID,
        'posthog-request-timestamp': START,
        'user-agent': 'test',
      },
      body: JSON.stringify({
        created_at: START,
        batch: [
          { ...event, uuid: 'none' },
          { ...event, uuid: UUID },
        ],
      }),
    });
    expect([answer.status, answer.json]).toEqual([
      200,
      { results: { none: { result: 'drop', details: 'invalid_event' }, [UUID]: { result: 'ok' } } },
    ]);
    await server.drain();
    expect(await storedUuids()).toEqual([UUID]);
    expect(await warnings()).toMatchObject([{ type: 'skipping_event_invalid_uuid' }]);
  });
});

describe.each([
  ['messageId', (id: string) => ({ messageId: id })],
  ['$insert_id', (id: string) => ({ properties: { $insert_id: id } })],
])('a repeat by %s', (_name, withId) => {
  const message = { event: 'e', distinct_id: 'd', timestamp: '2026-01-15T10:00:00Z', ...withId('string') };

  it('has the same name, distinct id and timestamp', async () => {
    await post('/capture/', message);
    await post('/capture/', { ...message, event: 'other' });
    await post('/capture/', { ...message, distinct_id: 'other' });
    await post('/capture/', { ...message, timestamp: '2026-01-15T10:00:01Z' });
    expect(await counted()).toMatchObject({ stored: 4, duplicate: 0 });
  });

  it.each([
    ['with a timestamp', message],
    ['without', { event: 'e', distinct_id: 'd', ...withId('string') }],
    ['with the time of sending', { ...message, sent_at: '2026-01-15T10:00:05Z' }],
  ])('of a request %s is stored once, however late it comes', async (_name, body) => {
    await post('/capture/', body);
    server.setNow('2026-01-20T12:00:00Z');
    await post('/capture/', body);
    await post('/batch/', { batch: [body, body] });
    expect(await counted()).toMatchObject({ stored: 1, duplicate: 3 });
  });
});

describe('ids that were stored when a message id alone identified an event', () => {
  const arrival = Date.parse(START);
  const remember = (messageId: string): Promise<void> =>
    server.tamper(
      'insert into seen_events (project_id, uuid, received_at, processed_at) values (?, ?, ?, ?)',
      project.projectId,
      uuidOfIdAlone(project.projectId, 'messageId', messageId),
      arrival,
      arrival,
    );

  it('are still repeats, but do not swallow what happened later', async () => {
    await remember('m1');
    server.setNow('2026-01-20T12:00:00Z');
    await post('/batch/', {
      batch: [
        { event: 'before', distinct_id: 'd', messageId: 'm1', timestamp: '2026-01-15T11:59:00Z' },
        { event: 'after', distinct_id: 'd', messageId: 'm1', timestamp: '2026-01-15T12:01:00Z' },
        { event: 'without', distinct_id: 'd', messageId: 'm1' },
      ],
    });
    expect((await storedEvents()).map(({ event }) => event).sort()).toEqual(['after', 'without']);
    expect(await counted()).toMatchObject({ stored: 2, duplicate: 1 });
    expect(
      await server.rows(
        'select repeats from seen_events where project_id = ? and received_at = ?',
        project.projectId,
        arrival,
      ),
    ).toEqual([{ repeats: 1 }]);
  });
});

describe('a list or object as an id', () => {
  const merges = ['$identify', '$create_alias', '$merge_dangerously'].map(
    (event) => [event, event === '$identify' ? '$anon_distinct_id' : 'alias'] as const,
  );

  it.each(merges)('of %s joins nobody', async (event, property) => {
    for (const [id, other] of [
      ['ada', { id: null }],
      ['bob', { id: null }],
      ['cyd', []],
      ['dan', []],
      ['eve', ['x'.repeat(300)]],
      ['fay', ['x'.repeat(300)]],
    ] as const) {
      await post('/capture/', { event, distinct_id: id, properties: { [property]: other } });
    }
    const people = await personIds();
    expect(people.map((one) => one.distinct_id)).toEqual(['ada', 'bob', 'cyd', 'dan', 'eve', 'fay']);
    expect(new Set(people.map((one) => one.person_id)).size).toBe(6);
    expect((await warnings()).map(({ type, details }) => [type, details['otherDistinctId']])).toEqual(
      ['ada', 'bob', 'cyd', 'dan', 'eve', 'fay'].map((id) => ['cannot_merge_with_illegal_distinct_id', id]),
    );
    expect((await warnings())[0]?.details['illegalDistinctId']).toBe('{"id":null}');
  });

  it.each(merges)('of the event itself joins nobody by %s', async (event, property) => {
    for (const other of ['ada', 'bob']) {
      await post('/capture/', { event, distinct_id: { id: null }, properties: { [property]: other } });
    }
    expect((await warnings()).map(({ type, details }) => [type, details])).toEqual(
      ['ada', 'bob'].map((otherDistinctId) => [
        'cannot_merge_with_illegal_distinct_id',
        { illegalDistinctId: '{"id":null}', otherDistinctId, eventUuid: expect.any(String) },
      ]),
    );
    expect((await personIds()).map((one) => one.distinct_id)).toEqual(['{"id":null}']);
  });

  it.each(['/decide/?v=3', '/flags/'])('is refused by %s', async (path) => {
    for (const body of [{ distinct_id: {} }, { distinct_id: ['a'] }, { distinct_id: 'a', $anon_distinct_id: {} }]) {
      const answer = await sendJson(server.url, path, { api_key: project.projectKey, ...body });
      expect([answer.status, answer.json.detail]).toEqual([400, expect.stringContaining('must be a text or a number')]);
    }
  });
});
