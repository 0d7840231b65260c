/**
 * The layout of a dashboard: each tile has a place on twelve columns, and tiles move up as far as they can, as in
 * PostHog, whose form of `layouts` is kept.
 */
import type { DashboardChange, DashboardTile } from '../../api/dashboards.ts';

type TileChanges = NonNullable<DashboardChange['tiles']>;
type LaidOut = Pick<DashboardTile, 'id' | 'layouts'> & {
  insight: Pick<NonNullable<DashboardTile['insight']>, 'filters'> | null;
};

/** In columns and rows; rows whose tiles need it are higher. */
export interface Place {
  x: number;
  y: number;
  w: number;
  h: number;
}
export type Layout = ReadonlyMap<number, Place>;
type Placed = readonly [id: number, place: Place];

export const COLUMNS = 12;
const MIN_COLUMNS = 2;
const MAX_ROWS = 24;
const CHART = { w: 6, h: 6 };
const NUMBER = { w: 4, h: 2 };
const TEXT = { w: 6, h: 2 };

/** Tiles without a place follow those that have one, in the first free cells. */
export function layOut(tiles: readonly LaidOut[]): Layout {
  const tops = new Array<number>(COLUMNS).fill(0);
  const [placed, others]: [Placed[], Placed[]] = [[], []];
  for (const tile of tiles) {
    const place = readPlace(tile);
    if (place === null) others.push([tile.id, fitPlace({ x: 0, y: 0, ...sizeOf(tile) })]);
    else placed.push([tile.id, place]);
  }
  const layout = stack(placed.toSorted(byPosition), tops);
  for (const [id, size] of others) {
    const x = firstColumn(tops, size.w);
    for (const one of stack([[id, { ...size, x }]], tops)) layout.set(...one);
  }
  return layout;
}

/** Brings a tile to a place, or to a size; the others give way, and close the gaps. */
export function placeTile(layout: Layout, id: number, to: Place): Layout {
  const from = layout.get(id);
  if (from === undefined) return layout;
  const target = fitPlace(to);
  // A tile passes another one when the edge that leads passes its middle.
  const edge = target.y > from.y ? target.y + target.h : target.y;
  const middle = ([one, { y, h }]: Placed): number => (one === id ? edge : y + h / 2);
  const moved = [...layout].map(([one, place]): Placed => [one, one === id ? target : place]);
  const order = moved.toSorted((a, b) => middle(a) - middle(b) || Number(b[0] === id) - Number(a[0] === id));
  return stack(order, new Array<number>(COLUMNS).fill(0));
}

export type Arrow = 'ArrowLeft' | 'ArrowRight' | 'ArrowUp' | 'ArrowDown';

/** One column to the side, or past the next tile above or below. */
export function stepTile(layout: Layout, id: number, arrow: Arrow): Layout {
  const from = layout.get(id);
  if (from === undefined) return layout;
  if (arrow === 'ArrowLeft') return placeTile(layout, id, { ...from, x: from.x - 1 });
  if (arrow === 'ArrowRight') return placeTile(layout, id, { ...from, x: from.x + 1 });
  const by = arrow === 'ArrowUp' ? -1 : 1;
  for (let y = from.y + by; y >= 0 && y <= rowsOf(layout); y += by) {
    const next = placeTile(layout, id, { ...from, y });
    if (!isSameLayout(next, layout)) return next;
  }
  return layout;
}

const GROWTH: Record<Arrow, { w: number; h: number }> = {
  ArrowLeft: { w: -1, h: 0 },
  ArrowRight: { w: 1, h: 0 },
  ArrowUp: { w: 0, h: -1 },
  ArrowDown: { w: 0, h: 1 },
};

export function growTile(layout: Layout, id: number, arrow: Arrow): Layout {
  const from = layout.get(id);
  const { w, h } = GROWTH[arrow];
  return from === undefined ? layout : placeTile(layout, id, { ...from, w: from.w + w, h: from.h + h });
}

export const rowsOf = (layout: Layout): number => Math.max(0, ...[...layout.values()].map(({ y, h }) => y + h));

/** From top to bottom, in lines from left to right. */
export const inReadingOrder = <T extends { id: number }>(tiles: readonly T[], layout: Layout): T[] =>
  tiles.toSorted((a, b) => {
    const [one, other] = [layout.get(a.id), layout.get(b.id)];
    return one && other ? byPosition([a.id, one], [b.id, other]) : 0;
  });

/** The changes that save a layout; what else clients keep in `layouts` stays. */
export function changesTo(tiles: readonly LaidOut[], layout: Layout): TileChanges {
  return tiles.flatMap((tile) => {
    const { id, layouts } = tile;
    const place = layout.get(id);
    const saved = readPlace(tile);
    if (place === undefined || (saved !== null && isSamePlace(saved, place))) return [];
    const { sm = {} } = layouts as { sm?: object };
    return [{ id, layouts: { ...layouts, sm: { ...sm, ...place } } }];
  });
}

/** The layout of wide screens is saved as `sm`, as other clients do. */
function readPlace(tile: LaidOut): Place | null {
  const { x, y } = numbersOf(tile);
  return x === undefined || y === undefined ? null : fitPlace({ x, y, ...sizeOf(tile) });
}

function numbersOf({ layouts }: LaidOut): Partial<Place> {
  const { sm } = layouts as { sm?: Record<string, unknown> };
  return Object.fromEntries(
    Object.entries(sm ?? {}).filter(([, value]) => typeof value === 'number' && Number.isFinite(value)),
  );
}

function sizeOf(tile: LaidOut): { w: number; h: number } {
  const usual = tile.insight === null ? TEXT : tile.insight.filters['display'] === 'BoldNumber' ? NUMBER : CHART;
  const { w = usual.w, h = usual.h } = numbersOf(tile);
  // Zero was saved as the height of a tile that is as high as its content.
  return { w, h: h < 1 ? usual.h : h };
}

/** The nearest place that a tile can have. */
function fitPlace({ x, y, w, h }: Place): Place {
  const width = Math.round(between(w, MIN_COLUMNS, COLUMNS));
  return {
    x: Math.round(between(x, 0, COLUMNS - width)),
    y: Math.round(Math.max(0, y)),
    w: width,
    h: Math.round(between(h, 1, MAX_ROWS)),
  };
}

const between = (value: number, low: number, high: number): number => Math.min(high, Math.max(low, value));

/** Places tiles one after the other, each directly below those that are above it. `tops` is where columns are free. */
function stack(tiles: readonly Placed[], tops: number[]): Map<number, Place> {
  const layout = new Map<number, Place>();
  for (const [id, place] of tiles) {
    const end = place.x + place.w;
    const y = Math.max(...tops.slice(place.x, end));
    tops.fill(y + place.h, place.x, end);
    layout.set(id, { ...place, y });
  }
  return layout;
}

/** Where a tile of this width comes highest. */
function firstColumn(tops: readonly number[], w: number): number {
  const starts = Array.from({ length: COLUMNS - w + 1 }, (_, x) => Math.max(...tops.slice(x, x + w)));
  return starts.indexOf(Math.min(...starts));
}

const byPosition = ([, a]: Placed, [, b]: Placed): number => a.y - b.y || a.x - b.x;

const isSamePlace = (a: Place, b: Place): boolean => a.x === b.x && a.y === b.y && a.w === b.w && a.h === b.h;

const isSameLayout = (a: Layout, b: Layout): boolean =>
  [...a].every(([id, place]) => {
    const other = b.get(id);
    return other !== undefined && isSamePlace(place, other);
  });
