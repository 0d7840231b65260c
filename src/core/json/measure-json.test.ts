import fc from 'fast-check';
import { expect, it } from 'vitest';
import { exceedsJsonLimits } from './measure-json.ts';

const bytes = (text: string): Buffer => Buffer.from(text);
const ANY = Number.POSITIVE_INFINITY;

it.each<[string, number, number, boolean]>([
  ['', 0, 0, false],
  ['1', 0, 0, false],
  ['[]', 0, ANY, true],
  ['[]', 1, 1, false],
  ['[{},[]]', 2, ANY, true],
  ['[{},[]]', 3, ANY, false],
  ['"[[[[,,,,"', 0, 0, false],
  ['["\\"[[[["]', 1, 1, false],
  ['["\\\\",[[]]]', 2, ANY, true],
  ['{"[": {"{": 1}}', 2, 2, false],
  ['[0,0,0]', 1, 3, false],
  ['[0,0,0]', 1, 2, true],
  ['{"a":1,"b":2}', 1, 1, true],
])('%s with more than %d containers or %d values: %s', (text, containers, values, expected) => {
  expect(exceedsJsonLimits(bytes(text), { containers, values })).toBe(expected);
});

const childrenOf = (value: unknown): unknown[] =>
  typeof value === 'object' && value !== null ? Object.values(value) : [];
const containersIn = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? 1 + childrenOf(value).reduce<number>((sum, inner) => sum + containersIn(inner), 0)
    : 0;
/** An empty container counts as one with a value. */
const valuesIn = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? Math.max(1, childrenOf(value).length) + childrenOf(value).reduce<number>((sum, inner) => sum + valuesIn(inner), 0)
    : 0;

it('counts as many as the parsed value has', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' }), fc.nat(20), fc.nat(40), (value, a, b) => {
      const expected = containersIn(value) > a || valuesIn(value) > b;
      expect(exceedsJsonLimits(bytes(JSON.stringify(value)), { containers: a, values: b })).toBe(expected);
    }),
  );
});
