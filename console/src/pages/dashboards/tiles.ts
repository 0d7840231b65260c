/** The layout of a dashboard: tiles in order, each some of twelve columns wide, and at least some rows high. */
import type { DashboardChange, DashboardTile } from '../../api/dashboards.ts';

type TileChanges = NonNullable<DashboardChange['tiles']>;
type LaidOut = Pick<DashboardTile, 'id' | 'layouts' | 'order'>;

export interface TileSize {
  /** Columns. */
  w: number;
  /** Rows; a tile whose content needs more is higher. */
  h: number;
}

export const COLUMNS = 12;
const MIN_COLUMNS = 3;
const MAX_ROWS = 16;
const USUAL: TileSize = { w: 6, h: 0 };

/** The layout of wide screens is saved as `sm`, as other clients do. */
export function sizeOf({ layouts }: Pick<DashboardTile, 'layouts'>): TileSize {
  const { sm } = layouts as { sm?: Partial<Record<keyof TileSize, unknown>> };
  const read = (name: keyof TileSize): number => (typeof sm?.[name] === 'number' ? Number(sm[name]) : USUAL[name]);
  return fitSize({ w: read('w'), h: read('h') });
}

/** The nearest size that a tile can have. */
export const fitSize = ({ w, h }: TileSize): TileSize => ({
  w: Math.round(Math.min(COLUMNS, Math.max(MIN_COLUMNS, w))),
  h: Math.round(Math.min(MAX_ROWS, Math.max(0, h))),
});

/** The changes that bring a tile to another place of the order. */
export function moveTile(tiles: readonly LaidOut[], id: number, to: number): TileChanges {
  const ids = tiles.map((tile) => tile.id);
  const at = ids.indexOf(id);
  if (at < 0 || to < 0 || to >= tiles.length) return [];
  ids.splice(to, 0, ...ids.splice(at, 1));
  return ids.flatMap((one, order) =>
    tiles.find((known) => known.id === one)?.order === order ? [] : [{ id: one, order }],
  );
}

/** The rest of the layout stays. */
export function resizeTile({ id, layouts }: LaidOut, size: TileSize): TileChanges {
  const { sm = {} } = layouts as { sm?: object };
  return [{ id, layouts: { ...layouts, sm: { ...sm, ...fitSize(size) } } }];
}
