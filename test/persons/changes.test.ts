/** Manual changes of a person: result, history, activity, and concurrent events. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { capture } from '../support/capture.ts';
import { type CallOptions, clientFor } from '../support/client.ts';
import { OpenApi } from '../support/openapi.ts';
import { START, startServer, type TestProject, type TestServer } from '../support/server.ts';

let server: TestServer;
let api: OpenApi;
let project: TestProject;
let base: string;
let person: { id: number; uuid: string };
let client: ReturnType<typeof clientFor>;
beforeAll(async () => {
  server = await startServer();
  api = await OpenApi.of(server);
  client = clientFor(server);
});
afterAll(() => server.close());
beforeEach(async () => {
  project = await server.createProject();
  const properties = { $set: { plan: 'free', city: 'Paris' } };
  await capture(server, project.projectKey, [
    { event: '$set', distinct_id: 'me', properties, timestamp: '2026-01-10T00:00:00Z' },
  ]);
  const list = await client.get(`/api/projects/${project.projectId}/persons/`);
  person = list.body.results[0];
  base = `/api/projects/${project.projectId}/persons/${person.id}/`;
});

const read = async () => (await client.get(base)).body;
const version = async () => (await server.metadata.persons.getByDistinctId(project.projectId, 'me'))?.version;
const history = () =>
  server.rows(
    `select name, before_value, after_value, happened_at, event_uuid from person_property_history
    where person_uuid = ? and event_uuid in (select id from activity) order by id`,
    person.uuid,
  );
const activity = async (path = `${base}activity/`) => (await client.get(path)).body;

/** Calls, validates the response, and checks that it equals the person. */
async function change(method: 'post' | 'patch' | 'put', path: string, options: CallOptions) {
  const answer = await client[method](base + path, options);
  expect(api.problemsOf(method, base + path, answer)).toEqual([]);
  if (answer.status < 300) {
    const { success: _, ...shown } = answer.body;
    expect(await read()).toEqual(shown);
  }
  return answer;
}

describe('PATCH and PUT', () => {
  it.each(['patch', 'put'] as const)('%s sets the given properties and keeps the others', async (method) => {
    const properties = { plan: 'pro', seats: 5, nested: { a: [1, null] }, none: null };
    const { status, body } = await change(method, '', { body: { properties, name: 'ignored', id: 7 } });
    expect(status).toBe(200);
    expect(body.properties).toMatchObject({ ...properties, city: 'Paris' });
    expect([body.id, body.uuid, body.distinct_ids]).toEqual([person.id, person.uuid, ['me']]);
    expect(await version()).toBe(1);
  });

  it('writes history and new property definitions', async () => {
    await change('patch', '', { body: { properties: { plan: 'pro', city: 'Paris', seats: 5 } } });
    const [entry] = (await activity()).results;
    const written = { happened_at: Date.parse(START), event_uuid: entry.id };
    expect(await history()).toEqual([
      { name: 'plan', before_value: '"free"', after_value: '"pro"', ...written },
      { name: 'seats', before_value: null, after_value: '5', ...written },
    ]);
    const path = `/api/projects/${project.projectId}/property_definitions/?type=person&search=seats`;
    const [definition] = (await client.get(path)).body.results;
    expect([definition.name, definition.property_type]).toEqual(['seats', 'Numeric']);
  });

  it('records who changed what, before and after', async () => {
    await change('patch', '', { body: { properties: { plan: 'pro', seats: 5, city: 'Paris' } } });
    const { results, total_count } = await activity();
    expect(total_count).toBe(1);
    expect(results[0]).toMatchObject({
      user: { email: expect.stringContaining('@') },
      activity: 'updated',
      scope: 'Person',
      item_id: String(person.id),
      detail: {
        changes: [
          {
            type: 'Person',
            action: 'changed',
            field: 'properties',
            before: { plan: 'free' },
            after: { plan: 'pro', seats: 5 },
          },
        ],
        name: null,
      },
    });
  });

  it('records nothing if nothing changes', async () => {
    for (const properties of [{}, { plan: 'free' }]) {
      expect((await change('patch', '', { body: { properties } })).status).toBe(200);
    }
    expect([await version(), await history(), (await activity()).total_count]).toEqual([0, [], 0]);
  });

  it.each<[unknown, string, string | null]>([
    [{}, 'required', 'properties'],
    [{ properties: null }, 'null', 'properties'],
    [{ properties: [] }, 'not_a_dict', 'properties'],
    [{ properties: 'plan=pro' }, 'not_a_dict', 'properties'],
    ['{', 'parse_error', null],
    [[1], 'invalid_input', null],
  ])('rejects %j and changes nothing', async (body, code, attr) => {
    const before = await read();
    const answer = await change('patch', '', { body });
    expect([answer.status, answer.body.code, answer.body.attr]).toEqual([400, code, attr]);
    expect([await read(), await version()]).toEqual([before, 0]);
  });

  it('stores hostile texts and keys safely', async () => {
    const body =
      '{"properties":{"__proto__":{"a":1},"constructor":"c","nul":"a\\u0000b","half":"\\ud800","big":1e999}}';
    const { body: answer } = await change('patch', '', { body });
    const { $creator_event_uuid: _, ...properties } = answer.properties;
    expect(JSON.stringify(properties)).toBe(
      '{"plan":"free","city":"Paris","constructor":"c","nul":"a\ufffdb","half":"\ufffd","big":null}',
    );
    expect(({} as { a?: number }).a).toBeUndefined();
  });
});

