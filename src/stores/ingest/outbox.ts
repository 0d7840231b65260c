/**
 * Messages that wait for a project's webhook: written by the processor in the transaction of the events that they tell
 * of (`ingest-store.ts`), read and removed by the sender. There is one for each name of events, however many events of
 * it wait, so a webhook that is away never makes the outbox grow.
 */
export interface OutboxMessage {
  event: string;
  /** How many events of this name wait to be told. */
  count: number;
  /** Whose the latest of them was. */
  personUuid: string;
  /** When the latest of them happened. */
  happenedAt: number;
  /** Since when the oldest of them waits. */
  waitingSince: number;
}

export interface OutboxStore {
  /** Projects for which something waits. */
  listProjects(): Promise<number[]>;
  /** What waits for a project's webhook, that which has waited longest first. */
  listByProject(projectId: number): Promise<OutboxMessage[]>;
  /** These have been told; what has come since they were read waits on, from `now`. */
  markSent(projectId: number, told: readonly OutboxMessage[], now: number): Promise<void>;
  /** Nobody wants to hear of this any more: of one name, or of the whole project. */
  delete(projectId: number, event?: string): Promise<void>;
}
