import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Failure } from '../errors.ts';
import { parseJson } from './parse-json.ts';

describe('parseJson', () => {
  it.each([
    ['{"a":NaN}', { a: null }],
    ['[Infinity,-Infinity, NaN]', [null, null, null]],
    ['{"a":"NaN, Infinity","b":NaN}', { a: 'NaN, Infinity', b: null }],
    ['{"a":"\\" NaN","b":-Infinity}', { a: '" NaN', b: null }],
    ['{"NaN":1,"b":NaN}', { NaN: 1, b: null }],
    ['{"a":"\\\\","b":NaN}', { a: '\\', b: null }],
  ])('reads %s', (text, expected) => {
    expect(parseJson(text)).toEqual(expected);
  });

  it.each(['{"a":1,}', '', '{', 'NaNa', '{"a":NaN', '"NaN', 'undefined'])('rejects %s', (text) => {
    expect(() => parseJson(text)).toThrow(Failure);
    expect(() => parseJson(text)).toThrow(/^Malformed request data: Invalid JSON: ./);
  });

  it('keeps __proto__ as a plain key', () => {
    const parsed = parseJson('{"__proto__":{"admin":true},"x":NaN}') as Record<string, unknown>;
    expect(Object.keys(parsed)).toEqual(['__proto__', 'x']);
    expect(parsed['admin']).toBeUndefined();
  });

  it('agrees with JSON.parse on all JSON', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(parseJson(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it('survives deep nesting and hostile quotes in linear time', () => {
    expect(() => parseJson('['.repeat(2_000_000))).toThrow(Failure);
    expect(() => parseJson(`NaN "${'\\"'.repeat(2_000_000)}`)).toThrow(Failure);
  });
});
