import { describe, expect, it } from 'vitest';
import { nearest, segmentAt, shownTicks, stackValues } from './stack.ts';

describe('a chart', () => {
  it('stacks what is above zero upwards and what is below downwards', () => {
    expect(
      stackValues([
        [1, 2, null],
        [3, 0, 1],
        [-1, -2, 0],
        [-1, 0, 0],
      ]),
    ).toEqual([
      [1, 2, 0],
      [4, 2, 1],
      [-1, -2, 1],
      [-2, 2, 1],
    ]);
  });

  it.each([
    [8, 800, [0, 1, 2, 3, 4, 5, 6, 7]],
    [8, 320, [1, 3, 5, 7]],
    [30, 320, [5, 13, 21, 29]],
    [1, 320, [0]],
    [0, 320, []],
    [3, 0, [2]],
  ])('labels %i ticks on %i pixels, the last one always', (count, width, ticks) => {
    expect(shownTicks(count, width)).toEqual(ticks);
  });

  it('finds the line that was meant', () => {
    expect(nearest([1, null, 9], 6)).toBe(2);
    expect(nearest([null, undefined], 6)).toBe(-1);
  });

  it('finds the part of a bar that was meant', () => {
    const values = [2, 3, -4];
    const tops = [2, 5, -4];
    expect([1, 2, 3, 5, 9, -1, -9].map((at) => segmentAt(values, tops, at))).toEqual([0, 0, 1, 1, 1, 2, 2]);
    expect(segmentAt([0, 0], [0, 0], 1)).toBe(-1);
  });
});
