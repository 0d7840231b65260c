/**
 * Instants (ms UTC) in the time zone of a project. Days have 23, 24 or 25 hours, an hour may come twice or not at all, and
 * in some zones even midnight is skipped: `Temporal` handles all of it.
 */
import { Temporal } from 'temporal-polyfill';
import { invalid } from '../errors.ts';

export type Zoned = Temporal.ZonedDateTime;

export const zoned = (at: number, timezone: string): Zoned =>
  Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timezone);

/** The next change of the zone's clocks after this instant; infinite where there is none. */
export const nextTransition = (at: number, timezone: string): number =>
  zoned(at, timezone).getTimeZoneTransition('next')?.epochMilliseconds ?? Number.POSITIVE_INFINITY;

/** The last change, at or before this instant. */
export const previousTransition = (at: number, timezone: string): number =>
  zoned(at + 1, timezone).getTimeZoneTransition('previous')?.epochMilliseconds ?? Number.NEGATIVE_INFINITY;

/** The range of valid dates in questions. */
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
