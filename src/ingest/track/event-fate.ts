/** What became of one event: the answer to 'I sent it, where is it?'. */
import type { LogEntry } from '../../stores/ingest/ingest-log.ts';
import type { DeadLetterStore, FateStore } from '../../stores/metadata/event-records.ts';

export interface EventFate {
  uuid: string;
  /** `removed`: it was stored and has been deleted since, by retention or with its person. */
  fate: 'stored' | 'pending' | 'dead_lettered' | 'dropped' | 'removed';
  /** Why it was dropped, or the error of its dead letter. */
  reason: string | null;
  acceptedAt: number;
  /** Known where the event came with a uuid. */
  storedAt: number | null;
  droppedAt: number | null;
  deadLetteredAt: number | null;
  deadLetterId: number | null;
  /** How often it was sent again and skipped. */
  duplicates: number;
}

export interface FateDeps {
  fates: FateStore;
  deadLetters: DeadLetterStore;
  findPending(projectId: number, uuid: string): Promise<Pick<LogEntry, 'receivedAt'> | null>;
  /** When the stored event arrived; null where it is not in the event store. */
  arrivalOf(projectId: number, uuid: string): Promise<number | null>;
}

/**
 * The log is searched first: an event that is processed meanwhile is then found in the stores. A stored event of which
 * a duplicate is pending counts as stored.
 */
export async function fateOfEvent(deps: FateDeps, projectId: number, uuid: string): Promise<EventFate | null> {
  const pending = await deps.findPending(projectId, uuid);
  const seen = await deps.fates.getSeen(projectId, uuid);
  const empty = { uuid, reason: null, storedAt: null, droppedAt: null, deadLetteredAt: null, deadLetterId: null };
  const base = { ...empty, duplicates: seen?.repeats ?? 0 };
  const acceptedAt = await deps.arrivalOf(projectId, uuid);
  const storedAt = seen?.processedAt ?? null;
  if (acceptedAt !== null) return { ...base, fate: 'stored', acceptedAt, storedAt };
  if (pending) return { ...base, fate: 'pending', acceptedAt: pending.receivedAt };
  const letter = await deps.deadLetters.getByEvent(projectId, uuid);
  if (letter) {
    const { error: reason, receivedAt, failedAt: deadLetteredAt, id: deadLetterId } = letter;
    return { ...base, fate: 'dead_lettered', reason, acceptedAt: receivedAt, deadLetteredAt, deadLetterId };
  }
  if (seen) return { ...base, fate: 'removed', acceptedAt: seen.receivedAt, storedAt };
  const dropped = await deps.fates.getDropped(projectId, uuid);
  if (!dropped) return null;
  const { reason, receivedAt, droppedAt } = dropped;
  return { ...base, fate: 'dropped', reason, acceptedAt: receivedAt, droppedAt };
}
