/**
 * The one worker of a cluster that writes to the event store. While this process has the lease it ships events, maintains
 * the store and copies persons to it; otherwise it asks the worker that has.
 */
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log.ts';
import { resolvesWithin } from '../../lib/resolves-within.ts';
import type { BlockQueue } from '../../stores/cluster/block-queue.ts';
import type { BlockStore } from '../../stores/cluster/block-store.ts';
import type { Lease } from '../../stores/cluster/leases.ts';
import type { EventStore } from '../../stores/events/event-store.ts';
import type { IngestStore } from '../../stores/ingest/ingest-store.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import type { PersonIndexWriter } from '../../stores/metadata/person-index.ts';
import { deleteBefore } from '../maintain/delete-before.ts';
import { Maintenance } from '../maintain/maintenance.ts';
import { PersonIndexer } from '../maintain/person-indexer.ts';
import { PersonMirror } from '../maintain/person-mirror.ts';
import { compareShipped } from './compare-shipped.ts';
import type { OwnerTasks } from './owner-tasks.ts';
import { Shipper } from './shipper.ts';

interface EventStoreOwnerDeps {
  node: string;
  events: BlockStore;
  ingest: Pick<
    IngestStore,
    'listChangedPersons' | 'pendingReassignments' | 'purge' | 'forgetBefore' | 'maintain' | 'needsMaintenance'
  >;
  queue: BlockQueue;
  ownerTasks: OwnerTasks;
  personIndex: Pick<PersonIndexWriter, 'catchUp' | 'purgeDeleted'>;
  /** To record losses in. */
  metadata: Pick<MetadataStore, 'recovery' | 'installation' | 'transaction'>;
  clock: Clock;
  logger: Logger;
  batchDelayMs?: number;
}

const COPY_TIMEOUT_MS = 10_000;

/** Part of the messages between nodes. */
type TaskName = 'mirrorPersons' | 'deleteBefore' | 'addPlaces' | 'forgetPersons' | 'scrub';

interface OwnerWork {
  shipper: Shipper;
  maintenance: Maintenance[];
  indexer: PersonIndexer;
}

export class EventStoreOwner {
  readonly #deps: EventStoreOwnerDeps;
  readonly #mirror: PersonMirror;
  readonly #tasks: Record<TaskName, (...args: never[]) => Promise<unknown>>;
  #work: OwnerWork | null = null;

  constructor(deps: EventStoreOwnerDeps) {
    this.#deps = deps;
    const { events, ingest } = deps;
    // Tasks run between two shipments already.
    this.#mirror = new PersonMirror({ ingest, events, runExclusive: (work) => work() });
    this.#tasks = {
      mirrorPersons: (projectId: number) => this.#mirror.refresh(projectId),
      deleteBefore: (projectId: number, timestamp: number) => deleteBefore({ ingest, events }, projectId, timestamp),
      addPlaces: (...asked: Parameters<EventStore['addPlaces']>) => events.addPlaces(...asked),
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
    return this.#work !== null;
  }

  start(lease: Lease): void {
    const { node, queue, events, ingest, ownerTasks, logger, clock, batchDelayMs } = this.#deps;
    const runOwnerTasks = (): Promise<boolean> => ownerTasks.run(this.#tasks);
    const delay = batchDelayMs === undefined ? {} : { batchDelayMs };
    const compareStores = (): Promise<void> => compareShipped(this.#deps);
    const shipper = new Shipper({ node, queue, events, logger, runOwnerTasks, compareStores, ...delay }, lease);
    const ofEvents = { store: events, runExclusive: <T>(work: () => Promise<T>) => shipper.runExclusive(work) };
    // These write to the metadata store only, so they need not wait for the shipper.
    const ofIds = { store: ingest, runExclusive: <T>(work: () => Promise<T>) => work() };
    const maintenance = [ofEvents, ofIds].map((of) => new Maintenance({ ...of, clock, logger }));
    for (const each of maintenance) each.start();
    const indexer = new PersonIndexer({ index: this.#deps.personIndex, runExclusive: (work) => work(), logger });
    indexer.onIdle();
    this.#work = { shipper, maintenance, indexer };
  }

  /** A chunk was processed, on this node or another. */
  onPersonsChanged(): void {
    this.#work?.indexer.onProcessed();
  }

  async stop(): Promise<void> {
    const work = this.#work;
    this.#work = null;
    const maintenance = work?.maintenance.map((each) => each.stop()) ?? [];
    await Promise.all([...maintenance, work?.indexer.stop(), work?.shipper.stop()]);
  }

  wake(): void {
    this.#work?.shipper.wake();
  }

  /**
   * Called before every query, so it does nothing where no person has changed. Where no worker does it in time, the query
   * is answered from what is there.
   */
  async mirrorPersons(projectId: number): Promise<void> {
    const { ingest, events, logger } = this.#deps;
    const { removed, persons } = await ingest.listChangedPersons(projectId, await events.mirrorPosition(projectId), 1);
    if (removed.length + persons.length === 0) return;
    const copied = this.#do('mirrorPersons', projectId).then(() => undefined);
    if (!(await resolvesWithin(COPY_TIMEOUT_MS, copied)))
      logger.warn({ project: projectId }, 'persons were not copied in time');
    copied.catch(() => undefined);
  }

  async deleteBefore(projectId: number, timestamp: number): Promise<number> {
    return (await this.#do('deleteBefore', projectId, timestamp)) as number;
  }

  async addPlaces(...asked: Parameters<EventStore['addPlaces']>): Promise<number> {
    return (await this.#do('addPlaces', ...asked)) as number;
  }

  async forgetPersons(projectId: number): Promise<void> {
    await this.#do('forgetPersons', projectId);
  }

  async purge(): Promise<void> {
    await this.#do('scrub');
  }

  #do(kind: TaskName, ...args: unknown[]): Promise<unknown> {
    const { shipper } = this.#work ?? {};
    return shipper
      ? shipper.runExclusive(() => this.#tasks[kind](...(args as never[])))
      : this.#deps.ownerTasks.request(kind, args);
  }
}
