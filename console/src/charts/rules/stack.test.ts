import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nearestIndex, segmentAt, stackExtent, stackSegments } from './stack.ts';

describe('a stack of bars', () => {
  it('grows upwards for positive values and downwards for negative ones', () => {
    expect(stackSegments([1, 3, -1, null, -2, 0], 10)).toEqual([
      { from: 0, to: 10 },
      { from: 10, to: 40 },
      { from: 0, to: -10 },
      null,
      { from: -10, to: -30 },
      null,
    ]);
    expect(
      stackExtent([
        [1, 2],
        [3, null],
        [-1, -4],
      ]),
    ).toEqual([-4, 4]);
    expect(stackExtent([])).toEqual([0, 0]);
  });

  it('shows a single user beside a million', () => {
    expect(stackSegments([1_000_000, 1], 300 / 1_000_001)).toEqual([
      { from: 0, to: 298 },
      { from: 298, to: 300 },
    ]);
    expect(stackSegments([1], 300 / 1_000_000)).toEqual([{ from: 0, to: 2 }]);
  });

  it('gives every value at least two pixels without making the bar higher', () => {
    const values = fc.array(fc.oneof(fc.constant(null), fc.integer({ min: -1000, max: 100_000 })), { maxLength: 25 });
    void fc.assert(
      fc.property(values, fc.double({ min: 0.0001, max: 2, noNaN: true }), (given, scale) => {
        const segments = stackSegments(given, scale);
        for (const [index, segment] of segments.entries()) {
          expect(segment === null).toBe((given[index] ?? 0) === 0);
          if (segment) expect(Math.abs(segment.to - segment.from)).toBeGreaterThanOrEqual(2 - 1e-6);
        }
        const ups = given.filter((value) => (value ?? 0) > 0);
        const height = Math.max(0, ...segments.map((segment) => segment?.to ?? 0));
        const exact = ups.reduce<number>((sum, value) => sum + (value ?? 0) * scale, 0);
        expect(height).toBeCloseTo(Math.max(exact, 2 * ups.length), 5);
      }),
    );
  });

  it('finds the part of a bar that was meant', () => {
    const segments = stackSegments([2, 3, -4], 1);
    expect([1, 2, 3, 5, 9, -1, -9].map((at) => segmentAt(segments, at))).toEqual([0, 0, 1, 1, 1, 2, 2]);
    expect(segmentAt([null, null], 1)).toBe(-1);
  });

  it('finds the line that was meant', () => {
    expect(nearestIndex([1, null, 9], 6)).toBe(2);
    expect(nearestIndex([null], 6)).toBe(-1);
  });
});
