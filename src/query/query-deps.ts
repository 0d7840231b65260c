import type { Dialect } from '../stores/events/dialect.ts';
import type { EventStore } from '../stores/events/event-store.ts';

/** What questions about events are asked with. */
export interface QueryDeps {
  events: Pick<EventStore, 'query'>;
  /** The words of the engine behind `events`. */
  dialect: Dialect;
  /** Brings the copy of persons beside the events up to date, before they are asked about. */
  mirrorPersons(projectId: number): Promise<void>;
}
