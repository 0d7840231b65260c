import type { LiveEvent } from '../../api/events.ts';
/** The list of live events. */

export const MAX_SHOWN = 300;

/** Adds newly arrived events, given oldest first, without duplicates. */
export function add(shown: readonly LiveEvent[], arrived: readonly LiveEvent[]): readonly LiveEvent[] {
  const known = new Set(shown.map(({ id }) => id));
  const added = arrived.filter(({ id }) => !known.has(id) && known.add(id)).reverse();
  return added.length === 0 ? shown : [...added, ...shown].slice(0, MAX_SHOWN);
}

/** Merges a list from the server with the streamed events, newest first. */
export function merge(shown: readonly LiveEvent[], listed: readonly LiveEvent[]): readonly LiveEvent[] {
  const known = new Set(listed.map(({ id }) => id));
  const all = [...shown.filter(({ id }) => !known.has(id)), ...listed];
  return all.sort((a, b) => Date.parse(b.timestamp) - Date.parse(a.timestamp)).slice(0, MAX_SHOWN);
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
