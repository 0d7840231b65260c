import type { NameLimits } from '../../ingest/process/definition-limits.ts';
import type { ClockMemory } from '../../lib/clock.ts';

/** What the worker thread of a node in a cluster is started with. */
export interface ClusterWorkerOptions {
  node: string;
  role: 'all' | 'web' | 'worker';
  databaseUrl: string;
  databasePoolSize: number;
  clickhouseUrl: string;
  clickhouseCluster: string | null;
  clickhouseOptions: Readonly<Record<string, unknown>>;
  partitions: number;
  clockMemory: ClockMemory;
  logLevel: string;
  eventsMemoryMb: number;
  deduplicationMemoryMb: number;
  nameLimits: NameLimits;
  queryTimeoutSeconds: number;
  /** Whether a notice may crash it. */
  faults: boolean;
}
