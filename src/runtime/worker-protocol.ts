/** What the main thread and the worker thread say to each other. */
import type { InsightAnswer } from '../features/insights/rules/answers.ts';
import type { InsightQuestion } from '../features/insights/rules/question.ts';
import type { ClockMemory } from '../lib/clock.ts';
import type { EventStore } from '../stores/events/event-store.ts';
import type { SnapshotCounts, StoreCheck } from '../stores/folder-snapshots.ts';
import type { Page } from '../stores/metadata/page.ts';

/** What the worker thread is started with. */
export interface EmbeddedWorkerOptions {
  dataDir: string;
  clockMemory: ClockMemory;
  logLevel: string;
  eventsMemoryMb: number;
  /** Whether it may be told to die. */
  faults: boolean;
}

/** What the main thread may ask of it. */
export interface WorkerMethods
  extends Pick<
    EventStore,
    'position' | 'query' | 'listPromotedProperties' | 'deleteBefore' | 'deleteMirror' | 'size' | 'close'
  > {
  /** Does what the relational shelf has ordered of the event store. */
  reassign(): Promise<void>;
  /** Writes the event store, and then the relational shelf, afresh: see their `scrub`. */
  purge(): Promise<void>;
  /** Brings the event store's copy of the project's persons up to date. */
  mirrorPersons(projectId: number): Promise<void>;
  /** From now on, stored events of these projects are shown as they come. */
  watch(projectIds: readonly number[]): Promise<void>;
  /** Answers an insight; of the persons behind a number only the page. */
  answerQuestion<Q extends InsightQuestion>(
    projectId: number,
    question: Q,
    page: Page,
    signal?: AbortSignal,
  ): Promise<InsightAnswer<Q>>;
  /** How long each step of processing has taken since the thread started, in seconds. */
  stepSeconds(): Promise<Record<string, number>>;
  /** Finds the members of a cohort anew. */
  calculateCohort(projectId: number, cohortId: number): Promise<void>;
}

/** What it does besides where all stores lie in one folder. */
export interface EmbeddedWorkerMethods extends WorkerMethods {
  /** Copies every store into the folder, so that the copies fit together. */
  snapshot(folder: string): Promise<SnapshotCounts>;
  /** Reads every store through. */
  checkStores(): Promise<StoreCheck[]>;
}
