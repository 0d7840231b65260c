/**
 * The worker thread of one machine, and the only one that opens the event store. It processes the log and answers
 * queries, so that neither delays a request on the main thread.
 */
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { ProjectCopies } from '../../features/sql/project-copies.ts';
import type { ProcessedNotice } from '../../ingest/accept/processed-notice.ts';
import { LiveEventPublisher } from '../../ingest/live/live-event-publisher.ts';
import { deleteBefore } from '../../ingest/maintain/delete-before.ts';
import { Maintenance } from '../../ingest/maintain/maintenance.ts';
import { PersonIndexer } from '../../ingest/maintain/person-indexer.ts';
import { PersonMirror } from '../../ingest/maintain/person-mirror.ts';
import { DefinitionLimits, type NameLimits } from '../../ingest/process/definition-limits.ts';
import { DefinitionRecorder } from '../../ingest/process/definition-recorder.ts';
import type { ProcessedChunk } from '../../ingest/process/process-chunk.ts';
import { Processor } from '../../ingest/process/processor.ts';
import { StepTimes } from '../../ingest/process/step-times.ts';
import { reconcileStores } from '../../ingest/recover/reconcile-stores.ts';
import { findPendingEvent } from '../../ingest/track/find-pending-event.ts';
import { type Clock, clockOn } from '../../lib/clock.ts';
import { collectWhenQuiet } from '../../lib/collect-when-quiet.ts';
import { randomIds } from '../../lib/ids.ts';
import { keepTickShape } from '../../lib/keep-tick-shape.ts';
import { type Logger, openLog } from '../../lib/log.ts';
import { notify, onNotice, serve } from '../../lib/rpc.ts';
import { wrapMethods } from '../../lib/wrap-methods.ts';
import { queryTooLarge } from '../../query/query-limits.ts';
import { DATA_FILES } from '../../stores/data-files.ts';
import { duckdbDialect } from '../../stores/duckdb/dialect.ts';
import { openEventStore } from '../../stores/duckdb/event-store.ts';
import { EventStoreInvalidated } from '../../stores/duckdb/invalidated.ts';
import { openAttemptFile } from '../../stores/embedded/attempt-file.ts';
import { checkStores } from '../../stores/embedded/check-stores.ts';
import { takeSnapshot } from '../../stores/embedded/take-snapshot.ts';
import { progressAt } from '../../stores/ingest/log-progress.ts';
import { explainOpenFailure } from '../../stores/open-failure.ts';
import { isOutage, isOutOfMemory } from '../../stores/outage.ts';
import { openIngestLogReader } from '../../stores/segment-log/ingest-log-reader.ts';
import { LogHead } from '../../stores/segment-log/log-head.ts';
import { sqlCopySource } from '../../stores/sql/copy-source.ts';
import { sqliteDialect } from '../../stores/sql/dialect.ts';
import { sqlIngestStore } from '../../stores/sql/ingest/ingest-store.ts';
import { sqlMetadataStore } from '../../stores/sql/metadata-store.ts';
import { sqlPersonIndex } from '../../stores/sql/person-index.ts';
import { SeenEvents } from '../../stores/sql/seen/seen-events.ts';
import { openSqliteDatabase } from '../../stores/sqlite/metadata-store.ts';
import { queryMethods } from '../worker-features.ts';
import type { EmbeddedWorkerMethods, EmbeddedWorkerOptions } from '../worker-protocol.ts';

/** After the start, until its garbage is collected: after that of the main thread. */
const QUIET_MS = 3000;

type Port = NonNullable<typeof parentPort>;

