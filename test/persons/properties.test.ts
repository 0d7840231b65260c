/** Property names and values of persons. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { capture } from '../support/capture.ts';
import { clientFor } from '../support/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let get: ReturnType<typeof clientFor>['get'];
const PERSONS = '/api/projects/1/persons/';
beforeAll(async () => {
  server = await startServer();
  ({ get } = clientFor(server));
  const persons: Record<string, unknown>[] = [
    { plan: 'pro', n: 1, flag: true, o: { b: 1, a: [2] } },
    { plan: 'pro', n: 1, flag: true, o: { a: [2], b: 1 }, toString: 'x' },
    { plan: 'Free', n: '1', flag: false, empty: '', nothing: null },
    { plan: 'free trial', nested: { plan: 'hidden' } },
  ];
  const events = persons.map(($set, i) => ({ event: '$set', distinct_id: `p${i}`, properties: { $set } }));
  await capture(server, server.projectKey, events);
});
afterAll(() => server.close());

const counted = async (path: string) => {
  const { status, body } = await get(PERSONS + path);
  expect(status).toBe(200);
  return body.map(({ name, count }: { name: string; count: number }) => [name, count]);
};

describe('property names of persons', () => {
  it('are sorted by count, then by name', async () => {
    expect(await counted('properties/')).toEqual([
      ['$creator_event_uuid', 4],
      ['plan', 4],
      ['flag', 3],
      ['n', 3],
      ['o', 2],
      ['empty', 1],
      ['nested', 1],
      ['nothing', 1],
      ['toString', 1],
    ]);
  });

  it('are limited to the project', async () => {
    const other = await server.createProject();
    expect((await get(`/api/projects/${other.projectId}/persons/properties/`)).body).toEqual([]);
    expect((await get(`/api/person/properties/?token=${other.projectKey}`)).body).toEqual([]);
    expect(await (await get('/api/person/properties/')).body).toHaveLength(9);
  });

  it('are available as CSV', async () => {
    const { body } = await get(`${PERSONS}properties/?format=csv`);
    expect(body.split('\r\n').slice(0, 3)).toEqual(['count,name', '4,$creator_event_uuid', '4,plan']);
  });
});

describe('values of a person property', () => {
  it.each<[string, unknown[][]]>([
    [
      'key=plan',
      [
        ['pro', 2],
        ['Free', 1],
        ['free trial', 1],
      ],
    ],
    [
      'key=plan&value=FREE',
      [
        ['Free', 1],
        ['free trial', 1],
      ],
    ],
    ['key=plan&value=hidden', []],
    ['key=n', [['1', 3]]],
    [
      'key=flag',
      [
        ['true', 2],
        ['false', 1],
      ],
    ],
    ['key=o', [['{"a":[2],"b":1}', 2]]],
    ['key=o&value=[2]', [['{"a":[2],"b":1}', 2]]],
    ['key=empty', []],
    ['key=nothing', []],
    ['key=constructor', []],
    ['key=toString', [['x', 1]]],
    ['key=', []],
    ['value=x', []],
    ['', []],
  ])('%s', async (query, expected) => {
    expect(await counted(`values/?${query}`)).toEqual(expected);
  });

  it('are at most twenty', async () => {
    const project = await server.createProject();
    const events = Array.from({ length: 30 }, (_, i) => ({
      event: '$set',
      distinct_id: `p${i}`,
      properties: { $set: { n: `v${String(i).padStart(2, '0')}` } },
    }));
    await capture(server, project.projectKey, events);
    const { body } = await get(`/api/person/values/?key=n&token=${project.projectKey}`);
    expect(body.map((one: { name: string }) => one.name)).toEqual(
      Array.from({ length: 20 }, (_, i) => `v${String(i).padStart(2, '0')}`),
    );
  });
});
