/** Whole numbers beyond 2^53 keep their digits, in every encoding and wherever they are read. */
import { gzipSync } from 'node:zlib';
import lzString from 'lz-string';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { send } from '../support/send.ts';
import { startServer, type TestServer } from '../support/server.ts';

/** Two numbers that a double cannot tell apart. */
const ONE = '1043520612345678901';
const OTHER = '1043520612345678902';

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

const json = { 'content-type': 'application/json' };
const form = { 'content-type': 'application/x-www-form-urlencoded' };

async function sendText(path: string, body: string | Buffer, headers: Record<string, string> = json): Promise<string> {
  const answer = await send(server.url, path, { body, headers });
  expect([answer.status, answer.text]).toEqual([200, expect.anything()]);
  return answer.text;
}

/** The private API, as text: parsing would round the numbers. */
async function call(method: string, path: string, body: string | null = null): Promise<string> {
  const headers = { ...json, authorization: `Bearer ${server.personalKey}` };
  const answer = await send(server.url, `/api/projects/${server.projectId}/${path}`, { method, body, headers });
  expect([200, 201]).toContain(answer.status);
  return answer.text;
}

async function eventsCalled(name: string): Promise<{ distinct_id: string; properties: Record<string, unknown> }[]> {
  await server.drain();
  return JSON.parse(await call('GET', `events/?event=${encodeURIComponent(name)}`)).results;
}

const storedIds = async (event: string): Promise<string[]> =>
  (await eventsCalled(event)).map((one) => one.distinct_id).sort();

const personOf = (distinctId: string) => server.metadata.persons.getByDistinctId(server.projectId, distinctId);

describe('as a distinct id', () => {
  const bodyOf = (event: string, id: string): string =>
    `{"api_key":"${server.projectKey}","event":"${event}","distinct_id":${id}}`;
  const base64 = (text: string): string => encodeURIComponent(Buffer.from(text).toString('base64'));

  it.each<[string, (text: string) => Promise<unknown>]>([
    ['plain JSON', (text) => sendText('/capture/', text)],
    ['text/plain', (text) => sendText('/e/', text, { 'content-type': 'text/plain' })],
    ['a form', (text) => sendText('/e/', `data=${encodeURIComponent(text)}`, form)],
    ['base64 in a form', (text) => sendText('/e/', `data=${base64(text)}`, form)],
    ['lz64', (text) => sendText('/e/?compression=lz64', lzString.compressToBase64(text))],
    ['gzip', (text) => sendText('/e/?compression=gzip-js', gzipSync(text))],
    ['a query', (text) => send(server.url, '/e/', { method: 'GET', query: { data: text } })],
    ['a list', (text) => sendText('/e/', `[${text}]`)],
    ['a batch', (text) => sendText('/batch/', `{"api_key":"${server.projectKey}","batch":[${text}]}`)],
    [
      'a large batch',
      (text) =>
        sendText(
          '/batch/',
          `[{"event":"fat","token":"${server.projectKey}","distinct_id":"f","properties":{"x":"${'x'.repeat(300_000)}"}},${text}]`,
        ),
    ],
    [
      'properties',
      (text) =>
        sendText(
          '/e/',
          text.replace(/"distinct_id":\d+/, (id) => `"properties":{${id}}`),
        ),
    ],
    ['with NaN beside it', (text) => sendText('/e/', text.replace('{', '{"offset":NaN,'))],
  ])('in %s', async (name, sendBody) => {
    await sendBody(bodyOf(name, ONE));
    await sendBody(bodyOf(name, OTHER));
    expect(await storedIds(name)).toEqual([ONE, OTHER]);
  });

  it('is the same as its text', async () => {
    await sendText('/capture/', bodyOf('number', '3043520612345678901'));
    await sendText('/capture/', bodyOf('text', '"3043520612345678901"'));
    await server.drain();
    const found = JSON.parse(await call('GET', 'persons/?distinct_id=3043520612345678901'));
    expect(found.results.map((one: { distinct_ids: string[] }) => one.distinct_ids)).toEqual([['3043520612345678901']]);
  });

  it('of messages of Segment', async () => {
    const basic = Buffer.from(`${server.projectKey}:`).toString('base64');
    await sendText('/v1/track', `{"userId":${ONE},"event":"segment"}`, { ...json, authorization: `Basic ${basic}` });
    expect(await storedIds('segment')).toEqual([ONE]);
  });

  it.each([
    ['-0', '-0', []],
    ['1e400', '1e400', []],
    ['1.0', '1.0', ['1']],
    ['1e2', '1e2', ['100']],
    ['long', '9'.repeat(250), ['9'.repeat(200)]],
  ])('written as %s', async (name, id, expected) => {
    await sendText('/capture/', bodyOf(`written ${name}`, id));
    expect(await storedIds(`written ${name}`)).toEqual(expected);
  });
});

