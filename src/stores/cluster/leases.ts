/**
 * Divides work among workers. A lease has one holder at a time and expires after a few seconds unless it is renewed. Its
 * token increases with each change of holder, so that writes of an expired holder can be rejected. Expiry uses the
 * database's clock.
 */
export interface Lease {
  name: string;
  token: number;
}

export interface LeaseState extends Lease {
  /** Null if it is free. */
  holder: string | null;
}

export interface LeaseStore {
  /** Sends the worker's heartbeat, renews its leases and reads all of them. */
  renew(node: NodeInfo): Promise<{ leases: LeaseState[]; workers: string[] }>;
  /** Acquires those that are still free and returns them. */
  acquire(node: string, names: readonly string[]): Promise<Lease[]>;
  release(node: string, leases: readonly Lease[]): Promise<void>;
  /** Releases everything; the worker is no longer listed. */
  leave(node: string): Promise<void>;
}

export interface NodeInfo {
  id: string;
  role: 'all' | 'web' | 'worker';
  host: string;
  version: string;
  /** More about the node, small JSON. */
  facts: Readonly<Record<string, unknown>>;
}

export interface NodeStatus extends NodeInfo {
  startedAt: number;
  /** Time since its last heartbeat, ms. */
  silentMs: number;
}
