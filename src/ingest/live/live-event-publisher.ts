/** Shows stored events to whoever watches, as they are stored. Costs nothing while nobody does. */
import type { StoredEvent } from '../../stores/events/event-store.ts';

/** An event as a watcher sees it. */
export type TailEvent = Pick<
  StoredEvent,
  'projectId' | 'uuid' | 'event' | 'distinctId' | 'personId' | 'timestamp' | 'properties'
>;

/** A watcher cannot read faster than this; the rest of a chunk is passed over and can be found in the list. */
const SHOWN_PER_CHUNK = 200;

export class LiveTail {
  readonly #show: (events: TailEvent[]) => void;
  #watched: ReadonlySet<number> = new Set();

  constructor(show: (events: TailEvent[]) => void) {
    this.#show = show;
  }

  watch(projectIds: readonly number[]): void {
    this.#watched = new Set(projectIds);
  }

  show(stored: readonly StoredEvent[]): void {
    if (this.#watched.size === 0) return;
    const shown = stored.filter((event) => this.#watched.has(event.projectId)).slice(-SHOWN_PER_CHUNK);
    if (shown.length > 0) this.#show(shown.map(toTailEvent));
  }
}

const toTailEvent = ({
  projectId,
  uuid,
  event,
  distinctId,
  personId,
  timestamp,
  properties,
}: StoredEvent): TailEvent => ({
  projectId,
  uuid,
  event,
  distinctId,
  personId,
  timestamp,
  properties,
});
