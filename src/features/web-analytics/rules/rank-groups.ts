/** The rows of a table that are shown, out of many groups. */
import type { TablePage } from './web-question.ts';

export interface RankedGroup {
  group: number;
  visitors: number;
  /** Sessions, or views in the table of pages. */
  rows: number;
}

/**
 * The groups that may be among the first `count` in this order: all that have no fewer visitors or rows than the last of
 * them. Texts decide between equal ones.
 */
export function firstGroups(groups: readonly RankedGroup[], order: TablePage['order'], count: number): RankedGroup[] {
  if (order === 'value' || groups.length <= count) return [...groups];
  const column = order.endsWith('visitors') ? 'visitors' : 'rows';
  const isDescending = order.startsWith('-');
  const sorted = Float64Array.from(groups, (one) => one[column]).sort();
  const limit = (isDescending ? sorted[sorted.length - count] : sorted[count - 1]) ?? 0;
  return groups.filter((one) => (isDescending ? one[column] >= limit : one[column] <= limit));
}

/** In the order that is asked for; equal ones by their text. */
export function compareGroups<T extends RankedGroup & { value: string }>(order: TablePage['order']) {
  const direction = order.startsWith('-') ? -1 : 1;
  const [first, second] = order.endsWith('visitors')
    ? (['visitors', 'rows'] as const)
    : (['rows', 'visitors'] as const);
  return (a: T, b: T): number => {
    if (order === 'value') return compareTexts(a.value, b.value);
    return direction * (a[first] - b[first]) || direction * (a[second] - b[second]) || compareTexts(a.value, b.value);
  };
}

/** In the order of their bytes in UTF-8, as databases do. */
export function compareTexts(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const [x, y] = [a.charCodeAt(at), b.charCodeAt(at)];
    if (x !== y) return placeOf(x) - placeOf(y);
  }
  return a.length - b.length;
}

/** Halves of a pair stand for characters beyond all others. */
const placeOf = (unit: number): number => (unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit);
