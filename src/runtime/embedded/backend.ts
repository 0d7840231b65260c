/** The set of one machine: SQLite and DuckDB in a folder, and a worker thread that owns the latter. */

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../../core/errors.ts';
import { Ingestion } from '../../ingest/accept/ingestion.ts';
import type { ProcessedNotice } from '../../ingest/accept/processed-notice.ts';
import { ReadYourWrites } from '../../ingest/accept/read-your-writes.ts';
import { LiveEventSubscriptions } from '../../ingest/live/live-event-subscriptions.ts';
import { findPendingEvent } from '../../ingest/track/find-pending-event.ts';
import { readIngestCounts } from '../../ingest/track/ingest-counts.ts';
import { type Clock, clockOn } from '../../lib/clock.ts';
import type { LeaderTask } from '../../lib/leader-task.ts';
import { scanFiles } from '../../lib/scan-files.ts';
import { resolvesWithin } from '../../lib/within.ts';
import { DATA_FILES } from '../../stores/data-files.ts';
import { duckdbDialect } from '../../stores/duckdb/dialect.ts';
import { folderSnapshots } from '../../stores/embedded/folder-snapshots.ts';
import { lockFolder } from '../../stores/sqlite/folder-lock.ts';
import { openIngestLog } from '../../stores/sqlite/ingest-log.ts';
import { openIngestLogReader } from '../../stores/sqlite/ingest-log-reader.ts';
import { openMetadataStore } from '../../stores/sqlite/metadata-store.ts';
import { type Backend, type BackendOptions, MAX_PROCESSING_WAIT_MS } from '../backend.ts';
import { builtFile } from '../built-file.ts';
import type { CloseList } from '../close-list.ts';
import type { EmbeddedWorkerMethods, EmbeddedWorkerOptions } from '../worker-protocol.ts';
import { WorkerThread } from '../worker-thread.ts';

export async function openEmbedded(options: BackendOptions, opened: CloseList): Promise<Backend> {
  const { config, clockMemory } = options;
  const clock = clockOn(clockMemory);
  const shelves = await openStores(options, clock, opened);
  const { metadata, ingest, ingestLog, reader } = shelves;
  let charge: Required<LeaderTask> | null = null;
  const { ingestion, writes, thread, tail, ready } = startIngestion(options, shelves, () => charge?.wake(), opened);
  const waiting = { log: reader, position: () => ingest.position() };
  return {
    metadata,
    ingest,
    ingestion,
    writes,
    liveEvents: tail,
    dialect: duckdbDialect,
    worker: () => thread.methods,
    reassigner: {
      position: async () => thread.methods.position(),
      reassign: async () => thread.methods.reassign(),
    },
    findPending: (projectId, uuid) => findPendingEvent(waiting, projectId, uuid),
    counts: () => readIngestCounts(ingest, ingestion, clock),
    async purgeLog() {
      if (!(await resolvesWithin(MAX_PROCESSING_WAIT_MS, ingestion.whenProcessed()))) {
        throw new Failure('unavailable', 'Too many events wait to be processed.');
      }
      await ingestLog.trim(await ingest.position());
      await ingestLog.purge();
    },
    scanFiles: (texts) => scanFiles(config.dataDir, texts),
    snapshots: folderSnapshots(config.dataDir, async (folder) => thread.methods.snapshot(folder)),
    checkStores: async () => thread.methods.checkStores(),
    async isReady() {
      await metadata.check();
      await thread.methods.query('select 1', []);
    },
    describeCluster: async () => null,
    ready,
    runWhileLeader(chores) {
      charge = chores;
      chores.start();
      opened.push(() => chores.stop());
    },
    wakeLeader: () => charge?.wake(),
    broadcastChange: () => undefined,
    reportMetrics: () => undefined,
    crashWorker: () => thread.notify('fault'),
  };
}

type Stores = Awaited<ReturnType<typeof openStores>>;

async function openStores({ config, tables }: BackendOptions, clock: Clock, opened: CloseList) {
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  const lock = lockFolder(config.dataDir);
  opened.push(() => lock.release());
  const { metadata, ingest } = await openMetadataStore(join(config.dataDir, DATA_FILES.metadata), clock.now(), tables);
  opened.push(() => metadata.close());
  const after = await ingest.position();
  const ingestLog = openIngestLog(join(config.dataDir, DATA_FILES.log), {
    maxBytes: config.ingestLogMaxBytes,
    startAfter: after,
  });
  opened.push(() => ingestLog.close());
  // What was processed before the last stop, but not trimmed in time.
  await ingestLog.trim(after);
  const reader = openIngestLogReader(join(config.dataDir, DATA_FILES.log));
  opened.push(() => reader.close());
  return { metadata, ingest, ingestLog, reader };
}

/** `ready` resolves when the thread has opened its stores; meanwhile the rest of the house is built. */
function startIngestion(
  { config, logger, clockMemory, listeners }: BackendOptions,
  { ingestLog, metadata }: Stores,
  onNews: () => void,
  opened: CloseList,
) {
  const { entries, head } = ingestLog.state();
  const writes = new ReadYourWrites({ initialHead: entries > 0 ? head : 0, processNow: () => thread.notify('hurry') });
  const ingestion = new Ingestion({ log: ingestLog, logger, writes, wake: () => thread.notify('wake') });
  const tail = new LiveEventSubscriptions(async (projectIds) => thread.methods.watch(projectIds));
  const options: EmbeddedWorkerOptions = {
    dataDir: config.dataDir,
    clockMemory,
    logLevel: logger.level,
    eventsMemoryMb: config.eventsMemoryMb,
    faults: config.faults,
  };
  const onProcessed = (chunk: ProcessedNotice): void => {
    // Before anybody who waits for the chunk goes on: they must find what it has brought.
    listeners.onStored(chunk.projects, chunk.projectsWithNewGroupTypes);
    metadata.subjects.refresh(chunk.persons);
    ingestion.onProcessed(chunk);
  };
  const onReady = (position: number): void => {
    // A thread that died may have brought some without saying so.
    listeners.onUnknownChange();
    metadata.subjects.refresh();
    ingestion.onReady(position);
    tail
      .syncProjects()
      .catch((err: unknown) => logger.warn({ err }, 'live streams stay silent until the next one opens'));
  };
  const thread = new WorkerThread<EmbeddedWorkerMethods>(
    builtFile('worker.js'),
    options,
    {
      onReady,
      onProcessed,
      onIdle: ingestion.onIdle,
      onLiveEvents: (events) => tail.publish(events),
      onWebhookMessages: onNews,
    },
    logger,
  );
  const ready = thread.start();
  opened.push(async () => {
    // Whoever waits for `ready` hears why it failed; here it only must have ended.
    await ready.catch(() => undefined);
    await thread.close();
  });
  return { ingestion, writes, thread, tail, ready };
}
