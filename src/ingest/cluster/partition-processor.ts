/**
 * Processes the partitions of the log that this worker has leased. A chunk takes entries of all of them together, so that
 * they share the fixed costs of a transaction.
 */
import { type Loop, startLoop } from '../../lib/loop.ts';
import type { ChunkStore, ChunkTransaction, NewBlock, ProcessedPartition } from '../../stores/cluster/chunk-store.ts';
import type { Lease } from '../../stores/cluster/leases.ts';
import type { PartitionEntry, PartitionReader, Positions } from '../../stores/cluster/partitioned-log.ts';
import type { StoredEvent } from '../../stores/events/event-store.ts';
import type { ChunkAttempt, PartitionAttempts } from '../../stores/ingest/chunk-attempts.ts';
import type { LogEntry } from '../../stores/ingest/ingest-log.ts';
import { ChunkPacing, MAX_CHUNK_BYTES, MAX_CHUNK_EVENTS } from '../process/chunk-pacing.ts';
import type { ProcessedChunk } from '../process/process-chunk.ts';
import { type ProcessDeps, processEntries, setAside } from '../process/process-entries.ts';
import type { ChunkOutput, Sink } from '../process/sink.ts';
import { Suspects } from '../process/suspects.ts';

export interface PartitionProcessorDeps extends Omit<ProcessDeps, 'sink' | 'ingest'> {
  /** The holder of the leases. */
  node: string;
  ingest: ChunkStore;
  log: PartitionReader & { positions(): Promise<Positions> };
  /** Marks of the current chunks, which outlive the process. */
  attempts: PartitionAttempts;
  pack(events: readonly StoredEvent[]): Buffer;
  onProcessed(chunk: ProcessedChunk): void;
  onIdle(): void;
}

interface HeldPartition {
  lease: Lease;
  /** Null: not read yet. */
  position: number | null;
  /** What its last holder was processing when it ended; null: not read yet. */
  suspects: Suspects | null;
}

