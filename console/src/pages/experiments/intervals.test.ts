import { describe, expect, it } from 'vitest';
import type { MetricResult } from '../../api/experiments.ts';
import { intervalScale, placeOf } from './intervals.ts';

const metric = (...intervals: ([number, number] | null)[]): MetricResult =>
  ({ variant_results: intervals.map((lift_interval) => ({ lift_interval, lift: null })) }) as unknown as MetricResult;

describe('intervals on one axis', () => {
  it('have 0 in the middle and all ends on the axis', () => {
    const scale = intervalScale([metric([-0.1, 0.3]), metric([0.02, 0.05])]);
    expect(placeOf(0, scale)).toBeCloseTo(0.5, 12);
    expect(placeOf(0.3, scale)).toBeCloseTo(0.5 + 0.5 / 1.1, 12);
    expect(placeOf(-0.1, scale)).toBeGreaterThan(0);
  });

  it('do not let one wide interval squeeze the others', () => {
    const scale = intervalScale([metric([-0.9, 40])]);
    expect(scale.high).toBeCloseTo(2.2, 12);
    expect(placeOf(40, scale)).toBe(1);
  });

  it('have an axis without any numbers', () => {
    expect(intervalScale([metric(null)])).toEqual({ low: -0.011000000000000001, high: 0.011000000000000001 });
  });
});
