/**
 * The worker thread: the only one that opens the event store. It processes the log and answers queries, so that
 * neither is ever in the way of a request on the main thread.
 */
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { calculateCohort } from '../../features/cohorts/calculate-cohort.ts';
import { answerQuestion, withSignal } from '../../features/insights/answer-question.ts';
import type { ProcessedNotice } from '../../ingest/accept/processed-notice.ts';
import { LiveEventPublisher } from '../../ingest/live/live-event-publisher.ts';
import { Maintenance } from '../../ingest/maintain/maintenance.ts';
import { PersonIndexer } from '../../ingest/maintain/person-indexer.ts';
import { PersonMirror } from '../../ingest/maintain/person-mirror.ts';
import { DefinitionRecorder } from '../../ingest/process/definition-recorder.ts';
import { Processor } from '../../ingest/process/processor.ts';
import { lastSeq } from '../../ingest/process/sink.ts';
import { StepTimes } from '../../ingest/process/step-times.ts';
import { clockOn } from '../../lib/clock.ts';
import { randomIds } from '../../lib/ids.ts';
import { openLog } from '../../lib/log.ts';
import { notify, onNotice, serve } from '../../lib/rpc.ts';
import { wrapMethods } from '../../lib/wrap-methods.ts';
import { queryTooLarge } from '../../query/query-limits.ts';
import { DATA_FILES } from '../../stores/data-files.ts';
import { duckdbDialect } from '../../stores/duckdb/dialect.ts';
import { openEventStore } from '../../stores/duckdb/event-store.ts';
import { EventStoreInvalidated } from '../../stores/duckdb/invalidated.ts';
import { checkStores } from '../../stores/embedded/check-stores.ts';
import { takeSnapshot } from '../../stores/embedded/take-snapshot.ts';
import { isOutage, isOutOfMemory } from '../../stores/outage.ts';
import { sqliteDialect } from '../../stores/sql/dialect.ts';
import { sqlIngestStore } from '../../stores/sql/ingest/ingest-store.ts';
import { sqlMetadataStore } from '../../stores/sql/metadata-store.ts';
import { sqlPersonIndex } from '../../stores/sql/person-index.ts';
import { openIngestLogReader } from '../../stores/sqlite/ingest-log-reader.ts';
import { openSqliteDatabase } from '../../stores/sqlite/metadata-store.ts';
import type { EmbeddedWorkerMethods, EmbeddedWorkerOptions } from '../worker-protocol.ts';

