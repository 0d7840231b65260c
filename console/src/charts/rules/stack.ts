/** The segments of stacked bars, in pixels. */
import type { Values } from '../chart-data.ts';

/** A smaller bar could not be seen. */
const MIN_HEIGHT = 2;

/** From the axis, upwards if positive. */
export interface Segment {
  from: number;
  to: number;
}

/**
 * Stacks the values of one tick: positive ones upwards, negative ones downwards. Every value but 0 gets at least two
 * pixels. The others give them up, the largest first, so that the bar keeps its height.
 */
export function stackSegments(values: Values, pixelsPerUnit: number): (Segment | null)[] {
  const heights = values.map((value) => (value ?? 0) * pixelsPerUnit);
  const drawn = [widen(heights, 1), widen(heights, -1)];
  const ends = [0, 0];
  return heights.map((height, index) => {
    if (height === 0) return null;
    const side = height > 0 ? 0 : 1;
    const from = ends[side] ?? 0;
    const to = from + (drawn[side]?.[index] ?? 0) * (side === 0 ? 1 : -1);
    ends[side] = to;
    return { from, to };
  });
}

function widen(heights: readonly number[], sign: 1 | -1): number[] {
  const own = heights.map((height) => Math.max(0, height * sign));
  const widened = own.map((height) => (height === 0 ? 0 : Math.max(MIN_HEIGHT, height)));
  let excess = sum(widened) - sum(own);
  const largestFirst = widened.map((_, index) => index).sort((a, b) => (widened[b] ?? 0) - (widened[a] ?? 0));
  for (const index of largestFirst) {
    const given = Math.min(excess, Math.max(0, (widened[index] ?? 0) - MIN_HEIGHT));
    widened[index] = (widened[index] ?? 0) - given;
    excess -= given;
  }
  return widened;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/** The lowest and highest end of the bars. */
export function stackExtent(rows: readonly Values[]): [low: number, high: number] {
  const length = Math.max(0, ...rows.map((row) => row.length));
  let [low, high] = [0, 0];
  for (let tick = 0; tick < length; tick++) {
    const column = rows.map((row) => row[tick] ?? 0);
    low = Math.min(low, sum(column.filter((value) => value < 0)));
    high = Math.max(high, sum(column.filter((value) => value > 0)));
  }
  return [low, high];
}

/** The segment at this distance from the axis, or the outermost on that side; -1 if there is none. */
export function segmentAt(segments: readonly (Segment | null)[], at: number): number {
  let last = -1;
  for (const [index, segment] of segments.entries()) {
    if (segment === null || segment.to > 0 !== at >= 0) continue;
    last = index;
    if (Math.abs(segment.to) >= Math.abs(at)) return index;
  }
  return last;
}

/** The index of the nearest value; -1 if there is none. */
export function nearestIndex(values: Values, at: number): number {
  let best = -1;
  for (const [index, value] of values.entries()) {
    if (value === null) continue;
    if (best < 0 || Math.abs(value - at) < Math.abs((values[best] ?? 0) - at)) best = index;
  }
  return best;
}
