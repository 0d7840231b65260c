/** When a run begins and ends: whole intervals of UTC, weeks from Monday. */
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../core/time/units.ts';

export const EXPORT_INTERVALS = ['every 5 minutes', 'hour', 'day', 'week'] as const;
export type ExportInterval = (typeof EXPORT_INTERVALS)[number];

const LENGTHS_MS: Readonly<Record<ExportInterval, number>> = {
  'every 5 minutes': 5 * MINUTE_MS,
  hour: HOUR_MS,
  day: DAY_MS,
  week: 7 * DAY_MS,
};

/** The first Monday of Unix time; a multiple of everything shorter. */
const FIRST_MONDAY = Date.UTC(1970, 0, 5);

/** The start of the interval that contains `time`. */
export function intervalStart(interval: ExportInterval, time: number): number {
  const length = LENGTHS_MS[interval];
  return Math.floor((time - FIRST_MONDAY) / length) * length + FIRST_MONDAY;
}

/** The end of the run that begins at `start`, which is a shorter one where the interval was changed. */
export const intervalEnd = (interval: ExportInterval, start: number): number =>
  intervalStart(interval, start) + LENGTHS_MS[interval];

/** How many runs a range takes. */
export const countIntervals = (interval: ExportInterval, from: number, until: number): number =>
  Math.ceil((until - intervalStart(interval, from)) / LENGTHS_MS[interval]);
