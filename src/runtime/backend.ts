/**
 * A set of stores, opened and joined with what carries events from the door to the answer. There are two: the embedded
 * one of a single machine, and the large one on PostgreSQL and ClickHouse. The rest of the house does not ask which.
 */

import type { Registry } from 'prom-client';
import type { Config } from '../config.ts';
import type { EventFiling } from '../features/persons/identity/change-identities.ts';
import type { EventDoor } from '../ingest/accept/event-intake.ts';
import type { ReadYourWrites } from '../ingest/accept/read-your-writes.ts';
import type { Tail } from '../ingest/live/live-event-subscriptions.ts';
import type { FateDeps } from '../ingest/track/event-fate.ts';
import type { IngestCounts } from '../ingest/track/ingest-counts.ts';
import type { ClockMemory } from '../lib/clock.ts';
import type { Logger } from '../lib/log.ts';
import type { FileScan } from '../lib/scan-files.ts';
import type { Dialect } from '../stores/events/dialect.ts';
import type { FolderSnapshots, StoreCheck } from '../stores/folder-snapshots.ts';
import type { IngestStore } from '../stores/ingest/ingest-store.ts';
import type { MetadataStore } from '../stores/metadata/metadata-store.ts';
import type { WorkerMethods } from './worker-protocol.ts';

export interface StoreSet {
  metadata: MetadataStore;
  ingest: IngestStore;
  ingestion: EventDoor;
  /** Lets decisions wait for what was acknowledged. */
  writes: Pick<ReadYourWrites, 'settled' | 'outdated'>;
  tail: Tail;
  /** The words of the engine of events. */
  dialect: Dialect;
  /** What the second thread does. Never keep it: after a fault it is another. Throws while there is none. */
  worker(): WorkerMethods;
  filing: EventFiling;
  findPending: FateDeps['findPending'];
  counts(): Promise<IngestCounts>;
  /** Leaves no byte of what was processed in the log. */
  scrubLog(): Promise<void>;
  /** Looks for texts in every file that this machine keeps. */
  scanFiles(texts: readonly string[]): Promise<FileScan>;
  /** Copies of everything in the data folder; null where the data does not lie in one. */
  snapshots: FolderSnapshots | null;
  /** Reads the stores through, and says of each what is wrong. */
  checkStores(): Promise<StoreCheck[]>;
  /** Rejects while nothing should be sent to this node. */
  isReady(): Promise<void>;
  /** Who else is there, and what they do; null on one machine. */
  describe(): Promise<SetDescription | null>;
  /** Resolves when the second thread has opened its stores. */
  ready: Promise<void>;
  /** From the time when this process is the one that does the chores, and until it no longer is. */
  takeCharge(chores: Charge): void;
  /** There is something to do for whoever does the chores. */
  tellCharge(): void;
  /** Something of the project was changed here, of which other nodes may keep answers. */
  tellChanged(projectId: number): void;
  /** Adds to what Prometheus reads what this set has to tell. */
  report(registry: Registry): void;
  /** Ends the second thread as a fault would. */
  breakWorker(): void;
}

/** As `/_status` shows it. */
export interface SetDescription {
  node: string;
  role: string;
  nodes: { id: string; role: string; host: string; version: string; started_at: string; silent_ms: number }[];
  partitions: { partition: number; worker: string | null; waiting: number }[];
  keeper: string | null;
  blocks_waiting: number;
}

/** What only one process of the whole may do at a time. */
export interface Charge {
  start(): void;
  wake(): void;
  stop(): Promise<void>;
}

/** What a set says to those who remember things. */
export interface SetListeners {
  /** Events were stored, or persons changed, in these projects; those `regrouped` have got a new kind of group. */
  onStored(projects: readonly number[], regrouped: readonly number[]): void;
  /** Nobody knows what has changed. */
  onUnknown(): void;
  /** The definitions of this project, or the project itself, have changed; null: any of them. */
  onRedefined(projectId: number | null): void;
}

/** What was opened, in order; to be closed from the last to the first. */
export type Opened = (() => Promise<void> | void)[];

export interface SetOptions {
  config: Config;
  logger: Logger;
  clockMemory: ClockMemory;
  listeners: SetListeners;
}

/** Longer than this nobody waits for the processing of what was accepted. */
export const CATCH_UP_MS = 20_000;
