/**
 * How many of the next months are written at once to a copy in which so many more events fit: about half of those
 * that fit, since each event may take more than those before it, but one if only that fits.
 *
 * `months`: how many events each has, in the order in which they are written.
 */
export function countMonthsToAdd(months: readonly number[], eventsThatFit: number): number {
  let events = 0;
  for (const [index, more] of months.entries()) {
    events += more;
    if (events > (index === 0 ? eventsThatFit : eventsThatFit / 2)) return index;
  }
  return months.length;
}
