import { type Interval, nextIntervalStart, startOfInterval, type WeekStart } from './interval.ts';
import type { Range } from './range.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, WEEK_MS } from './units.ts';
import { nextTransition, zoned } from './zoned.ts';

/** One interval of the time axis: from `start` up to, not including, `end`. */
export interface Tick {
  start: number;
  end: number;
}

/**
 * Every interval that the range touches, in order. The first may begin before the range.
 *
 * Temporal is used around changes of the clocks only: between them hours, days and weeks have one length, and a year of
 * hours would take Temporal seconds.
 */
export function ticksOf(range: Range, interval: Interval, timezone: string, week: WeekStart = 'sunday'): Tick[] {
  const ticks: Tick[] = [];
  if (range.from >= range.until) return ticks;
  let start = startOfInterval(range.from, interval, timezone, week);
  let transition = nextTransition(start, timezone);
  let isRegular = false;
  while (start < range.until) {
    const guess = start + LENGTHS[interval];
    const end: number = isRegular && guess < transition ? guess : nextIntervalStart(start, interval, timezone, week);
    ticks.push({ start, end });
    // An interval that begins with a change of the clocks may have another length.
    isRegular = end !== transition;
    if (end >= transition) transition = nextTransition(end, timezone);
    start = end;
  }
  return ticks;
}

const LENGTHS: Record<Interval, number> = {
  minute: MINUTE_MS,
  hour: HOUR_MS,
  day: DAY_MS,
  week: WEEK_MS,
  month: Number.POSITIVE_INFINITY,
};

/** The index of the tick that holds this instant; -1 where none does. */
export function tickIndex(ticks: readonly Tick[], at: number): number {
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

/** `1-Jan-2020` as label and `2020-01-01` as day; hours with their time of day. */
interface TickName {
  label: string;
  day: string;
}

/** The names of intervals that begin at these times, which have to be in order. */
export function tickNames(starts: readonly number[], interval: Interval, timezone: string): TickName[] {
  let offset = 0;
  let transition = Number.NEGATIVE_INFINITY;
  return starts.map((start) => {
    if (start >= transition) {
      offset = zoned(start, timezone).offsetNanoseconds / 1e6;
      transition = nextTransition(start, timezone);
    }
    return nameOf(new Date(start + offset), interval);
  });
}

/** `wall`: the time that clocks show, as if it were UTC. */
function nameOf(wall: Date, interval: Interval): TickName {
  const [date = '', time = ''] = wall.toISOString().slice(0, 19).split('T');
  const label = `${wall.getUTCDate()}-${MONTHS[wall.getUTCMonth()]}-${wall.getUTCFullYear()}`;
  if (interval !== 'hour' && interval !== 'minute') return { label, day: date };
  return { label: `${label} ${time.slice(0, 5)}`, day: `${date} ${time}` };
}
