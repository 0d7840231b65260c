/** What the main thread may ask of the worker thread. */
import type { EventStore } from './stores/event-store.ts';

export interface WorkerMethods extends Pick<EventStore, 'query' | 'deleteBefore' | 'size' | 'close'> {
  /** From now on, stored events of these projects are shown as they come. */
  watch(projectIds: readonly number[]): Promise<void>;
}

export const eventMethods = (events: EventStore): Pick<WorkerMethods, 'query' | 'deleteBefore' | 'size'> => ({
  query: (sql, values) => events.query(sql, values),
  deleteBefore: (projectId, timestamp) => events.deleteBefore(projectId, timestamp),
  size: () => events.size(),
});
