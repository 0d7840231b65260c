/** What the main thread and the worker thread ask of each other. */
import type { UsableCopy } from '../features/sql/project-copies.ts';
import type { NameLimits } from '../ingest/process/definition-limits.ts';
import type { ClockMemory } from '../lib/clock.ts';
import type { EventStore } from '../stores/events/event-store.ts';
import type { SnapshotCounts, StoreCheck } from '../stores/folder-snapshots.ts';
import type { LogEntry } from '../stores/ingest/ingest-log.ts';
import type { FeatureWorkerMethods } from './worker-features.ts';

/** What the worker thread of one machine is started with. */
export interface EmbeddedWorkerOptions {
  dataDir: string;
  /** How far the ingest log may be read (see `LogHead`). */
  logHead: SharedArrayBuffer;
  clockMemory: ClockMemory;
  logLevel: string;
  eventsMemoryMb: number;
  deduplicationMemoryMb: number;
  nameLimits: NameLimits;
  /** Of the copy of one project that statements of users read. */
  sqlCopyMaxBytes: number;
  /** Whether a notice may crash it. */
  faults: boolean;
}

/** What the main thread can call. */
export interface WorkerMethods
  extends FeatureWorkerMethods,
    Pick<
      EventStore,
      | 'progress'
      | 'query'
      | 'writeParquet'
      | 'listPromotedProperties'
      | 'deleteBefore'
      | 'addPlaces'
      | 'deleteMirror'
      | 'size'
      | 'close'
    > {
  /** Moves or deletes the events of persons that were merged, split or deleted. */
  reassign(): Promise<void>;
  /** Rewrites the files of the stores, so that nothing deleted is left in them. */
  purge(): Promise<void>;
  /** Brings the event store's copy of the project's persons up to date. */
  mirrorPersons(projectId: number): Promise<void>;
  /** From now on, stored events of these projects are sent to the main thread. */
  watch(projectIds: readonly number[]): Promise<void>;
  /** How long each step of processing has taken since the thread started, in seconds. */
  stepSeconds(): Promise<Record<string, number>>;
}

/** Also available where all stores are in one folder. */
export interface EmbeddedWorkerMethods extends WorkerMethods {
  /** Copies every store into the folder, all at the same state. */
  snapshot(folder: string): Promise<SnapshotCounts>;
  /** Of the entry of the ingest log that has a pending event; null if there is none. */
  findPending(projectId: number, uuid: string): Promise<Pick<LogEntry, 'receivedAt'> | null>;
  /** A copy of the project for statements of users, at most `maxAgeMs` old. */
  sqlCopy(projectId: number, maxAgeMs: number): Promise<UsableCopy>;
  /** Reads every store completely. */
  checkStores(): Promise<StoreCheck[]>;
}
