/**
 * Where the events of a chunk go. The sink is called inside the chunk's transaction on the relational shelf: whether it
 * writes into that transaction or commits elsewhere first is its own business, and so is how a crash between is mended.
 */
import type { EventBatch, EventStore } from '../../stores/events/event-store.ts';
import type { LogEntry } from '../../stores/ingest/ingest-log.ts';
import type { IngestTransaction } from '../../stores/ingest/ingest-store.ts';

export interface ChunkOutput extends Omit<EventBatch, 'position'> {
  /** What it was made from; never empty. */
  entries: readonly LogEntry[];
}

export interface Sink<T extends IngestTransaction = IngestTransaction> {
  /** Before the chunk looks at anything. */
  prepare(store: T): Promise<void>;
  /** The position that the shelf is to keep with the chunk; null where the sink keeps it itself. */
  position(entries: readonly LogEntry[]): number | null;
  /** The last that happens in the transaction. */
  write(chunk: ChunkOutput, store: T): Promise<void>;
}

export const lastSeq = (entries: readonly LogEntry[]): number => entries.at(-1)?.seq ?? 0;

/** The sink of one machine: events are committed to the event store, and then the shelf commits (decision 6). */
export const eventStoreSink = (events: Pick<EventStore, 'write' | 'reassign'>): Sink => ({
  /** Orders that came in just before this chunk took the shelf: they are about the events so far, and not about these. */
  async prepare(store) {
    const orders = await store.pendingReassignments();
    if (orders.length > 0) await store.completeReassignments(await events.reassign(orders));
  },
  position: lastSeq,
  write: ({ entries, ...batch }) => events.write({ ...batch, position: lastSeq(entries) }),
});