/** Other nodes, and other partitions, would wait with it. */
const NO_PAUSE = 0;

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
    this.#held.set(partition, { lease, position: null, suspects: null });
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
    const entries = (await this.#nextSuspect()) ?? (await this.#nextEntries());
    // A partition may have been removed meanwhile.
    const ours = entries.filter(({ partition }) => this.#held.has(partition));
    if (ours.length === 0) return false;
    await this.#pacing.run(ours, () => {
      this.#processing = this.#process(ours);
      return this.#processing;
    });
    return true;
  }

  #nextEntries(): Promise<PartitionEntry[]> {
    const positions = new Map([...this.#held].map(([partition, { position }]) => [partition, position ?? 0]));
    return this.#deps.log.read(positions, MAX_CHUNK_EVENTS, MAX_CHUNK_BYTES);
  }

  async #readPositions(): Promise<void> {
    const { log, attempts } = this.#deps;
    if ([...this.#held.values()].every(({ position }) => position !== null)) return;
    const positions = await log.positions();
    const marks = await attempts.read([...this.#held.keys()]);
    for (const [partition, held] of this.#held) {
      held.position ??= positions.get(partition) ?? 0;
      held.suspects ??= new Suspects(marks.get(partition) ?? null, NO_PAUSE);
    }
  }

  async #nextSuspect(): Promise<PartitionEntry[] | null> {
    for (const [partition, { suspects }] of this.#held) {
      for (let seq = suspects?.first; seq !== undefined; seq = suspects?.first) {
        const entry = await this.#deps.log.get(partition, seq);
        if (entry) return [entry];
        suspects?.removeFirst();
      }
    }
    return null;
  }

  async #process(entries: readonly PartitionEntry[]): Promise<void> {
    const { attempts } = this.#deps;
    const marks = this.#attemptsOf(entries);
    await attempts.write(marks);
    try {
      await this.#processOrSetAside(entries);
    } catch (error) {
      await attempts.clear([...marks.keys()]).catch(() => undefined);
      throw error;
    }
  }

  /** An entry that shares its chunk with others, of whatever partition, is not on its own. */
  #attemptsOf(entries: readonly PartitionEntry[]): Map<number, ChunkAttempt> {
    const own = byPartition(entries);
    return new Map(
      [...own].map(([partition, list]) => {
        const seqs = list.map(({ seq }) => seq);
        const attempt = this.#held.get(partition)?.suspects?.attemptOf(seqs) ?? { entries: seqs, tries: 0 };
        return [partition, entries.length === 1 ? attempt : { ...attempt, tries: 0 }];
      }),
    );
  }

  async #processOrSetAside(entries: readonly PartitionEntry[]): Promise<void> {
    const leases = new Map([...this.#held].map(([partition, { lease }]) => [partition, lease]));
    const deps = { ...this.#deps, sink: blockSink(this.#deps, leases, (positions) => this.#advance(positions)) };
    const { onProcessed } = this.#deps;
    const [first] = entries;
    const suspects = first && this.#held.get(first.partition)?.suspects;
    const isSuspect = entries.length === 1 && suspects?.first === first?.seq;
    if (first && isSuspect && suspects?.isFirstPoisonous) onProcessed(await setAside(deps, first));
    else await processEntries(deps, entries, { onProcessed });
    if (isSuspect) suspects?.removeFirst();
  }

  #advance(positions: Positions): void {
    for (const [partition, position] of positions) {
      const held = this.#held.get(partition);
      if (held) held.position = position;
    }
  }
}

function byPartition(entries: readonly PartitionEntry[]): Map<number, PartitionEntry[]> {
  const own = new Map<number, PartitionEntry[]>();
  for (const entry of entries) {
    const list = own.get(entry.partition);
    if (list) list.push(entry);
    else own.set(entry.partition, [entry]);
  }
  return own;
}

/**
 * In a cluster: the events become a block in the transaction that changes persons. `onFinished` may be called for a
 * transaction that does not commit: then the positions are read again.
 */
const blockSink = (
  { node, pack }: Pick<PartitionProcessorDeps, 'node' | 'pack'>,
  leases: ReadonlyMap<number, Lease>,
  onFinished: (positions: Positions) => void,
): Sink<ChunkTransaction> => {
  const finish = async (entries: readonly LogEntry[], block: NewBlock | null, store: ChunkTransaction): Promise<void> =>
    onFinished(await store.finish(node, processedPartitions(entries as readonly PartitionEntry[], leases), block));
  return {
    prepare: async () => undefined,
    progress: () => null,
    write: (chunk, store) => finish(chunk.entries, blockOf(chunk, pack), store),
    writeNothing: async (entries, store) => {
      await finish(entries, null, store);
      return null;
    },
  };
};

function processedPartitions(
  entries: readonly PartitionEntry[],
  leases: ReadonlyMap<number, Lease>,
): ProcessedPartition[] {
  const own = [...byPartition(entries)].sort(([a], [b]) => a - b);
  return own.map(([partition, list]) => {
    const lease = leases.get(partition);
    if (lease === undefined) throw new Error(`Partition ${partition} is not leased.`);
    const events = list.reduce((sum, entry) => sum + entry.events, 0);
    const bytes = list.reduce((sum, entry) => sum + entry.payload.length, 0);
    return { partition, lease, seqs: list.map(({ seq }) => seq), events, bytes };
  });
}

function blockOf({ entries, events, overrides }: ChunkOutput, pack: PartitionProcessorDeps['pack']): NewBlock | null {
  if (events.length + overrides.length === 0) return null;
  const projects = new Set([...events, ...overrides].map(({ projectId }) => projectId));
  const receivedAt = entries.reduce((first, entry) => Math.min(first, entry.receivedAt), Infinity);
  return { events: events.length, projects: [...projects], receivedAt, overrides, rows: pack(events) };
}
