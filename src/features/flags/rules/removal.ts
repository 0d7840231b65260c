/** Whether the code that asks for a flag can be removed: by its configuration, its uses, and who still asks. */
import { DAY_MS } from '../../../core/time/units.ts';

/** How often a flag had a value in a minute, hour or day. */
interface CountedUse {
  start: number;
  source: string;
  value: string;
}

interface OnlyValue {
  value: string;
  days: number;
}

export const STALE_AFTER_DAYS = 30;
/** Old versions of an application go on asking for a while. */
const SEEN_WITHIN_DAYS = 7;

/** The value that everybody has had for at least 30 days until now; null if there were several, or none. */
export function onlyValue(uses: readonly CountedUse[], now: number): OnlyValue | null {
  const sorted = uses.toSorted((a, b) => b.start - a.start);
  const [last] = sorted;
  if (last === undefined || last.start < staleBefore(now)) return null;
  const other = sorted.find(({ value }) => value !== last.value);
  const first = sorted.findLast(({ start, value }) => value === last.value && start > (other?.start ?? -1));
  const days = Math.floor((now - (first?.start ?? now)) / DAY_MS);
  return days >= STALE_AFTER_DAYS ? { value: last.value, days } : null;
}

/** When a flag last had a value. */
export interface ValueUse {
  value: string;
  last: number;
  /** The last time at least 30 days ago; null if there was none. */
  lastBefore: number | null;
}

export const staleBefore = (now: number): number => now - STALE_AFTER_DAYS * DAY_MS;

/** Whether there is an `onlyValue`, from less than all uses. A value may be there twice: counted here, and reported. */
export function hasOneValue(uses: readonly ValueUse[], now: number): boolean {
  const newest = Math.max(...uses.map(({ last }) => last));
  const value = uses.find(({ last }) => last === newest)?.value;
  if (value === undefined || newest < staleBefore(now)) return false;
  const own = uses.filter((one) => one.value === value);
  const lastBefore = Math.max(...own.map((one) => one.lastBefore ?? -1));
  return lastBefore >= 0 && uses.every((one) => one.value === value || one.last < lastBefore);
}

/** The SDKs that asked for it in the last days. */
export const seenIn = (uses: readonly CountedUse[], now: number): string[] =>
  [...new Set(uses.filter(({ start }) => start > now - SEEN_WITHIN_DAYS * DAY_MS).map(({ source }) => source))].sort();
