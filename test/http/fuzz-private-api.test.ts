/**
 * Random requests made from the API's own schemas: wrong types, missing fields, huge ids, `__proto__`, NUL, half
 * surrogate pairs, deep nesting. None may end in a 5xx, and every refusal has the usual four keys.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { A_GROUP, capture } from '../support/capture.ts';
import { call, clientFor } from '../support/client.ts';
import { makeFlag } from '../support/flags.ts';
import { exampleOf, OpenApi, type Operation, type Schema } from '../support/openapi.ts';
import { realPath } from '../support/real-paths.ts';
import { createSavedInsights } from '../support/saved-insights.ts';
import { startServer, type TestServer } from '../support/server.ts';

const TIME_LIMIT_MS = 12_000;

let server: TestServer;
let api: OpenApi;
const realPaths = new Map<Operation, string>();
beforeAll(async () => {
  server = await startServer();
  const { get, post } = clientFor(server);
  await post('/api/organizations/@current/roles/', { body: { name: 'Editors' } });
  await capture(server, server.projectKey, [{ event: 'seen', properties: { plan: 'free' } }, A_GROUP]);
  const role = (await post('/api/organizations/@current/roles/', { body: { name: 'Editors' } })).body;
  await makeFlag({ post }, role.id);
  await post('/api/projects/1/cohorts/', { body: { name: 'Some', is_static: true } });
  await createSavedInsights({ get, post });
  api = await OpenApi.of(server);
  for (const operation of api.operations) realPaths.set(operation, await realPath(get, operation));
});
afterAll(() => server.close());

const nasty = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    -1,
    1.5,
    2 ** 53,
    1e308,
    -0,
    '',
    ' ',
    '\0',
    '\ud800',
    '\udfff\ud800',
    '\u202e\u0000',
    'x'.repeat(100_000),
    '9'.repeat(400),
    [],
    {},
    [[[[[[]]]]]],
    'NaN',
    '@current',
    "'; drop table users; --",
  ),
  fc.string({ unit: 'binary' }),
  fc.jsonValue({ maxDepth: 3, stringUnit: 'binary' }),
  fc.integer({ min: 1, max: 150 }).map((depth) => JSON.parse('['.repeat(depth) + ']'.repeat(depth)) as unknown),
  fc.constant(JSON.parse('{"__proto__": {"isAdmin": true}, "constructor": 1, "toString": 2, "valueOf": 3}') as unknown),
);

/** A body close to the schema: some fields valid, some missing, some hostile, some unknown. */
function bodyFor(schema: Schema): fc.Arbitrary<unknown> {
  const fields = Object.entries(schema.properties ?? {}).map(([name, field]) =>
    fc.oneof(
      fc.constant([[name, exampleOf(field)]]),
      fc.constant([]),
      nasty.map((value) => [[name, value]]),
    ),
  );
  const extra = fc.oneof(
    fc.constant([]),
    fc
      .tuple(fc.constantFrom('__proto__', 'constructor', 'personal_api_key', 'id', '\0'), nasty)
      .map((entry) => [entry]),
  );
  const near = fc.tuple(extra, ...fields).map((lists) => Object.fromEntries(lists.flat() as [string, unknown][]));
  return fc.oneof({ weight: 6, arbitrary: near }, { weight: 1, arbitrary: nasty });
}

const segment = fc.oneof(
  fc.constantFrom('0', '-1', '1', '@current', '@me', '9'.repeat(30), 'x'.repeat(600), '\0', 'null', '__proto__', '%'),
  fc.string({ unit: 'binary', minLength: 1 }).filter((text) => !/^\.+$/.test(text)),
);
const query = fc.dictionary(
  fc.constantFrom('limit', 'offset', 'page', 'search', 'cursor', 'key', '__proto__', 'x'),
  segment,
  {
    maxKeys: 3,
  },
);

interface Attempt {
  operation: Operation;
  path: string;
  body: string | undefined;
}

const encode = (text: string): string => encodeURIComponent(text.toWellFormed());

function attemptOf(operation: Operation): fc.Arbitrary<Attempt> {
  const real = realPaths.get(operation) ?? operation.path;
  const odd = fc
    .array(segment, { minLength: operation.params.length, maxLength: operation.params.length })
    .map((values) =>
      operation.params.reduce((path, name, i) => path.replace(`{${name}}`, encode(values[i] ?? '')), operation.path),
    );
  // Existing items are read and changed, but not deleted, and the key stays as it is: later attempts need them.
  const changesKey = operation.method !== 'GET' && operation.path.startsWith('/api/personal_api_keys/{');
  const isOther = (path: string): boolean => !changesKey || !path.includes(encode('@current'));
  const path = operation.method === 'DELETE' || changesKey ? odd.filter(isOther) : fc.oneof(fc.constant(real), odd);
  const body = operation.body ? bodyFor(operation.body).map((value) => JSON.stringify(value)) : fc.constant(undefined);
  return fc.record({ path, body, query }).map(({ path, body, query }) => {
    const parameters = Object.entries(query).map(([name, value]) => `${encode(name)}=${encode(value)}`);
    return { operation, path: `${path}${path.includes('?') ? '&' : '?'}${parameters.join('&')}`, body };
  });
}

it(
  'never answers with a fault of its own',
  async () => {
    let tried = 0;
    const reached = new Set<string>();
    const attempts = fc
      .tuple(...api.operations.map(attemptOf))
      .chain((all) => fc.shuffledSubarray(all, { minLength: 10 }));
    const tryRound = async (round: readonly Attempt[]): Promise<void> => {
      for (const { operation, path, body } of round) {
        const key = operation.isPrivate ? server.personalKey : null;
        const answer = await call(server.url, operation.method, path, { key, ...(body === undefined ? {} : { body }) });
        const name = `${operation.method} ${path} ${body?.slice(0, 300)}`;
        tried++;
        reached.add(`${operation.method} ${operation.path} ${answer.status}`);
        expect(answer.status, name).toBeLessThan(500);
        if (answer.status >= 400) {
          expect(Object.keys(answer.body), name).toEqual(['type', 'code', 'detail', 'attr']);
          expect(typeof answer.body.detail, name).toBe('string');
        }
      }
    };
    // Each once, however slow the machine; then as many as time allows.
    for (const round of fc.sample(fc.tuple(...api.operations.map(attemptOf)), { seed: 20, numRuns: 1 }))
      await tryRound(round);
    const property = fc.asyncProperty(attempts, tryRound);
    const limits = { seed: 20, numRuns: 200, endOnFailure: true, interruptAfterTimeLimit: TIME_LIMIT_MS };
    const found = await fc.check(property, limits);
    expect(found.counterexample === null ? null : fc.defaultReportMessage(found)).toBeNull();

    expect(tried).toBeGreaterThan(100);
    for (const { method, path } of api.operations) {
      const seen = [...reached].filter((one) => one.startsWith(`${method} ${path} `));
      expect(seen, `${method} ${path} was never tried`).not.toEqual([]);
    }
    expect((await fetch(`${server.url}/_readyz`)).status).toBe(200);
    expect((await clientFor(server).get('/api/users/@me/')).status).toBe(200);
    expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
  },
  // The first round takes as long as the machine needs.
  TIME_LIMIT_MS + 100_000,
);
