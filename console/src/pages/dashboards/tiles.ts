import type { DashboardChange, DashboardTile } from '../../api/dashboards.ts';
/** The layout of a dashboard. */

export type TileMove = 'earlier' | 'later' | 'remove' | 'wider' | 'narrower';

type TileChanges = NonNullable<DashboardChange['tiles']>;

/** Layouts have twelve columns. */
const FULL_WIDTH = 12;
const HALF_WIDTH = 6;

export function isWide({ layouts }: Pick<DashboardTile, 'layouts'>): boolean {
  const { sm } = layouts as { sm?: { w?: unknown } };
  return typeof sm?.w === 'number' && sm.w > HALF_WIDTH;
}

/** The changes to send. */
export function moveTile(
  tiles: readonly Pick<DashboardTile, 'id' | 'layouts' | 'order'>[],
  id: number,
  how: TileMove,
): TileChanges {
  const at = tiles.findIndex((tile) => tile.id === id);
  const tile = tiles[at];
  if (tile === undefined) return [];
  if (how === 'remove') return [{ id, deleted: true }];
  if (how === 'wider' || how === 'narrower') {
    const { sm = {} } = tile.layouts as { sm?: object };
    return [{ id, layouts: { ...tile.layouts, sm: { ...sm, w: how === 'wider' ? FULL_WIDTH : HALF_WIDTH } } }];
  }
  const to = at + (how === 'earlier' ? -1 : 1);
  if (to < 0 || to >= tiles.length) return [];
  const ids = tiles.map((one) => one.id);
  ids.splice(to, 0, ...ids.splice(at, 1));
  return ids.flatMap((one, order) =>
    tiles.find((known) => known.id === one)?.order === order ? [] : [{ id: one, order }],
  );
}
