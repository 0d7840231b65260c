import { floorTo, type Interval, nextStart, type WeekStart } from './interval.ts';
import type { Range } from './range.ts';
import { zoned } from './zoned.ts';

/** One interval of the time axis: from `start` up to, not including, `end`. */
export interface Tick {
  start: number;
  end: number;
}

/** Every interval that the range touches, in order, empty ones included. The first may begin before the range. */
export function ticksOf(range: Range, interval: Interval, timezone: string, week: WeekStart = 'sunday'): Tick[] {
  const ticks: Tick[] = [];
  let start = floorTo(range.from, interval, timezone, week);
  while (start < range.until) {
    const end = nextStart(start, interval, timezone, week);
    ticks.push({ start, end });
    start = end;
  }
  return ticks;
}

/** The index of the tick that holds this instant; -1 where none does. */
export function tickAt(ticks: readonly Tick[], at: number): number {
  let low = 0;
  let high = ticks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ticks[middle] as Tick).start <= at) low = middle + 1;
    else high = middle;
  }
  const found = ticks[low - 1];
  return found !== undefined && at < found.end ? low - 1 : -1;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;
const two = (number: number): string => String(number).padStart(2, '0');

/** `1-Jan-2020`, with the time of day where intervals are hours. */
export function tickLabel(at: number, interval: Interval, timezone: string): string {
  const { day, month, year, hour, minute } = zoned(at, timezone);
  const date = `${day}-${MONTHS[month - 1]}-${year}`;
  return interval === 'hour' ? `${date} ${two(hour)}:${two(minute)}` : date;
}

/** `2020-01-01`, with the time of day where intervals are hours. */
export function tickDay(at: number, interval: Interval, timezone: string): string {
  const { day, month, year, hour, minute, second } = zoned(at, timezone);
  const date = `${year}-${two(month)}-${two(day)}`;
  return interval === 'hour' ? `${date} ${two(hour)}:${two(minute)}:${two(second)}` : date;
}
