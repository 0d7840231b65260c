/**
 * The keeper of the event store: the one worker of the whole that writes to it. While this process has the lease it ships
 * events, tends the store and keeps the copies beside it; while it has not, it asks whoever has.
 */
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log.ts';
import { within } from '../../lib/within.ts';
import type { BlockQueue } from '../../stores/cluster/block-queue.ts';
import type { BlockStore } from '../../stores/cluster/block-store.ts';
import type { Lease } from '../../stores/cluster/leases.ts';
import type { IngestStore } from '../../stores/ingest/ingest-store.ts';
import type { PersonIndexKeeper } from '../../stores/metadata/person-index.ts';
import { Tending } from '../maintain/maintenance.ts';
import { PersonIndexer } from '../maintain/person-indexer.ts';
import { PersonMirror } from '../maintain/person-mirror.ts';
import type { Errands } from './owner-tasks.ts';
import { Shipper } from './shipper.ts';

export interface EventKeeperDeps {
  node: string;
  events: BlockStore;
  ingest: Pick<IngestStore, 'changedPersons' | 'refilings' | 'scrub'>;
  queue: BlockQueue;
  errands: Errands;
  personIndex: Pick<PersonIndexKeeper, 'catchUp' | 'forgetGone'>;
  clock: Clock;
  logger: Logger;
  gatherMs?: number;
}

const COPY_WITHIN_MS = 10_000;

/** By their names, since they also travel to other nodes. */
type Kind = 'mirrorPersons' | 'deleteBefore' | 'forgetPersons' | 'scrub';

interface Keeping {
  shipper: Shipper;
  tending: Tending;
  indexer: PersonIndexer;
}

export class EventKeeper {
  readonly #deps: EventKeeperDeps;
  readonly #mirror: PersonMirror;
  readonly #kinds: Record<Kind, (...args: never[]) => Promise<unknown>>;
  #keeping: Keeping | null = null;

  constructor(deps: EventKeeperDeps) {
    this.#deps = deps;
    const { events, ingest } = deps;
    // Whatever is done here is done between two shipments already.
    this.#mirror = new PersonMirror({ ingest, events, between: (work) => work() });
    this.#kinds = {
      mirrorPersons: (projectId: number) => this.#mirror.refresh(projectId),
      deleteBefore: (projectId: number, timestamp: number) => events.deleteBefore(projectId, timestamp),
      forgetPersons: (projectId: number) => events.forgetPersons(projectId),
      scrub: async () => {
        await this.#mirror.finish();
        await deps.personIndex.forgetGone();
        await events.scrub();
        await ingest.scrub();
      },
    };
  }

  get isKeeping(): boolean {
    return this.#keeping !== null;
  }

  begin(lease: Lease): void {
    const { node, queue, events, errands, logger, clock, gatherMs } = this.#deps;
    const runErrands = (): Promise<boolean> => errands.run(this.#kinds);
    const given = gatherMs === undefined ? {} : { gatherMs };
    const shipper = new Shipper({ node, queue, events, logger, runErrands, ...given }, lease);
    const tending = new Tending({ events, clock, logger, between: (work) => shipper.between(work) });
    tending.start();
    // It is kept in the relational shelf, which is not in the shipper's way.
    const indexer = new PersonIndexer({ index: this.#deps.personIndex, between: (work) => work(), logger });
    indexer.onIdle();
    this.#keeping = { shipper, tending, indexer };
  }

  /** A chunk was processed, here or elsewhere. */
  personsChanged(): void {
    this.#keeping?.indexer.onProcessed();
  }

  async end(): Promise<void> {
    const keeping = this.#keeping;
    this.#keeping = null;
    await Promise.all([keeping?.tending.stop(), keeping?.indexer.stop(), keeping?.shipper.stop()]);
  }

  wake(): void {
    this.#keeping?.shipper.wake();
  }

  /**
   * Copies persons only where something is new about them: whoever asks a question asks for it. Where no worker takes
   * care of it, events do not get further either, and the question is answered by what is there.
   */
  async mirrorPersons(projectId: number): Promise<void> {
    const { ingest, events, logger } = this.#deps;
    const { removed, persons } = await ingest.changedPersons(projectId, await events.mirrorPosition(projectId), 1);
    if (removed.length + persons.length === 0) return;
    const copied = this.#do('mirrorPersons', projectId).then(() => undefined);
    if (!(await within(COPY_WITHIN_MS, copied))) logger.warn({ project: projectId }, 'persons are not copied in time');
    copied.catch(() => undefined);
  }

  async deleteBefore(projectId: number, timestamp: number): Promise<number> {
    return (await this.#do('deleteBefore', projectId, timestamp)) as number;
  }

  async forgetPersons(projectId: number): Promise<void> {
    await this.#do('forgetPersons', projectId);
  }

  async scrub(): Promise<void> {
    await this.#do('scrub');
  }

  #do(kind: Kind, ...args: number[]): Promise<unknown> {
    const { shipper } = this.#keeping ?? {};
    return shipper
      ? shipper.between(() => this.#kinds[kind](...(args as never[])))
      : this.#deps.errands.ask(kind, args);
  }
}
