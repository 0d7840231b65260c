/** What the tooltip of a tick says. */
import type { ChartSeries, Colour } from '../chart-data.ts';
import { changeOf } from './summary.ts';

const MAX_ROWS = 10;

export interface TooltipRow {
  series: number;
  name: string;
  colour: Colour;
  value: number | null;
  previous: number | null;
  /** Against the previous period. */
  change: number | null;
}

export interface TooltipContent {
  rows: TooltipRow[];
  /** How many are left out. */
  more: number;
  /** The date in the previous period, if one is shown. */
  previousTitle: string | null;
}

/** The highest first. The series under the pointer is always among them. */
export function tooltipContent(
  series: readonly ChartSeries[],
  isHidden: (index: number) => boolean,
  { tick, hovered }: { tick: number; hovered: number },
): TooltipContent {
  const rows = series
    .map(({ name, colour, values, previous }, index): TooltipRow => {
      const [value, before] = [values[tick] ?? null, previous?.values[tick] ?? null];
      return { series: index, name, colour, value, previous: before, change: changeOf(value, before) };
    })
    .filter((row) => !isHidden(row.series) && (row.value !== null || row.previous !== null))
    .sort((a, b) => (b.value ?? -Infinity) - (a.value ?? -Infinity) || a.series - b.series);
  const shown = rows.slice(0, MAX_ROWS);
  const own = rows.find((row) => row.series === hovered);
  if (own && !shown.includes(own)) shown.splice(-1, 1, own);
  const titles = series.find(({ previous }) => previous)?.previous?.titles;
  return { rows: shown, more: rows.length - shown.length, previousTitle: titles?.[tick] ?? null };
}

interface Box {
  /** Of the point. */
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Distance of the tooltip from its point. */
const GAP = 14;
/** With less space on either side, the tooltip is above or below its point. */
const MIN_SPACE = 240;

/** CSS offsets of a tooltip that never covers its point: beside it, where there is more space. */
export function placeTooltip({ x, y, width, height }: Box): Record<'left' | 'right' | 'top' | 'bottom', number | null> {
  const isLeft = x > width / 2;
  const isAbove = y > height / 2;
  const space = (isLeft ? x : width - x) - GAP;
  if (space < MIN_SPACE) {
    return { left: 0, right: 0, top: isAbove ? null : y + GAP, bottom: isAbove ? height - y + GAP : null };
  }
  return {
    left: isLeft ? null : x + GAP,
    right: isLeft ? width - x + GAP : null,
    top: isAbove ? null : y - GAP,
    bottom: isAbove ? height - y - GAP : null,
  };
}
