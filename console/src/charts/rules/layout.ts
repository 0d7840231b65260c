/** Where everything in a chart is, in pixels. */
import { valueTicks } from './scale.ts';

export interface LayoutInput {
  kind: 'line' | 'bar';
  width: number;
  height: number;
  /** Number of ticks. */
  count: number;
  /** Lowest and highest value. */
  extent: readonly [low: number, high: number];
  isInteger: boolean;
  /** Labels of the value axis. */
  format(value: number): string;
  /** Length of the longest label at the end of a line, 0 without labels. */
  labelLength: number;
  hasAnnotations: boolean;
}

export interface ChartLayout {
  left: number;
  right: number;
  top: number;
  bottom: number;
  /** Of the tick. */
  x(tick: number): number;
  y(value: number): number;
  /** The y coordinate of 0. */
  axis: number;
  pixelsPerUnit: number;
  valueTicks: readonly number[];
  /** Width of a tick's share of the chart. */
  band: number;
  tickAt(x: number): number;
}

/** A wider character than most, at 12 pixels. */
const CHARACTER = 7;
const TICK_ROW = 30;
const ANNOTATION_ROW = 18;
const UNIT_ROW = 26;
const VALUE_TICK_DISTANCE = 52;
const BAR_SHARE = 0.72;
const MAX_BAR = 64;

export function chartLayout(input: LayoutInput): ChartLayout {
  const { kind, width, height, count, extent, format } = input;
  const top = UNIT_ROW;
  const bottom = height - TICK_ROW - (input.hasAnnotations ? ANNOTATION_ROW : 0);
  const ticks = valueTicks(extent[0], extent[1], {
    count: Math.max(2, Math.floor((bottom - top) / VALUE_TICK_DISTANCE)),
    isInteger: input.isInteger,
  });
  const [low, high] = domainOf(ticks, extent);
  const left = 12 + CHARACTER * Math.max(3, ...ticks.map((tick) => format(tick).length));
  const right = width - (input.labelLength > 0 ? 16 + CHARACTER * input.labelLength : 26);
  const pixelsPerUnit = (bottom - top) / (high - low);
  const inner = Math.max(1, right - left);
  // Bars stand at the centre of their share; lines go from edge to edge.
  const isBanded = kind === 'bar' || count === 1;
  const band = isBanded ? inner / Math.max(1, count) : inner / (count - 1);
  return {
    left,
    right,
    top,
    bottom,
    x: (tick) => left + (isBanded ? tick + 0.5 : tick) * band,
    y: (value) => bottom - (value - low) * pixelsPerUnit,
    axis: bottom + low * pixelsPerUnit,
    pixelsPerUnit,
    valueTicks: ticks.filter((tick) => tick >= low && tick <= high),
    band,
    tickAt: (x) => Math.min(count - 1, Math.max(0, Math.round((x - left) / band - (isBanded ? 0.5 : 0)))),
  };
}

/** More empty space than this at an end is cut off. */
const MAX_SPARE = 0.3;

/** From the lowest to the highest tick, unless that wastes much of the height. */
function domainOf(ticks: readonly number[], [low, high]: readonly [number, number]): [low: number, high: number] {
  const [first, last] = [ticks[0] ?? 0, ticks.at(-1) ?? 1];
  const range = Math.max(0, high) - Math.min(0, low);
  const spare = range * MAX_SPARE;
  const margin = range * 0.06;
  if (range === 0) return [first, last];
  return [low - first > spare ? low - margin : first, last - high > spare ? high + margin : last];
}

/** Left edge and width of a tick's bar; with a comparison, the previous one stands to its left. */
export function barPlace({ x, band }: ChartLayout, tick: number, place: 'whole' | 'previous' | 'current') {
  const whole = Math.min(MAX_BAR, Math.max(1, band * BAR_SHARE));
  const left = x(tick) - whole / 2;
  if (place === 'whole') return { left, width: whole };
  return { left: place === 'previous' ? left : left + whole / 2, width: Math.max(1, whole / 2 - 1) };
}
