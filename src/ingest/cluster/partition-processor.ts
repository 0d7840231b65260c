/**
 * Processes the partitions of the log that this worker has leased. A chunk takes entries of all of them together, so that
 * they share the fixed costs of a transaction.
 */
import { type Loop, startLoop } from '../../lib/loop.ts';
import type { ChunkStore, ChunkTransaction, NewBlock, PartitionRange } from '../../stores/cluster/chunk-store.ts';
import type { Lease } from '../../stores/cluster/leases.ts';
import type { PartitionEntry, PartitionReader, Positions } from '../../stores/cluster/partitioned-log.ts';
import type { StoredEvent } from '../../stores/events/event-store.ts';
import { ChunkPacing, MAX_CHUNK_BYTES, MAX_CHUNK_EVENTS } from '../process/chunk-pacing.ts';
import type { ProcessedChunk } from '../process/process-chunk.ts';
import { type ProcessDeps, processEntries } from '../process/process-entries.ts';
import type { ChunkOutput, Sink } from '../process/sink.ts';

export interface PartitionProcessorDeps extends Omit<ProcessDeps, 'sink' | 'ingest'> {
  /** The holder of the leases. */
  node: string;
  ingest: ChunkStore;
  log: PartitionReader & { positions(): Promise<Positions> };
  pack(events: readonly StoredEvent[]): Buffer;
  onProcessed(chunk: ProcessedChunk): void;
  onIdle(): void;
}

interface HeldPartition {
  lease: Lease;
  /** Null: not read yet. */
  position: number | null;
}

export class PartitionProcessor {
  readonly #deps: PartitionProcessorDeps;
  readonly #pacing = new ChunkPacing();
  readonly #held = new Map<number, HeldPartition>();
  readonly #loop: Loop;
  /** The current chunk. */
  #processing: Promise<void> = Promise.resolve();

  constructor(deps: PartitionProcessorDeps) {
    this.#deps = deps;
    this.#loop = startLoop({
      step: () => this.#step(),
      onIdle: () => deps.onIdle(),
      onError: (err, pauseMs) => {
        // Whether the last chunk was committed may be unknown, so the positions are read again.
        for (const held of this.#held.values()) held.position = null;
        deps.logger.warn({ err, pauseMs }, 'events could not be processed; trying again');
      },
      maxPauseMs: 2000,
    });
  }

  get partitions(): number {
    return this.#held.size;
  }

  add(partition: number, lease: Lease): void {
    this.#held.set(partition, { lease, position: null });
    this.wake();
  }

  /** Resolves when no chunk with this partition is being processed. */
  async remove(partition: number): Promise<void> {
    this.#held.delete(partition);
    await this.#processing.catch(() => undefined);
  }

  wake(): void {
    this.#loop.wake();
  }

  /** Somebody waits for what is in the log now. */
  processNow(): void {
    this.#pacing.processNow();
    this.wake();
  }

  async stop(): Promise<void> {
    this.#pacing.processNow();
    await this.#loop.stop();
  }

  async #step(): Promise<boolean> {
    await this.#readPositions();
    const positions = new Map([...this.#held].map(([partition, { position }]) => [partition, position ?? 0]));
    const entries = await this.#deps.log.read(positions, MAX_CHUNK_EVENTS, MAX_CHUNK_BYTES);
    // A partition may have been removed meanwhile.
    const ours = entries.filter(({ partition }) => this.#held.has(partition));
    if (ours.length === 0) return false;
    await this.#pacing.run(ours, () => {
      this.#processing = this.#process(ours);
      return this.#processing;
    });
    return true;
  }

  async #readPositions(): Promise<void> {
    if ([...this.#held.values()].every(({ position }) => position !== null)) return;
    const positions = await this.#deps.log.positions();
    for (const [partition, held] of this.#held) held.position ??= positions.get(partition) ?? 0;
  }

  #process(entries: readonly PartitionEntry[]): Promise<void> {
    const leases = new Map([...this.#held].map(([partition, { lease }]) => [partition, lease]));
    const deps = { ...this.#deps, sink: blockSink(this.#deps, leases) };
    const onProcessed = (chunk: ProcessedChunk): void => {
      for (const { partition, seq } of chunk.entries as readonly PartitionEntry[]) {
        const held = this.#held.get(partition);
        if (held) held.position = seq;
      }
      this.#deps.onProcessed(chunk);
    };
    return processEntries(deps, entries, { onProcessed });
  }
}

/** In a cluster: the events become a block in the transaction that changes persons. */
const blockSink = (
  { node, pack }: Pick<PartitionProcessorDeps, 'node' | 'pack'>,
  leases: ReadonlyMap<number, Lease>,
): Sink<ChunkTransaction> => ({
  prepare: async () => undefined,
  position: () => null,
  write: (chunk, store) =>
    store.finish(node, partitionRanges(chunk.entries as readonly PartitionEntry[], leases), blockOf(chunk, pack)),
});

function partitionRanges(entries: readonly PartitionEntry[], leases: ReadonlyMap<number, Lease>): PartitionRange[] {
  const ranges = new Map<number, PartitionRange>();
  for (const { partition, seq, events, payload } of entries) {
    const lease = leases.get(partition);
    if (lease === undefined) throw new Error(`Partition ${partition} is not leased.`);
    const range = ranges.get(partition) ?? { partition, lease, after: seq - 1, upTo: seq, events: 0, bytes: 0 };
    ranges.set(partition, {
      ...range,
      upTo: seq,
      events: range.events + events,
      bytes: range.bytes + payload.length,
    });
  }
  return [...ranges.values()].sort((a, b) => a.partition - b.partition);
}

function blockOf({ entries, events, overrides }: ChunkOutput, pack: PartitionProcessorDeps['pack']): NewBlock | null {
  if (events.length + overrides.length === 0) return null;
  const projects = new Set([...events, ...overrides].map(({ projectId }) => projectId));
  const receivedAt = entries.reduce((first, entry) => Math.min(first, entry.receivedAt), Infinity);
  return { events: events.length, projects: [...projects], receivedAt, overrides, rows: pack(events) };
}
