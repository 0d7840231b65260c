import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LogEntry } from '../ingest/ingest-log.ts';
import { decodeEntry, encodeEntry, encodeTrim, readIntactHeader, walkHeaders } from './record.ts';
import { decodeSegmentHeader, encodeSegmentHeader, firstOfName, segmentName } from './segment-header.ts';

const bytes = (maxLength: number) => fc.uint8Array({ maxLength }).map((array) => Buffer.from(array));
const entries: fc.Arbitrary<LogEntry> = fc.record({
  seq: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
  projectId: fc.integer({ min: 1, max: 2 ** 32 - 1 }),
  receivedAt: fc.integer({ min: 0, max: 8.64e15 }),
  events: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  context: fc.string({ unit: 'grapheme', maxLength: 50 }),
  seed: bytes(20),
  payload: bytes(200),
});
/** Around the size from which a payload is not copied. */
const largePayloads = fc.integer({ min: 4090, max: 4102 }).map((length) => Buffer.alloc(length, 'large'));
const places = fc.record({ groupStart: fc.nat(2 ** 31), salt: fc.nat(2 ** 31) });

const encoded = (entry: LogEntry, place = { groupStart: 96, salt: 7 }): Buffer =>
  Buffer.concat(encodeEntry(entry, place));

describe('a record', () => {
  it.each([
    ['small', entries],
    ['large', fc.tuple(entries, largePayloads).map(([entry, payload]) => ({ ...entry, payload }))],
  ])('gives back every %s entry, wherever it stands', (_size, entries) => {
    fc.assert(
      fc.property(entries, places, fc.nat(100), (entry, place, before) => {
        const all = Buffer.concat([Buffer.alloc(before, 0xee), encoded(entry, place), Buffer.alloc(10, 0xee)]);
        const header = readIntactHeader(all, before, place.salt);
        expect(header).toMatchObject({
          kind: 'entry',
          groupStart: place.groupStart,
          payloadBytes: entry.payload.length,
        });
        expect(header && decodeEntry(all, before, header)).toEqual(entry);
      }),
    );
  });

  it('gives back how far entries are trimmed', () => {
    const record = encodeTrim(41, { groupStart: 500, salt: 3 });
    expect(readIntactHeader(record, 0, 3)).toMatchObject({ kind: 'trim', seq: 41, groupStart: 500 });
  });

  it.each([4096, 4097])('is not intact if a bit of a payload of %s bytes is changed', (length) => {
    const [entry] = fc.sample(entries, { seed: 1, numRuns: 1 });
    const changed = encoded({ ...(entry as LogEntry), payload: Buffer.alloc(length, 'large') });
    changed.writeUInt8(changed.readUInt8(changed.length - 1) ^ 1, changed.length - 1);
    expect(readIntactHeader(changed, 0, 7)).toBe(null);
  });

  it('is not intact if it is cut off anywhere', () => {
    fc.assert(
      fc.property(entries, (entry) => {
        const whole = encoded(entry);
        for (let end = 0; end < whole.length; end++) expect(readIntactHeader(whole.subarray(0, end), 0, 7)).toBe(null);
      }),
      { numRuns: 20 },
    );
  });

  it('is not intact if any bit is changed', () => {
    fc.assert(
      fc.property(entries, fc.nat(), fc.nat(7), (entry, at, bit) => {
        const changed = encoded(entry);
        const index = at % changed.length;
        changed.writeUInt8(changed.readUInt8(index) ^ (1 << bit), index);
        expect(readIntactHeader(changed, 0, 7)).toBe(null);
      }),
    );
  });

  it('of another segment does not count', () => {
    fc.assert(
      fc.property(entries, (entry) => {
        expect(readIntactHeader(encoded(entry), 0, 8)).toBe(null);
      }),
    );
  });

  it('is found one after the other, up to the end of what was read', () => {
    fc.assert(
      fc.property(fc.array(entries, { minLength: 1, maxLength: 8 }), fc.nat(300), (all, missing) => {
        const whole = Buffer.concat(all.map((entry) => encoded(entry)));
        const read = whole.subarray(0, Math.max(0, whole.length - missing));
        const seqs: number[] = [];
        const { next, isStopped } = walkHeaders(read, 0, (header) => seqs.push(header.seq) > 0);
        expect(seqs).toEqual(all.slice(0, seqs.length).map(({ seq }) => seq));
        expect([isStopped, next]).toEqual([false, sizeOf(all.slice(0, seqs.length))]);
        expect(next).toBeGreaterThan(read.length - 48);
      }),
    );
  });
});

const sizeOf = (all: readonly LogEntry[]): number => all.reduce((sum, entry) => sum + encoded(entry).length, 0);

describe('the header of a segment', () => {
  const header = {
    first: 12,
    salt: 0xfedcba98,
    before: { entries: 11, events: 340, bytes: 70_000 },
    accepted: 345,
    trimmed: 9,
    previous: { first: 3, length: 4096 },
  };

  it.each([
    ['with one before it', header],
    ['the first one', { ...header, previous: null }],
  ])('is read back: %s', (_name, one) => {
    expect(decodeSegmentHeader(encodeSegmentHeader(one))).toEqual({ kind: 'header', header: one });
  });

  it('is damaged if any byte is changed, or some are missing', () => {
    const whole = encodeSegmentHeader(header);
    for (let at = 0; at < whole.length; at++) {
      const changed = Buffer.from(whole);
      changed.writeUInt8(changed.readUInt8(at) ^ 0x10, at);
      expect(decodeSegmentHeader(changed).kind).not.toBe('header');
    }
    expect(decodeSegmentHeader(whole.subarray(0, 50))).toEqual({ kind: 'damaged' });
  });

  it('names its file', () => {
    expect([segmentName(12), firstOfName(segmentName(12)), firstOfName('12.log.new')]).toEqual([
      '0000000000000012.log',
      12,
      null,
    ]);
  });
});
