import { changedSubjects } from '../../core/events/changed-subjects.ts';
import { validateEvents } from '../../core/events/validate-events.ts';
import type { JsonObject } from '../../core/json/json.ts';
import { eachBatch } from '../../lib/in-batches.ts';

/** About a millisecond. */
const BATCH_SIZE = 1000;

/** Throws where an event is invalid for every protocol; returns the subjects whose flags the events may change. */
export async function checkEvents(events: readonly JsonObject[], engage: boolean): Promise<string[]> {
  const subjects: string[][] = [];
  await eachBatch(events, BATCH_SIZE, (batch) => {
    validateEvents(batch);
    subjects.push(changedSubjects(batch, engage));
  });
  return subjects.flat();
}
