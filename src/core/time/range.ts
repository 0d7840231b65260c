/** A range of time, ms UTC: `from` is included, `until` is not. */

export interface Range {
  from: number;
  until: number;
}

export const isInRange = (at: number, range: Range): boolean => at >= range.from && at < range.until;

export interface Window {
  count: number;
  unit: 'minute' | 'hour' | 'day' | 'week' | 'month';
}
