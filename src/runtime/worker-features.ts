/** What features do on the worker thread: heavy work. Apart from the manifests, so that the worker loads no routes. */
import { cohortWorkerMethods } from '../features/cohorts/worker-methods.ts';
import { definitionWorkerMethods } from '../features/definitions/worker-methods.ts';
import { experimentWorkerMethods } from '../features/experiments/worker-methods.ts';
import { insightWorkerMethods } from '../features/insights/worker-methods.ts';
import { webWorkerMethods } from '../features/web-analytics/worker-methods.ts';
import { wrapMethods } from '../lib/wrap-methods.ts';
import type { QueryDeps } from '../query/query-deps.ts';
import type { EventChanges } from '../stores/events/event-changes.ts';
import type { EventStore } from '../stores/events/event-store.ts';
import { SequenceThread } from './sequence-thread.ts';

interface WorkerDeps extends QueryDeps {
  events: EventStore;
  /** Where the store can tell what is new. */
  changes?: EventChanges;
}

const featureMethods = (deps: WorkerDeps) => {
  // Ends with the worker thread, if not before.
  const second = new SequenceThread();
  const secondThread = () => second.methods();
  return {
    ...cohortWorkerMethods(deps),
    ...definitionWorkerMethods(deps),
    ...experimentWorkerMethods(deps),
    ...webWorkerMethods({ ...deps, secondThread }),
    ...insightWorkerMethods({ ...deps, secondThread }),
  };
};

export type FeatureWorkerMethods = ReturnType<typeof featureMethods>;

/** Everything that queries events for the main thread. `explain` turns errors of the engine into answers. */
export function queryMethods(deps: WorkerDeps, explain: (error: unknown) => never) {
  const query: EventStore['query'] = (...args) => deps.events.query(...args);
  const explained = <R>(call: () => R): R => Promise.resolve(call()).catch(explain) as R;
  const writeParquet: EventStore['writeParquet'] = (...args) => deps.events.writeParquet(...args);
  return wrapMethods({ ...featureMethods(deps), query, writeParquet }, explained);
}
