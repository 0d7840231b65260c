import type { Clock } from '../lib/clock.ts';
import type { Dialect } from '../stores/events/dialect.ts';
import type { EventStore } from '../stores/events/event-store.ts';
import type { MetadataStore } from '../stores/metadata/metadata-store.ts';

/** What a query needs that reads nothing but events. */
export interface EventStoreDeps {
  events: Pick<EventStore, 'query'>;
  /** The SQL of the engine behind `events`. */
  dialect: Dialect;
}

/** What queries about events and their persons need. */
export interface QueryDeps extends EventStoreDeps {
  metadata: MetadataStore;
  clock: Clock;
  /** Brings the copy of persons beside the events up to date. */
  mirrorPersons(projectId: number): Promise<void>;
}

/** For queries that read the events of everybody and go on with them in this process. */
export interface ScanDeps extends QueryDeps {
  events: Pick<EventStore, 'query' | 'queryColumns'>;
  /** Ends the work that is done here; the store's own statements end by themselves. */
  signal?: AbortSignal | undefined;
}