async function start(port: Port, options: EmbeddedWorkerOptions): Promise<void> {
  const logger = openLog(options.logLevel).child({ thread: 'worker' });
  const clock = clockOn(options.clockMemory);
  const stores = await openStores(options);
  const worker = createWorker(port, {
    stores,
    limits: options.nameLimits,
    clock,
    logger,
    onEngineLost: (error) => void crash(error),
  });
  const crash = async (error: unknown): Promise<void> => {
    logger.error({ err: error }, 'the worker thread failed and is being restarted');
    // DuckDB must be closed first: ending the thread while it runs crashes the whole process.
    await close(stores, worker).catch(() => undefined);
    process.exit(1);
  };
  process.on('uncaughtException', (error) => void crash(error));
  serve(port, crashOnLostEngine(methodsOf(options, stores, worker, clock), crash));
  onNotice(port, 'wake', () => worker.processor.wake());
  onNotice(port, 'process-now', () => worker.processor.processNow());
  if (options.faults) onNotice(port, 'crash', () => void crash(new Error('crashed on request')));
  await reconcileStores({ ...stores, dialect: duckdbDialect, clock, logger });
  notify(port, 'ready', await worker.processor.recover());
  // An earlier process may have left persons to index, or an earlier version all of them.
  worker.indexer.onIdle();
  for (const maintenance of worker.maintenance) maintenance.start();
  // An idle thread of the engine has the allocator give back pages, half a second after any query: also of the others.
  keepTickShape();
  collectWhenQuiet(QUIET_MS, () => {
    if (!worker.isClosing) void stores.events.query('select 1', []).catch(() => undefined);
  });
}

type Stores = Awaited<ReturnType<typeof openStores>>;

async function openStores({ dataDir, logHead, eventsMemoryMb, deduplicationMemoryMb }: EmbeddedWorkerOptions) {
  const path = join(dataDir, DATA_FILES.events);
  const events = await explainOpenFailure('events', path, () =>
    openEventStore(path, { memoryLimit: `${eventsMemoryMb}MB` }),
  );
  const database = openSqliteDatabase(join(dataDir, DATA_FILES.metadata));
  return {
    events,
    ingest: sqlIngestStore(database, sqliteDialect, {
      seen: new SeenEvents(database, sqliteDialect, { filterMb: deduplicationMemoryMb }),
    }),
    metadata: sqlMetadataStore(database, sqliteDialect),
    personIndex: sqlPersonIndex(database, sqliteDialect),
    copySource: sqlCopySource({ db: database, dialect: sqliteDialect }),
    log: openIngestLogReader(join(dataDir, DATA_FILES.log), new LogHead(logHead)),
    attempts: openAttemptFile(join(dataDir, DATA_FILES.attempt)),
  };
}

interface CreateWorkerOptions {
  stores: Stores;
  limits: NameLimits;
  clock: Clock;
  logger: Logger;
  onEngineLost(error: EventStoreInvalidated): void;
}

type EmbeddedWorker = ReturnType<typeof createWorker>;

function createWorker(port: Port, { stores, limits, clock, logger, onEngineLost }: CreateWorkerOptions) {
  const { ingest, events, log, attempts, personIndex } = stores;
  const liveEvents = new LiveEventPublisher((batch) => notify(port, 'live-events', batch));
  const stepTimes = new StepTimes();
  const processor = new Processor({
    ingest,
    events,
    log,
    attempts,
    clock,
    logger,
    definitions: new DefinitionRecorder(randomIds),
    limits: new DefinitionLimits(limits),
    stepTimes,
    isOutage,
    onProcessed(chunk) {
      indexer.onProcessed();
      notify(port, 'processed', noticeOf(chunk));
      liveEvents.publish(chunk.stored);
      if (chunk.messages > 0) notify(port, 'webhook-messages', null);
    },
    onIdle(position) {
      notify(port, 'idle', position);
      indexer.onIdle();
    },
    onOutage(error) {
      notify(port, 'outage', { since: clock.now(), reason: error instanceof Error ? error.message : String(error) });
      if (error instanceof EventStoreInvalidated) onEngineLost(error);
    },
  });
  const runExclusive = <T>(work: () => Promise<T>): Promise<T> => processor.runExclusive(work);
  const indexer = new PersonIndexer({ index: personIndex, runExclusive, logger });
  const mirror = new PersonMirror({ ingest, events, runExclusive });
  const maintenance = [events, ingest].map((store) => new Maintenance({ store, clock, logger, runExclusive }));
  return { processor, liveEvents, stepTimes, indexer, mirror, maintenance, isClosing: false };
}

