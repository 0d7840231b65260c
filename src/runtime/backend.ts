/**
 * A set of stores, opened and joined with what carries events from the door to the answer. There are two: the embedded
 * one of a single machine, and the large one on PostgreSQL and ClickHouse. The rest of the house does not ask which.
 */

import type { Registry } from 'prom-client';
import type { Config } from '../config.ts';
import type { EventReassigner } from '../features/persons/identity/change-identities.ts';
import type { EventIntake } from '../ingest/accept/event-intake.ts';
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
  /** Lets decisions wait for what was acknowledged. */
  writes: Pick<ReadYourWrites, 'settled' | 'outdated'>;
  liveEvents: LiveEventSubscriptions;
  /** The words of the engine of events. */
  dialect: Dialect;
  /** What the second thread does. Never keep it: after a fault it is another. Throws while there is none. */
  worker(): WorkerMethods;
  reassigner: EventReassigner;
  findPending: FateDeps['findPending'];
  counts(): Promise<IngestCounts>;
  /** Leaves no byte of what was processed in the log. */
  purgeLog(): Promise<void>;
  /** Looks for texts in every file that this machine keeps. */
  scanFiles(texts: readonly string[]): Promise<FileScan>;
  /** Copies of everything in the data folder; null where the data does not lie in one. */
  snapshots: FolderSnapshots | null;
  /** Reads the stores through, and says of each what is wrong. */
  checkStores(): Promise<StoreCheck[]>;
  /** Rejects while nothing should be sent to this node. */
  isReady(): Promise<void>;
  /** Who else is there, and what they do; null on one machine. */
  describeCluster(): Promise<ClusterDescription | null>;
  /** Resolves when the second thread has opened its stores. */
  ready: Promise<void>;
  /** From the time when this process is the one that does the chores, and until it no longer is. */
  runWhileLeader(tasks: Required<LeaderTask>): void;
  /** There is something to do for whoever does the chores. */
  wakeLeader(): void;
  /** Something of the project was changed here, of which other nodes may keep answers. */
  broadcastChange(projectId: number): void;
  /** Adds to what Prometheus reads what this set has to tell. */
  reportMetrics(registry: Registry): void;
  /** Ends the second thread as a fault would. */
  crashWorker(): void;
}

/** As `/_status` shows it. */
export interface ClusterDescription {
  node: string;
  role: string;
  nodes: { id: string; role: string; host: string; version: string; started_at: string; silent_ms: number }[];
  partitions: { partition: number; worker: string | null; waiting: number }[];
  keeper: string | null;
  blocks_waiting: number;
}

/** What a set says to those who remember things. */
export interface BackendListeners {
  /** Events were stored, or persons changed, in these projects; those `regrouped` have got a new kind of group. */
  onStored(projects: readonly number[], regrouped: readonly number[]): void;
  /** Nobody knows what has changed. */
  onUnknownChange(): void;
  /** The definitions of this project, or the project itself, have changed; null: any of them. */
  onDefinitionsChanged(projectId: number | null): void;
}

export interface BackendOptions {
  config: Config;
  logger: Logger;
  clockMemory: ClockMemory;
  listeners: BackendListeners;
  tables: FeatureTables;
}

/** Longer than this nobody waits for the processing of what was accepted. */
export const MAX_PROCESSING_WAIT_MS = 20_000;
