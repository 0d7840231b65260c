import { expect, it } from 'vitest';
import { placeAnnotations } from './place-annotations.ts';

const mark = (at: string) => ({ at, text: at });
const ticks = (marks: string[], ...rest: [string[] | number[], 'hour' | 'day' | 'week' | 'month', string]) =>
  placeAnnotations(marks.map(mark), ...rest).map(({ tick, text }) => [text, tick]);

it('places marks on the day that it was in the zone', () => {
  const days = ['2026-03-28', '2026-03-29', '2026-03-30'];
  const marks = ['2026-03-27T22:59:00Z', '2026-03-27T23:00:00Z', '2026-03-29T21:59:00Z', '2026-03-29T22:00:00Z'];
  expect(ticks(marks, days, 'day', 'Europe/Berlin')).toEqual([
    ['2026-03-27T23:00:00Z', 0],
    ['2026-03-29T21:59:00Z', 1],
    ['2026-03-29T22:00:00Z', 2],
  ]);
});

it.each([
  ['hour', ['2026-01-01 10:00:00', '2026-01-01 11:00:00'], '2026-01-01T11:59:00Z', '2026-01-01T12:00:00Z'],
  ['day', ['2026-01-01', '2026-01-02'], '2026-01-02T23:59:00Z', '2026-01-03T00:00:00Z'],
  ['week', ['2026-01-04', '2026-01-11'], '2026-01-17T23:59:00Z', '2026-01-18T00:00:00Z'],
  ['month', ['2026-01-01', '2026-02-01'], '2026-02-28T23:59:00Z', '2026-03-01T00:00:00Z'],
] as const)('ends with the last %s', (unit, starts, inside, outside) => {
  expect(ticks([outside, inside], [...starts], unit, 'UTC')).toEqual([[inside, 1]]);
});

it('has none where the ticks are no dates', () => {
  expect(ticks(['2026-01-01T00:00:00Z'], [1, 2], 'day', 'UTC')).toEqual([]);
  expect(ticks(['2026-01-01T00:00:00Z'], [], 'day', 'UTC')).toEqual([]);
});
