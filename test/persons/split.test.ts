/** Splitting a person: ids, properties and events of each part, then and later. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { capture } from '../support/capture.ts';
import { clientFor } from '../support/client.ts';
import { eventsByPerson, identify, personOf } from '../support/identities.ts';
import { OpenApi } from '../support/openapi.ts';
import { isWithoutEvents, startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let client: ReturnType<typeof clientFor>;
beforeEach(async () => {
  server = await startServer();
  client = clientFor(server);
  await capture(server, server.projectKey, [
    { distinct_id: 'anon', properties: { $set: { plan: 'free' } } },
    identify('ada', 'anon', { email: 'ada@example.org' }),
    identify('ada', 'phone'),
    { event: 'bought', distinct_id: 'phone' },
    { event: 'bought', distinct_id: 'ada' },
  ]);
});
afterEach(() => server.close());

const split = (key: number | string, body: unknown = {}, query = '') =>
  client.post(`/api/projects/${server.projectId}/persons/${key}/split/${query}`, { body });

const activity = () => server.rows(`select * from activity where scope = 'Person' order by position`);

it('gives every other id its own person; the main id keeps person and properties', async () => {
  const before = await personOf(server, 'ada');
  server.setNow('2026-01-16T00:00:00.000Z');
  const answer = await split(before.id, { main_distinct_id: 'ada' });
  expect(answer.status).toBe(201);
  expect(answer.body).toEqual({
    id: before.id,
    uuid: before.uuid,
    is_identified: true,
    name: 'ada@example.org',
    distinct_ids: ['ada'],
    properties: before.properties,
    created_at: '2026-01-15T12:00:00Z',
    success: true,
  });
  expect((await OpenApi.of(server)).problemsOf('POST', `/api/projects/1/persons/${before.id}/split/`, answer)).toEqual(
    [],
  );
  const [ada, anon, phone] = [
    await personOf(server, 'ada'),
    await personOf(server, 'anon'),
    await personOf(server, 'phone'),
  ];
  expect(new Set([ada.uuid, anon.uuid, phone.uuid]).size).toBe(3);
  expect(ada).toEqual(before);
  for (const one of [anon, phone]) {
    expect(one).toMatchObject({
      properties: {},
      isIdentified: false,
      createdAt: Date.parse('2026-01-16T00:00:00.000Z'),
    });
  }
  if (isWithoutEvents) return;
  expect(await eventsByPerson(server)).toEqual({
    [ada.uuid]: ['ada $identify', 'ada $identify', 'ada bought'],
    [anon.uuid]: ['anon ping'],
    [phone.uuid]: ['phone bought'],
  });
});

it('without a main id, keeps the first one and moves the properties to the history', async () => {
  const before = await personOf(server, 'ada');
  const answer = await split(before.uuid);
  expect(answer.body).toMatchObject({ distinct_ids: ['anon'], properties: {}, name: 'anon', success: true });
  expect(await personOf(server, 'anon')).toMatchObject({ id: before.id, uuid: before.uuid, properties: {} });
  expect((await personOf(server, 'ada')).uuid).not.toBe(before.uuid);
  const history = await server.rows(
    `select name, before_value, after_value from person_property_history where event_uuid = '' order by id`,
  );
  expect(history).toContainEqual({ name: 'plan', before_value: '"free"', after_value: null });
  expect(history).toContainEqual({ name: 'email', before_value: '"ada@example.org"', after_value: null });
});

it.skipIf(isWithoutEvents)('assigns later events by their id, also after a restart', async () => {
  const { id } = await personOf(server, 'ada');
  await split(id, { main_distinct_id: 'ada' });
  const phone = await personOf(server, 'phone');
  await capture(server, server.projectKey, [{ event: 'later', distinct_id: 'phone', properties: { $set: { a: 1 } } }]);
  expect(await personOf(server, 'phone')).toMatchObject({ uuid: phone.uuid, properties: { a: 1 } });
  expect((await eventsByPerson(server))[phone.uuid]).toEqual(['phone bought', 'phone later']);
  // After merging again, the events are together.
  await capture(server, server.projectKey, [identify('ada', 'phone')]);
  expect((await eventsByPerson(server))[(await personOf(server, 'ada')).uuid]).toHaveLength(6);
  expect(await server.rows('select * from person_refilings')).toEqual([]);
});

it('accepts the main id in the query, and records the activity', async () => {
  const { id, uuid } = await personOf(server, 'ada');
  expect((await split(id, undefined, '?main_distinct_id=phone')).body).toMatchObject({ distinct_ids: ['phone'] });
  expect((await activity()).map(({ activity, item_id, detail }) => [activity, item_id, JSON.parse(detail)])).toEqual([
    [
      'split_person',
      String(id),
      {
        changes: [
          {
            type: 'Person',
            action: 'split',
            field: null,
            before: null,
            after: { distinct_ids: ['anon', 'ada', 'phone'] },
          },
        ],
        trigger: null,
        name: uuid,
        short_id: null,
      },
    ],
  ]);
});

it('only removes the properties of a person with one id', async () => {
  await capture(server, server.projectKey, [{ distinct_id: 'solo', properties: { $set: { a: 1 } } }]);
  const solo = await personOf(server, 'solo');
  expect((await split(solo.id, { main_distinct_id: 'solo' })).body).toMatchObject({
    id: solo.id,
    properties: { a: 1 },
  });
  expect((await split(solo.id)).body).toMatchObject({ id: solo.id, properties: {} });
  if (isWithoutEvents) return;
  expect((await eventsByPerson(server))[solo.uuid]).toEqual(['solo ping']);
});

describe('rejects', () => {
  it.each<[string, unknown, string]>([
    ['an id of nobody', { main_distinct_id: 'nobody' }, 'This is not a distinct ID of the person.'],
    ['an object for an id', { main_distinct_id: { a: 1 } }, 'Not a valid string.'],
  ])('%s and changes nothing', async (_name, body, detail) => {
    const { id } = await personOf(server, 'ada');
    const answer = await split(id, body);
    expect([answer.status, answer.body]).toEqual([
      400,
      { type: 'validation_error', code: 'invalid_input', detail, attr: 'main_distinct_id' },
    ]);
    expect((await personOf(server, 'phone')).id).toBe(id);
    expect(await activity()).toEqual([]);
  });

  it('what is no person', async () => {
    for (const key of ['0', '999', 'x', '00000000-0000-4000-8000-000000000000', '9'.repeat(40)]) {
      expect([key, (await split(key)).status]).toEqual([key, 404]);
    }
  });

  it('outsiders, and persons of another project', async () => {
    const { id } = await personOf(server, 'ada');
    const other = await server.createProject({ foreign: true });
    const path = (project: number) => `/api/projects/${project}/persons/${id}/split/`;
    const options = { key: other.personalKey, body: {} };
    expect((await client.post(path(server.projectId), options)).status).toBe(404);
    expect((await client.post(path(other.projectId), options)).status).toBe(404);
    expect((await personOf(server, 'phone')).id).toBe(id);
  });
});
