import fc from 'fast-check';
import lzString from 'lz-string';
import { expect, it } from 'vitest';
import { measureLz } from './measure-lz.ts';

it('computes the length that the library decompresses to', () => {
  const letters = fc.constantFrom('a', 'b', 'ab', 'aaa', 'ü', '💻', '{"x":');
  fc.assert(
    fc.property(
      fc.oneof(fc.string({ unit: 'grapheme', maxLength: 300 }), fc.array(letters, { maxLength: 300 })),
      (given) => {
        const text = typeof given === 'string' ? given : given.join('');
        expect(measureLz(lzString.compressToBase64(text), 1e9)).toBe(text.length);
      },
    ),
  );
});

it('stops soon after the limit', () => {
  const packed = lzString.compressToBase64('a'.repeat(100_000));
  const seen = measureLz(packed, 5_000);
  expect(seen).toBeGreaterThan(5_000);
  expect(seen).toBeLessThan(10_000);
});

it.each(['', '!', 'N', '////'])("calls '%s' damaged", (text) => {
  expect(measureLz(text, 1000)).toBeUndefined();
});
