import { changedSubjects } from '../../core/events/changed-subjects.ts';
import { validateEvents } from '../../core/events/validate-events.ts';
import type { JsonObject } from '../../core/json/json.ts';
import { eachBatch } from '../../lib/in-turns.ts';

/** About a millisecond. */
const BATCH_SIZE = 1000;

/** Refuses what no request may hold, and says whose flags these events may change; many of them a few at a time. */
export async function checkEvents(events: readonly JsonObject[], engage: boolean): Promise<string[]> {
  const subjects: string[][] = [];
  await eachBatch(events, BATCH_SIZE, (some) => {
    validateEvents(some);
    subjects.push(changedSubjects(some, engage));
  });
  return subjects.flat();
}
