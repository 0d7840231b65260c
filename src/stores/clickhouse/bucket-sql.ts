import type { BucketInterval } from '../events/dialect.ts';

const WIDTHS = { minute: 60_000, hour: 3_600_000, day: 86_400_000, week: 604_800_000 } as const;
/** The first Monday of 1970. */
const MONDAY = 4 * WIDTHS.day;

/** The start of the bucket that contains a time. `zone` is the placeholder of the bound name; null: UTC. */
export function bucketSql(time: string, interval: BucketInterval, zone: string | null): string {
  const local = `fromUnixTimestamp64Milli(${time}, ${zone ?? `'UTC'`})`;
  if (interval === 'minute' || interval === 'hour') {
    // Subtracted from the instant: when clocks go back, two hours have the same local time.
    const shown = zone === null ? time : `(${time} + toInt64(timeZoneOffset(toDateTime(${local}))) * 1000)`;
    return `(${time} - positiveModulo(${shown}, ${WIDTHS[interval]}))`;
  }
  if (zone === null && interval !== 'month') {
    return `(${time} - positiveModulo(${time} - ${interval === 'week' ? MONDAY : 0}, ${WIDTHS[interval]}))`;
  }
  return `(toInt64(toUnixTimestamp(${startOf(interval, local, zone ?? `'UTC'`)})) * 1000)`;
}

function startOf(interval: BucketInterval, local: string, zone: string): string {
  if (interval === 'day') return `toStartOfDay(toDateTime(${local}))`;
  const day = interval === 'week' ? `toMonday(${local})` : `toStartOfMonth(${local})`;
  return `toDateTime(${day}, ${zone})`;
}
