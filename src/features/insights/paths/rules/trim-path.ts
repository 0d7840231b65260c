import { MINUTE_MS } from '../../../../core/time/units.ts';

/** A path's items in order, each with the time of its last repetition. */
export interface PathItem {
  item: string;
  at: number;
}

interface TrimOptions {
  start: string | null;
  end: string | null;
  stepLimit: number;
}

/** A pause this long ends a path. */
export const PATH_PAUSE_MS = 30 * MINUTE_MS;

/** What stands for the middle of a path that is too long to be shown whole. */
const ELLIPSIS = '...';

/** Directly repeated items are one, at the time of the last. */
export function mergeRepeats(items: readonly PathItem[]): PathItem[] {
  return items.filter(({ item }, at) => items[at + 1]?.item !== item);
}

/** The part of a path that a question asks for; null where a point that it has to touch is missing. */
export function trimPath(items: readonly PathItem[], { start, end, stepLimit }: TrimOptions): PathItem[] | null {
  const from = start === null ? 0 : items.findIndex(({ item }) => item === start);
  if (from < 0) return null;
  const begun = items.slice(from);
  if (end === null) return begun.slice(0, stepLimit);
  const to = begun.findIndex(({ item }) => item === end);
  if (to < 0) return null;
  const whole = begun.slice(0, to + 1);
  if (whole.length <= stepLimit) return whole;
  return start === null ? whole.slice(-stepLimit) : shortenMiddle(whole, stepLimit);
}

function shortenMiddle(items: readonly PathItem[], stepLimit: number): PathItem[] {
  const half = Math.floor(stepLimit / 2);
  const last = items.slice(items.length - half);
  const middle = items[items.length - half - 1] as PathItem;
  return [...items.slice(0, half), { item: ELLIPSIS, at: middle.at }, ...last];
}
