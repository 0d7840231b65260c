/**
 * Which events of a chunk wait for which destination. Only their ids, in the order of processing, and in the chunk's
 * transaction: so exactly the events that are stored are sent, and a receiver that is down costs no more than that.
 * Filters are applied when events are sent. Projects without destinations cost nothing.
 */
import type { StoredEvent } from '../../stores/events/event-store.ts';
import type { EventDestination, IngestTransaction, QueuedEvents } from '../../stores/ingest/ingest-store.ts';
import type { RequestContext } from '../accept/request-context.ts';
import type { Projects } from './normalise-entries.ts';

/** In one row of the queue, which is sent and deleted as one. */
const MAX_ROW_EVENTS = 200;

export class DestinationRecorder {
  readonly #now: number;
  #destinations: readonly EventDestination[] = [];
  readonly #events = new Map<number, StoredEvent[]>();

  constructor(now: number) {
    this.#now = now;
  }

  async load(store: IngestTransaction, projects: Projects): Promise<void> {
    this.#destinations = await store.listDestinations([...projects.keys()]);
    for (const { projectId } of this.#destinations) this.#events.set(projectId, []);
  }

  /** Historical events are not sent. */
  record(event: StoredEvent, { historical }: RequestContext): void {
    if (this.#destinations.length > 0 && !historical) this.#events.get(event.projectId)?.push(event);
  }

  queued(): QueuedEvents[] {
    return this.#destinations.flatMap(({ id, projectId }) =>
      rowsOf(this.#events.get(projectId) ?? []).map((events) => ({
        projectId,
        destinationId: id,
        uuids: events.map(({ uuid }) => uuid),
        firstTimestamp: Math.min(...events.map(({ timestamp }) => timestamp)),
        lastTimestamp: Math.max(...events.map(({ timestamp }) => timestamp)),
        receivedAt: Math.max(...events.map(({ createdAt }) => createdAt)),
        waitingSince: this.#now,
      })),
    );
  }
}

const rowsOf = (events: readonly StoredEvent[]): StoredEvent[][] =>
  Array.from({ length: Math.ceil(events.length / MAX_ROW_EVENTS) }, (_, i) =>
    events.slice(i * MAX_ROW_EVENTS, (i + 1) * MAX_ROW_EVENTS),
  );
