import { windowEnds } from '../../../../core/time/window-end.ts';
import type { PathEventType, PathsQuestion } from '../../rules/question.ts';
import { PATH_PAUSE_MS, type PathItem } from './trim-path.ts';

/** Replaces every place that a pattern finds; null where the pattern is invalid. Patterns are users', never `RegExp`s. */
type Replace = (pattern: string, text: string, alias: string) => string | null;

export const PATH_EVENT_TESTS: Record<PathEventType, (event: string) => boolean> = {
  $pageview: (event) => event === '$pageview',
  $screen: (event) => event === '$screen',
  custom_event: (event) => !event.startsWith('$'),
};

/** What an item is called once cleanings, or else groupings, have been applied. */
export function cleanItem({ cleanings, groupings }: PathsQuestion, item: string, replace: Replace): string {
  if (cleanings.length > 0) {
    return cleanings.reduce((path, { pattern, alias }) => replace(pattern, path, alias) ?? path, item);
  }
  return groupings.find((grouping) => matchesGrouping(item, grouping)) ?? item;
}

/** The grouping's literal parts, one after the other, anywhere in the item; `*` is whatever lies between them. */
export function matchesGrouping(item: string, grouping: string): boolean {
  let at = 0;
  for (const part of grouping.split('*')) {
    const found = item.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return true;
}

/** A pause ends a path; on the way through a funnel only the funnel's own window does. */
export function pauseRule({ funnel, timezone }: PathsQuestion): (from: number, to: number) => boolean {
  if (funnel === null) return (from, to) => to - from >= PATH_PAUSE_MS;
  const end = windowEnds(funnel.people.funnel.window, timezone);
  return (from, to) => to >= end(from);
}

/** One person's items in order, cut where there was a pause. */
export function splitAtPauses(
  items: readonly PathItem[],
  isPause: (from: number, to: number) => boolean,
): PathItem[][] {
  const sessions: PathItem[][] = [];
  for (const [index, item] of items.entries()) {
    const before = items[index - 1];
    if (before === undefined || isPause(before.at, item.at)) sessions.push([]);
    sessions.at(-1)?.push(item);
  }
  return sessions;
}