describe('update_property', () => {
  it.each<[string, string, unknown, unknown]>([
    ['the body', '', { key: 'plan', value: ['a', 1] }, ['a', 1]],
    ['the query', '?key=plan&value=5', undefined, '5'],
    ['the query, beside a body of other things', '?key=plan&value=x', { properties: {} }, 'x'],
    ['the body before the query', '?key=city&value=x', { key: 'plan', value: false }, false],
    ['null', '', { key: 'plan', value: null }, null],
  ])('reads its arguments from %s', async (_name, query, body, expected) => {
    const answer = await change('post', `update_property/${query}`, body === undefined ? {} : { body });
    expect([answer.status, answer.body.success]).toEqual([201, true]);
    expect(answer.body.properties).toMatchObject({ plan: expected, city: 'Paris' });
    expect((await activity()).results.map((one: { activity: string }) => one.activity)).toEqual(['updated']);
  });

  it.each<[unknown, string, string]>([
    [{}, 'required', 'key'],
    [{ key: 'plan' }, 'required', 'value'],
    [{ key: '', value: 1 }, 'blank', 'key'],
  ])('rejects %j', async (body, code, attr) => {
    const answer = await change('post', 'update_property/', { body });
    expect([answer.status, answer.body.code, answer.body.attr, await version()]).toEqual([400, code, attr, 0]);
  });
});

describe('delete_property', () => {
  it.each<[string, string, unknown]>([
    ['the body', '', { $unset: 'plan' }],
    ['the query', '?$unset=plan', undefined],
  ])('reads the name from %s', async (_name, query, body) => {
    const answer = await change('post', `delete_property/${query}`, body === undefined ? {} : { body });
    expect([answer.status, answer.body.success]).toEqual([201, true]);
    expect('plan' in answer.body.properties).toBe(false);
    expect(answer.body.properties.city).toBe('Paris');
    const [entry] = (await activity()).results;
    expect([entry.activity, entry.detail.name]).toEqual(['delete_property', person.uuid]);
    expect(entry.detail.changes).toEqual([
      { type: 'Person', action: 'changed', field: null, before: { plan: 'free' }, after: {} },
    ]);
    expect(await history()).toMatchObject([{ name: 'plan', before_value: '"free"', after_value: null }]);
  });

  it('changes nothing if the property does not exist', async () => {
    const answer = await change('post', 'delete_property/', { body: { $unset: 'toString' } });
    expect([answer.status, await version(), (await activity()).total_count]).toEqual([201, 0, 0]);
  });

  it('requires a name', async () => {
    const { status, body } = await change('post', 'delete_property/', { body: {} });
    expect([status, body.code, body.attr]).toEqual([400, 'required', '$unset']);
  });
});

describe('concurrent with event processing', () => {
  it('does not overwrite events, nor the other way round', async () => {
    const events = Array.from({ length: 40 }, (_, n) => ({
      event: '$set',
      distinct_id: 'me',
      properties: { $set: { [`event${n}`]: n } },
    }));
    const sent = Promise.all(events.map((event) => capture(server, project.projectKey, [event])));
    const changed = Promise.all(
      events.map((_, n) => client.post(`${base}update_property/`, { body: { key: `hand${n}`, value: n } })),
    );
    await sent;
    for (const { status } of await changed) expect(status).toBe(201);
    const { properties } = await read();
    for (let n = 0; n < 40; n++) expect([properties[`event${n}`], properties[`hand${n}`]]).toEqual([n, n]);
    expect((await activity(`${base}activity/?limit=100`)).results).toHaveLength(40);
  });

  it('is visible to later events', async () => {
    await change('patch', '', { body: { properties: { once: 'by hand' } } });
    await capture(server, project.projectKey, [
      { event: 'e', distinct_id: 'me', properties: { $set_once: { once: 'by event' }, $set: { plan: 'pro' } } },
    ]);
    expect((await read()).properties).toMatchObject({ once: 'by hand', plan: 'pro' });
  });
});

describe('activity', () => {
  it('is listed for one person and for all, newest first, in pages', async () => {
    await capture(server, project.projectKey, [{ distinct_id: 'other' }]);
    const all = `/api/projects/${project.projectId}/persons/`;
    const other = (await client.get(`${all}?distinct_id=other`)).body.results[0];
    for (const key of ['a', 'b']) await change('post', 'update_property/', { body: { key, value: 1 } });
    await client.patch(`${all}${other.uuid}/`, { body: { properties: { c: 1 } } });
    const items = async (path: string) =>
      (await activity(path)).results.map((one: { item_id: string }) => Number(one.item_id));
    expect(await items(`${all}activity/`)).toEqual([other.id, person.id, person.id]);
    expect(await items(`${all}${person.uuid}/activity/`)).toEqual([person.id, person.id]);
    const first = await activity(`${all}activity/?limit=2`);
    expect([first.total_count, first.next]).toEqual([3, `${server.url}${all}activity/?limit=2&page=2`]);
    expect(await items(first.next)).toEqual([person.id]);
    expect(await items(`/api/person/activity/?token=${project.projectKey}`)).toHaveLength(3);
    expect((await activity(`${all}activity/`)).results[0].id).toMatch(/^[0-9a-f-]{36}$/);
  });
});
