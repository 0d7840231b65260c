import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { WORDS, writeWords } from './id-list.ts';
import { type KeyedBlock, keyAt, keyOf, LevelBlocks } from './level-blocks.ts';

const block = (id: number, firstUuid: string, lastUuid: string): KeyedBlock => ({
  ...{ id, projectId: 1, level: 1, firstUuid, lastUuid, events: 10 },
  firstKey: keyOf(firstUuid),
  lastKey: keyOf(lastUuid),
});

/** Ids of which many begin alike, and some are alike in all that their keys have of them. */
const ids = fc.oneof(
  fc.uuid(),
  fc.integer({ min: 0, max: 0xffff }).map((n) => `00000000-0000-4000-8000-00000000${n.toString(16).padStart(4, '0')}`),
  fc.integer({ min: 0, max: 0xffff }).map((n) => `018f0000-${n.toString(16).padStart(4, '0')}-7000-8000-000000000000`),
);

describe('keys of ids', () => {
  it('have the first 13 digits', () => {
    expect(keyOf('ffffffff-ffff-ffff-ffff-ffffffffffff')).toBe(2 ** 52 - 1);
    expect(keyOf('00000000-0001-7fff-0000-000000000000')).toBe(0x17);
    expect(keyOf('ABCDEF01-2345-6789-0000-000000000000')).toBe(0xabcdef0123456);
  });

  it('are in the order of ids, read from text or from words', () => {
    fc.assert(
      fc.property(ids, ids, (a, b) => {
        const words = new Uint32Array(2 * WORDS);
        writeWords(a, words, 0);
        writeWords(b, words, 1);
        expect([keyAt(words, 0), keyAt(words, 1)]).toEqual([keyOf(a), keyOf(b)]);
        if (keyOf(a) < keyOf(b)) expect(a < b).toBe(true);
      }),
    );
  });
});

describe('the blocks of a level', () => {
  it('find what a search through all of them finds, while blocks come and go', () => {
    const changes = fc.tuple(
      fc.uniqueArray(ids, { minLength: 2, maxLength: 60 }),
      fc.array(fc.nat(), { maxLength: 20 }),
    );
    fc.assert(
      fc.property(changes, fc.array(ids, { maxLength: 30 }), ([bounds, removals], asked) => {
        const sorted = bounds.toSorted();
        const all: KeyedBlock[] = [];
        for (let at = 0; at + 1 < sorted.length; at += 2) all.push(block(at, sorted[at] ?? '', sorted[at + 1] ?? ''));
        const level = new LevelBlocks<KeyedBlock>();
        const half = all.length >> 1;
        level.change(new Set(), all.slice(half).toReversed());
        const gone = new Set(removals.flatMap((n) => all[half + (n % (all.length - half))] ?? []));
        level.change(gone, all.slice(0, half));
        const left = all.filter((one) => !gone.has(one));
        expect(level.all).toEqual(left);
        expect(level.events).toBe(10 * left.length);
        for (const id of [...asked, ...bounds]) {
          const [key, place] = [keyOf(id), left.findIndex(({ lastUuid }) => lastUuid >= id)];
          expect(level.placeOf(id, key)).toBe(place === -1 ? left.length : place);
          expect(level.around(id, key)).toBe(left.find((one) => one.firstUuid <= id && id <= one.lastUuid));
        }
      }),
    );
  });
});