describe('as a second id', () => {
  it.each([
    ['$identify', '$anon_distinct_id', '404352061234567890'],
    ['$create_alias', 'alias', '504352061234567890'],
    ['$merge_dangerously', 'alias', '604352061234567890'],
  ])('of %s', async (event, property, id) => {
    const user = `user of ${event}`;
    await sendText(
      '/e/',
      `{"api_key":"${server.projectKey}","event":"${event}","distinct_id":"${user}","properties":{"${property}":${id}1}}`,
    );
    await server.drain();
    expect((await personOf(`${id}1`))?.uuid).toBe((await personOf(user))?.uuid);
    expect(await personOf(`${id}2`)).toBeNull();
  });
});

describe('as a group key', () => {
  it('is of two groups, and their events are apart', async () => {
    const event = (name: string, properties: string): string =>
      `{"event":"${name}","distinct_id":"g","properties":{${properties}}}`;
    const events = [ONE, OTHER].flatMap((key) => [
      event('$groupidentify', `"$group_type":"company","$group_key":${key},"$group_set":{"number":${key}}`),
      event('in a group', `"$groups":{"company":${key}}`),
    ]);
    await sendText('/batch/', `{"api_key":"${server.projectKey}","batch":[${events}]}`);
    await server.drain();
    const groups = await call('GET', 'groups/?group_type_index=0');
    for (const key of [ONE, OTHER]) expect(groups).toContain(`"number":${key}`);
    const keys = (await eventsCalled('in a group')).map(({ properties }) => properties['$group_0']);
    expect(keys.sort()).toEqual([ONE, OTHER]);
  });
});

describe('as a property', () => {
  it('of an event and of a person is returned as it was sent', async () => {
    const values = `"id":${ONE},"negative":-${ONE},"list":[{"deep":${OTHER}}],"text":"${ONE}","float":0.30000000000000004`;
    await sendText(
      '/e/',
      `{"api_key":"${server.projectKey}","event":"valued","distinct_id":"valued","properties":{${values},"$set":{${values}}}}`,
    );
    await server.drain();
    expect(await call('GET', 'events/?event=valued')).toContain(values);
    expect(await call('GET', 'persons/?distinct_id=valued')).toContain(values);
    const filters = encodeURIComponent(`[{"key":"id","value":${ONE},"type":"event"}]`);
    expect(JSON.parse(await call('GET', `events/?event=valued&properties=${filters}`)).results).toHaveLength(1);
    const others = encodeURIComponent(`[{"key":"id","value":${OTHER},"type":"event"}]`);
    expect(JSON.parse(await call('GET', `events/?event=valued&properties=${others}`)).results).toHaveLength(0);
  });

  it('of a person stays when others change, and can be searched', async () => {
    const set = (properties: string): Promise<unknown> =>
      sendText(
        '/e/',
        `{"api_key":"${server.projectKey}","event":"$set","distinct_id":"setter","$set":{${properties}}}`,
      );
    await set(`"account":${ONE}`);
    await server.drain();
    await set('"plan":"pro"');
    await server.drain();
    expect(await call('GET', 'persons/?distinct_id=setter')).toContain(`"account":${ONE}`);
    const search = (value: string): string =>
      encodeURIComponent(`[{"key":"account","value":${value},"type":"person"}]`);
    expect(JSON.parse(await call('GET', `persons/?properties=${search(ONE)}`)).results).toHaveLength(1);
    expect(JSON.parse(await call('GET', `persons/?properties=${search(OTHER)}`)).results).toHaveLength(0);
  });
});

