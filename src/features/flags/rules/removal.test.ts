import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasOneValue, onlyValue, seenIn, staleBefore, type ValueUse } from './removal.ts';

const DAY = 86_400_000;
const NOW = 1000 * DAY;
const use = (daysAgo: number, value = 'true', source = 'posthog-js/1.130') => ({
  start: NOW - daysAgo * DAY,
  value,
  source,
});

describe('the only value', () => {
  it.each([
    ['no use at all', [], null],
    ['one value for 41 days', [use(41), use(20), use(0)], { value: 'true', days: 41 }],
    ['one value for 29 days', [use(29), use(0)], null],
    [
      'another one 31 days ago',
      [use(60, 'false'), use(31, 'test'), use(30, 'test'), use(1, 'test')],
      { value: 'test', days: 31 },
    ],
    ['another one yesterday', [use(60), use(1, 'false'), use(0)], null],
    ['two values in one day', [use(40), use(0), use(0, 'false')], null],
    ['nothing for 30 days', [use(90), use(31)], null],
  ])('%s', (_, uses, expected) => {
    expect(onlyValue(uses, NOW)).toEqual(expected);
  });
});

it('is the same rule where only the last uses of each value are known', () => {
  const uses = fc.array(
    fc.record({ daysAgo: fc.integer({ min: 0, max: 60 }), value: fc.constantFrom('true', 'false', 'test') }),
    { maxLength: 8 },
  );
  fc.assert(
    fc.property(uses, fc.boolean(), (made, isReported) => {
      const all = made.map(({ daysAgo, value }) => use(daysAgo, value));
      const half = isReported ? Math.floor(all.length / 2) : 0;
      const last = [...lastUses(all.slice(0, half)), ...lastUses(all.slice(half))];
      expect(hasOneValue(last, NOW)).toBe(onlyValue(all, NOW) !== null);
    }),
    { numRuns: 2000 },
  );
});

function lastUses(uses: readonly ReturnType<typeof use>[]): ValueUse[] {
  return [...new Set(uses.map(({ value }) => value))].map((value) => {
    const starts = uses.filter((one) => one.value === value).map(({ start }) => start);
    const before = starts.filter((start) => start <= staleBefore(NOW));
    return { value, last: Math.max(...starts), lastBefore: before.length === 0 ? null : Math.max(...before) };
  });
}

it('counts whoever asked within seven days, each once', () => {
  const uses = [use(1), use(2), use(6, 'false', 'posthog-node/5.67'), use(7, 'true', 'posthog-ios/3.0')];
  expect(seenIn(uses, NOW)).toEqual(['posthog-js/1.130', 'posthog-node/5.67']);
});
