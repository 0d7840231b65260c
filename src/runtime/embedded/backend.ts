/** The backend of one machine: SQLite and DuckDB in the data folder. The worker thread owns DuckDB. */

import { existsSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../../core/errors.ts';
import { Ingestion } from '../../ingest/accept/ingestion.ts';
import type { ProcessedNotice } from '../../ingest/accept/processed-notice.ts';
import { ReadYourWrites } from '../../ingest/accept/read-your-writes.ts';
import { LiveEventSubscriptions } from '../../ingest/live/live-event-subscriptions.ts';
import { checkLog } from '../../ingest/recover/check-log.ts';
import { readIngestCounts } from '../../ingest/track/ingest-counts.ts';
import { clockOn } from '../../lib/clock.ts';
import { randomIds } from '../../lib/ids.ts';
import { resolvesWithin } from '../../lib/resolves-within.ts';
import { scanFiles } from '../../lib/scan-files.ts';
import { DATA_FILES } from '../../stores/data-files.ts';
import { duckdbDialect } from '../../stores/duckdb/dialect.ts';
import { convertOldLog } from '../../stores/embedded/convert-old-log.ts';
import { folderSnapshots } from '../../stores/embedded/folder-snapshots.ts';
import type { LogProgress } from '../../stores/ingest/log-progress.ts';
import { explainOpenFailure } from '../../stores/open-failure.ts';
import { protectFolder } from '../../stores/protect-folder.ts';
import { openIngestLog } from '../../stores/segment-log/ingest-log.ts';
import type { LogHead } from '../../stores/segment-log/log-head.ts';
import { readLogTotals } from '../../stores/segment-log/log-totals.ts';
import { lockFolder } from '../../stores/sqlite/folder-lock.ts';
import { openMetadataStore } from '../../stores/sqlite/metadata-store.ts';
import { unavailable } from '../../stores/unavailable.ts';
import { type Backend, type BackendOptions, MAX_PROCESSING_WAIT_MS } from '../backend.ts';
import { builtFile } from '../built-file.ts';
import type { CloseList } from '../close-list.ts';
import { Leadership } from '../leadership.ts';
import type { EmbeddedWorkerMethods, EmbeddedWorkerOptions } from '../worker-protocol.ts';
import { WorkerThread } from '../worker-thread.ts';

export async function openEmbedded(options: BackendOptions, toClose: CloseList): Promise<Backend> {
  const { config, clockMemory, logger } = options;
  const stores = await openStores(options, toClose);
  const { metadata, ingest } = stores;
  const leadership = new Leadership(logger, true);
  // Before the thread replays it.
  let isReplaying = hasLongJournal(config.dataDir);
  const { ingestion, writes, thread, liveEvents, ready } = startIngestion(options, stores, leadership, toClose);
  const onOpened = (): void => {
    isReplaying = false;
  };
  ready.then(onOpened, onOpened);
  const snapshots = await explainOpenFailure('work', join(config.dataDir, DATA_FILES.work), () =>
    folderSnapshots(
      config.dataDir,
      () => randomIds.uuid(),
      async (folder) => thread.methods.snapshot(folder),
    ),
  );
  return {
    metadata,
    ingest,
    ingestion,
    writes,
    liveEvents,
    dialect: duckdbDialect,
    worker: () => thread.methods,
    sql: { copy: async (projectId, maxAgeMs) => thread.methods.sqlCopy(projectId, maxAgeMs) },
    reassigner: {
      progress: async () => thread.methods.progress(),
      reassign: async () => thread.methods.reassign(),
    },
    findPending: async (projectId, uuid) => thread.methods.findPending(projectId, uuid),
    counts: () => readIngestCounts(ingest, ingestion, clockOn(clockMemory)),
    purgeLog: () => purgeLog(stores, ingestion),
    scanFiles: (texts) => scanFiles(config.dataDir, texts),
    snapshots,
    checkStores: async () => thread.methods.checkStores(),
    async isReady() {
      await metadata.check();
      const refusal = await ingestion.refusal();
      if (refusal !== null) throw unavailable(`Events are refused. ${refusal}`);
      if (!isReplaying) await thread.methods.query('select 1', []);
    },
    captureRefusal: () => ingestion.refusal(),
    processingOutage: () => ingestion.outage,
    describeCluster: async () => null,
    ready,
    slowOpening: () => (isReplaying ? REPLAYING : null),
    runWhileLeader(tasks) {
      leadership.run(tasks);
      toClose.push(() => leadership.stop());
    },
    wakeLeader: () => leadership.wake(),
    broadcastChange: () => undefined,
    reportMetrics: () => undefined,
    crashWorker: () => thread.notify('crash'),
  };
}

const REPLAYING =
  'The event store is reading its journal after a crash. Events and flags are answered; questions wait until it is done.';

/** The engine takes about 12 ms to replay a megabyte. */
const LONG_JOURNAL_BYTES = 16 * 1024 * 1024;

const hasLongJournal = (dataDir: string): boolean =>
  (statSync(join(dataDir, `${DATA_FILES.events}.wal`), { throwIfNoEntry: false })?.size ?? 0) > LONG_JOURNAL_BYTES;

type Stores = Awaited<ReturnType<typeof openStores>>;

async function openStores({ config, clockMemory, tables, logger }: BackendOptions, toClose: CloseList) {
  const { dataDir, ingestLogMaxBytes: maxBytes } = config;
  makeDataFolder(dataDir);
  protectFolder(dataDir);
  const lock = await explainOpenFailure('lock', join(dataDir, 'lock'), () => lockFolder(dataDir));
  toClose.push(() => lock.release());
  const metadataPath = join(dataDir, DATA_FILES.metadata);
  requireMetadata(dataDir);
  const { metadata, ingest } = await explainOpenFailure('metadata', metadataPath, () =>
    openMetadataStore(metadataPath, clockOn(clockMemory).now(), tables),
  );
  toClose.push(() => metadata.close());
  const logPath = join(dataDir, DATA_FILES.log);
  await explainOpenFailure('log', join(dataDir, DATA_FILES.oldLog), () => convertOldLog(dataDir));
  const totals = (progress: LogProgress) => readLogTotals(logPath, progress);
  const { position, accepted } = await explainOpenFailure('log', logPath, () =>
    checkLog({ metadata, totals, clock: clockOn(clockMemory), logger }),
  );
  // Entries that were processed before the last stop are trimmed when the worker has found that it needs none of them.
  const ingestLog = await explainOpenFailure('log', logPath, () =>
    openIngestLog(logPath, { maxBytes, startAfter: position, acceptedAtLeast: accepted }),
  );
  toClose.push(() => ingestLog.close());
  return { metadata, ingest, ingestLog };
}

function makeDataFolder(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new Error(
      `DATA_DIR ${dataDir} cannot be created (${(error as Error).message}). Choose a folder that this user may write to.`,
      { cause: error },
    );
  }
}

