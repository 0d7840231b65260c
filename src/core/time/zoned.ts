/**
 * The calendar of a project: instants (ms UTC) seen in its time zone. Days have 23, 24 or 25 hours, an hour of the
 * clock may come twice or not at all, and in some zones midnight itself is missing: `Temporal` knows all of it.
 */
import { Temporal } from 'temporal-polyfill';
import { invalid } from '../errors.ts';

export type Zoned = Temporal.ZonedDateTime;

export const zoned = (at: number, timezone: string): Zoned =>
  Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timezone);

/** When the zone's clocks are next changed after this instant; never, in many zones. */
export const nextTransition = (at: number, timezone: string): number =>
  zoned(at, timezone).getTimeZoneTransition('next')?.epochMilliseconds ?? Number.POSITIVE_INFINITY;

/** When they were last changed, be it at this very instant. */
export const previousTransition = (at: number, timezone: string): number =>
  zoned(at + 1, timezone).getTimeZoneTransition('previous')?.epochMilliseconds ?? Number.NEGATIVE_INFINITY;

/** Times that the calendar can hold, with room to add and subtract; events outside of these years do not exist. */
export const MIN_TIME_MS = Date.UTC(1900, 0, 1);
export const MAX_TIME_MS = Date.UTC(2200, 0, 1);

export function isTimeZone(name: unknown): name is string {
  if (typeof name !== 'string') return false;
  try {
    zoned(0, name);
    return true;
  } catch {
    return false;
  }
}

export function requireTimeZone(name: unknown): string {
  if (isTimeZone(name)) return name;
  throw invalid(
    'timezone',
    `${JSON.stringify(name) ?? 'nothing'} is not a time zone: use a name like "Europe/Berlin".`,
  );
}
