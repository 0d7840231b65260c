/**
 * Where the events of a chunk go. A sink is called inside the chunk's transaction on the metadata store: it writes into
 * that transaction, or commits elsewhere and knows how to recover from a crash in between.
 */
import type { MaybePromise } from '../../lib/maybe-async.ts';
import type { BatchTotals, EventBatch, EventStore } from '../../stores/events/event-store.ts';
import type { LogEntry } from '../../stores/ingest/ingest-log.ts';
import type { IngestTransaction } from '../../stores/ingest/ingest-store.ts';
import { type LogProgress, progressAt } from '../../stores/ingest/log-progress.ts';

export interface ChunkOutput extends Omit<EventBatch, 'position' | 'ahead'> {
  /** Never empty. */
  entries: readonly LogEntry[];
}

export interface Sink<T extends IngestTransaction = IngestTransaction> {
  /** Called before the chunk reads anything. */
  prepare(store: T): Promise<void>;
  /** How far the log is processed with these entries, to be written with the chunk; null where the sink writes it. */
  progress(entries: readonly LogEntry[]): MaybePromise<LogProgress | null>;
  /** Called last in the transaction. */
  write(chunk: ChunkOutput, store: T): Promise<void>;
  /**
   * Instead of `write`, for entries without events to store. Returns what is left to do after the commit; the next chunk
   * does it if the process ends before.
   */
  writeNothing(entries: readonly LogEntry[], store: T): Promise<(() => Promise<void>) | null>;
}

const inOrder = (entries: readonly LogEntry[]): LogProgress => progressAt(entries.at(-1)?.seq ?? 0);

/** On one machine: the event store commits first, then the metadata store (decision 6). */
export const eventStoreSink = (
  events: Pick<EventStore, 'write' | 'reassign'>,
  progressAfter: (entries: readonly LogEntry[]) => MaybePromise<LogProgress> = inOrder,
): Sink => ({
  /** Reassignments made just before the chunk's transaction are about earlier events, not about these. */
  async prepare(store) {
    const pending = await store.pendingReassignments();
    if (pending.length > 0) await store.completeReassignments(await events.reassign(pending));
  },
  progress: progressAfter,
  /** With the counts of the metadata store: if either store loses something, the next start finds out how much. */
  async write({ entries, ...batch }, store) {
    await events.write({ ...batch, ...(await progressAfter(entries)), totals: await totalsAfter(entries, store) });
  },
  /**
   * The metadata store commits first: were the event store ahead, the entries would be processed again, and what they
   * contain would be counted as stored.
   */
  async writeNothing(entries, store) {
    const batch = { ...(await progressAfter(entries)), totals: await totalsAfter(entries, store) };
    return () => events.write({ events: [], overrides: [], ...batch });
  },
});

const totalsAfter = async (entries: readonly LogEntry[], store: IngestTransaction): Promise<BatchTotals> => ({
  receivedAt: entries.at(-1)?.receivedAt ?? 0,
  counts: await store.getCounts(),
});
