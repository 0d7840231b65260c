/** Bad input: a clear 4xx, or a drop with a reason; never a 500, never a stall, and the worker lives on. */
import { gzipSync } from 'node:zlib';
import lzString from 'lz-string';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RawAnswer, send, sendJson } from '../support/send.ts';
import { startServer, type TestServer } from '../support/server.ts';

const MAX = 20 * 1024 * 1024;
const JSON_TYPE = { 'content-type': 'application/json' };

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

const anEvent = (more: object = {}): object => ({
  api_key: server.projectKey,
  event: 'e',
  distinct_id: 'd',
  ...more,
});

async function stored(event: string) {
  await server.drain();
  const rows = await server.query('select * from event_rows where event = $1 order by rowid', [event]);
  return rows.map((row) => ({ ...row, properties: JSON.parse(String(row['properties'])) }));
}

/** The worker still turns requests into events. */
async function isAlive(): Promise<boolean> {
  const event = `alive ${crypto.randomUUID()}`;
  const { status } = await sendJson(server.url, '/e/', anEvent({ event }));
  return status === 200 && (await stored(event)).length === 1;
}

/** How many megabytes of buffers this thread holds more than before; others may run tests beside it. */
async function grown(work: Promise<RawAnswer>): Promise<{ answer: RawAnswer; grownMb: number }> {
  const before = process.memoryUsage().arrayBuffers;
  const answer = await work;
  return { answer, grownMb: (process.memoryUsage().arrayBuffers - before) / 1024 / 1024 };
}

describe('size', () => {
  const sized = (bytes: number): Buffer => {
    const [head = '', tail = ''] = JSON.stringify(anEvent({ event: 'large', properties: { fill: '@' } })).split('@');
    return Buffer.concat([Buffer.from(head), Buffer.alloc(bytes - head.length - tail.length, 'a'), Buffer.from(tail)]);
  };

  it('up to the limit is taken', async () => {
    const event = { event: 'large', distinct_id: 'd', properties: { fill: 'a'.repeat(1_000_000) } };
    const batch = Array(20).fill(event);
    expect((await sendJson(server.url, '/batch/', { api_key: server.projectKey, batch })).status).toBe(200);
    expect(await stored('large')).toHaveLength(20);
  });

  it.each(['/capture/', '/batch/', '/e/', '/s/', '/i/v0/e/', '/i/v1/analytics/events'])(
    'beyond it is 413 on %s',
    async (path) => {
      const headers = { ...JSON_TYPE, origin: 'https://shop.example' };
      const { status, headers: given, json } = await send(server.url, path, { headers, body: sized(MAX + 1) });
      expect(status).toBe(413);
      expect(given['access-control-allow-origin']).toBe('https://shop.example');
      expect(json).toMatchObject(path.includes('v1') ? { error: 'payload_too_large' } : { code: 'payload_too_large' });
    },
  );

  it('beyond it is reported to clients that send everything before they read', async () => {
    const body = sized(30 * 1024 * 1024);
    for (let i = 0; i < 3; i++) {
      const answer = await fetch(new URL('/batch/', server.url), { method: 'POST', headers: JSON_TYPE, body });
      expect(answer.status).toBe(413);
    }
    expect(await isAlive()).toBe(true);
  });
});

describe('bombs', () => {
  const zeros = gzipSync(Buffer.alloc(200 * 1024 * 1024));

  it.each<[string, Record<string, string>, Buffer | string]>([
    ['gzip', {}, zeros],
    ['gzip in base64', {}, zeros.toString('base64')],
    [
      'gzip in a form',
      { 'content-type': 'application/x-www-form-urlencoded' },
      `data=${encodeURIComponent(zeros.toString('base64'))}`,
    ],
  ])('%s is 413, at little cost', async (_name, headers, body) => {
    const { answer, grownMb } = await grown(send(server.url, '/e/', { headers, body }));
    expect(answer.status).toBe(413);
    expect(answer.json.code).toBe('payload_too_large');
    expect(grownMb).toBeLessThan(100);
  });

  it('of lz64 is 413, too', async () => {
    // Packing millions of letters takes the library minutes, so the limit comes to the bomb.
    const small = await startServer({ config: { maxBodyBytes: 20_000 } });
    try {
      const data = lzString.compressToBase64('a'.repeat(300_000));
      expect(data.length).toBeLessThan(20_000);
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      const body = new URLSearchParams({ compression: 'lz64', data }).toString();
      const { status, json } = await send(small.url, '/e/', { headers, body });
      expect([status, json.code]).toEqual([413, 'payload_too_large']);
    } finally {
      await small.close();
    }
  });

  it('of many kinds at once leave it alive', async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => send(server.url, '/e/', { body: zeros })));
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(413));
    expect(await isAlive()).toBe(true);
  });
});

