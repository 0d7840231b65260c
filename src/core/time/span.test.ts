import { expect, it } from 'vitest';
import { addSpan, type SpanInterval, subtractSpan, toSpan } from './span.ts';

const NOW = Date.parse('2024-03-31T12:00:00Z');
const at = (ms: number): string => new Date(ms).toISOString();

it.each<[number, SpanInterval, string, string]>([
  [5, 'minute', '2024-03-31T11:55:00.000Z', '2024-03-31T12:05:00.000Z'],
  [2, 'hour', '2024-03-31T10:00:00.000Z', '2024-03-31T14:00:00.000Z'],
  [1, 'day', '2024-03-30T12:00:00.000Z', '2024-04-01T12:00:00.000Z'],
  [1, 'week', '2024-03-24T12:00:00.000Z', '2024-04-07T12:00:00.000Z'],
  [1, 'month', '2024-02-29T12:00:00.000Z', '2024-04-30T12:00:00.000Z'],
  [1, 'year', '2023-03-31T12:00:00.000Z', '2025-03-31T12:00:00.000Z'],
])('%i %s before and after', (count, interval, before, after) => {
  expect([at(subtractSpan(NOW, toSpan(count, interval))), at(addSpan(NOW, toSpan(count, interval)))]).toEqual([
    before,
    after,
  ]);
});

it('subtracts several months at once', () => {
  expect(at(subtractSpan(NOW, toSpan(1, 'month'), 2))).toBe('2024-01-31T12:00:00.000Z');
});

it.each<[number, SpanInterval]>([
  [Number.MAX_SAFE_INTEGER, 'year'],
  [Number.MAX_SAFE_INTEGER, 'minute'],
])('stays within the calendar for %i %ss', (count, interval) => {
  const span = toSpan(count, interval);
  for (const times of [1, 366]) expect(new Date(subtractSpan(NOW, span, times)).getUTCFullYear()).toBeGreaterThan(0);
  expect(new Date(addSpan(NOW, span)).getUTCFullYear()).toBeLessThan(3100);
});
