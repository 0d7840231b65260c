import type { ClockMemory } from '../../lib/clock.ts';

/** What the second thread of a node among many is started with. */
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
  queryTimeoutSeconds: number;
  /** Whether it may be told to die. */
  faults: boolean;
}
