/**
 * The stores, and what processes events into them. There are two backends: one machine with a data folder, and a cluster
 * on PostgreSQL and ClickHouse. The rest of the server does not know which one it uses.
 */

import type { Registry } from 'prom-client';
import type { Config } from '../config.ts';
import type { EventReassigner } from '../features/persons/identity/change-identities.ts';
import type { ClickHouseSql } from '../features/sql/clickhouse-engine.ts';
import type { UsableCopy } from '../features/sql/project-copies.ts';
import type { EventIntake } from '../ingest/accept/event-intake.ts';
import type { ProcessingOutage } from '../ingest/accept/processed-notice.ts';
import type { ReadYourWrites } from '../ingest/accept/read-your-writes.ts';
import type { LiveEventSubscriptions } from '../ingest/live/live-event-subscriptions.ts';
import type { FateDeps } from '../ingest/track/event-fate.ts';
import type { IngestCounts } from '../ingest/track/ingest-counts.ts';
import type { ClockMemory } from '../lib/clock.ts';
import type { LeaderTask } from '../lib/leader-task.ts';
import type { Logger } from '../lib/log.ts';
import type { FileScan } from '../lib/scan-files.ts';
import type { Dialect } from '../stores/events/dialect.ts';
import type { FolderSnapshots, StoreCheck } from '../stores/folder-snapshots.ts';
import type { IngestStore } from '../stores/ingest/ingest-store.ts';
import type { MetadataStore } from '../stores/metadata/metadata-store.ts';
import type { FeatureTables } from '../stores/sql/feature-tables.ts';
import type { WorkerMethods } from './worker-protocol.ts';

export interface Backend {
  metadata: MetadataStore;
  ingest: IngestStore;
  ingestion: EventIntake;
  /** Lets flag decisions wait for events that were acknowledged. */
  writes: Pick<ReadYourWrites, 'settled' | 'outdated'>;
  liveEvents: LiveEventSubscriptions;
  /** The SQL of the event store. */
  dialect: Dialect;
  /** Methods of the worker thread. Do not keep them: a restart replaces them. Throws while there is no thread. */
  worker(): WorkerMethods;
  /** What statements of users read; null where they cannot be run. */
  sql: { copy(projectId: number, maxAgeMs: number): Promise<UsableCopy> } | ClickHouseSql | null;
  reassigner: EventReassigner;
  findPending: FateDeps['findPending'];
  counts(): Promise<IngestCounts>;
  /** Removes everything that was processed from the files of the log. */
  purgeLog(): Promise<void>;
  /** Searches all files of the data folder. */
  scanFiles(texts: readonly string[]): Promise<FileScan>;
  /** Null if the data is not in a folder. */
  snapshots: FolderSnapshots | null;
  /** Reads every store completely, and reports what is wrong. */
  checkStores(): Promise<StoreCheck[]>;
  /** Rejects while this node should get no requests. */
  isReady(): Promise<void>;
  /** Why events cannot be accepted at the moment; null if they can. */
  captureRefusal(): Promise<string | null>;
  /** What processing waits for; null if it goes on, and in a cluster, where others may process. */
  processingOutage(): ProcessingOutage | null;
  /** Null on one machine. */
  describeCluster(): Promise<ClusterDescription | null>;
  /** Resolves when the worker thread has opened its stores. */
  ready: Promise<void>;
  /** Why that takes long; null if it does not. Requests are taken meanwhile. */
  slowOpening(): string | null;
  /** Starts the tasks when this process becomes the leader, and stops them when it no longer is. */
  runWhileLeader(tasks: Required<LeaderTask>): void;
  /** Tells the leader, here or on another node, that there may be something to do. */
  wakeLeader(): void;
  /** Other nodes invalidate their cached answers of the project. */
  broadcastChange(projectId: number): void;
  reportMetrics(registry: Registry): void;
  /** Ends the worker thread as a fault would. */
  crashWorker(): void;
}

/** As shown by `/_status`. */
export interface ClusterDescription {
  node: string;
  role: string;
  nodes: { id: string; role: string; host: string; version: string; started_at: string; silent_ms: number }[];
  partitions: { partition: number; worker: string | null; waiting: number }[];
  keeper: string | null;
  blocks_waiting: number;
}

/** Called when something changed that may be cached. */
export interface BackendListeners {
  /** Events were stored, or persons changed, in these projects; those `regrouped` have a new group type. */
  onStored(projects: readonly number[], regrouped: readonly number[]): void;
  /** Anything may have changed. */
  onUnknownChange(): void;
  /** Flags, cohorts or settings of the project have changed; null: of any project. */
  onDefinitionsChanged(projectId: number | null): void;
}

export interface BackendOptions {
  config: Config;
  logger: Logger;
  clockMemory: ClockMemory;
  listeners: BackendListeners;
  tables: FeatureTables;
}

/** How long requests wait until accepted events are processed. */
export const MAX_PROCESSING_WAIT_MS = 20_000;
