/** A task for the node that owns the event store: done once, and its result returned. */
export interface OwnerTask {
  id: number;
  kind: string;
  /** JSON. */
  arguments: string;
}

export interface OwnerTaskStore {
  create(kind: string, args: readonly unknown[]): Promise<number>;
  /** Undefined until it has finished. Reading the outcome deletes it. */
  takeOutcome(id: number): Promise<{ answer: string | null; failure: string | null } | undefined>;
  /** Oldest first. */
  listPending(): Promise<OwnerTask[]>;
  finish(id: number, outcome: { answer?: string; failure?: string }): Promise<void>;
}
