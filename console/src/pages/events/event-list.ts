/** The list of events, newest first. */
import type { LiveEvent } from '../../api/events.ts';
import type { DateRangeValue } from '../../components/date-range.tsx';
import { addDays, dayOf, startOfDay } from '../../lib/local-dates.ts';

/** Without older pages: arriving events push the oldest out, so that a list that is left open stays quick. */
export const MAX_LIVE = 300;

/** Adds newly arrived events, given oldest first, without duplicates. Only `MAX_LIVE` stay if `isCut`. */
export function add(shown: readonly LiveEvent[], arrived: readonly LiveEvent[], isCut = true): readonly LiveEvent[] {
  const known = new Set(shown.map(({ id }) => id));
  const added = arrived.filter(({ id }) => !known.has(id) && known.add(id)).reverse();
  if (added.length === 0) return shown;
  return isCut ? [...added, ...shown].slice(0, MAX_LIVE) : [...added, ...shown];
}

/** Merges a list from the server with the streamed events, newest first. */
export function merge(shown: readonly LiveEvent[], listed: readonly LiveEvent[]): readonly LiveEvent[] {
  const known = new Set(listed.map(({ id }) => id));
  const all = [...shown.filter(({ id }) => !known.has(id)), ...listed];
  return all.sort((a, b) => Date.parse(b.timestamp) - Date.parse(a.timestamp));
}

/** The parameters of the page after these events. Those of the same millisecond as the last may be on either page. */
export function olderThan(shown: readonly LiveEvent[]): { before: string; offset: number } | null {
  const last = shown.at(-1);
  if (last === undefined) return null;
  const at = Date.parse(last.timestamp);
  return {
    before: new Date(at + 1).toISOString(),
    offset: shown.filter(({ timestamp }) => Date.parse(timestamp) === at).length,
  };
}

interface Bounds {
  after?: string;
  before?: string;
}

/** The bounds of the API, which are both exclusive. `today` is a date in the project's time zone. */
export function boundsOf({ from, to }: DateRangeValue, today: string, zone: string): Bounds {
  const [first, last] = [dayOf(from, today), to === null ? null : dayOf(to, today)];
  const hours = /^-(\d+h)$/.exec(from)?.[1];
  return {
    ...(first === null ? {} : { after: hours ?? new Date(startOfDay(first, zone) - 1).toISOString() }),
    ...(last === null ? {} : { before: new Date(startOfDay(addDays(last, 1), zone)).toISOString() }),
  };
}

/** The number of arrivals in each of the last seconds, oldest first. */
export function countPerSecond(arrivals: readonly number[], now: number, seconds: number): number[] {
  const counts = Array.from({ length: seconds }, () => 0);
  for (const at of arrivals) {
    const index = seconds - 1 - Math.floor((now - at) / 1000);
    if (index >= 0 && index < seconds) counts[index] = (counts[index] ?? 0) + 1;
  }
  return counts;
}

/** The page or screen of an event, or the library that sent it. */
export function originOf({ properties }: Pick<LiveEvent, 'properties'>): string {
  const from = properties['$current_url'] ?? properties['$screen_name'] ?? properties['$lib'];
  return typeof from === 'string' ? from : '';
}
