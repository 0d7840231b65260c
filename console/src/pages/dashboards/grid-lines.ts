/** The lines of a dashboard's grid, in pixels, as they are before a drag: rows differ in height. */
import { COLUMNS, type Place } from './layout.ts';
import type { HandleKind } from './tile-handle.tsx';

export interface GridLines {
  /** From the start of one column to that of the next. */
  column: number;
  /** Where each row begins, and where the last one ends. */
  rows: readonly number[];
}

export function readLines(grid: HTMLElement): GridLines {
  const { gridTemplateRows, rowGap, columnGap } = getComputedStyle(grid);
  const gap = Number.parseFloat(rowGap) || 0;
  const rows = [0];
  for (const size of gridTemplateRows.split(' ')) rows.push((rows.at(-1) ?? 0) + (Number.parseFloat(size) || 0) + gap);
  return { column: (grid.clientWidth + (Number.parseFloat(columnGap) || 0)) / COLUMNS, rows };
}

/** Where a tile is, or how large, after a drag by some pixels. */
export function draggedPlace(
  { column, rows }: GridLines,
  kind: HandleKind,
  place: Place,
  by: { x: number; y: number },
): Place {
  const columns = Math.round(by.x / column);
  const line = kind === 'move' ? place.y : place.y + place.h;
  const moved = nearestLine(rows, (rows[line] ?? 0) + by.y) - line;
  return kind === 'move'
    ? { ...place, x: place.x + columns, y: place.y + moved }
    : { ...place, w: place.w + columns, h: place.h + moved };
}

/** Below the last row there are more, as high as it is. */
function nearestLine(rows: readonly number[], at: number): number {
  const last = rows.length - 1;
  const [end, height] = [rows[last] ?? 0, (rows[last] ?? 0) - (rows[last - 1] ?? 0)];
  if (at > end) return last + (height > 0 ? Math.round((at - end) / height) : 0);
  const distances = rows.map((line) => Math.abs(line - at));
  return distances.indexOf(Math.min(...distances));
}
