/**
 * Pending webhook messages, written by the processor in the transaction of their events (`ingest-store.ts`). There is one
 * for each event name, however many events are pending, so the outbox does not grow while a webhook is down.
 */
export interface OutboxMessage {
  event: string;
  /** Number of pending events of this name. */
  count: number;
  /** The person of the latest one. */
  personUuid: string;
  /** When the latest one happened. */
  happenedAt: number;
  /** Since when the oldest one is pending. */
  waitingSince: number;
}

export interface OutboxStore {
  /** Projects with pending messages. */
  listProjects(): Promise<number[]>;
  /** Longest pending first. */
  listByProject(projectId: number): Promise<OutboxMessage[]>;
  /** Removes what was sent; events added since stay pending, from `now`. */
  markSent(projectId: number, sent: readonly OutboxMessage[], now: number): Promise<void>;
  /** Discards the messages of one event, or of the whole project. */
  delete(projectId: number, event?: string): Promise<void>;
}
