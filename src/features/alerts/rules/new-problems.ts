/** Which problems are new: of this name there was none for a while. */
import { DAY_MS } from '../../../core/time/units.ts';

/** When a problem was seen within one day. */
export interface SeenDay {
  name: string;
  first: number;
  last: number;
}

export interface Problem {
  at: number;
  text: string;
}

/** After so long without it, a problem is new again. */
export const UNSEEN_MS = 14 * DAY_MS;

/** From `from` on; the days before it say what is known. */
export function newProblems(days: readonly SeenDay[], from: number): { at: number; name: string }[] {
  const lastSeen = new Map<string, number>();
  const found: { at: number; name: string }[] = [];
  for (const { name, first, last } of [...days].sort((a, b) => a.first - b.first)) {
    const before = lastSeen.get(name);
    const isNew = before === undefined || first - before >= UNSEEN_MS;
    if (isNew && first >= from) found.push({ at: first, name });
    lastSeen.set(name, Math.max(last, before ?? last));
  }
  return found;
}

const MAX_NOTES = 10;

/** For a message, which is read by people. */
export const problemNotes = (problems: readonly Problem[]): string[] => [
  ...problems.slice(0, MAX_NOTES).map(({ text }) => text),
  ...(problems.length > MAX_NOTES ? [`and ${problems.length - MAX_NOTES} more`] : []),
];
