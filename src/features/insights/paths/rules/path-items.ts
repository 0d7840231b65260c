import { MINUTE_MS } from '../../../../core/time/units.ts';
import { windowEnds } from '../../../../core/time/window-end.ts';
import type { PathsQuestion } from '../../rules/question.ts';

/** An item of a path, with the time of its last repetition. */
export interface PathItem {
  item: string;
  at: number;
}

/** Replaces all matches; null where the pattern is invalid. Patterns come from users, so they are never a `RegExp`. */
type Replace = (pattern: string, text: string, alias: string) => string | null;

/** Applies the cleaning rules or, without any, the groupings. */
export function cleanItem({ cleanings, groupings }: PathsQuestion, item: string, replace: Replace): string {
  if (cleanings.length > 0) {
    return cleanings.reduce((path, { pattern, alias }) => replace(pattern, path, alias) ?? path, item);
  }
  return groupings.find((grouping) => matchesGrouping(item, grouping)) ?? item;
}

/** The literal parts of the grouping, in order, anywhere in the item; `*` matches anything between them. */
export function matchesGrouping(item: string, grouping: string): boolean {
  let at = 0;
  for (const part of grouping.split('*')) {
    const found = item.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return true;
}

/** A pause this long ends a path. */
const PATH_PAUSE_MS = 30 * MINUTE_MS;

/** Whether the time between two events ends a path; in a funnel only its conversion window does. */
export function pauseRule({ funnel, timezone }: PathsQuestion): (from: number, to: number) => boolean {
  if (funnel === null) return (from, to) => to - from >= PATH_PAUSE_MS;
  const end = windowEnds(funnel.people.funnel.window, timezone);
  return (from, to) => to >= end(from);
}

/** Replaces the middle of a path that is too long. */
const ELLIPSIS = '...';

type TrimOptions = Pick<PathsQuestion, 'start' | 'end' | 'stepLimit'>;

/** The part of a path that is shown; null where it misses the start or end point. */
export function trimPath(items: readonly PathItem[], { start, end, stepLimit }: TrimOptions): PathItem[] | null {
  const from = start === null ? 0 : items.findIndex(({ item }) => item === start);
  if (from < 0) return null;
  const rest = items.slice(from);
  if (end === null) return rest.slice(0, stepLimit);
  const to = rest.findIndex(({ item }) => item === end);
  if (to < 0) return null;
  const path = rest.slice(0, to + 1);
  if (path.length <= stepLimit) return path;
  return start === null ? path.slice(-stepLimit) : shortenMiddle(path, stepLimit);
}

function shortenMiddle(items: readonly PathItem[], stepLimit: number): PathItem[] {
  const half = Math.floor(stepLimit / 2);
  const last = items.slice(items.length - half);
  const middle = items[items.length - half - 1] as PathItem;
  return [...items.slice(0, half), { item: ELLIPSIS, at: middle.at }, ...last];
}