describe('in flags', () => {
  const decide = (path: string, rest: string): Promise<string> =>
    sendText(path, `{"api_key":"${server.projectKey}",${rest}}`);

  it('a payload is returned as it was stored', async () => {
    const filters = (payload: string): string =>
      `"filters":{"groups":[{"rollout_percentage":100}],"payloads":{"true":${payload}}}`;
    const created = await call(
      'POST',
      'feature_flags/',
      `{"key":"long-payload","is_remote_configuration":true,${filters(ONE)}}`,
    );
    expect(created).toContain(`"payloads":{"true":${ONE}}`);
    const { id } = JSON.parse(created);
    const payload = `{"id":${OTHER},"text":"${ONE}"}`;
    expect(await call('PATCH', `feature_flags/${id}/`, `{${filters(payload)}}`)).toContain(payload);
    expect(await call('GET', `feature_flags/${id}/`)).toContain(payload);
    expect(await call('GET', `feature_flags/${id}/remote_config/`)).toBe(payload);
    expect(await call('GET', `feature_flags/${id}/activity/`)).toContain(payload);
    expect(await call('GET', 'feature_flags/local_evaluation/')).toContain(payload);
    for (const path of ['/decide/?v=3', '/decide/?v=4', '/flags/?v=2']) {
      expect(await decide(path, '"distinct_id":"d"'), path).toContain(payload);
    }
    const headers = { ...json, authorization: `Bearer ${server.projectKey}` };
    const body = '{"context":{"targetingKey":"d"}}';
    expect(await sendText('/ofrep/v1/evaluate/flags/long-payload', body, headers)).toContain(`"value":${payload}`);
  });

  it('a rollout depends on every digit, and not on whether the id is a number', async () => {
    await server.addFlag({ key: 'half', filters: { groups: [{ properties: [], rollout_percentage: 50 }] } });
    const isOn = async (path: string, id: string): Promise<boolean> =>
      /"half":(?:true|\{"key":"half","enabled":true)/.test(await decide(path, `"distinct_id":${id}`));
    const ids = Array.from({ length: 20 }, (_, n) => `10435206123456789${n + 10}`);
    const asNumbers = await Promise.all(ids.map((id) => isOn('/decide/?v=3', id)));
    expect(asNumbers).toEqual(await Promise.all(ids.map((id) => isOn('/decide/?v=3', `"${id}"`))));
    expect(asNumbers).toEqual(await Promise.all(ids.map((id) => isOn('/flags/', id))));
    expect(new Set(asNumbers).size).toBe(2);
  });

  it('conditions compare every digit', async () => {
    const condition = { key: 'account', value: '7043520612345678901', operator: 'exact', type: 'person' };
    await server.addFlag({ key: 'exact', filters: { groups: [{ properties: [condition], rollout_percentage: 100 }] } });
    const value = (account: string): Promise<string> =>
      decide('/decide/?v=3', `"distinct_id":"d","person_properties":{"account":${account}}`);
    expect(await value('7043520612345678901')).toContain('"exact":true');
    expect(await value('7043520612345678902')).toContain('"exact":false');
  });

  it('groups are told apart by every digit', async () => {
    const condition = { key: 'vip', value: 'yes', operator: 'exact', type: 'group', group_type_index: 0 };
    const groups = [{ properties: [condition], rollout_percentage: 100 }];
    await server.addFlag({ key: 'vip', filters: { aggregation_group_type_index: 0, groups } });
    await sendText(
      '/e/',
      `{"api_key":"${server.projectKey}","event":"$groupidentify","distinct_id":"g","properties":{"$group_type":"company","$group_key":${ONE},"$group_set":{"vip":"yes"}}}`,
    );
    await server.drain();
    const value = (key: string): Promise<string> =>
      decide('/flags/?v=2', `"distinct_id":"d","groups":{"company":${key}}`);
    expect(await value(ONE)).toMatch(/"vip":\{"key":"vip","enabled":true/);
    expect(await value(`"${ONE}"`)).toMatch(/"vip":\{"key":"vip","enabled":true/);
    expect(await value(OTHER)).toMatch(/"vip":\{"key":"vip","enabled":false/);
  });
});
