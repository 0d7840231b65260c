/**
 * Who does what among many workers. A lease is had by one worker at a time, for a few seconds unless it is renewed; its
 * token grows with each change of hands, so that a worker who slept through the end of its lease can be told apart.
 * Time is the database's: the clocks of workers do not matter.
 */
export interface Lease {
  name: string;
  token: number;
}

export interface LeaseState extends Lease {
  /** Null where it is free: given up, never taken, or run out. */
  holder: string | null;
}

export interface LeaseStore {
  /** Says that this worker lives, renews what it has, and looks at everything. */
  renew(node: NodeInfo): Promise<{ leases: LeaseState[]; workers: string[] }>;
  /** Takes those that are still free; says which, with their tokens. */
  acquire(node: string, names: readonly string[]): Promise<Lease[]>;
  release(node: string, leases: readonly Lease[]): Promise<void>;
  /** Gives everything, and is no longer counted among the workers. */
  leave(node: string): Promise<void>;
}

export interface NodeInfo {
  id: string;
  role: 'all' | 'web' | 'worker';
  host: string;
  version: string;
  /** What the node tells of itself, small JSON. */
  facts: Readonly<Record<string, unknown>>;
}

export interface NodeStatus extends NodeInfo {
  startedAt: number;
  /** How long ago it was seen, ms. */
  silentMs: number;
}
