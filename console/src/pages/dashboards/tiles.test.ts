import { describe, expect, it } from 'vitest';
import { isWide, moveTile } from './tiles.ts';

const tiles = [
  { id: 7, order: 0, layouts: {} },
  { id: 8, order: 1, layouts: { xs: { h: 3 }, sm: { w: 12, h: 5 } } },
  { id: 9, order: 2, layouts: {} },
];

describe('tiles', () => {
  it('swap with their neighbours, and only those two are sent', () => {
    expect(moveTile(tiles, 8, 'earlier')).toEqual([
      { id: 8, order: 0 },
      { id: 7, order: 1 },
    ]);
    expect(moveTile(tiles, 8, 'later')).toEqual([
      { id: 9, order: 1 },
      { id: 8, order: 2 },
    ]);
    expect(moveTile(tiles, 7, 'earlier')).toEqual([]);
    expect(moveTile(tiles, 9, 'later')).toEqual([]);
    expect(moveTile(tiles, 1, 'later')).toEqual([]);
  });

  it('keep the rest of their layout when resized', () => {
    expect(tiles.map(isWide)).toEqual([false, true, false]);
    expect(moveTile(tiles, 8, 'narrower')).toEqual([{ id: 8, layouts: { xs: { h: 3 }, sm: { w: 6, h: 5 } } }]);
    expect(moveTile(tiles, 7, 'remove')).toEqual([{ id: 7, deleted: true }]);
  });
});
