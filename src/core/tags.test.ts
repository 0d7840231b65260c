import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanTags } from './tags.ts';

describe('tags', () => {
  it.each([
    [[], []],
    [[' Growth', 'growth ', 'GROWTH'], ['growth']],
    [
      ['b', 'a', 'B'],
      ['b', 'a'],
    ],
    [['', '  ', 'Über  Mut'], ['über  mut']],
  ])('%j are stored as %j', (given, kept) => {
    expect(cleanTags(given)).toEqual(kept);
  });

  it('stay the same when cleaned again', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' })), (tags) => {
        const kept = cleanTags(tags);
        expect(cleanTags(kept)).toEqual(kept);
        expect(new Set(kept).size).toBe(kept.length);
      }),
    );
  });
});
