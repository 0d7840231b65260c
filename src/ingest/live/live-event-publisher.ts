/** Shows stored events to whoever watches, as they are stored. Costs nothing while nobody does. */
import type { StoredEvent } from '../../stores/events/event-store.ts';

/** An event as a watcher sees it. */
export type LiveEvent = Pick<
  StoredEvent,
  'projectId' | 'uuid' | 'event' | 'distinctId' | 'personId' | 'timestamp' | 'properties'
>;

/** A watcher cannot read faster than this; the rest of a chunk is passed over and can be found in the list. */
const MAX_EVENTS_PER_CHUNK = 200;

export class LiveEventPublisher {
  readonly #show: (events: LiveEvent[]) => void;
  #watched: ReadonlySet<number> = new Set();

  constructor(show: (events: LiveEvent[]) => void) {
    this.#show = show;
  }

  watch(projectIds: readonly number[]): void {
    this.#watched = new Set(projectIds);
  }

  publish(stored: readonly StoredEvent[]): void {
    if (this.#watched.size === 0) return;
    const shown = stored.filter((event) => this.#watched.has(event.projectId)).slice(-MAX_EVENTS_PER_CHUNK);
    if (shown.length > 0) this.#show(shown.map(toLiveEvent));
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
