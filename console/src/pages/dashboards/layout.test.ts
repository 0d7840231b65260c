import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Arrow, changesTo, growTile, inReadingOrder, type Layout, layOut, placeTile, stepTile } from './layout.ts';

const chart = { filters: {} };
const at = (id: number, x: number, y: number, w: number, h: number) => ({
  id,
  insight: chart,
  layouts: { sm: { x, y, w, h } },
});
const show = (layout: Layout): Record<number, number[]> =>
  Object.fromEntries([...layout].map(([id, { x, y, w, h }]) => [id, [x, y, w, h]]));

/** 1 and 2 beside each other, 3 below both. */
const board = layOut([at(1, 0, 0, 6, 4), at(2, 6, 0, 6, 4), at(3, 0, 4, 12, 3)]);

describe('the layout of a dashboard', () => {
  it('is as saved, without gaps above tiles', () => {
    expect(show(layOut([at(1, 0, 2, 6, 4), at(2, 6, 90, 6, 4), at(3, 0, 99, 12, 3)]))).toEqual({
      1: [0, 0, 6, 4],
      2: [6, 0, 6, 4],
      3: [0, 4, 12, 3],
    });
  });

  it('puts tiles without a place into free cells, in their order and usual sizes', () => {
    const number = { filters: { display: 'BoldNumber' } };
    const tiles = [
      ...[1, 2, 3].map((id) => ({ id, insight: number, layouts: {} })),
      { id: 4, insight: chart, layouts: { sm: { w: 12 } } },
      { id: 5, insight: null, layouts: {} },
      { id: 6, insight: chart, layouts: { sm: { w: 'wide', h: 0 } } },
    ];
    expect(show(layOut(tiles))).toEqual({
      1: [0, 0, 4, 2],
      2: [4, 0, 4, 2],
      3: [8, 0, 4, 2],
      4: [0, 2, 12, 6],
      5: [0, 8, 6, 2],
      6: [6, 8, 6, 6],
    });
  });

  it('lets others give way to a tile that is moved, once it passes their middle', () => {
    expect(show(placeTile(board, 3, { x: 0, y: 1, w: 12, h: 3 }))).toEqual({
      3: [0, 0, 12, 3],
      1: [0, 3, 6, 4],
      2: [6, 3, 6, 4],
    });
    expect(show(placeTile(board, 3, { x: 0, y: 3, w: 12, h: 3 }))).toEqual(show(board));
    expect(show(placeTile(board, 1, { x: 2, y: 0, w: 6, h: 4 }))).toEqual({
      1: [2, 0, 6, 4],
      2: [6, 4, 6, 4],
      3: [0, 8, 12, 3],
    });
    expect(show(placeTile(board, 9, { x: 0, y: 0, w: 1, h: 1 }))).toEqual(show(board));
  });

  it('moves and resizes by arrow keys, within its columns', () => {
    const arrows = (...keys: Arrow[]): Layout => keys.reduce((layout, key) => stepTile(layout, 1, key), board);
    expect(show(arrows('ArrowDown'))).toEqual({ 1: [0, 7, 6, 4], 2: [6, 0, 6, 4], 3: [0, 4, 12, 3] });
    expect(show(arrows('ArrowDown', 'ArrowUp'))).toEqual(show(board));
    expect(show(arrows('ArrowUp'))).toEqual(show(board));
    expect(show(arrows('ArrowLeft'))).toEqual(show(board));
    expect(arrows('ArrowRight').get(1)).toEqual({ x: 1, y: 0, w: 6, h: 4 });
    expect(growTile(board, 1, 'ArrowRight').get(1)).toEqual({ x: 0, y: 0, w: 7, h: 4 });
    expect(growTile(board, 1, 'ArrowUp').get(1)).toEqual({ x: 0, y: 0, w: 6, h: 3 });
    expect(growTile(board, 3, 'ArrowRight').get(3)).toEqual({ x: 0, y: 4, w: 12, h: 3 });
  });

  it('saves what changed, and keeps what else is in the layouts of other clients', () => {
    const tiles = [
      at(1, 0, 0, 6, 4),
      { ...at(2, 6, 0, 6, 4), layouts: { xs: { h: 3 }, sm: { x: 6, y: 0, w: 6, h: 4, minW: 3 } } },
    ];
    expect(changesTo(tiles, layOut(tiles))).toEqual([]);
    expect(changesTo(tiles, growTile(layOut(tiles), 2, 'ArrowDown'))).toEqual([
      { id: 2, layouts: { xs: { h: 3 }, sm: { x: 6, y: 0, w: 6, h: 5, minW: 3 } } },
    ]);
  });

  it('is read line by line', () => {
    const tiles = [{ id: 3 }, { id: 2 }, { id: 1 }];
    expect(inReadingOrder(tiles, board).map(({ id }) => id)).toEqual([1, 2, 3]);
  });

  it('never has tiles over each other, gaps above tiles, or tiles outside, whatever is done', () => {
    const wild = fc.integer({ min: -3, max: 30 });
    const places = fc.array(fc.tuple(wild, wild, wild, wild), { minLength: 1, maxLength: 12 });
    const moves = fc.array(fc.tuple(fc.nat(11), wild, wild, wild, wild), { maxLength: 6 });
    fc.assert(
      fc.property(places, moves, (given, steps) => {
        let layout = layOut(given.map(([x, y, w, h], id) => at(id, x, y, w, h)));
        for (const [id, x, y, w, h] of steps) layout = placeTile(layout, id, { x, y, w, h });
        expect(layout.size).toBe(given.length);
        const cells = new Set<string>();
        let area = 0;
        for (const { x, y, w, h } of layout.values()) {
          expect([x >= 0, y >= 0, w >= 2, h >= 1, x + w <= 12]).toEqual([true, true, true, true, true]);
          area += w * h;
          for (let i = x; i < x + w; i++) for (let j = y; j < y + h; j++) cells.add(`${i} ${j}`);
        }
        expect(cells.size).toBe(area);
        for (const { x, y, w } of layout.values()) {
          const above = Array.from({ length: w }, (_, i) => cells.has(`${x + i} ${y - 1}`));
          expect(y === 0 || above.includes(true)).toBe(true);
        }
      }),
      { numRuns: 50 },
    );
  });
});
