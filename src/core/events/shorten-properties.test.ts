import fc from 'fast-check';
import { expect, it } from 'vitest';
import { shortenProperties } from './shorten-properties.ts';

const long = 'x'.repeat(3000);
const cut = 'x'.repeat(2000);

it.each([
  ['short ones are kept', { a: 1, b: 'text', c: [1], d: null }, { a: 1, b: 'text', c: [1], d: null }],
  ['long texts are cut', { a: long, b: 'text' }, { a: cut, b: 'text' }],
  ['long lists become text', { a: [long] }, { a: `["${'x'.repeat(1998)}` }],
  ['half a character is replaced', { a: `${'x'.repeat(1999)}😀` }, { a: `${'x'.repeat(1999)}\ufffd` }],
  ['names that objects know otherwise', JSON.parse('{"__proto__": 1}'), JSON.parse('{"__proto__": 1}')],
])('%s', (_name, properties, expected) => {
  expect(shortenProperties(properties, 10_000)).toEqual(expected);
});

it('keeps the most queried properties, and of the others what fits', () => {
  const many = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`key ${i}`, i]));
  const short = shortenProperties({ ...many, $current_url: 'https://x.test/', last: long }, 500);
  expect(Object.keys(short).slice(0, 3)).toEqual(['$current_url', 'key 0', 'key 1']);
  expect(Object.keys(short)).not.toContain('key 999');
});

it('never exceeds the limit, and has no values of its own', () => {
  const properties = fc.dictionary(fc.string(), fc.jsonValue());
  fc.assert(
    fc.property(properties, fc.integer({ min: 2, max: 400 }), (given, max) => {
      const before = JSON.parse(JSON.stringify(given));
      const short = shortenProperties(before, max);
      expect(Buffer.byteLength(JSON.stringify(short))).toBeLessThanOrEqual(max);
      for (const [key, value] of Object.entries(short)) expect(value).toEqual(before[key]);
    }),
  );
});
