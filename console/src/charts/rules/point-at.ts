import type { ChartSeries, Point } from '../chart-data.ts';
import { barPlace, type ChartLayout } from './layout.ts';
import { nearestIndex, segmentAt, stackSegments } from './stack.ts';

type IndexedSeries = ChartSeries & { index: number };

/** The point nearest to a place in the chart: always at a tick. Null if no series has a value there. */
export function pointAt(
  layout: ChartLayout,
  kind: 'line' | 'bar',
  series: readonly IndexedSeries[],
  x: number,
  y: number,
): Point | null {
  const tick = layout.tickAt(x);
  const found = kind === 'bar' ? barAt(layout, series, tick, x, y) : lineAt(layout, series, tick, y);
  return found && { ...found, tick };
}

type Found = Omit<Point, 'tick'> | null;

function lineAt(layout: ChartLayout, series: readonly IndexedSeries[], tick: number, y: number): Found {
  const values = [false, true].flatMap((isPrevious) =>
    series.map((one) => ({ isPrevious, series: one.index, value: valuesOf(one, isPrevious)[tick] ?? null })),
  );
  const places = values.map(({ value }) => (value === null ? null : layout.y(value)));
  const best = values[nearestIndex(places, y)];
  return best ? { series: best.series, isPrevious: best.isPrevious } : null;
}

function barAt(layout: ChartLayout, series: readonly IndexedSeries[], tick: number, x: number, y: number): Found {
  const hasPrevious = series.some(({ previous }) => previous);
  const isPrevious = hasPrevious && x < barPlace(layout, tick, 'current').left;
  const segments = stackSegments(
    series.map((one) => valuesOf(one, isPrevious)[tick] ?? null),
    layout.pixelsPerUnit,
  );
  const found = series[segmentAt(segments, layout.axis - y)] ?? series[0];
  return found ? { series: found.index, isPrevious } : null;
}

const valuesOf = ({ values, previous }: ChartSeries, isPrevious: boolean): ChartSeries['values'] =>
  isPrevious ? (previous?.values ?? []) : values;
