/** How leases are shared out among workers: each has about as many of the log's partitions as any other. */
import type { LeaseState } from '../../stores/cluster/leases.ts';

export interface LeasePlan {
  take: string[];
  give: string[];
}

const PARTITION = 'log:';

export const partitionLease = (partition: number): string => `${PARTITION}${partition}`;
export const partitionOf = (lease: string): number | null =>
  lease.startsWith(PARTITION) ? Number(lease.slice(PARTITION.length)) : null;

/** The lease of whoever ships events and does the chores. */
export const CHORES = 'chores';

export function planLeases(leases: readonly LeaseState[], me: string, workers: readonly string[]): LeasePlan {
  const partitions = leases.filter(({ name }) => partitionOf(name) !== null);
  const share = Math.ceil(partitions.length / Math.max(1, new Set([...workers, me]).size));
  const mine = partitions.filter(({ holder }) => holder === me);
  const free = leases.filter(({ holder }) => holder === null).map(({ name }) => name);
  const freePartitions = free.filter((name) => partitionOf(name) !== null);
  return {
    take: [
      ...free.filter((name) => partitionOf(name) === null),
      ...freePartitions.slice(0, Math.max(0, share - mine.length)),
    ],
    give: mine.slice(share).map(({ name }) => name),
  };
}
