/** Property history and activity summary of a person. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { capture } from '../support/capture.ts';
import { clientFor } from '../support/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let client: ReturnType<typeof clientFor>;
let person: string;
const EVENT = '01930000-0000-7000-8000-000000000001';
beforeAll(async () => {
  server = await startServer({ now: '2026-01-15T12:00:00Z' });
  client = clientFor(server);
  const set = ($set: object, timestamp: string, more: object = {}) => ({
    event: 'visit',
    timestamp,
    properties: { $set },
    ...more,
  });
  await capture(server, server.projectKey, [set({ plan: 'free' }, '2026-01-15T10:00:00Z')]);
  await capture(server, server.projectKey, [
    set({ plan: 'team', seats: null }, '2026-01-15T11:00:00Z', { uuid: EVENT }),
    { event: 'visit', distinct_id: 'bob' },
  ]);
  const found = await client.get('/api/projects/1/persons/?distinct_id=ada');
  person = `/api/projects/1/persons/${found.body.results[0].uuid}/`;
});
afterAll(() => server.close());

it('counts events and ids, with the first and last time seen', async () => {
  expect((await client.get(`${person}summary/`)).body).toEqual({
    events: 2,
    distinct_ids: 1,
    first_seen_at: '2026-01-15T10:00:00Z',
    last_seen_at: '2026-01-15T11:00:00Z',
  });
});

it('counts events of some ids only, as a preview of a split or undo', async () => {
  const of = async (ids: string[]): Promise<number> =>
    (await client.get(`${person}summary/?distinct_ids=${encodeURIComponent(JSON.stringify(ids))}`)).body.events;
  expect([await of(['ada']), await of(['bob']), await of([])]).toEqual([2, 0, 0]);
  expect((await client.get(`${person}summary/?distinct_ids=ada`)).status).toBe(400);
});

it('lists each change of a property, newest first, with its event or activity entry', async () => {
  await client.post(`${person}delete_property/`, { body: { $unset: 'plan' } });
  const { body } = await client.get(`${person}property_history/?key=plan`);
  const { body: activity } = await client.get(`${person}activity/`);
  expect(body.count).toBe(3);
  expect(body.results.map(({ changed_at, ...one }: { changed_at: string }) => one)).toEqual([
    { key: 'plan', was_set: true, is_set: false, before: 'team', after: null, source_id: activity.results[0].id },
    { key: 'plan', was_set: true, is_set: true, before: 'free', after: 'team', source_id: EVENT },
    { key: 'plan', was_set: false, is_set: true, before: null, after: 'free', source_id: expect.any(String) },
  ]);
  const seats = (await client.get(`${person}property_history/?key=seats&limit=1`)).body.results[0];
  expect(seats).toMatchObject({ was_set: false, is_set: true, before: null, after: null });
  const second = await client.get(`${person}property_history/?key=plan&limit=1&offset=1`);
  expect([second.body.count, second.body.results[0].after]).toEqual([3, 'team']);
});

it('lists activity by scope', async () => {
  const of = async (scope: string): Promise<string[]> =>
    (await client.get(`/api/organizations/@current/activity/?scope=${scope}`)).body.results.map(
      (one: { scope: string }) => one.scope,
    );
  expect(await of('Person')).toEqual(['Person']);
  expect(await of('Nothing')).toEqual([]);
});
