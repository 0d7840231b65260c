import { describe, expect, it } from 'vitest';
import { isWide, moved } from './tiles.ts';

const tiles = [
  { id: 7, order: 0, layouts: {} },
  { id: 8, order: 1, layouts: { xs: { h: 3 }, sm: { w: 12, h: 5 } } },
  { id: 9, order: 2, layouts: {} },
];

describe('tiles', () => {
  it('change places with their neighbours, and nobody else is told', () => {
    expect(moved(tiles, 8, 'earlier')).toEqual([
      { id: 8, order: 0 },
      { id: 7, order: 1 },
    ]);
    expect(moved(tiles, 8, 'later')).toEqual([
      { id: 9, order: 1 },
      { id: 8, order: 2 },
    ]);
    expect(moved(tiles, 7, 'earlier')).toEqual([]);
    expect(moved(tiles, 9, 'later')).toEqual([]);
    expect(moved(tiles, 1, 'later')).toEqual([]);
  });

  it('keep the rest of their layout when they become wider', () => {
    expect(tiles.map(isWide)).toEqual([false, true, false]);
    expect(moved(tiles, 8, 'narrower')).toEqual([{ id: 8, layouts: { xs: { h: 3 }, sm: { w: 6, h: 5 } } }]);
    expect(moved(tiles, 7, 'remove')).toEqual([{ id: 7, deleted: true }]);
  });
});
