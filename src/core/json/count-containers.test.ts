import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasMoreContainers, hasTooManyContainers } from './count-containers.ts';

const bytes = (text: string): Buffer => Buffer.from(text);
const containersIn = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? 1 + Object.values(value).reduce<number>((sum, inner) => sum + containersIn(inner), 0)
    : 0;

describe('hasMoreContainers', () => {
  it.each<[string, number, boolean]>([
    ['', 0, false],
    ['1', 0, false],
    ['[]', 0, true],
    ['[]', 1, false],
    ['[{},[]]', 2, true],
    ['[{},[]]', 3, false],
    ['"[[[["', 0, false],
    ['["\\"[[[["]', 1, false],
    ['["\\\\",[[]]]', 2, true],
    ['{"[": {"{": 1}}', 2, false],
  ])('%s more than %i: %s', (text, limit, expected) => {
    expect(hasMoreContainers(bytes(text), limit)).toBe(expected);
  });

  it('counts as many as the parsed value has', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' }), fc.nat(20), (value, limit) => {
        expect(hasMoreContainers(bytes(JSON.stringify(value)), limit)).toBe(containersIn(value) > limit);
      }),
    );
  });
});

describe('hasTooManyContainers', () => {
  it.each<[string, string, boolean]>([
    ['20 MB of brackets', '['.repeat(20_000_000), true],
    ['20 MB of empty lists', `[${'[],'.repeat(6_600_000)}[]]`, true],
    ['20 MB of brackets in a text', JSON.stringify('['.repeat(20_000_000)), false],
    ['a long list of events', JSON.stringify(Array(20_000).fill({ event: 'e', properties: { a: [1, 2] } })), false],
    ['a small body, however deep', '['.repeat(200_000), false],
  ])('%s', (_name, text, expected) => {
    expect(hasTooManyContainers(bytes(text))).toBe(expected);
  });
});
