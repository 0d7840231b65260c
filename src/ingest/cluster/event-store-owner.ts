/**
 * The keeper of the event store: the one worker of the whole that writes to it. While this process has the lease it ships
 * events, tends the store and keeps the copies beside it; while it has not, it asks whoever has.
 */
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log.ts';
import { resolvesWithin } from '../../lib/within.ts';
import type { BlockQueue } from '../../stores/cluster/block-queue.ts';
import type { BlockStore } from '../../stores/cluster/block-store.ts';
import type { Lease } from '../../stores/cluster/leases.ts';
import type { IngestStore } from '../../stores/ingest/ingest-store.ts';
import type { PersonIndexWriter } from '../../stores/metadata/person-index.ts';
import { Maintenance } from '../maintain/maintenance.ts';
import { PersonIndexer } from '../maintain/person-indexer.ts';
import { PersonMirror } from '../maintain/person-mirror.ts';
import type { OwnerTasks } from './owner-tasks.ts';
import { Shipper } from './shipper.ts';

interface EventStoreOwnerDeps {
  node: string;
  events: BlockStore;
  ingest: Pick<IngestStore, 'listChangedPersons' | 'pendingReassignments' | 'purge'>;
  queue: BlockQueue;
  ownerTasks: OwnerTasks;
  personIndex: Pick<PersonIndexWriter, 'catchUp' | 'purgeDeleted'>;
  clock: Clock;
  logger: Logger;
  batchDelayMs?: number;
}

const COPY_TIMEOUT_MS = 10_000;

/** By their names, since they also travel to other nodes. */
type TaskName = 'mirrorPersons' | 'deleteBefore' | 'forgetPersons' | 'scrub';

interface OwnerWork {
  shipper: Shipper;
  tending: Maintenance;
  indexer: PersonIndexer;
}

export class EventStoreOwner {
  readonly #deps: EventStoreOwnerDeps;
  readonly #mirror: PersonMirror;
  readonly #kinds: Record<TaskName, (...args: never[]) => Promise<unknown>>;
  #keeping: OwnerWork | null = null;

  constructor(deps: EventStoreOwnerDeps) {
    this.#deps = deps;
    const { events, ingest } = deps;
    // Whatever is done here is done between two shipments already.
    this.#mirror = new PersonMirror({ ingest, events, runExclusive: (work) => work() });
    this.#kinds = {
      mirrorPersons: (projectId: number) => this.#mirror.refresh(projectId),
      deleteBefore: (projectId: number, timestamp: number) => events.deleteBefore(projectId, timestamp),
      forgetPersons: (projectId: number) => events.deleteMirror(projectId),
      scrub: async () => {
        await this.#mirror.refreshAll();
        await deps.personIndex.purgeDeleted();
        await events.purge();
        await ingest.purge();
      },
    };
  }

  get isOwner(): boolean {
    return this.#keeping !== null;
  }

  start(lease: Lease): void {
    const { node, queue, events, ownerTasks, logger, clock, batchDelayMs } = this.#deps;
    const runErrands = (): Promise<boolean> => ownerTasks.run(this.#kinds);
    const given = batchDelayMs === undefined ? {} : { batchDelayMs };
    const shipper = new Shipper({ node, queue, events, logger, runOwnerTasks: runErrands, ...given }, lease);
    const tending = new Maintenance({ events, clock, logger, runExclusive: (work) => shipper.runExclusive(work) });
    tending.start();
    // It is kept in the relational shelf, which is not in the shipper's way.
    const indexer = new PersonIndexer({ index: this.#deps.personIndex, runExclusive: (work) => work(), logger });
    indexer.onIdle();
    this.#keeping = { shipper, tending, indexer };
  }

  /** A chunk was processed, here or elsewhere. */
  onPersonsChanged(): void {
    this.#keeping?.indexer.onProcessed();
  }

  async stop(): Promise<void> {
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
    const { removed, persons } = await ingest.listChangedPersons(projectId, await events.mirrorPosition(projectId), 1);
    if (removed.length + persons.length === 0) return;
    const copied = this.#do('mirrorPersons', projectId).then(() => undefined);
    if (!(await resolvesWithin(COPY_TIMEOUT_MS, copied)))
      logger.warn({ project: projectId }, 'persons are not copied in time');
    copied.catch(() => undefined);
  }

  async deleteBefore(projectId: number, timestamp: number): Promise<number> {
    return (await this.#do('deleteBefore', projectId, timestamp)) as number;
  }

  async forgetPersons(projectId: number): Promise<void> {
    await this.#do('forgetPersons', projectId);
  }

  async purge(): Promise<void> {
    await this.#do('scrub');
  }

  #do(kind: TaskName, ...args: number[]): Promise<unknown> {
    const { shipper } = this.#keeping ?? {};
    return shipper
      ? shipper.runExclusive(() => this.#kinds[kind](...(args as never[])))
      : this.#deps.ownerTasks.request(kind, args);
  }
}
