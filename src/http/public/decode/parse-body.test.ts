import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Failure } from '../../../core/errors.ts';
import { parseJson } from '../../../core/json/parse-json.ts';
import { type EventLimits, parseEvents, parseSmallBody } from './parse-body.ts';

const LIMITS = { maxBodyValues: 1_000_000, maxBatchEvents: 20_000, maxEventBytes: 1024 * 1024, maxEventKeys: 10_000 };

const parseBody = async (payload: Buffer, sizes?: Parameters<typeof parseEvents>[2], limits: EventLimits = LIMITS) =>
  (await parseEvents(payload, limits, sizes)).body;

const outcome = async (parse: () => unknown): Promise<unknown> => {
  try {
    return { parsed: await parse() };
  } catch (error) {
    // The words differ: where something is wrong is counted from another beginning.
    if (error instanceof Failure) return { refused: [error.kind, error.code] };
    throw error;
  }
};

const aText = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('batch', '[', ']}', '"', '\\', ',', 'NaN'));
const aValue = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    aText,
    fc.double({ noDefaultInfinity: true, noNaN: true }),
    fc.constantFrom(null, true),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(aText, tie('value'), { maxKeys: 4 }),
  ),
})).value;
const aBody = fc.oneof(
  aValue,
  fc.array(aValue, { maxLength: 12 }),
  fc.record({ api_key: aText, batch: fc.array(aValue, { maxLength: 12 }), sent_at: aValue }, { requiredKeys: [] }),
);
const pieces = fc.record({
  worth: fc.constant(0),
  look: fc.integer({ min: 1, max: 40 }),
  run: fc.integer({ min: 1, max: 40 }),
});

it('parses in batches to the same result as at once', async () => {
  await fc.assert(
    fc.asyncProperty(aBody, fc.constantFrom(undefined, 1), pieces, async (body, space, sizes) => {
      const text = JSON.stringify(body, null, space);
      expect(await parseBody(Buffer.from(text), sizes)).toEqual(JSON.parse(text));
    }),
    { numRuns: 500 },
  );
});

it('parses a body at once to the same result as in batches', async () => {
  const limits = { maxBodyValues: 150, maxBatchEvents: 4, maxEventBytes: 4000, maxEventKeys: 25 };
  const manyKeys = fc.dictionary(fc.string(), aValue, { maxKeys: 30 });
  const batch = fc.record({ api_key: aText, batch: fc.array(manyKeys, { maxLength: 6 }) });
  await fc.assert(
    fc.asyncProperty(fc.oneof(aBody, batch), pieces, async (body, sizes) => {
      const payload = Buffer.from(JSON.stringify(body));
      const inBatches = await outcome(() => parseEvents(payload, limits, sizes));
      expect(await outcome(() => parseEvents(payload, limits, { ...sizes, whole: 5000 }))).toEqual(inBatches);
    }),
    { numRuns: 300 },
  );
});

it('refuses what the JSON parser refuses, and nothing else', async () => {
  const damage = fc.record({
    at: fc.nat(),
    cut: fc.nat(3),
    put: fc.constantFrom('', ',', '[', ']', '{', '}', '"', ':', 'NaN', ' ', '1'),
  });
  await fc.assert(
    fc.asyncProperty(aBody, damage, pieces, async (body, { at, cut, put }, sizes) => {
      const whole = JSON.stringify(body);
      const place = at % (whole.length + 1);
      const text = Buffer.from(whole.slice(0, place) + put + whole.slice(place + cut)).toString('utf8');
      expect(await outcome(() => parseBody(Buffer.from(text), sizes))).toEqual(await outcome(() => parseJson(text)));
    }),
    { numRuns: 2000 },
  );
});

it.each([
  ['a list that does not end', '[{"a":1},{"a":2}'],
  ['an envelope that does not end', '{"batch":[{"a":1},{"a":2}]'],
  ['nothing after a comma', '[{"a":1},{"a":2}, ]'],
  ['nothing between commas', '[{"a":1}, ,{"a":2}]'],
  ['nothing before a comma', '{"batch":[ ,{"a":2}]}'],
  ['something after the end', '[{"a":1},{"a":2}] ]'],
  ['two lists', '[{"a":1}],[{"a":2}]'],
  ['other brackets', '{"batch":[{"a":1},{"a":2}}'],
])('refuses %s', async (_, text) => {
  expect(() => JSON.parse(text)).toThrow();
  const refused = { refused: ['invalid', 'invalid_payload'] };
  expect(await outcome(() => parseBody(Buffer.from(text), { worth: 0, look: 5, run: 5 }))).toEqual(refused);
});

it.each([
  ['the last of two lists', '{"batch":[1,2,3],"batch":[4,5]}', { batch: [4, 5] }],
  ['a text after a list', '{"batch":[1,2,3],"batch":"b"}', { batch: 'b' }],
  ['a list after a text', '{"batch":"b","batch":[4,5]}', { batch: [4, 5] }],
  ['a name in another spelling', '{"batch":[1,2,3],"b\\u0061tch":[4,5]}', { batch: [4, 5] }],
  ['a list that is deeper', '{"a":{"batch":[1,2]},"b":["batch",[3]]}', { a: { batch: [1, 2] }, b: ['batch', [3]] }],
  ['no list', '{"batch":{"0":[1]},"c":1}', { batch: { '0': [1] }, c: 1 }],
  ['an empty list', '{"batch":[ ],"c":1}', { batch: [], c: 1 }],
  ['bare words', '{"batch":[NaN,{"a":-Infinity},"NaN"],"c":NaN}', { batch: [null, { a: null }, 'NaN'], c: null }],
])('reads %s', async (_, text, expected) => {
  expect(await parseBody(Buffer.from(text), { worth: 0, look: 3, run: 1 })).toEqual(expected);
});

