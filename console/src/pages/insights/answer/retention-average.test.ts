import { expect, it } from 'vitest';
import { weightedAverages } from './retention-average.ts';

const row = (...counts: number[]) => ({
  label: '',
  people_url: '',
  values: counts.map((count) => ({ count, people: [] })),
});

it('weighs cohorts by their size', () => {
  expect(weightedAverages([row(90, 45), row(10, 10)], null)).toEqual([1, 0.55]);
});

it('leaves out periods that are not over', () => {
  // Today is the third row, so its own cell, the second cell of the row before and so on are unfinished.
  expect(weightedAverages([row(10, 4, 1), row(30, 2), row(5)], 2)).toEqual([1, 0.4]);
  expect(weightedAverages([row(10, 4), row(0, 0)], 0)).toEqual([]);
});

it('has no average without users', () => {
  expect(weightedAverages([row(0, 0), row(0)], null)).toEqual([]);
  expect(weightedAverages([], null)).toEqual([]);
});
