/** Labels at the ends of lines are shown for this many series; more would not fit beside each other. */
export const MAX_END_LABELS = 5;

/**
 * Moves labels apart so that none overlaps another, and all stay between `top` and `bottom`. Keeps their order, and each
 * as near to its line as the others allow.
 */
export function placeLabels(wanted: readonly number[], gap: number, top: number, bottom: number): number[] {
  const order = wanted.map((_, index) => index).sort((a, b) => (wanted[a] ?? 0) - (wanted[b] ?? 0));
  const placed = [...wanted];
  let free = top;
  for (const index of order) {
    placed[index] = Math.max(free, placed[index] ?? 0);
    free = placed[index] + gap;
  }
  // What was pushed out at the bottom pushes the others up again.
  free = bottom;
  for (const index of order.reverse()) {
    placed[index] = Math.min(free, placed[index] ?? 0);
    free = placed[index] - gap;
  }
  return placed;
}
