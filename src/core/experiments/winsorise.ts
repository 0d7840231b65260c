/** Extreme values moved to a bound, so that a few large orders do not decide. */

interface WinsorBounds {
  lower: number | null;
  upper: number | null;
}

export interface WinsorLevels {
  /** Shares between 0 and 1; null leaves that side alone. */
  lower: number | null;
  upper: number | null;
  /** Takes the bounds from the values other than 0, and leaves zeros alone. */
  ignoreZeros: boolean;
}

/** The bounds, over the values of all variants together. */
export function winsorBounds(values: ArrayLike<number>, { lower, upper, ignoreZeros }: WinsorLevels): WinsorBounds {
  const sorted = Float64Array.from(values)
    .filter((value) => !ignoreZeros || value !== 0)
    .sort();
  return { lower: quantile(sorted, lower), upper: quantile(sorted, upper) };
}

/** By linear interpolation between the two nearest ranks. */
function quantile(sorted: Float64Array, level: number | null): number | null {
  if (level === null || sorted.length === 0) return null;
  const rank = level * (sorted.length - 1);
  const below = sorted[Math.floor(rank)] ?? 0;
  const above = sorted[Math.ceil(rank)] ?? below;
  return below + (above - below) * (rank - Math.floor(rank));
}

/** The values with those beyond the bounds moved to them. */
export function winsorise(values: Float64Array, levels: WinsorLevels): Float64Array {
  const bounds = winsorBounds(values, levels);
  return values.map((value) => (levels.ignoreZeros && value === 0 ? 0 : clampTo(bounds, value)));
}

const clampTo = ({ lower, upper }: WinsorBounds, value: number): number =>
  Math.max(lower ?? Number.NEGATIVE_INFINITY, Math.min(upper ?? Number.POSITIVE_INFINITY, value));
