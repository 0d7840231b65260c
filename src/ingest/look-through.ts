import { changedSubjects } from '../core/events/changed-subjects.ts';
import type { JsonObject } from '../core/events/json.ts';
import { validateEvents } from '../core/events/validate-events.ts';
import { inTurns } from '../lib/pauses.ts';

/** About a millisecond. */
const AT_ONCE = 1000;

/** Refuses what no request may hold, and says whose flags these events may change; many of them a few at a time. */
export async function lookThrough(events: readonly JsonObject[], engage: boolean): Promise<string[]> {
  if (events.length <= AT_ONCE) return look(events, engage);
  const subjects: string[][] = [];
  await inTurns(events.length, AT_ONCE, (from, to) => {
    subjects.push(look(events.slice(from, to), engage));
  });
  return subjects.flat();
}

function look(events: readonly JsonObject[], engage: boolean): string[] {
  validateEvents(events);
  return changedSubjects(events, engage);
}
