/**
 * Processes the partitions of the log that this worker has leased, chunk after chunk. A chunk takes entries of all its
 * partitions together: the fixed costs of a transaction are shared by whatever waits, in however many partitions.
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
  /** This worker's name on its leases. */
  node: string;
  ingest: ChunkStore;
  log: PartitionReader & { positions(): Promise<Positions> };
  pack(events: readonly StoredEvent[]): Buffer;
  onProcessed(chunk: ProcessedChunk): void;
  onIdle(): void;
}

interface HeldPartition {
  lease: Lease;
  /** Null until it has been looked up. */
  position: number | null;
}

export class PartitionProcessor {
  readonly #deps: PartitionProcessorDeps;
  readonly #pace = new ChunkPacing();
  readonly #held = new Map<number, HeldPartition>();
  readonly #loop: Loop;
  /** The chunk under way. */
  #working: Promise<void> = Promise.resolve();

  constructor(deps: PartitionProcessorDeps) {
    this.#deps = deps;
    this.#loop = startLoop({
      step: () => this.#step(),
      onIdle: () => deps.onIdle(),
      onError: (err, pauseMs) => {
        // Whether the last chunk was committed may be unknown: where each partition stands is looked up afresh.
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

  /** Resolves when no chunk with this partition is under way. */
  async remove(partition: number): Promise<void> {
    this.#held.delete(partition);
    await this.#working.catch(() => undefined);
  }

  wake(): void {
    this.#loop.wake();
  }

  /** Somebody waits for what is in the log now. */
  processNow(): void {
    this.#pace.processNow();
    this.wake();
  }

  async stop(): Promise<void> {
    this.#pace.processNow();
    await this.#loop.stop();
  }

  async #step(): Promise<boolean> {
    await this.#lookUp();
    const positions = new Map([...this.#held].map(([partition, { position }]) => [partition, position ?? 0]));
    const entries = await this.#deps.log.read(positions, MAX_CHUNK_EVENTS, MAX_CHUNK_BYTES);
    // A partition may have been let go of meanwhile.
    const ours = entries.filter(({ partition }) => this.#held.has(partition));
    if (ours.length === 0) return false;
    await this.#pace.run(ours, () => {
      this.#working = this.#take(ours);
      return this.#working;
    });
    return true;
  }

  async #lookUp(): Promise<void> {
    if ([...this.#held.values()].every(({ position }) => position !== null)) return;
    const positions = await this.#deps.log.positions();
    for (const [partition, held] of this.#held) held.position ??= positions.get(partition) ?? 0;
  }

  #take(entries: readonly PartitionEntry[]): Promise<void> {
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

/** The sink of many machines: the events become a block in the very transaction that changes persons. */
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
  const stretches = new Map<number, PartitionRange>();
  for (const { partition, seq, events, payload } of entries) {
    const lease = leases.get(partition);
    if (lease === undefined) throw new Error(`Partition ${partition} is not leased.`);
    const known = stretches.get(partition) ?? { partition, lease, after: seq - 1, upTo: seq, events: 0, bytes: 0 };
    stretches.set(partition, {
      ...known,
      upTo: seq,
      events: known.events + events,
      bytes: known.bytes + payload.length,
    });
  }
  return [...stretches.values()].sort((a, b) => a.partition - b.partition);
}

function blockOf({ entries, events, overrides }: ChunkOutput, pack: PartitionProcessorDeps['pack']): NewBlock | null {
  if (events.length + overrides.length === 0) return null;
  const projects = new Set([...events, ...overrides].map(({ projectId }) => projectId));
  const receivedAt = entries.reduce((first, entry) => Math.min(first, entry.receivedAt), Infinity);
  return { events: events.length, projects: [...projects], receivedAt, overrides, rows: pack(events) };
}