const noticeOf = ({
  progress,
  events,
  stored,
  projectsWithNewGroupTypes,
  persons,
}: ProcessedChunk): ProcessedNotice => ({
  progress: progress ?? progressAt(0),
  events,
  projects: [...new Set(stored.map(({ projectId }) => projectId))],
  projectsWithNewGroupTypes,
  persons,
});

function methodsOf(
  { dataDir, logHead, sqlCopyMaxBytes: maxBytes }: EmbeddedWorkerOptions,
  stores: Stores,
  worker: EmbeddedWorker,
  clock: Clock,
): EmbeddedWorkerMethods {
  const { metadata, events, log, ingest } = stores;
  const head = new LogHead(logHead);
  const { processor, mirror, liveEvents, stepTimes } = worker;
  const mirrorPersons = (projectId: number): Promise<void> => mirror.refresh(projectId);
  const folder = join(dataDir, DATA_FILES.sql);
  const { copySource: source } = stores;
  const copies = new ProjectCopies({ folder, maxBytes, events, source, clock, ids: randomIds, mirrorPersons });
  return {
    ...queryMethods(
      { metadata, events, changes: events, dialect: duckdbDialect, clock, mirrorPersons },
      explainOutOfMemory,
    ),
    progress: () => events.progress(),
    deleteBefore: (projectId, timestamp) => deleteBefore(stores, projectId, timestamp),
    addPlaces: (...asked) => events.addPlaces(...asked),
    reassign: () => processor.reassign(),
    purge: async () => {
      await purge(stores, worker);
      copies.clear();
    },
    sqlCopy: (projectId, maxAgeMs) => copies.get(projectId, maxAgeMs),
    mirrorPersons,
    deleteMirror: (projectId) => processor.runExclusive(() => events.deleteMirror(projectId)),
    size: () => events.size(),
    stepSeconds: async () => stepTimes.seconds(),
    listPromotedProperties: () => events.listPromotedProperties(),
    watch: async (projectIds) => liveEvents.watch(projectIds),
    snapshot: (folder) =>
      takeSnapshot({ dataDir, head, events, betweenChunks: (work) => processor.runExclusive(work) }, folder),
    async findPending(projectId, uuid) {
      const entry = await findPendingEvent({ log, progress: () => ingest.progress() }, projectId, uuid);
      return entry && { receivedAt: entry.receivedAt };
    },
    checkStores: () => checkStores(dataDir, head, events),
    close: () => close(stores, worker),
  };
}

const purge = ({ personIndex, events, ingest }: Stores, { processor, mirror }: EmbeddedWorker): Promise<void> =>
  processor.runExclusive(async () => {
    await mirror.refreshAll();
    await personIndex.purgeDeleted();
    await events.purge();
    await ingest.purge();
  });

async function close({ log, attempts, ingest, events }: Stores, worker: EmbeddedWorker): Promise<void> {
  worker.isClosing = true;
  // At the same time: one after the other, they might wait for each other.
  const { maintenance, indexer, processor } = worker;
  await Promise.all([...maintenance.map((each) => each.stop()), indexer.stop(), processor.stop()]);
  log.close();
  attempts.close();
  await ingest.close();
  await events.close();
}

/** Queries share the engine's memory: one that needs too much of it is refused. */
function explainOutOfMemory(error: unknown): never {
  throw isOutOfMemory(error) ? queryTooLarge(error) : error;
}

/** A lost engine cannot be repaired in place: the thread ends and a new one opens the file again. */
function crashOnLostEngine(
  methods: EmbeddedWorkerMethods,
  crash: (error: unknown) => Promise<void>,
): EmbeddedWorkerMethods {
  const watch = async (work: unknown): Promise<unknown> => {
    try {
      return await work;
    } catch (error) {
      if (error instanceof EventStoreInvalidated) void crash(error);
      throw error;
    }
  };
  return { ...wrapMethods(methods, <R>(call: () => R) => watch(call()) as R), close: () => methods.close() };
}

if (parentPort) void start(parentPort, workerData as EmbeddedWorkerOptions);
