/** Publishes events as they are stored, for the live stream. Costs nothing while nobody watches. */
import type { StoredEvent } from '../../stores/events/event-store.ts';

export type LiveEvent = Pick<
  StoredEvent,
  'projectId' | 'uuid' | 'event' | 'distinctId' | 'personId' | 'timestamp' | 'properties'
>;

/** Nobody reads faster than this; the rest of a chunk is skipped and can be found in the list. */
const MAX_EVENTS_PER_CHUNK = 200;

export class LiveEventPublisher {
  readonly #send: (events: LiveEvent[]) => void;
  #watched: ReadonlySet<number> = new Set();

  constructor(send: (events: LiveEvent[]) => void) {
    this.#send = send;
  }

  watch(projectIds: readonly number[]): void {
    this.#watched = new Set(projectIds);
  }

  publish(stored: readonly StoredEvent[]): void {
    if (this.#watched.size === 0) return;
    const shown = stored.filter((event) => this.#watched.has(event.projectId)).slice(-MAX_EVENTS_PER_CHUNK);
    if (shown.length > 0) this.#send(shown.map(toLiveEvent));
  }
}

const toLiveEvent = ({
  projectId,
  uuid,
  event,
  distinctId,
  personId,
  timestamp,
  properties,
}: StoredEvent): LiveEvent => ({
  projectId,
  uuid,
  event,
  distinctId,
  personId,
  timestamp,
  properties,
});
