/** The door of many machines: a request is cut into the partitions of the log, and every node hears of it. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '../../core/json/json.ts';
import { within } from '../../lib/within.ts';
import type { PartitionedLog, Positions } from '../../stores/cluster/partitioned-log.ts';
import type { NewLogEntry } from '../../stores/ingest/ingest-log.ts';
import type { EventDoor } from '../accept/event-intake.ts';
import type { PartitionedWrites } from './partitioned-read-your-writes.ts';
import { changedNotes, cutRequest } from './split-by-partition.ts';

export interface PartitionedIngestionDeps {
  log: Pick<PartitionedLog, 'append' | 'heads' | 'positions' | 'partitions'>;
  writes: Pick<PartitionedWrites, 'note'>;
  newSeed(): Buffer;
  /** Resolves when the news of these entries has come back to this node. */
  heard(reached: Positions): Promise<void>;
  /** Whether something waits to be shipped to the event store. */
  isShipping(): Promise<boolean>;
}

const LOOK_EVERY_MS = 25;
const HEARD_WITHIN_MS = 100;

export class PartitionedIngestion implements EventDoor {
  readonly #deps: PartitionedIngestionDeps;

  constructor(deps: PartitionedIngestionDeps) {
    this.#deps = deps;
  }

  async accept(entry: NewLogEntry, subjects: readonly string[] = [], events?: readonly JsonObject[]): Promise<void> {
    const { log, writes, newSeed } = this.#deps;
    const cuts = await cutRequest(entry, events, log.partitions, newSeed);
    const changed = changedNotes(cuts, subjects);
    const reached = await log.append(
      cuts.map((cut) => cut.entry),
      changed,
    );
    writes.note(changed, reached);
    // Where this node has heard of it, the others have as well, or are about to: somebody's next request may go to them.
    if (changed.length > 0) await within(HEARD_WITHIN_MS, this.#deps.heard(reached));
  }

  async caughtUp(): Promise<void> {
    const heads = await this.#deps.log.heads();
    while (!isPast(await this.#deps.log.positions(), heads)) await sleep(LOOK_EVERY_MS);
  }

  async drain(): Promise<void> {
    await this.caughtUp();
    while (await this.#deps.isShipping()) await sleep(LOOK_EVERY_MS);
  }
}

const isPast = (positions: Positions, heads: Positions): boolean =>
  [...heads].every(([partition, head]) => (positions.get(partition) ?? 0) >= head);
