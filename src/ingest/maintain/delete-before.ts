import { DAY_MS } from '../../core/time/units.ts';
import type { EventStore } from '../../stores/events/event-store.ts';
import type { IngestStore } from '../../stores/ingest/ingest-store.ts';

interface DeleteDeps {
  events: Pick<EventStore, 'deleteBefore'>;
  ingest: Pick<IngestStore, 'forgetBefore'>;
}

/** An event may have happened up to a day after it was processed, by its sender's clock. */
const CLOCK_MARGIN_MS = 2 * DAY_MS;

/**
 * Deletes a project's events from before `timestamp`, and then forgets their ids: if such an event is sent again, it is
 * deleted again. Returns the number of events.
 */
export async function deleteBefore(
  { events, ingest }: DeleteDeps,
  projectId: number,
  timestamp: number,
): Promise<number> {
  const deleted = await events.deleteBefore(projectId, timestamp);
  await ingest.forgetBefore(projectId, timestamp - CLOCK_MARGIN_MS);
  return deleted;
}