async function start(port: NonNullable<typeof parentPort>, options: EmbeddedWorkerOptions): Promise<void> {
  const at = (file: string): string => join(options.dataDir, file);
  const logger = openLog(options.logLevel).child({ thread: 'worker' });
  const clock = clockOn(options.clockMemory);
  const events = await openEventStore(at(DATA_FILES.events), { memoryLimit: `${options.eventsMemoryMb}MB` });
  const database = openSqliteDatabase(at(DATA_FILES.metadata));
  const ingest = sqlIngestStore(database, sqliteDialect);
  const metadata = sqlMetadataStore(database, sqliteDialect);
  const log = openIngestLogReader(at(DATA_FILES.log));
  const tail = new LiveEventPublisher((batch) => notify(port, 'tail', batch));
  const stepTimes = new StepTimes();
  const processor = new Processor({
    ingest,
    events,
    log,
    clock,
    logger,
    definitions: new DefinitionRecorder(randomIds),
    stepTimes,
    isOutage,
    onProcessed: ({ entries, events: count, stored, messages, projectsWithNewGroupTypes, persons }) => {
      const position = lastSeq(entries);
      indexer.onProcessed();
      const projects = [...new Set(stored.map(({ projectId }) => projectId))];
      notify(port, 'processed', {
        position,
        events: count,
        projects,
        projectsWithNewGroupTypes,
        persons,
      } satisfies ProcessedNotice);
      tail.publish(stored);
      if (messages > 0) notify(port, 'news', null);
    },
    onIdle: (position) => {
      notify(port, 'idle', position);
      indexer.onIdle();
    },
    onOutage: (error) => {
      if (error instanceof EventStoreInvalidated) void die(error);
    },
  });
  const personIndex = sqlPersonIndex(database, sqliteDialect);
  const indexer = new PersonIndexer({
    index: personIndex,
    runExclusive: (work) => processor.runExclusive(work),
    logger,
  });
  const mirror = new PersonMirror({ ingest, events, runExclusive: (work) => processor.runExclusive(work) });
  const tending = new Maintenance({ events, clock, logger, runExclusive: (work) => processor.runExclusive(work) });
  const close = async (): Promise<void> => {
    // One after the other they might wait for each other.
    await Promise.all([tending.stop(), indexer.stop(), processor.stop()]);
    log.close();
    await ingest.close();
    await events.close();
  };
  const die = async (error: unknown): Promise<void> => {
    logger.error({ err: error }, 'the worker thread ends because of a fault; it is started again');
    // DuckDB must be let go of in peace: ending a thread under its feet takes the whole process down.
    await close().catch(() => undefined);
    process.exit(1);
  };
  process.on('uncaughtException', (error) => void die(error));
  const mirrorPersons = (projectId: number): Promise<void> => mirror.refresh(projectId);
  const methods: EmbeddedWorkerMethods = {
    position: () => events.position(),
    query: (sql, values, signal) => events.query(sql, values, signal).catch(explainOutOfMemory),
    deleteBefore: (projectId, timestamp) => events.deleteBefore(projectId, timestamp),
    reassign: () => processor.reassign(),
    purge: () =>
      processor.runExclusive(async () => {
        await mirror.refreshAll();
        await personIndex.purgeDeleted();
        await events.purge();
        await ingest.purge();
      }),
    mirrorPersons,
    deleteMirror: (projectId) => processor.runExclusive(() => events.deleteMirror(projectId)),
    size: () => events.size(),
    stepSeconds: async () => stepTimes.seconds(),
    listPromotedProperties: () => events.listPromotedProperties(),
    watch: async (projectIds) => tail.watch(projectIds),
    answerQuestion: (projectId, question, page, signal) => {
      const deps = {
        metadata,
        events: withSignal(events, signal),
        dialect: duckdbDialect,
        clock,
        mirrorPersons,
        signal,
      };
      return answerQuestion(deps, projectId, question, page).catch(explainOutOfMemory);
    },
    snapshot: (folder) =>
      takeSnapshot({ dataDir: options.dataDir, events, betweenChunks: (work) => processor.runExclusive(work) }, folder),
    checkStores: () => checkStores(options.dataDir, events),
    calculateCohort: (projectId, cohortId) =>
      calculateCohort({ metadata, events, dialect: duckdbDialect, clock, mirrorPersons }, projectId, cohortId),
    close,
  };
  serve(port, restartOnLostEngine(methods, die));
  onNotice(port, 'wake', () => processor.wake());
  onNotice(port, 'hurry', () => processor.processNow());
  if (options.faults) onNotice(port, 'fault', () => void die(new Error('told to die')));
  notify(port, 'ready', await processor.recover());
  // An earlier process may have left something to be written, or an earlier version everything.
  indexer.onIdle();
  tending.start();
}

/** The engine's memory is shared: what one question wants too much of, it can be told to do without. */
function explainOutOfMemory(error: unknown): never {
  throw isOutOfMemory(error) ? queryTooLarge(error) : error;
}

/** A lost engine cannot be repaired in place: the thread ends and a new one opens the file again. */
function restartOnLostEngine(
  methods: EmbeddedWorkerMethods,
  die: (error: unknown) => Promise<void>,
): EmbeddedWorkerMethods {
  const watch = async (work: unknown): Promise<unknown> => {
    try {
      return await work;
    } catch (error) {
      if (error instanceof EventStoreInvalidated) void die(error);
      throw error;
    }
  };
  return { ...wrapMethods(methods, <R>(call: () => R) => watch(call()) as R), close: () => methods.close() };
}

if (parentPort) await start(parentPort, workerData as EmbeddedWorkerOptions);
