/** What the main thread and the worker thread say to each other. */
import type { ClockMemory } from '../lib/clock.ts';
import type { EventStore } from '../stores/event-store.ts';

/** What the worker thread is started with. */
export interface WorkerOptions {
  dataDir: string;
  clockMemory: ClockMemory;
  logLevel: string;
  eventsMemoryMb: number;
  /** Whether it may be told to die. */
  faults: boolean;
}

/** What the main thread may ask of it. */
export interface WorkerMethods extends Pick<EventStore, 'query' | 'deleteBefore' | 'size' | 'close'> {
  /** From now on, stored events of these projects are shown as they come. */
  watch(projectIds: readonly number[]): Promise<void>;
  /** Finds the members of a cohort anew. */
  calculateCohort(projectId: number, cohortId: number): Promise<void>;
}
