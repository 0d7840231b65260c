/** The day of a cookieless visitor, in their own time zone, and how long its salt may exist. */
const HOUR_MS = 3_600_000;

/** The earliest zone is 14 hours ahead of UTC, the last 12 behind; two hours to spare for what is sent late. */
const OPENS_BEFORE_MS = 14 * HOUR_MS;
const CLOSES_AFTER_MS = 38 * HOUR_MS;

const MAX_ZONES = 1000;
const formats = new Map<string, Intl.DateTimeFormat | null>();

/** `2026-03-10`: in the first of the zones that exists, else in UTC. */
export function dayIn(time: number, zones: readonly unknown[]): string {
  for (const zone of zones) {
    const format = typeof zone === 'string' && zone !== '' ? formatOf(zone) : null;
    if (format !== null) return format.format(time);
  }
  return new Date(time).toISOString().slice(0, 10);
}

function formatOf(zone: string): Intl.DateTimeFormat | null {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  const format = newFormat(zone);
  // Clients send names: more than there are zones.
  if (formats.size >= MAX_ZONES) formats.clear();
  formats.set(zone, format);
  return format;
}

function newFormat(zone: string): Intl.DateTimeFormat | null {
  try {
    // The Swedish way to write a date is ISO 8601.
    return new Intl.DateTimeFormat('sv', { timeZone: zone });
  } catch {
    return null;
  }
}

/** Whether it is, or nearly is, this day somewhere on earth. */
export function isOpenDay(day: string, now: number): boolean {
  return now >= startOfCookielessDay(day) - OPENS_BEFORE_MS && now < endOfCookielessDay(day);
}

/** When the salt of the day is destroyed. */
export const endOfCookielessDay = (day: string): number => startOfCookielessDay(day) + CLOSES_AFTER_MS;

export const startOfCookielessDay = (day: string): number => Date.parse(`${day}T00:00:00Z`);
