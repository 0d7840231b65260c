/** What is usual for a slot: from the same time of the week, as clocks show it. */
import { WEEK_MS } from '../time/units.ts';
import { indexDaysBefore, type Slot, type SlotHistory } from './slots.ts';

export interface Baseline {
  expected: number;
  spread: number;
}

/** When an alert fired. */
export interface Firing {
  from: number;
  until: number;
}

const SEASONAL_WEEKS = 6;
/** With fewer, the same time of every day is compared. */
const MIN_WEEKS = 3;
/** A day more than the baseline: clocks may have changed. */
export const SEASONAL_MEMORY_MS = SEASONAL_WEEKS * WEEK_MS + WEEK_MS / 7;
/** Makes the median deviation comparable to a standard deviation. */
const MAD_TO_SPREAD = 1.4826;

/** Null before there is a week of data. */
export function expectedAt(
  history: SlotHistory,
  values: readonly number[],
  index: number,
  since: number,
  fired: readonly Firing[],
): Baseline | null {
  const earlier = comparedSlots(history, index, since);
  if (earlier.length === 0) return null;
  const kept = withoutFired(earlier, history.slots, fired).map((one) => values[one] ?? 0);
  const expected = median(kept);
  const deviation = MAD_TO_SPREAD * median(kept.map((value) => Math.abs(value - expected)));
  // Counts scatter by chance, by about their root; near zero one event more or less is chance, too.
  const isCount = kept.every(Number.isInteger);
  const chance = Math.sqrt(Math.max(Math.abs(expected), isCount ? 1 : 0));
  return { expected, spread: Math.max(deviation, chance) };
}

/** The slots that a slot is compared with, the latest first. */
export function comparedSlots(history: SlotHistory, index: number, since: number): number[] {
  const { unit, slots, walls } = history;
  const first = slots.findIndex(({ start }) => start >= since);
  if (first === -1 || first >= index) return [];
  const weeks = ((walls[index] ?? 0) - (walls[first] ?? 0)) / WEEK_MS;
  if (weeks >= MIN_WEEKS) {
    const candidates = Array.from({ length: SEASONAL_WEEKS }, (_, i) => indexDaysBefore(history, index, 7 * (i + 1)));
    return candidates.filter((one): one is number => one !== undefined && one >= first);
  }
  if (weeks < 1 || unit === 'week' || unit === 'month') return [];
  const days = Array.from({ length: Math.floor(weeks * 7) }, (_, i) => indexDaysBefore(history, index, i + 1));
  return days.filter((one): one is number => one !== undefined && one >= first);
}

/** What fired is unusual, so it is left out, the latest first; but at most half, so that a lasting change becomes usual. */
function withoutFired(earlier: readonly number[], slots: readonly Slot[], fired: readonly Firing[]): number[] {
  let left = Math.floor(earlier.length / 2);
  return earlier.filter((index) => {
    const start = slots[index]?.start ?? 0;
    const hasFired = fired.some(({ from, until }) => start >= from && start < until);
    return !hasFired || left-- <= 0;
  });
}

/** Of at least one value. */
function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2;
}
