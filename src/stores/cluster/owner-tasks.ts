/** What one node asks of the one that has the event store in its care: done once, and the answer told. */
export interface OwnerTask {
  id: number;
  kind: string;
  /** JSON. */
  arguments: string;
}

export interface OwnerTaskStore {
  create(kind: string, args: readonly unknown[]): Promise<number>;
  /** Undefined while it has not ended; afterwards it is forgotten. */
  takeOutcome(id: number): Promise<{ answer: string | null; failure: string | null } | undefined>;
  /** Those that wait, oldest first. */
  listPending(): Promise<OwnerTask[]>;
  finish(id: number, outcome: { answer?: string; failure?: string }): Promise<void>;
}
