/** How many of these, from the first on, have at most `maxBytes` together; at least one. */
export function countFitting(items: readonly { bytes: number }[], maxBytes: number): number {
  let left = maxBytes;
  for (const [i, { bytes }] of items.entries()) {
    left -= bytes;
    if (left < 0) return Math.max(i, 1);
  }
  return items.length;
}
