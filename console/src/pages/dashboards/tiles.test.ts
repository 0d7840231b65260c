import { describe, expect, it } from 'vitest';
import { fitSize, moveTile, resizeTile, sizeOf } from './tiles.ts';

const tiles = [
  { id: 7, order: 0, layouts: {} },
  { id: 8, order: 1, layouts: { xs: { h: 3 }, sm: { w: 12, h: 5, x: 0 } } },
  { id: 9, order: 2, layouts: {} },
] as const;

describe('tiles', () => {
  it('move to a place, and only those whose order changes are sent', () => {
    expect(moveTile(tiles, 8, 0)).toEqual([
      { id: 8, order: 0 },
      { id: 7, order: 1 },
    ]);
    expect(moveTile(tiles, 7, 2)).toEqual([
      { id: 8, order: 0 },
      { id: 9, order: 1 },
      { id: 7, order: 2 },
    ]);
    expect(moveTile(tiles, 7, 0)).toEqual([]);
    expect(moveTile(tiles, 7, -1)).toEqual([]);
    expect(moveTile(tiles, 9, 3)).toEqual([]);
    expect(moveTile(tiles, 1, 0)).toEqual([]);
  });

  it('are half as wide as the dashboard unless they say otherwise', () => {
    expect(tiles.map(sizeOf)).toEqual([
      { w: 6, h: 0 },
      { w: 12, h: 5 },
      { w: 6, h: 0 },
    ]);
    expect(sizeOf({ layouts: { sm: { w: 'wide', h: -2 } } })).toEqual({ w: 6, h: 0 });
  });

  it('keep the rest of their layout when resized, and a size that is possible', () => {
    expect(resizeTile(tiles[1], { w: 4.4, h: 6 })).toEqual([
      { id: 8, layouts: { xs: { h: 3 }, sm: { w: 4, h: 6, x: 0 } } },
    ]);
    expect(fitSize({ w: 1, h: 99 })).toEqual({ w: 3, h: 16 });
  });
});