it('keeps what is called __proto__ as a name like any other', async () => {
  const text = '{"__proto__":{"a":1},"batch":[{"__proto__":1},2]}';
  const parsed = (await parseBody(Buffer.from(text), { worth: 0, look: 3, run: 1 })) as Record<string, unknown>;
  expect(Object.keys(parsed)).toEqual(['__proto__', 'batch']);
  expect(JSON.stringify(parsed)).toBe(text);
});

it('lets other work run while it parses a large body', async () => {
  const event = { event: 'viewed', distinct_id: 'ada', properties: { $lib: 'web', url: 'https://example.org/a/b' } };
  const body = { api_key: 'k', batch: Array.from({ length: 20_000 }, () => event) };
  let turns = 0;
  let isReading = true;
  const count = (): void => {
    turns++;
    if (isReading) setImmediate(count);
  };
  setImmediate(count);
  const parsed = (await parseBody(Buffer.from(JSON.stringify(body)))) as typeof body;
  isReading = false;
  expect(turns).toBeGreaterThan(2);
  expect([parsed.api_key, parsed.batch.length, parsed.batch.at(-1)]).toEqual(['k', 20_000, event]);
});

describe('a body beyond the limits', () => {
  const small = { maxBodyValues: 10_000, maxBatchEvents: 5, maxEventBytes: 16_384, maxEventKeys: 100 };
  const read = async (body: unknown) => {
    const parsed = await parseEvents(Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)), small);
    expect(JSON.parse(parsed.payload.toString())).toEqual(parsed.body);
    return parsed;
  };
  const anEvent = (more: object = {}) => ({ event: 'e', distinct_id: 'd', ...more });
  const long = { a: 'x'.repeat(20_000) };
  const wide = Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`k${i}`, i]));

  it.each<[string, string]>([
    ['brackets', `[${'['.repeat(20_000)}`],
    ['empty lists', `{"batch":[${'[],'.repeat(6)}[]]}`],
    ['more events than allowed', JSON.stringify({ batch: Array(6).fill(anEvent()) })],
    ['more values than allowed', JSON.stringify({ batch: [anEvent({ a: Array(10_001).fill(0) })] })],
  ])('is refused where it is %s', async (_name, text) => {
    await expect(read(text)).rejects.toMatchObject({ kind: 'too_large', code: 'payload_too_large' });
  });

  it.each<[string, string]>([
    ['around the events', JSON.stringify({ junk: 'x'.repeat(20_000), batch: [anEvent()] })],
    ['in a list without an end', `{"batch":[{"a":"${'x'.repeat(20_000)}`],
    ['in one of two lists', `{"batch":[{"a":"${'x'.repeat(20_000)}"}],"batch":[{}]}`],
  ])('is refused %s', async (_name, text) => {
    await expect(read(text)).rejects.toMatchObject({ kind: 'invalid', code: 'invalid_payload' });
  });

  it.each<[string, object, object]>([
    ['event_too_large', long, { bytes: expect.any(Number) }],
    ['event_too_large', { b: { token: 'not this one', ...long } }, {}],
    ['event_has_too_many_keys', wide, { keys: 106 }],
    ['event_has_too_many_keys', { list: Array(1001).fill(0) }, {}],
  ])('loses the one event: %s', async (reason, properties, details) => {
    const event = anEvent({ properties: { token: 'k', ...properties }, uuid: 'u' });
    const outline = { event: 'e', distinct_id: 'd', uuid: 'u', properties: { token: 'k' } };
    const stub = { ...outline, $cairn_refused: expect.objectContaining({ reason, ...details }) };
    expect(await read(event)).toMatchObject({ body: stub, refused: [reason] });
    const others = [anEvent({ n: 1 }), anEvent({ n: 2 })];
    const batch = [others[0], event, others[1], event];
    expect((await read({ api_key: 'k', batch, sent_at: 's' })).body).toEqual({
      api_key: 'k',
      batch: [others[0], stub, others[1], stub],
      sent_at: 's',
    });
    expect((await read(batch)).body).toEqual([others[0], stub, others[1], stub]);
  });

  it('keeps every digit of the ids of an event that is refused', async () => {
    const event = `{"distinct_id":1043520612345678901,"properties":{"a":"${'x'.repeat(20_000)}"}}`;
    const stub = { distinct_id: 1043520612345678901n, $cairn_refused: expect.anything() };
    for (const [text, body] of [
      [event, stub],
      [`[${event}]`, [stub]],
    ] as const) {
      const parsed = await parseEvents(Buffer.from(text), small);
      expect(parsed.body).toEqual(body);
      expect(parsed.payload.toString()).toContain('"distinct_id":1043520612345678901,');
    }
  });

  it('is read as always up to the limits', async () => {
    const full = Object.fromEntries(Array.from({ length: 98 }, (_, i) => [`k${i}`, 'x'.repeat(150)]));
    const batch = Array(5).fill({ event: 'e', properties: full });
    expect((await read({ batch })).refused).toEqual([]);
  });
});

it.each([
  ['lists', `[${'[],'.repeat(5_000)}0]`],
  ['numbers', `[${'0,'.repeat(10_000)}0]`],
  ['keys', JSON.stringify(Object.fromEntries(Array.from({ length: 10_001 }, (_, i) => [i, 0])))],
])('a body that is not about events may not consist of %s', (_name, text) => {
  expect(() => parseSmallBody(Buffer.from(text))).toThrow('more lists, objects or values than this server takes');
  expect(parseSmallBody(Buffer.from(JSON.stringify(text)))).toBe(text);
});
