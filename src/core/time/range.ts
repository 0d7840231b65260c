/** A span of time, ms UTC: `from` belongs to it, `until` does not. */
export interface Range {
  from: number;
  until: number;
}

export const isInRange = (at: number, range: Range): boolean => at >= range.from && at < range.until;
