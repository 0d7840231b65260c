/** Where the labels of the axes are. */

interface TickOptions {
  /** About how many intervals. */
  count: number;
  /** No fractions on a chart of counts. */
  isInteger: boolean;
}

/** Round numbers (1, 2 or 5 times a power of ten) that enclose both, and 0. */
export function valueTicks(low: number, high: number, { count, isInteger }: TickOptions): number[] {
  const [from, to] = [Math.min(0, low), Math.max(0, high)];
  const raw = (to - from || 1) / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(raw));
  const rounded = ([1, 2, 5, 10].find((step) => step * power >= raw * 0.75) ?? 10) * power;
  const step = isInteger ? Math.max(1, rounded) : rounded;
  const first = Math.floor(from / step);
  const last = Math.max(first + 1, Math.ceil(to / step));
  // Multiplying avoids the errors that adding up 0.1 leaves.
  return Array.from({ length: last - first + 1 }, (_, index) => Number(((first + index) * step).toPrecision(12)));
}

/** Which ticks of time get a label of this width, the last one always. */
export function shownTicks(count: number, width: number, least: number): number[] {
  const every = Math.max(1, Math.ceil(count / Math.max(1, Math.floor(width / least))));
  const from = (count - 1) % every;
  return Array.from({ length: Math.max(0, Math.ceil((count - from) / every)) }, (_, index) => from + index * every);
}
