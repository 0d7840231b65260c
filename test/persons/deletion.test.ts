/** Deleting a person: what is removed, what stays, and that no file contains any of it afterwards. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findCanaries } from '../support/canaries.ts';
import { capture } from '../support/capture.ts';
import { clientFor } from '../support/client.ts';
import { eventsByPerson, identify, personOf } from '../support/identities.ts';
import { OpenApi } from '../support/openapi.ts';
import { processPoisoned } from '../support/poison.ts';
import { startServer, type TestServer } from '../support/server.ts';

let dataDir: string;
let server: TestServer;
let client: ReturnType<typeof clientFor>;
const start = async (config = {}): Promise<void> => {
  server = await startServer({ dataDir, config: { eraseAfterSeconds: 0, ...config } });
  client = clientFor(server);
};
const restart = async (): Promise<void> => {
  await server.close();
  await start();
};
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'cairn-deletion-'));
  await start();
});
afterEach(async () => {
  await server.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const persons = (rest = ''): string => `/api/projects/${server.projectId}/persons/${rest}`;
const remove = async (distinctId: string, query = '') =>
  client.delete(persons(`${(await personOf(server, distinctId)).uuid}/${query}`));

/** Waits until a deletion is complete. */
async function completed(location: string | null) {
  for (let tries = 0; tries < 400; tries++) {
    const { body } = await client.get(location ?? '');
    if (body.state === 'complete') return body;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error('The deletion does not complete');
}

const C = {
  id: 'canary-distinct-id-1a2b',
  anon: 'canary-anonymous-3c4d',
  email: 'canary-5e6f@example.org',
  value: 'canary-property-7a8b',
  event: 'canary-event-value-9c0d',
  long: `canary-long-${'x'.repeat(10_000)}-end`,
  group: 'canary-group-1122',
  letter: 'canary-dead-letter-3344',
  old: 'canary-old-value-5566',
  hand: 'canary-by-hand-7788',
};
const CANARIES = Object.values(C);

/** Creates a person with recognizable data, among many others. */
async function createCanary(): Promise<void> {
  const others = Array.from({ length: 300 }, (_, n) => ({
    distinct_id: `other ${n}`,
    properties: { $set: { plan: 'free', email: `other${n}@example.org` }, text: 'y'.repeat(n * 7) },
  }));
  await capture(server, server.projectKey, others);
  await capture(server, server.projectKey, [
    { distinct_id: C.anon, properties: { $set: { note: C.old }, $current_url: `https://x/${C.event}` } },
    { distinct_id: C.id, properties: { $set: { email: C.email, note: C.value } } },
    identify(C.id, C.anon),
    { distinct_id: C.id, properties: { text: C.event, long: C.long, $groups: { company: 'acme' } } },
    { distinct_id: C.id, properties: { $set: { note: 'nothing' } } },
    { event: '$identify', distinct_id: C.id, properties: { $anon_distinct_id: 'distinct_id' } },
  ]);
  await capture(server, server.projectKey, others);
}

/** Waits until the person index, which is written in the background, contains a text. */
async function indexed(text: string): Promise<void> {
  const database = new Database(join(dataDir, 'metadata.sqlite'), { readonly: true });
  const columns = database.prepare('select count(*) from person_columns where instr(distinct_values, ?)').pluck();
  await expect.poll(() => columns.get(text), { timeout: 5000 }).toBe(1);
  database.close();
}

describe('deleting a person with events', () => {
  it('removes only this person from the person index', async () => {
    const others = Array.from({ length: 1000 }, (_, n) => ({ distinct_id: `many ${n}`, properties: { $set: { n } } }));
    await createCanary();
    await capture(server, server.projectKey, others);
    await indexed(C.email);
    const search = async (text: string): Promise<number> =>
      (await client.get(persons(`?search=${encodeURIComponent(text)}`))).body.results.length;
    expect([await search(C.email), await search('other29')]).toEqual([1, 11]);
    const { headers } = await remove(C.id, '?delete_events=true');
    expect([await search(C.email), await search('other29')]).toEqual([0, 11]);
    await completed(headers.get('location'));
    expect(findCanaries(dataDir, [C.email, C.value, C.old])).toEqual([]);
    expect([await search(C.email), await search('other29')]).toEqual([0, 11]);
  });

  it('leaves nothing of the person in any file, while the server runs and after a restart', async () => {
    await createCanary();
    const { uuid, id } = await personOf(server, C.id);
    await client.patch(persons(`${id}/`), { body: { properties: { hand: C.hand } } });
    await client.post(persons(`${id}/delete_property/`), { body: { $unset: 'hand' } });
    await client.post(persons(`${id}/split/`), { body: { main_distinct_id: C.id } });
    await capture(server, server.projectKey, [identify(C.id, C.anon)]);
    await server.mirrorPersons();
    expect(await server.query(`select * from person_rows where properties like '%canary%'`)).toHaveLength(1);
    await server.close();
    const poison = { event: 'poison', distinct_id: C.anon, properties: { text: C.letter } };
    await processPoisoned(dataDir, 1, poison, Date.parse('2026-01-15T12:00:00.000Z'));
    await start();
    expect(findCanaries(dataDir, CANARIES)).not.toEqual([]);
    const gone = (await personOf(server, C.anon)).uuid;
    const answer = await remove(C.anon, '?delete_events=true');
    expect([answer.status, answer.body]).toEqual([204, '']);
    const location = answer.headers.get('location');
    expect(location).toMatch(/^http:.*\/api\/projects\/1\/persons\/deletions\/[0-9a-f-]{36}\/$/);
    const deletion = await completed(location);
    expect(deletion).toMatchObject({
      person_uuid: gone,
      state: 'complete',
      requested_at: '2026-01-15T12:00:00Z',
      completed_at: '2026-01-15T12:00:00Z',
      removed: { persons: 1, distinct_ids: 2, dead_letters: 1, ingestion_warnings: 1, events: 7 },
      scan: { rows: 0, mentioned_in: [] },
    });
    expect(deletion.removed.activity_entries_blanked).toBeGreaterThan(0);
    expect(deletion.scan.bytes).toBeGreaterThan(100_000);
    expect(findCanaries(dataDir, CANARIES)).toEqual([]);
    expect(
      await server.query(`select * from events where distinct_id like 'canary%' or properties like '%canary%'`),
    ).toEqual([]);
    expect(await server.query('select count(*) as n from events')).toEqual([{ n: 600 }]);
    expect(await server.query('select count(*) as n from person_rows')).toEqual([{ n: 300 }]);
    await restart();
    expect(findCanaries(dataDir, CANARIES)).toEqual([]);
    expect(JSON.stringify((await client.get(persons('deletions/'))).body)).not.toContain('canary');
    expect(await server.rows('select count(*) as n from persons')).toEqual([{ n: 300 }]);
    expect(await server.rows('select uuid from persons where uuid in (?, ?)', uuid, gone)).toEqual([]);
  });

  it('includes events accepted before, and creates a new person for later ones', async () => {
    await createCanary();
    const { uuid } = await personOf(server, C.id);
    const sent = { api_key: server.projectKey, event: 'pending', distinct_id: C.id };
    await fetch(`${server.url}/capture/`, { method: 'POST', body: JSON.stringify(sent) });
    const answer = await remove(C.id, '?delete_events');
    await capture(server, server.projectKey, [{ event: 'afterwards', distinct_id: C.id }]);
    await completed(answer.headers.get('location'));
    const fresh = await personOf(server, C.id);
    expect(fresh.uuid).not.toBe(uuid);
    expect((await eventsByPerson(server))[fresh.uuid]).toEqual([`${C.id} afterwards`]);
    expect(await server.query(`select event from events where distinct_id = '${C.id}'`)).toEqual([
      { event: 'afterwards' },
    ]);
    const counts = await server.counters();
    expect(counts.accepted).toBe(counts.stored);
  });

  it('removes events left by an earlier deletion, and events of merged persons', async () => {
    await createCanary();
    expect((await remove(C.id)).status).toBe(204);
    await capture(server, server.projectKey, [{ event: 'back', distinct_id: C.id }]);
    const answer = await remove(C.id, '?delete_events=1');
    expect((await completed(answer.headers.get('location'))).removed.events).toBe(6);
    // Events of the other id no longer have a person to query them by.
    expect(await server.query(`select distinct_id from events where distinct_id like 'canary%'`)).toEqual([
      { distinct_id: C.anon },
    ]);
  });

  it('does not restore a deleted event when it is sent again', async () => {
    const event = { event: 'once', distinct_id: C.id, uuid: '0190b5a0-0000-7000-8000-00000000beef' };
    await capture(server, server.projectKey, [event]);
    const answer = await remove(C.id, '?delete_events=true');
    await completed(answer.headers.get('location'));
    await capture(server, server.projectKey, [event]);
    expect(await server.query('select * from events')).toEqual([]);
    expect(await server.rows('select * from persons')).toEqual([]);
    expect((await server.counters()).duplicate).toBe(1);
  });

  it('completes deletions within a short time together, with separate reports', async () => {
    await createCanary();
    await server.close();
    await start({ eraseAfterSeconds: 1 });
    const asked = ['other 1', 'other 2', 'other 3'].map((id) => remove(id, '?delete_events=true'));
    const locations = (await Promise.all(asked)).map(({ headers }) => headers.get('location'));
    expect((await client.get(locations[0] ?? '')).body).toMatchObject({
      state: 'erasing',
      completed_at: null,
      scan: null,
      removed: { events: 2 },
    });
    const done = await Promise.all(locations.map(completed));
    expect(done.map(({ removed }) => removed.events)).toEqual([2, 2, 2]);
    const list = (await client.get(persons('deletions/'))).body;
    expect([list.count, list.results.length]).toEqual([3, 3]);
    expect(list.results.map((one: { id: string }) => one.id).sort()).toEqual(done.map(({ id }) => id).sort());
    const api = await OpenApi.of(server);
    expect(api.problemsOf('GET', persons('deletions/'), { status: 200, body: list })).toEqual([]);
  });

  it('continues an interrupted deletion', async () => {
    await createCanary();
    await server.close();
    await start({ eraseAfterSeconds: 3600 });
    const answer = await remove(C.id, '?delete_events=true');
    const path = new URL(answer.headers.get('location') ?? '').pathname;
    expect(findCanaries(dataDir, CANARIES)).not.toEqual([]);
    await restart();
    // The ids to search for are only kept in memory.
    expect(await completed(path)).toMatchObject({ state: 'complete', scan: { rows: 0, mentioned_in: null } });
    expect(findCanaries(dataDir, CANARIES)).toEqual([]);
  });

  it('reports files in which others mention the person', async () => {
    await createCanary();
    await capture(server, server.projectKey, [{ distinct_id: 'friend', properties: { $set: { friend: C.email } } }]);
    const answer = await remove(C.id, '?delete_events=true');
    expect((await completed(answer.headers.get('location'))).scan.mentioned_in).toContain('metadata.sqlite');
  });

  it("removes groups and definitions that hold the person's data, if asked to", async () => {
    await createCanary();
    const identifyGroup = (key: string) => ({
      event: '$groupidentify',
      distinct_id: C.id,
      properties: { $group_type: 'company', $group_key: key, $group_set: { name: key } },
    });
    await capture(server, server.projectKey, [
      ...[C.email, C.id, 'acme', `${C.email} and sons`].map(identifyGroup),
      { event: `invited ${C.email.toUpperCase()}`, distinct_id: C.id, properties: { [`seen by ${C.id}`]: 1 } },
      { event: 'invited', distinct_id: C.id, properties: { $set: { [C.anon]: true } } },
    ]);
    const definitions = `/api/projects/${server.projectId}/event_definitions/`;
    const [invited] = (await client.get(`${definitions}?search=canary`)).body.results;
    await client.patch(`${definitions}${invited.id}/`, { body: { description: 'by hand' } });
    const { headers } = await remove(C.id, '?delete_events=true&delete_names=true');
    expect((await completed(headers.get('location'))).removed).toMatchObject({
      groups: 2,
      event_definitions: 1,
      property_definitions: 2,
    });
    expect(await server.rows('select group_key from groups order by 1')).toEqual([
      { group_key: 'acme' },
      { group_key: `${C.email} and sons` },
    ]);
    for (const table of ['event_definitions', 'property_definitions']) {
      expect(await server.rows(`select name from ${table} where lower(name) like '%canary%'`)).toEqual([]);
    }
    expect(await server.rows(`select name from event_definitions where name = 'invited'`)).toHaveLength(1);
    expect(await server.rows(`select * from event_properties where property like '%canary%'`)).toEqual([]);
    expect(await server.rows(`select * from activity where lower(detail) like '%canary%'`)).toEqual([]);
    expect(findCanaries(dataDir, [C.id, C.anon, C.email.toUpperCase()])).toEqual([]);
  });

  it('keeps accepting events meanwhile and loses none', async () => {
    await createCanary();
    const { headers } = await remove(C.id, '?delete_events=true');
    for (let n = 0; n < 20; n++)
      await capture(server, server.projectKey, [{ event: `meanwhile ${n}`, distinct_id: 'm' }]);
    await completed(headers.get('location'));
    expect(await server.query(`select count(*) as n from events where distinct_id = 'm'`)).toEqual([{ n: 20 }]);
    const counts = await server.counters();
    expect([counts.pending, counts.accepted]).toEqual([0, counts.stored]);
  });
});

describe('deleting a person without events', () => {
  it('removes person, ids, history and merges; events stay under the unused uuid', async () => {
    await createCanary();
    const { uuid, id } = await personOf(server, C.id);
    const answer = await remove(C.id);
    expect([answer.status, answer.headers.get('location')]).toEqual([204, null]);
    expect((await client.delete(persons(`${uuid}/`))).status).toBe(404);
    expect((await client.delete(persons(`${id}/`))).status).toBe(404);
    expect(await server.rows(`select * from person_distinct_ids where distinct_id like 'canary%'`)).toEqual([]);
    expect(await server.rows('select * from person_property_history where person_uuid = ?', uuid)).toEqual([]);
    expect(await server.rows('select * from person_merges')).toEqual([]);
    expect((await eventsByPerson(server))[uuid]).toHaveLength(6);
    await capture(server, server.projectKey, [{ distinct_id: C.id }]);
    expect((await personOf(server, C.id)).uuid).not.toBe(uuid);
    expect((await eventsByPerson(server))[uuid]).toHaveLength(6);
    expect((await client.get(persons('deletions/'))).body.results).toEqual([]);
  });

  it('records who did it, and nothing about the person but the uuid', async () => {
    await createCanary();
    const { uuid, id } = await personOf(server, C.id);
    await remove(C.id, '?delete_events=false');
    const [entry] = await server.rows(`select * from activity where scope = 'Person'`);
    expect([entry.activity, entry.item_id, JSON.parse(entry.detail)]).toEqual([
      'deleted',
      String(id),
      { changes: null, trigger: null, name: uuid, short_id: null },
    ]);
  });
});

describe('rejects', () => {
  beforeEach(() => capture(server, server.projectKey, [{ distinct_id: 'ada' }]));

  it.each(['maybe', '2', 'truefalse'])('delete_events=%s', async (value) => {
    const answer = await remove('ada', `?delete_events=${value}`);
    expect([answer.status, answer.body]).toEqual([
      400,
      { type: 'validation_error', code: 'invalid_input', detail: 'Must be true or false.', attr: 'delete_events' },
    ]);
    expect((await personOf(server, 'ada')).id).toBeGreaterThan(0);
  });

  it.each([
    ['?delete_names=true', 'Only possible together with delete_events=true.'],
    ['?delete_events=true&delete_names=perhaps', 'Must be true or false.'],
  ])('%s', async (query, detail) => {
    const answer = await remove('ada', query);
    expect([answer.status, answer.body]).toMatchObject([400, { detail, attr: 'delete_names' }]);
  });

  it('outsiders, and persons and deletions of other projects', async () => {
    const { id } = await personOf(server, 'ada');
    const other = await server.createProject({ foreign: true });
    const key = { key: other.personalKey };
    expect((await client.delete(persons(`${id}/?delete_events=true`), key)).status).toBe(404);
    expect((await client.delete(`/api/projects/${other.projectId}/persons/${id}/`, key)).status).toBe(404);
    expect((await personOf(server, 'ada')).id).toBe(id);
    const { headers } = await remove('ada', '?delete_events=true');
    const { id: deletion } = await completed(headers.get('location'));
    expect((await client.get(persons(`deletions/${deletion}/`), key)).status).toBe(404);
    expect((await client.get(`/api/projects/${other.projectId}/persons/deletions/${deletion}/`, key)).status).toBe(404);
  });

  it.each(['0', 'x', '00000000-0000-4000-8000-000000000000'])('%s as a person or a deletion', async (key) => {
    expect((await client.delete(persons(`${key}/`))).status).toBe(404);
    expect((await client.get(persons(`deletions/${key}/`))).status).toBe(404);
  });
});
