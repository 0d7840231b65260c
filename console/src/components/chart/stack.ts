/** Stacks positive values upwards and negative ones downwards. Gaps count as 0. */
export function stackValues(rows: readonly (readonly (number | null)[])[]): number[][] {
  const [up, down]: [number[], number[]] = [[], []];
  return rows.map((row) =>
    row.map((value, at) => {
      const sums = (value ?? 0) < 0 ? down : up;
      sums[at] = (sums[at] ?? 0) + (value ?? 0);
      return sums[at];
    }),
  );
}

/** Which ticks get a label, the last one always. */
export function shownTicks(count: number, width: number, least = 76): number[] {
  const every = Math.max(1, Math.ceil(count / Math.max(1, Math.floor(width / least))));
  const from = (count - 1) % every;
  return Array.from({ length: Math.max(0, Math.ceil((count - from) / every)) }, (_, index) => from + index * every);
}

/** The series with the nearest value; -1 if there is none. */
export function nearest(values: readonly (number | null | undefined)[], at: number): number {
  let best = -1;
  for (const [index, value] of values.entries()) {
    if (value == null) continue;
    if (best < 0 || Math.abs(value - at) < Math.abs((values[best] ?? 0) - at)) best = index;
  }
  return best;
}

/** The segment of a stacked bar at this height, or the outermost. */
export function segmentAt(
  values: readonly (number | null | undefined)[],
  tops: readonly (number | null | undefined)[],
  at: number,
): number {
  let last = -1;
  for (const [index, value] of values.entries()) {
    const isSide = at >= 0 ? (value ?? 0) > 0 : (value ?? 0) < 0;
    if (!isSide) continue;
    last = index;
    if (Math.abs(tops[index] ?? 0) >= Math.abs(at)) return index;
  }
  return last;
}
