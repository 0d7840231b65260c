/** What one node asks of the one that has the event store in its care: done once, and the answer told. */
export interface Errand {
  id: number;
  kind: string;
  /** JSON. */
  arguments: string;
}

export interface ErrandStore {
  ask(kind: string, args: readonly unknown[]): Promise<number>;
  /** Undefined while it has not ended; afterwards it is forgotten. */
  outcome(id: number): Promise<{ answer: string | null; failure: string | null } | undefined>;
  /** Those that wait, oldest first. */
  waiting(): Promise<Errand[]>;
  end(id: number, outcome: { answer?: string; failure?: string }): Promise<void>;
}
