/** When a recurring change is due, by the clocks of its time zone. */
import { Cron } from 'croner';
import { zoned } from '../../../core/time/zoned.ts';

export const RECURRENCE_INTERVALS = ['daily', 'weekly', 'monthly', 'yearly'] as const;
export type RecurrenceInterval = (typeof RECURRENCE_INTERVALS)[number];

interface Recurrence {
  interval: RecurrenceInterval | null;
  /** Five fields. */
  cron: string | null;
  timezone: string;
}

const UNITS = { daily: 'days', weekly: 'weeks', monthly: 'months', yearly: 'years' } as const;

/**
 * The first time after `after` that the change is due; null if it never is again. Intervals count from `first`, so a change
 * of the 31st comes on the last day of shorter months and on the 31st again later. A time that a day does not have, as
 * clocks go forward, is the next that it has; one that it has twice is the first of them.
 */
export function nextTime(first: number, after: number, { interval, cron, timezone }: Recurrence): number | null {
  if (cron !== null) return nextCronTime(cron, after, timezone);
  if (interval === null) return null;
  const start = zoned(first, timezone);
  const unit = UNITS[interval];
  const passed = after < first ? 0 : zoned(after, timezone).since(start, { largestUnit: unit })[unit];
  for (let count = passed; ; count++) {
    const at = start.add({ [unit]: count }).epochMilliseconds;
    if (at > after) return at;
  }
}

const FIELDS = 5;
/** A date such as February 30 never comes. */
const HORIZON_MS = 5 * 366 * 86_400_000;

/** Undefined if it is no cron expression of five fields, or never due. */
export function readCron(text: string, now: number, timezone: string): string | undefined {
  const fields = text.trim().split(/\s+/);
  if (fields.length !== FIELDS) return undefined;
  const cron = fields.join(' ');
  try {
    return nextCronTime(cron, now, timezone) === null ? undefined : cron;
  } catch {
    return undefined;
  }
}

function nextCronTime(cron: string, after: number, timezone: string): number | null {
  const next = new Cron(cron, { timezone, paused: true, mode: '5-part' }).nextRun(new Date(after))?.getTime();
  return next === undefined || next > after + HORIZON_MS ? null : next;
}
