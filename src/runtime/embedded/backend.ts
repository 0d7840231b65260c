/** The set of one machine: SQLite and DuckDB in a folder, and a worker thread that owns the latter. */

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../config.ts';
import { Failure } from '../../core/errors.ts';
import { Ingestion } from '../../ingest/accept/ingestion.ts';
import type { ProcessedNotice } from '../../ingest/accept/processed-notice.ts';
import { ReadYourWrites } from '../../ingest/accept/read-your-writes.ts';
import { Tail } from '../../ingest/live/live-event-subscriptions.ts';
import { findPending } from '../../ingest/track/find-pending-event.ts';
import { readIngestCounts } from '../../ingest/track/ingest-counts.ts';
import { type Clock, clockOn } from '../../lib/clock.ts';
import { scanFiles } from '../../lib/scan-files.ts';
import { within } from '../../lib/within.ts';
import { FILES } from '../../stores/data-files.ts';
import { duckdbDialect } from '../../stores/duckdb/dialect.ts';
import { folderSnapshots } from '../../stores/embedded/folder-snapshots.ts';
import { lockFolder } from '../../stores/sqlite/folder-lock.ts';
import { openIngestLog } from '../../stores/sqlite/ingest-log.ts';
import { openIngestLogReader } from '../../stores/sqlite/ingest-log-reader.ts';
import { openRelationalShelf } from '../../stores/sqlite/metadata-store.ts';
import { CATCH_UP_MS, type Charge, type Opened, type SetOptions, type StoreSet } from '../backend.ts';
import { builtFile } from '../built-file.ts';
import type { FolderWorkerMethods, WorkerOptions } from '../worker-protocol.ts';
import { WorkerThread } from '../worker-thread.ts';

export async function openEmbedded(options: SetOptions, opened: Opened): Promise<StoreSet> {
  const { config, clockMemory } = options;
  const clock = clockOn(clockMemory);
  const shelves = await openShelves(config, clock, opened);
  const { metadata, ingest, ingestLog, reader } = shelves;
  let charge: Charge | null = null;
  const { ingestion, writes, thread, tail, ready } = startIngestion(options, shelves, () => charge?.wake(), opened);
  const waiting = { log: reader, position: () => ingest.position() };
  return {
    metadata,
    ingest,
    ingestion,
    writes,
    tail,
    dialect: duckdbDialect,
    worker: () => thread.methods,
    filing: {
      position: async () => thread.methods.position(),
      refile: async () => thread.methods.refile(),
    },
    findPending: (projectId, uuid) => findPending(waiting, projectId, uuid),
    counts: () => readIngestCounts(ingest, ingestion, clock),
    async scrubLog() {
      if (!(await within(CATCH_UP_MS, ingestion.caughtUp()))) {
        throw new Failure('unavailable', 'Too many events wait to be processed.');
      }
      await ingestLog.trim(await ingest.position());
      await ingestLog.scrub();
    },
    scanFiles: (texts) => scanFiles(config.dataDir, texts),
    snapshots: folderSnapshots(config.dataDir, async (folder) => thread.methods.snapshot(folder)),
    checkStores: async () => thread.methods.checkStores(),
    async isReady() {
      await metadata.check();
      await thread.methods.query('select 1', []);
    },
    describe: async () => null,
    ready,
    takeCharge(chores) {
      charge = chores;
      chores.start();
      opened.push(() => chores.stop());
    },
    tellCharge: () => charge?.wake(),
    tellChanged: () => undefined,
    report: () => undefined,
    breakWorker: () => thread.tell('fault'),
  };
}

type Shelves = Awaited<ReturnType<typeof openShelves>>;

async function openShelves(config: Config, clock: Clock, opened: Opened) {
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  const lock = lockFolder(config.dataDir);
  opened.push(() => lock.release());
  const { metadata, ingest } = await openRelationalShelf(join(config.dataDir, FILES.metadata), clock.now());
  opened.push(() => metadata.close());
  const after = await ingest.position();
  const ingestLog = openIngestLog(join(config.dataDir, FILES.log), { maxBytes: config.ingestLogMaxBytes, after });
  opened.push(() => ingestLog.close());
  // What was processed before the last stop, but not trimmed in time.
  await ingestLog.trim(after);
  const reader = openIngestLogReader(join(config.dataDir, FILES.log));
  opened.push(() => reader.close());
  return { metadata, ingest, ingestLog, reader };
}

/** `ready` resolves when the thread has opened its stores; meanwhile the rest of the house is built. */
function startIngestion(
  { config, logger, clockMemory, listeners }: SetOptions,
  { ingestLog, metadata }: Shelves,
  onNews: () => void,
  opened: Opened,
) {
  const { entries, head } = ingestLog.state();
  const writes = new ReadYourWrites({ unread: entries > 0 ? head : 0, hurry: () => thread.tell('hurry') });
  const ingestion = new Ingestion({ log: ingestLog, logger, writes, wake: () => thread.tell('wake') });
  const tail = new Tail(async (projectIds) => thread.methods.watch(projectIds));
  const options: WorkerOptions = {
    dataDir: config.dataDir,
    clockMemory,
    logLevel: logger.level,
    eventsMemoryMb: config.eventsMemoryMb,
    faults: config.faults,
  };
  const onProcessed = (chunk: ProcessedNotice): void => {
    // Before anybody who waits for the chunk goes on: they must find what it has brought.
    listeners.onStored(chunk.projects, chunk.regrouped);
    metadata.subjects.refresh(chunk.persons);
    ingestion.onProcessed(chunk);
  };
  const onReady = (position: number): void => {
    // A thread that died may have brought some without saying so.
    listeners.onUnknown();
    metadata.subjects.refresh();
    ingestion.onReady(position);
    tail.tell().catch((err: unknown) => logger.warn({ err }, 'live streams stay silent until the next one opens'));
  };
  const thread = new WorkerThread<FolderWorkerMethods>(
    builtFile('worker.js'),
    options,
    { onReady, onProcessed, onIdle: ingestion.onIdle, onTail: (events) => tail.show(events), onNews },
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
