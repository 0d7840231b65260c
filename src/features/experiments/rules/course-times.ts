import type { Range } from '../../../core/time/range.ts';
import { ticksOf } from '../../../core/time/ticks.ts';

/** More would take long, and nobody could tell them apart. */
const MAX_POINTS = 45;

/** The ends of the days of a range, the last being the end of the range; of long ranges some of the days. */
export function courseTimes(range: Range, timezone: string): number[] {
  const ends = ticksOf(range, 'day', timezone).map(({ end }) => Math.min(end, range.until));
  const step = Math.max(1, Math.ceil(ends.length / MAX_POINTS));
  return ends.filter((_, at) => (ends.length - 1 - at) % step === 0);
}
