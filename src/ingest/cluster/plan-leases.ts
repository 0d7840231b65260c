/** How leases are distributed: every worker gets about the same number of partitions. */
import type { LeaseState } from '../../stores/cluster/leases.ts';

interface LeasePlan {
  acquire: string[];
  release: string[];
}

const PARTITION_PREFIX = 'log:';

export const partitionLease = (partition: number): string => `${PARTITION_PREFIX}${partition}`;
export const partitionOf = (lease: string): number | null =>
  lease.startsWith(PARTITION_PREFIX) ? Number(lease.slice(PARTITION_PREFIX.length)) : null;

/** Held by the worker that owns the event store and runs the leader tasks. */
export const LEADER_LEASE = 'chores';

export function planLeases(leases: readonly LeaseState[], me: string, workers: readonly string[]): LeasePlan {
  const partitions = leases.filter(({ name }) => partitionOf(name) !== null);
  const share = Math.ceil(partitions.length / Math.max(1, new Set([...workers, me]).size));
  const mine = partitions.filter(({ holder }) => holder === me);
  const free = leases.filter(({ holder }) => holder === null).map(({ name }) => name);
  const freePartitions = free.filter((name) => partitionOf(name) !== null);
  return {
    acquire: [
      ...free.filter((name) => partitionOf(name) === null),
      ...freePartitions.slice(0, Math.max(0, share - mine.length)),
    ],
    release: mine.slice(share).map(({ name }) => name),
  };
}
