import { describe, expect, it } from 'vitest';
import { formatUuid, randomIds, uuidV7 } from './ids.ts';

const V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const NOW = Date.parse('2026-01-15T12:00:00Z');

describe('random ids', () => {
  it('have the form of a UUID v4, each another', () => {
    const ids = Array.from({ length: 100 }, () => randomIds.uuid());
    for (const id of ids) expect(id).toMatch(V4);
    expect(new Set(ids).size).toBe(100);
  });
});

describe('ordered ids', () => {
  it('have the form of a UUID v7', () => {
    expect(randomIds.orderedUuid(NOW)).toMatch(V7);
    expect(uuidV7(NOW, Buffer.alloc(10, 0xff))).toBe('019bc186-de00-7fff-bfff-ffffffffffff');
    expect(uuidV7(NOW, Buffer.alloc(10))).toBe('019bc186-de00-7000-8000-000000000000');
  });

  it('sort by time, as text', () => {
    const times = [0, 1, 255, 256, NOW - 1, NOW, NOW + 1, 2 ** 48 - 1];
    const ids = times.map((time) => randomIds.orderedUuid(time));
    expect(ids.toSorted()).toEqual(ids);
  });

  it('differ within a millisecond', () => {
    expect(randomIds.orderedUuid(NOW)).not.toBe(randomIds.orderedUuid(NOW));
  });
});

describe('tokens', () => {
  it('are 256 bits in base62 behind their prefix', () => {
    expect(randomIds.token('phc_')).toMatch(/^phc_[0-9A-Za-z]{43}$/);
    expect(randomIds.token('')).toMatch(/^[0-9A-Za-z]{43}$/);
  });

  it('are each another', () => {
    expect(new Set(Array.from({ length: 100 }, () => randomIds.token(''))).size).toBe(100);
  });
});

it('writes 16 bytes as a UUID', () => {
  expect(formatUuid(Buffer.from('00112233445566778899aabbccddeeff', 'hex'))).toBe(
    '00112233-4455-6677-8899-aabbccddeeff',
  );
});
