import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildFilter, mayContain } from './id-filter.ts';
import { mergeIds, toIdList, uuidAt } from './id-list.ts';
import { PackedIds, packIds } from './pack-ids.ts';

const HOUR = 3_600_000;
const uuid = fc.uuid();
const someIds = fc.uniqueArray(
  fc.record({ uuid, processedAt: fc.nat(2000 * HOUR), waited: fc.oneof(fc.constant(5), fc.nat(900 * HOUR)) }),
  { selector: (id) => id.uuid, minLength: 1, maxLength: 40 },
);
const toList = (ids: readonly { uuid: string; processedAt: number; waited: number }[]) =>
  toIdList(
    ids
      .toSorted((a, b) => (a.uuid < b.uuid ? -1 : 1))
      .map(({ waited, ...id }) => ({ ...id, receivedAt: id.processedAt - waited })),
  );

describe('packed ids', () => {
  it('are all found, with times that are rounded down, and no others are', () => {
    fc.assert(
      fc.property(someIds, uuid, (ids, other) => {
        const packed = new PackedIds(packIds(toList(ids)));
        for (const { uuid: id, processedAt, waited } of ids) {
          const found = packed.find(id);
          const late = processedAt - (found?.processedAt ?? Number.NaN);
          expect(late >= 0 && late < packed.timeUnit).toBe(true);
          const wait = (found?.processedAt ?? 0) - (found?.receivedAt ?? 0);
          expect(wait <= waited && waited - wait < 60_000).toBe(true);
        }
        if (!ids.some((id) => id.uuid === other)) expect(packed.find(other)).toBeNull();
      }),
    );
  });

  it('have exact times while they are recent', () => {
    const within = fc.uniqueArray(fc.record({ uuid, processedAt: fc.nat(1100 * HOUR), waited: fc.nat(1100 * HOUR) }), {
      selector: (id) => id.uuid,
      minLength: 1,
      maxLength: 20,
    });
    fc.assert(
      fc.property(within, (ids) => {
        const packed = new PackedIds(packIds(toList(ids), { isExact: true }));
        for (const { uuid: id, processedAt, waited } of ids)
          expect(packed.find(id)).toEqual({ processedAt, receivedAt: processedAt - waited });
      }),
    );
  });

  it('stay the same when they are packed again, alone or with others', () => {
    fc.assert(
      fc.property(someIds, someIds, (some, others) => {
        const packed = packIds(toList(some));
        expect(packIds(new PackedIds(packed).unpack())).toEqual(packed);
        const merged = mergeIds(toList(some), toList(others));
        const mergedPacked = mergeIds(new PackedIds(packed).unpack(), new PackedIds(packIds(toList(others))).unpack());
        expect(packIds(mergedPacked)).toEqual(packIds(merged));
        const uuids = [...new Set([...some, ...others].map((id) => id.uuid))].sort();
        expect(Array.from({ length: merged.length }, (_, i) => uuidAt(merged, i))).toEqual(uuids);
      }),
    );
  });

  it.each([
    ['random ids', (n: number) => (Math.imul(n, 0x9e3779b1) >>> 0).toString(16).padStart(8, '0'), 18],
    ['time-ordered ids', (n: number) => `0197${n.toString(16).padStart(4, '0')}`, 16],
  ])('of %s, processed within a day, take few bytes', (_name, firstWord, most) => {
    const ids = Array.from({ length: 4096 }, (_, n) => ({
      uuid: `${firstWord(n)}-0000-4000-8000-00000000${n.toString(16).padStart(4, '0')}`,
      processedAt: n * 20_000,
      waited: 300,
    }));
    expect(packIds(toList(ids)).length / ids.length).toBeLessThanOrEqual(most + 0.1);
  });

  it('are never missed by their filter, which is rarely wrong about others', () => {
    const random = (n: number): string => {
      const word = (salt: number): string => (Math.imul(n + salt, 0x85ebca6b) >>> 0).toString(16).padStart(8, '0');
      return `${word(1)}-${word(2).slice(4)}-4000-8000-${word(3)}0000`;
    };
    const listOf = (from: number) =>
      toList(Array.from({ length: 4096 }, (_, n) => ({ uuid: random(from + n), processedAt: 0, waited: 0 })));
    const [known, others] = [listOf(0), listOf(100_000)];
    const filter = buildFilter(known);
    const hits = (list: typeof known): number =>
      Array.from({ length: 4096 }, (_, n) => mayContain(filter, list.words, n)).filter(Boolean).length;
    expect(hits(known)).toBe(4096);
    expect(hits(others)).toBeLessThan(60);
    expect(filter.length).toBeLessThan(4096 * 1.52);
  });
});
