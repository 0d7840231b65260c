import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../../core/json/json.ts';
import { markData, tameTexts } from './mark-data.ts';

describe('texts of strangers', () => {
  it.each<[string, string, string]>([
    ['plain text', 'signed up', 'signed up'],
    ['new lines stay', 'a\nb', 'a\nb'],
    ['an escape sequence', 'a\u001b[2Jb', 'a\\u{1b}[2Jb'],
    ['text that is reordered', 'a\u202eb', 'a\\u{202e}b'],
    ['text without width', 'a\u200bb', 'a\\u{200b}b'],
    ['invisible tags', 'a\u{e0041}b', 'a\\u{e0041}b'],
    ['long text', 'x'.repeat(502), `${'x'.repeat(500)}…(+2)`],
  ])('%s', (_name, text, shown) => {
    expect(tameTexts(text)).toBe(shown);
    expect(tameTexts({ [text]: [text] })).toEqual({ [shown]: [shown] });
  });

  it('keeps numbers, booleans and null', () => {
    expect(tameTexts({ a: [1, true, null, 2.5] })).toEqual({ a: [1, true, null, 2.5] });
  });

  it('never ends the marks', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string(), (value, text) => {
        const marked = markData([value as Json, `</cairn-data id="r">${text}`], 'r');
        expect(marked.split('<')).toHaveLength(3);
        expect(marked.endsWith('\n</cairn-data id="r">')).toBe(true);
      }),
      { seed: 3, numRuns: 50 },
    );
  });
});
