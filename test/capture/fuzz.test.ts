/** Arbitrary requests to every capture endpoint: no response is a 5xx, and the worker keeps running. */
import { deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { send, sendJson } from '../support/send.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

const RUNS = { numRuns: 150 };

const path = fc.constantFrom('/e/', '/batch/', '/capture', '/engage/', '/s/', '/i/v0/e/', '/track/', '/report/');
const headers = fc.record(
  {
    'content-type': fc.constantFrom(
      'application/json',
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=b',
      'multipart/form-data',
      'application/csp-report',
      'x',
    ),
    'content-encoding': fc.constantFrom('gzip', 'deflate', 'br', 'lz64', 'zstd', 'nonsense'),
  },
  { requiredKeys: [] },
);
const query = fc.dictionary(
  fc.constantFrom('compression', '_', 'sent_at', 'beacon', 'data', 'token', 'project_id', 'ip'),
  fc.oneof(fc.string(), fc.constantFrom('gzip', 'gzip-js', 'lz64', 'base64', '1', '99999999999999999999')),
  { maxKeys: 3 },
);

/** Words that mean something, so that random objects reach the deeper rules. */
const key = fc.oneof(
  fc.constantFrom('event', 'distinct_id', '$distinct_id', 'properties', 'timestamp', 'offset', 'uuid', '$set', 'batch'),
  fc.constantFrom('$set_once', '$unset', '$groups', '$group_type', '$group_key', '$group_set', '$anon_distinct_id'),
  fc.constantFrom('alias', '$elements', '$insert_id', 'messageId', '$process_person_profile', 'type', 'sent_at'),
  fc.constantFrom('__proto__', 'constructor', 'toString', '$ip', '$current_url', 'token'),
  fc.string({ unit: 'binary', maxLength: 8 }),
);
const word = fc.oneof(
  fc.constantFrom(
    '$identify',
    '$create_alias',
    '$merge_dangerously',
    '$groupidentify',
    '$set',
    '$snapshot',
    '$pageview',
  ),
  fc.constantFrom(
    'a',
    'b',
    'c',
    '2026-01-01T00:00:00Z',
    '',
    ' ',
    'null',
    'undefined',
    '\u0000',
    '\ud800',
    '+275760-09-13',
  ),
  fc.string({ unit: 'binary', maxLength: 20 }),
);
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', maxDepth: 5 },
    word,
    fc.double(),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(key, tie('value'), { maxKeys: 6 }),
  ),
}));
const event = fc.record(
  {
    event: fc.oneof(word, value),
    distinct_id: fc.oneof(word, value),
    properties: fc.oneof(fc.dictionary(key, value, { maxKeys: 8 }), value),
    timestamp: value,
    $set: value,
    $set_once: value,
  },
  { requiredKeys: ['event', 'distinct_id'] },
);

async function expectNoFault(answering: ReturnType<typeof send>): Promise<void> {
  const { status, text } = await answering;
  if (status >= 500) throw new Error(`${status} ${text}`);
}

async function expectAlive(): Promise<void> {
  const name = `alive ${crypto.randomUUID()}`;
  await sendJson(server.url, '/e/', { api_key: server.projectKey, event: name, distinct_id: 'd' });
  await server.drain();
  expect(await server.query('select 1 from event_rows where event = $1', [name])).toHaveLength(1);
  const { accepted, stored, duplicate, dropped, dead_lettered, pending } = await server.counters();
  const drops = Object.values(dropped).reduce((sum, count) => sum + count, 0);
  expect(accepted).toBe(stored + duplicate + drops + dead_lettered + pending);
  // Odd is not poisonous: every rule has an answer to every value.
  expect(await server.rows('select error, payload from dead_letters')).toEqual([]);
}

it('survives random bytes', async () => {
  await fc.assert(
    fc.asyncProperty(path, headers, query, fc.uint8Array({ maxLength: 300 }), async (to, heads, asked, bytes) => {
      await expectNoFault(send(server.url, to, { headers: heads, query: asked, body: Buffer.from(bytes) }));
    }),
    RUNS,
  );
  await expectAlive();
});

it('survives torn and mislabelled packings', async () => {
  const body = JSON.stringify({ api_key: server.projectKey, batch: [{ event: 'torn', distinct_id: 'd' }] });
  const packings = [
    gzipSync(body),
    deflateSync(body),
    Buffer.from(body),
    Buffer.from(Buffer.from(body).toString('base64')),
  ];
  await fc.assert(
    fc.asyncProperty(
      path,
      headers,
      query,
      fc.constantFrom(...packings),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.nat(255),
      async (to, heads, asked, packed, where, byte) => {
        const at = Math.floor(where * packed.length);
        const damaged = Buffer.from(packed);
        if (at < damaged.length) damaged[at] = byte;
        await expectNoFault(send(server.url, to, { headers: heads, query: asked, body: packed.subarray(0, at) }));
        await expectNoFault(send(server.url, to, { headers: heads, query: asked, body: damaged }));
      },
    ),
    RUNS,
  );
  await expectAlive();
});

it('survives random JSON', async () => {
  await fc.assert(
    fc.asyncProperty(path, value, async (to, body) => {
      const holder = typeof body === 'object' && body !== null && !Array.isArray(body) ? body : { batch: body };
      await expectNoFault(sendJson(server.url, to, { ...holder, api_key: server.projectKey }));
    }),
    RUNS,
  );
  await expectAlive();
});

it('survives random events, person changes among them', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(event, { minLength: 1, maxLength: 20 }), async (batch) => {
      await expectNoFault(sendJson(server.url, '/batch/', { api_key: server.projectKey, batch }));
    }),
    RUNS,
  );
  await expectAlive();
});
