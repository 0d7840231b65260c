/** The `d` attributes of SVG paths. */
import type { Values } from '../chart-data.ts';
import type { Segment } from './stack.ts';

type Place = (index: number) => number;

const round = (value: number): number => Math.round(value * 10) / 10;

/** Runs of values without a gap, as indexes: from (inclusive) to (exclusive). */
function runsOf(values: Values, from: number, to: number): [from: number, to: number][] {
  const runs: [number, number][] = [];
  let start = -1;
  for (let index = from; index <= to; index++) {
    const isValue = index < to && values[index] != null;
    if (isValue && start < 0) start = index;
    if (!isValue && start >= 0) {
      runs.push([start, index]);
      start = -1;
    }
  }
  return runs;
}

interface Area {
  values: Values;
  /** The part to draw. */
  from: number;
  to: number;
  x: Place;
  y(value: number): number;
}

/** A line through the values, interrupted by gaps. A lone value becomes a dot, by round line caps. */
export const linePath = ({ values, from, to, x, y }: Area): string =>
  runsOf(values, from, to)
    .map(([start, end]) => {
      const points = Array.from(
        { length: end - start },
        (_, at) => `${round(x(start + at))},${round(y(values[start + at] ?? 0))}`,
      );
      return `M${points.join('L')}${points.length === 1 ? 'h0.01' : ''}`;
    })
    .join('');

/** The area between the line and the axis. */
export const areaPath = (area: Area): string =>
  runsOf(area.values, area.from, area.to)
    .filter(([start, end]) => end - start > 1)
    .map(([start, end]) => {
      const [left, right, base] = [round(area.x(start)), round(area.x(end - 1)), round(area.y(0))];
      return `${linePath({ ...area, from: start, to: end })}L${right},${base}L${left},${base}Z`;
    })
    .join('');

/** The area between two lines, where both have values. */
export function bandPath({ low, high, x, y }: Pick<Area, 'x' | 'y'> & { low: Values; high: Values }): string {
  const both = low.map((value, at) => (value === null || high[at] == null ? null : value));
  return runsOf(both, 0, both.length)
    .filter(([start, end]) => end - start > 1)
    .map(([start, end]) => {
      const point = (values: Values, at: number): string => `${round(x(at))},${round(y(values[at] ?? 0))}`;
      const indexes = Array.from({ length: end - start }, (_, at) => start + at);
      const [up, down] = [indexes.map((at) => point(high, at)), indexes.map((at) => point(low, at)).reverse()];
      return `M${[...up, ...down].join('L')}Z`;
    })
    .join('');
}

interface BarPlace {
  left: number;
  width: number;
  /** The y coordinate of 0. */
  axis: number;
}

/** One bar. Neighbours in a stack are kept apart by a hair, unless a bar is too small to give it up. */
export function barPath({ from, to }: Segment, { left, width, axis }: BarPlace): string {
  const gap = from !== 0 && Math.abs(to - from) > 4 ? Math.sign(to) : 0;
  return `M${round(left)},${round(axis - from - gap)}h${round(width)}V${round(axis - to)}h${round(-width)}Z`;
}
