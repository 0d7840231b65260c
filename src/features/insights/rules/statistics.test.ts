import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { median, quantile, statisticOf, valueBins } from '../../../../test/oracle/statistics.ts';
import { isSkewed, minCountedActors, oddsRatio, strongestCorrelations } from '../correlation/rules/factors.ts';
import { timeBins } from '../funnel/rules/assemble-funnel.ts';
import { NumberList } from '../funnel/rules/number-list.ts';
import { binName } from './breakdown-values.ts';
import { mean, runningSum, smooth } from './statistics.ts';

describe('statistics', () => {
  it('interpolate between neighbours', () => {
    expect(quantile([2, 1], 0.5)).toBe(1.5);
    expect(quantile([1, 2, 3, 4, 5], 0.9)).toBeCloseTo(4.6);
    expect(quantile([7], 0.99)).toBe(7);
  });

  it('of nothing are null, but the sum is 0', () => {
    expect(statisticOf('avg', [])).toBeNull();
    expect(statisticOf('max', [])).toBeNull();
    expect(statisticOf('sum', [])).toBe(0);
  });

  it.each([
    ['sum', 6],
    ['avg', 2],
    ['min', 1],
    ['max', 3],
    ['median', 2],
    ['p90', 2.8],
    ['p95', 2.9],
    ['p99', 2.98],
  ] as const)('know the %s', (statistic, wanted) => expect(statisticOf(statistic, [3, 1, 2])).toBeCloseTo(wanted));
});

describe('a number list', () => {
  it('has the mean and the median of the values since it was cleared', () => {
    const numbers = new NumberList();
    const one = fc.oneof(fc.double({ noNaN: true, min: -1e9, max: 1e9 }), fc.integer({ min: 0, max: 5 }));
    const some = fc.oneof(
      fc.array(one, { maxLength: 90, size: 'max' }),
      fc.array(one, { minLength: 990, maxLength: 1010, size: 'max' }),
    );
    fc.assert(
      fc.property(some, (values) => {
        numbers.clear();
        for (const value of values) numbers.push(value);
        expect([numbers.mean(), numbers.median()]).toEqual([mean(values), median(values)]);
        expect(numbers.mean()).toBe(mean(values));
      }),
    );
  });
});

describe('points', () => {
  it('are summed', () => expect(runningSum([1, 0, 2, -1])).toEqual([1, 1, 3, 2]));

  it('are smoothed over the last few, fewer at the beginning, rounded down', () => {
    expect(smooth([1, 4, 4, 10], 3)).toEqual([1, 2, 3, 6]);
    expect(smooth([1.5, 2], 1)).toEqual([1.5, 2]);
  });
});

describe('bins of values', () => {
  it('contain about as many distinct values each', () => {
    const bins = valueBins([25, 25, 25, 50, 75, 97.5, 100, 1000], 3);
    expect(bins.map(binName)).toEqual(['[25.0,66.25]', '[66.25,98.37]', '[98.37,1000.01]']);
  });

  it('are one if all values are equal, and none without values', () => {
    expect(valueBins([300, 300], 5).map(binName)).toEqual(['[300.0,300.01]']);
    expect(valueBins([], 5)).toEqual([]);
  });

  it('contain every value exactly once', () => {
    const values = [0, 60, 91, 120, 180, 0.005, 69.92];
    const bins = valueBins(values, 4);
    for (const value of values)
      expect(bins.filter(({ from, until }) => value >= from && value < until)).toHaveLength(1);
  });
});

describe('bins of times', () => {
  it('depend in number on the number of times', () => {
    expect(timeBins([2220, 3600, 82800], null)).toEqual([
      [2220, 2],
      [42510, 0],
      [82800, 1],
    ]);
    expect(timeBins([1, 2, 3, 4, 5, 6, 7, 8], null)).toHaveLength(3);
  });

  it('are a minute wide if all times are equal', () => {
    expect(timeBins([10, 10], 2)).toEqual([
      [10, 2],
      [70, 0],
      [130, 0],
    ]);
    expect(timeBins([], 2)).toEqual([]);
  });
});

describe('odds', () => {
  it('are 1 without a correlation', () => {
    expect(oddsRatio({ success: 10, failure: 10 }, { success: 5, failure: 5 })).toBe(1);
    expect(oddsRatio({ success: 10, failure: 10 }, { success: 10, failure: 0 })).toBe(121);
  });

  it('are skewed if one outcome is more than ten times as frequent', () => {
    expect(isSkewed({ success: 10, failure: 1 })).toBe(false);
    expect(isSkewed({ success: 11, failure: 1 })).toBe(true);
    expect(isSkewed({ success: 1, failure: 11 })).toBe(true);
    expect(isSkewed({ success: 0, failure: 5 })).toBe(true);
  });

  it('need a minimum of actors, at most 25', () => {
    expect(minCountedActors({ success: 50, failure: 50 })).toBe(2);
    expect(minCountedActors({ success: 5000, failure: 5000 })).toBe(25);
  });

  it('show the ten strongest of each outcome', () => {
    const one = (at: number) => ({
      name: `e${at}`,
      factor: { event: `e${at}`, key: null, value: null },
      success: 1,
      failure: 1,
      oddsRatio: at / 12,
    });
    const shown = strongestCorrelations(Array.from({ length: 24 }, (_, at) => one(at + 1))).map(({ name }) => name);
    expect(shown.slice(0, 2)).toEqual(['e24', 'e23']);
    expect(shown.slice(10, 12)).toEqual(['e1', 'e2']);
    expect(shown).toHaveLength(20);
  });
});
