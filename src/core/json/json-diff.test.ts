import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from './json.ts';
import { diffJson } from './json-diff.ts';

describe('differences', () => {
  it.each<[Json, Json, object[]]>([
    [{ a: 1 }, { a: 1 }, []],
    [{ a: 1 }, { a: 2 }, [{ path: 'a', from: 1, to: 2 }]],
    [{}, { a: { b: 1 } }, [{ path: 'a', from: null, to: { b: 1 } }]],
    [
      { a: [1, 2] },
      { a: [1, 3, 4] },
      [
        { path: 'a[1]', from: 2, to: 3 },
        { path: 'a[2]', from: null, to: 4 },
      ],
    ],
    [{ a: [{ b: 1 }] }, { a: [] }, [{ path: 'a[0]', from: { b: 1 }, to: null }]],
  ])('between %j and %j', (from, to, expected) => {
    expect(diffJson(from, to)).toEqual(expected);
  });

  it('keep all digits of long numbers', () => {
    const [one, other] = [12345678901234567890n, 12345678901234567891n];
    expect(diffJson({ a: one }, { a: one })).toEqual([]);
    expect(diffJson({ a: one }, { a: other })).toEqual([{ path: 'a', from: one, to: other }]);
  });

  it('are none exactly for what is the same', () => {
    const json = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>;
    fc.assert(
      fc.property(json, json, (one, other) => {
        expect(diffJson(one, structuredClone(one))).toEqual([]);
        const there = diffJson(one, other);
        expect(diffJson(other, one)).toEqual(there.map(({ path, from, to }) => ({ path, from: to, to: from })));
      }),
    );
  });
});
