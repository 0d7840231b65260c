import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { equalsIgnoringCase } from './property-text.ts';

describe('equalsIgnoringCase', () => {
  it.each([
    ['pro', 'pro', true],
    ['PRO', 'pro', true],
    ['prq', 'pro', false],
    ['pro ', 'pro', false],
    ['', '', true],
    ['[', '{', false],
    ['ÉTÉ', 'été', true],
    ['\u212a', 'k', true],
    ['a\u212a', 'ak', true],
    ['x\u212a', 'ak', false],
    ['\u0130', 'i\u0307', true],
    ['\u0130', 'i', false],
  ])('%j is %j in any case: %s', (text, lower, isEqual) => {
    expect(equalsIgnoringCase(text, lower)).toBe(isEqual);
  });

  it('equals the comparison in lower case, for any two texts', () => {
    const letters = fc.constantFrom(...'aAbBkKzZ[{@`\u212a\u0130\u017fßÉé1 ');
    const texts = fc.string({ unit: letters, maxLength: 4 });
    fc.assert(
      fc.property(texts, texts, (text, wanted) => {
        const lower = wanted.toLowerCase();
        expect(equalsIgnoringCase(text, lower)).toBe(text.toLowerCase() === lower);
      }),
      { numRuns: 2000 },
    );
  });
});