describe('contents', () => {
  const raw = (body: string) => send(server.url, '/e/', { headers: JSON_TYPE, body });
  const withProperties = (event: string, properties: string) =>
    raw(`{"api_key":"${server.projectKey}","event":"${event}","distinct_id":"d","properties":${properties}}`);

  it('called __proto__ change nothing but themselves', async () => {
    const hostile =
      '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":2}},"fine":1,"$set":{"__proto__":{"a":1},"b":2}}';
    expect((await withProperties('proto', hostile)).status).toBe(200);
    const [event] = await stored('proto');
    expect(event?.properties).toMatchObject({ fine: 1, $set: { b: 2 } });
    expect(Object.keys(event?.properties)).not.toContain('__proto__');
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
    expect((await raw(`{"__proto__":{"api_key":"${server.projectKey}"},"event":"e","distinct_id":"d"}`)).status).toBe(
      401,
    );
  });

  it('with NUL and halves of characters are stored readably', async () => {
    const body = `{"api_key":"${server.projectKey}","event":"n\\u0000l","distinct_id":"a\\u0000\\ud800b","properties":{"k\\u0000":"v\\udc00","$set":{"p\\u0000":"\\ud83d"}}}`;
    expect((await raw(body)).status).toBe(200);
    const [event] = await stored('n\uFFFDl');
    expect(event).toMatchObject({ distinct_id: 'a\uFFFD\uFFFDb', properties: { 'k\uFFFD': 'v\uFFFD' } });
    const [person] = await server.rows(
      `select p.properties from persons p join person_distinct_ids d on d.person_id = p.id where d.distinct_id = ?`,
      'a\uFFFD\uFFFDb',
    );
    expect(JSON.parse(person.properties)).toMatchObject({ 'p\uFFFD': '\uFFFD' });
  });

  it.each([
    ['properties', (deep: string) => `{"event":"deep","distinct_id":"d","properties":{"a":${deep}}`],
    ['$set', (deep: string) => `{"event":"deep","distinct_id":"d","$set":{"a":${deep}}`],
    ['the name', (deep: string) => `{"distinct_id":"d","event":${deep}`],
    ['the distinct id', (deep: string) => `{"event":"deep","distinct_id":${deep}`],
    [
      'a field that nobody reads',
      (deep: string) => `{"event":"deep ${deep.length}","distinct_id":"d","context":${deep}`,
    ],
    ['the timestamp', (deep: string) => `{"event":"deep ${deep.length}","distinct_id":"d","timestamp":${deep}`],
    ['groups', (deep: string) => `{"event":"deep","distinct_id":"d","properties":{"$groups":${deep}}`],
  ])('nested very deeply in %s are dropped or passed over', async (_name, make) => {
    const levels = 200_000;
    const deep = '['.repeat(levels) + ']'.repeat(levels);
    const answer = await raw(`${make(deep)},"api_key":"${server.projectKey}"}`);
    expect(answer.status).toBe(200);
    expect(await isAlive()).toBe(true);
    expect(await stored('deep')).toEqual([]);
    expect((await server.counters()).dead_lettered).toBe(0);
  });

  it('nested very deeply in a V1 batch are no fault of ours', async () => {
    const levels = 100_000;
    const properties = `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`;
    const body = `{"created_at":"2026-01-15T12:00:00Z","batch":[{"event":"e","uuid":"${crypto.randomUUID()}","distinct_id":"d","timestamp":"2026-01-15T12:00:00Z","options":{},"properties":${properties}}]}`;
    const headers = {
      ...JSON_TYPE,
      authorization: `Bearer ${server.projectKey}`,
      'posthog-sdk-info': 'test/1',
      'posthog-attempt': '1',
      'posthog-request-id': crypto.randomUUID(),
      'posthog-request-timestamp': '2026-01-15T12:00:00Z',
      'user-agent': 'test',
    };
    const answer = await send(server.url, '/i/v1/analytics/events', { headers, body });
    expect(answer.status).toBeLessThan(500);
    expect(await isAlive()).toBe(true);
  });

  it('of a hundred kilobytes where an id belongs are cut', async () => {
    const long = 'x'.repeat(100 * 1024);
    const body = anEvent({ event: long, distinct_id: long, properties: { $groups: { [long]: long }, [long]: 1 } });
    expect((await sendJson(server.url, '/e/', body)).status).toBe(200);
    const [event] = await stored('x'.repeat(200));
    expect(event).toMatchObject({ distinct_id: 'x'.repeat(200) });
    const merged = anEvent({ event: '$identify', properties: { $anon_distinct_id: long, alias: long } });
    expect((await sendJson(server.url, '/e/', merged)).status).toBe(200);
    expect(await isAlive()).toBe(true);
  });

  it('that are numbers, flags or lists where texts belong are taken for what they say', async () => {
    const odd = [1, true, 1.5, [1], { a: 1 }, '  ', false, 0, null];
    const batch = odd.flatMap((value) => [
      { event: value, distinct_id: 'odd' },
      { event: 'odd', distinct_id: value },
      { event: 'odd', distinct_id: 'odd', timestamp: value, offset: value },
      {
        event: '$groupidentify',
        distinct_id: 'odd',
        properties: { $group_type: value, $group_key: value, $group_set: value },
      },
      { event: '$identify', distinct_id: 'odd', properties: { $anon_distinct_id: value } },
      {
        event: 'odd',
        distinct_id: 'odd',
        $set: value,
        $set_once: value,
        properties: { $unset: value, $groups: value, $elements: value },
      },
      {
        event: 'odd',
        distinct_id: 'odd',
        messageId: value,
        properties: { $insert_id: value, $ip: value, $elements_chain: value },
      },
    ]);
    expect((await sendJson(server.url, '/batch/', { api_key: server.projectKey, batch })).status).toBe(200);
    await server.drain();
    expect((await server.counters()).dead_lettered).toBe(0);
    expect(await isAlive()).toBe(true);
  });

  it.each([
    ['a number', 5],
    ['not a uuid', 'abc'],
    ['a list', []],
  ])('whose uuid is %s are dropped alone', async (name, uuid) => {
    const before = (await server.counters()).dropped['invalid_uuid'] ?? 0;
    const batch = [{}, { uuid }, {}].map((more) => ({ event: name, distinct_id: 'd', ...more }));
    expect((await sendJson(server.url, '/batch/', { api_key: server.projectKey, batch })).status).toBe(200);
    expect((await sendJson(server.url, '/e/', anEvent({ event: name, uuid }))).status).toBe(200);
    expect(await stored(name)).toHaveLength(2);
    expect((await server.counters()).dropped['invalid_uuid']).toBe(before + 2);
  });

  const wide = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, i]));

  it('with thousands of properties are stored', async () => {
    expect((await sendJson(server.url, '/e/', anEvent({ event: 'wide', properties: wide(9_900) }))).status).toBe(200);
    expect(await stored('wide')).toHaveLength(1);
  });

  it.each<[string, string, object]>([
    ['too many keys', 'event_has_too_many_keys', wide(10_001)],
    ['more than a megabyte', 'event_too_large', { note: 'x'.repeat(1_100_000) }],
  ])('with %s are dropped alone, with a warning', async (name, reason, properties) => {
    const before = (await server.counters()).dropped[reason] ?? 0;
    const event = (more: object) => ({ event: name, distinct_id: 'ada', ...more });
    const batch = [event({}), event({ properties }), event({})];
    expect((await sendJson(server.url, '/batch/', { api_key: server.projectKey, batch })).status).toBe(200);
    expect((await sendJson(server.url, '/e/', anEvent({ event: name, properties }))).status).toBe(200);
    expect(await stored(name)).toHaveLength(2);
    expect((await server.counters()).dropped[reason]).toBe(before + 2);
    const warnings = await server.rows('select details from ingestion_warnings where type = ?', reason);
    const details = warnings.map((warning) => JSON.parse(warning.details)).filter(({ event }) => event === name);
    expect(details).toEqual([expect.objectContaining({ distinctId: 'ada' }), expect.anything()]);
    const metrics = await (await fetch(new URL('/metrics', server.url))).text();
    expect(metrics).toContain(`cairn_refused_total{reason="${reason}"}`);
  });

  it('are no more than 20,000 in a batch', async () => {
    const batch = Array(20_001).fill({ event: 'e', distinct_id: 'd' });
    const { status, json } = await sendJson(server.url, '/batch/', { api_key: server.projectKey, batch });
    expect([status, json.code]).toEqual([413, 'payload_too_large']);
  });
});