/** Without it the other files belong to nobody: a new installation must not begin on them. */
function requireMetadata(dataDir: string): void {
  const path = join(dataDir, DATA_FILES.metadata);
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0) return;
  const others = [DATA_FILES.events, DATA_FILES.log, DATA_FILES.oldLog].filter((name) =>
    existsSync(join(dataDir, name)),
  );
  if (others.length === 0) return;
  throw new Error(
    `${path} is missing: the metadata store (accounts, keys, flags, persons, settings). ${others.join(' and ')} in the ` +
      'same folder need it. Put it back, or restore a backup: cairn restore FILE --replace. To begin a new ' +
      'installation, choose an empty folder with DATA_DIR.',
  );
}

/** `ready` resolves when the thread has opened its stores; meanwhile the server is built. */
function startIngestion(options: BackendOptions, stores: Stores, leadership: Leadership, toClose: CloseList) {
  const { logger, config } = options;
  const { entries, head } = stores.ingestLog.state();
  const initialHead = entries > 0 ? head : 0;
  const writes = new ReadYourWrites({ initialHead, processNow: () => thread.notify('process-now') });
  const ingestion = new Ingestion({
    log: stores.ingestLog,
    logger,
    writes,
    wake: () => thread.notify('wake'),
    maxBytes: config.ingestLogMaxBytes,
  });
  const liveEvents = new LiveEventSubscriptions(async (projectIds) => thread.methods.watch(projectIds));
  const thread = new WorkerThread<EmbeddedWorkerMethods>(
    builtFile('worker.js'),
    workerOptions(options, stores.ingestLog.head),
    {
      ...processingEvents(options, stores, ingestion, liveEvents),
      onIdle: ingestion.onIdle,
      onOutage: ingestion.onOutage,
      onLiveEvents: (events) => liveEvents.publish(events),
      onWebhookMessages: () => leadership.wake(),
    },
    logger,
  );
  const ready = thread.start();
  // It may fail before anybody waits for it.
  ready.catch(() => undefined);
  toClose.push(async () => {
    // Whoever awaits `ready` gets its error; here it only has to be over.
    await ready.catch(() => undefined);
    await thread.close();
  });
  return { ingestion, writes, thread, liveEvents, ready };
}

const workerOptions = ({ config, clockMemory, logger }: BackendOptions, logHead: LogHead): EmbeddedWorkerOptions => ({
  dataDir: config.dataDir,
  logHead: logHead.memory,
  clockMemory,
  logLevel: logger.level,
  eventsMemoryMb: config.eventsMemoryMb,
  deduplicationMemoryMb: config.deduplicationMemoryMb,
  nameLimits: { eventNames: config.maxEventNames, propertyNames: config.maxPropertyNames },
  sqlCopyMaxBytes: config.sqlCopyMaxGb * 1e9,
  faults: config.faults,
});

/** Caches are refreshed first: whoever waits for a chunk must find what it has changed. */
const processingEvents = (
  { listeners, logger }: BackendOptions,
  { metadata }: Stores,
  ingestion: Ingestion,
  liveEvents: LiveEventSubscriptions,
) => ({
  onProcessed(chunk: ProcessedNotice): void {
    listeners.onStored(chunk.projects, chunk.projectsWithNewGroupTypes);
    metadata.subjects.refresh(chunk.persons);
    ingestion.onProcessed(chunk);
  },
  onReady(position: number): void {
    // A thread that crashed may have processed chunks without a notice.
    listeners.onUnknownChange();
    metadata.subjects.refresh();
    ingestion.onReady(position);
    liveEvents
      .syncProjects()
      .catch((err: unknown) => logger.warn({ err }, 'live streams pause until another one is opened'));
  },
});

async function purgeLog({ ingest, ingestLog }: Stores, ingestion: Ingestion): Promise<void> {
  if (!(await resolvesWithin(MAX_PROCESSING_WAIT_MS, ingestion.whenProcessed()))) {
    throw new Failure('unavailable', 'Too many events wait to be processed.');
  }
  await ingestLog.trim(await ingest.position());
  await ingestLog.purge();
}
