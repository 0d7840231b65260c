import type { LiveEvent } from '../../api/events.ts';
/** The list of events on the live page, without a browser: what comes is put on top, nothing stands there twice. */

/** More than anybody looks through; the rest is found by filters. */
export const MOST_SHOWN = 300;

/** Newly arrived ones, oldest first, on top of those that are shown. */
export function add(shown: readonly LiveEvent[], come: readonly LiveEvent[]): readonly LiveEvent[] {
  const known = new Set(shown.map(({ id }) => id));
  const fresh = come.filter(({ id }) => !known.has(id) && known.add(id)).reverse();
  return fresh.length === 0 ? shown : [...fresh, ...shown].slice(0, MOST_SHOWN);
}

/** A list from the server, newest first by their own time, together with what the stream has brought meanwhile. */
export function merge(shown: readonly LiveEvent[], listed: readonly LiveEvent[]): readonly LiveEvent[] {
  const known = new Set(listed.map(({ id }) => id));
  const all = [...shown.filter(({ id }) => !known.has(id)), ...listed];
  return all.sort((a, b) => Date.parse(b.timestamp) - Date.parse(a.timestamp)).slice(0, MOST_SHOWN);
}

/** How many of the moments lie in each of the last `seconds` seconds, oldest first. */
export function countPerSecond(moments: readonly number[], now: number, seconds: number): number[] {
  const counts = Array.from({ length: seconds }, () => 0);
  for (const at of moments) {
    const index = seconds - 1 - Math.floor((now - at) / 1000);
    if (index >= 0 && index < seconds) counts[index] = (counts[index] ?? 0) + 1;
  }
  return counts;
}

/** Where an event happened, in a few letters: the page or screen, else which library sent it. */
export function originOf({ properties }: Pick<LiveEvent, 'properties'>): string {
  const from = properties['$current_url'] ?? properties['$screen_name'] ?? properties['$lib'];
  return typeof from === 'string' ? from : '';
}
