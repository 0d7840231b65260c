/** Intake in a cluster: a request is split over the partitions of the log, and all nodes get a message about it. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '../../core/json/json.ts';
import { resolvesWithin } from '../../lib/resolves-within.ts';
import type { PartitionedLog, Positions } from '../../stores/cluster/partitioned-log.ts';
import type { NewLogEntry } from '../../stores/ingest/ingest-log.ts';
import type { EventIntake } from '../accept/event-intake.ts';
import type { PartitionedReadYourWrites } from './partitioned-read-your-writes.ts';
import { splitByPartition, subjectChanges } from './split-by-partition.ts';

interface PartitionedIntakeDeps {
  log: Pick<PartitionedLog, 'append' | 'heads' | 'positions' | 'partitions'>;
  writes: Pick<PartitionedReadYourWrites, 'add'>;
  newSeed(): Buffer;
  /** Resolves when the message about these entries has come back to this node. */
  whenConfirmed(reached: Positions): Promise<void>;
  /** Whether blocks wait to be shipped to the event store. */
  hasUnshippedEvents(): Promise<boolean>;
}

const POLL_INTERVAL_MS = 25;
const CONFIRM_TIMEOUT_MS = 100;

export class PartitionedIntake implements EventIntake {
  readonly #deps: PartitionedIntakeDeps;

  constructor(deps: PartitionedIntakeDeps) {
    this.#deps = deps;
  }

  async accept(entry: NewLogEntry, subjects: readonly string[] = [], events?: readonly JsonObject[]): Promise<void> {
    const { log, writes, newSeed } = this.#deps;
    const parts = await splitByPartition(entry, events, log.partitions, newSeed);
    const changed = subjectChanges(parts, subjects);
    const reached = await log.append(
      parts.map((part) => part.entry),
      changed,
    );
    writes.add(changed, reached);
    // When this node has got its own message, the others have it too or are about to: the next request may go to them.
    if (changed.length > 0) await resolvesWithin(CONFIRM_TIMEOUT_MS, this.#deps.whenConfirmed(reached));
  }

  async whenProcessed(): Promise<void> {
    const heads = await this.#deps.log.heads();
    while (!isPast(await this.#deps.log.positions(), heads)) await sleep(POLL_INTERVAL_MS);
  }

  async drain(): Promise<void> {
    await this.whenProcessed();
    while (await this.#deps.hasUnshippedEvents()) await sleep(POLL_INTERVAL_MS);
  }
}

const isPast = (positions: Positions, heads: Positions): boolean =>
  [...heads].every(([partition, head]) => (positions.get(partition) ?? 0) >= head);
