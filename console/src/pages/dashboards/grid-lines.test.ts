import { describe, expect, it } from 'vitest';
import { draggedPlace } from './grid-lines.ts';

/** Rows of 80 px, but the third is 200 px high. */
const lines = { column: 100, rows: [0, 80, 160, 360, 440] };
const place = { x: 2, y: 1, w: 4, h: 2 };

describe('a dragged tile', () => {
  it.each([
    [
      { x: 0, y: 0 },
      { x: 2, y: 1 },
    ],
    [
      { x: 49, y: 39 },
      { x: 2, y: 1 },
    ],
    [
      { x: -151, y: -41 },
      { x: 0, y: 0 },
    ],
    [
      { x: 0, y: 170 },
      { x: 2, y: 2 },
    ],
    [
      { x: 0, y: 190 },
      { x: 2, y: 3 },
    ],
    [
      { x: 0, y: 520 },
      { x: 2, y: 6 },
    ],
  ])('moves by %o to %o', (by, expected) => {
    expect(draggedPlace(lines, 'move', place, by)).toEqual({ ...place, ...expected });
  });

  it.each([
    [
      { x: 60, y: 0 },
      { w: 5, h: 2 },
    ],
    [
      { x: -260, y: -150 },
      { w: 1, h: 1 },
    ],
    [
      { x: 0, y: 85 },
      { w: 4, h: 3 },
    ],
    [
      { x: 0, y: 165 },
      { w: 4, h: 4 },
    ],
  ])('is resized by %o to %o', (by, expected) => {
    expect(draggedPlace(lines, 'resize', place, by)).toEqual({ ...place, ...expected });
  });
});
