/** The backend of a cluster: PostgreSQL and ClickHouse, shared by any number of web nodes and workers. */

import type pg from 'pg';
import { BroadcastConfirmations } from '../../ingest/cluster/broadcast-confirmations.ts';
import { PartitionedIntake } from '../../ingest/cluster/partitioned-intake.ts';
import { PartitionedReadYourWrites } from '../../ingest/cluster/partitioned-read-your-writes.ts';
import { LiveEventSubscriptions } from '../../ingest/live/live-event-subscriptions.ts';
import { findPendingEvent } from '../../ingest/track/find-pending-event.ts';
import { ingestCounts } from '../../ingest/track/ingest-counts.ts';
import { clockOn } from '../../lib/clock.ts';
import { randomIds } from '../../lib/ids.ts';
import { resolvesWithin } from '../../lib/resolves-within.ts';
import { clickhouseDialect } from '../../stores/clickhouse/dialect.ts';
import { ClickHouseSqlUser } from '../../stores/clickhouse/sql-user.ts';
import type { MessageChannel, NodeMessage } from '../../stores/cluster/node-messages.ts';
import type { PartitionedLog } from '../../stores/cluster/partitioned-log.ts';
import type { StoreCheck } from '../../stores/folder-snapshots.ts';
import { progressAt } from '../../stores/ingest/log-progress.ts';
import { requireFinishedMove } from '../../stores/metadata/move-marks.ts';
import { readClusterStatus } from '../../stores/postgres/cluster-status.ts';
import { openLogPool } from '../../stores/postgres/log-pool.ts';
import { openMessageChannel } from '../../stores/postgres/message-channel.ts';
import { openPostgresMetadataStore } from '../../stores/postgres/metadata-store.ts';
import { openPartitionedLog } from '../../stores/postgres/partitioned-log.ts';
import { readPartitionEntries } from '../../stores/postgres/read-partitions.ts';
import { sqlCopySource } from '../../stores/sql/copy-source.ts';
import { postgresDialect } from '../../stores/sql/postgres-dialect.ts';
import type { Backend, BackendOptions } from '../backend.ts';
import { builtFile } from '../built-file.ts';
import type { CloseList } from '../close-list.ts';
import { Leadership } from '../leadership.ts';
import type { WorkerMethods } from '../worker-protocol.ts';
import { WorkerThread } from '../worker-thread.ts';
import { followMessages } from './follow-messages.ts';
import { reportClusterMetrics } from './report-metrics.ts';
import { timeLimitedSubjects } from './time-limited-subjects.ts';
import type { ClusterWorkerOptions } from './worker-options.ts';

/** The settings have been checked: both are there. */
interface ClusterUrls {
  databaseUrl: string;
  clickhouseUrl: string;
}

const POOL_SIZE = 2;
const LEADER_TASKS_STOP_TIMEOUT_MS = 3000;

export async function openCluster(options: BackendOptions, urls: ClusterUrls, toClose: CloseList): Promise<Backend> {
  const { config, logger } = options;
  const node = randomIds.uuid();
  const stores = await openStores(options, urls, node, toClose);
  const { metadata, log, pool, messages } = stores;
  const writes = await openReadYourWrites(stores);
  const confirmations = new BroadcastConfirmations();
  const leadership = new Leadership(logger, false);
  const { listeners } = options;
  const onLeaderWork = (): void => leadership.wake();
  const following = followMessages({ ...stores, node, writes, confirmations, listeners, onLeaderWork });
  toClose.push(() => following.stop());
  const { thread, liveEvents, ready } = startWorker(
    options,
    workerOptions(options, urls, node, log),
    leadership,
    toClose,
  );
  const status = () => readClusterStatus(pool);
  return {
    metadata,
    ingest: stores.ingest,
    ingestion: new PartitionedIntake({
      log,
      writes,
      newSeed: () => randomIds.seed(),
      whenConfirmed: (reached) => confirmations.whenConfirmed(reached),
      hasUnshippedEvents: async () => (await status()).isShipping,
    }),
    writes,
    liveEvents,
    ...eventMethods(options, stores, thread),
    sql: openSql(options, stores, toClose),
    checkStores: async () => [
      await checkStore('PostgreSQL', metadata.check()),
      await checkStore('ClickHouse', thread.methods.size()),
    ],
    isReady: config.role === 'worker' ? () => metadata.check() : async () => undefined,
    // Flags are answered without PostgreSQL, so the node stays ready.
    processingOutage: () => null,
    captureRefusal: () =>
      metadata.check().then(
        () => null,
        () => 'Events are refused: PostgreSQL does not answer.',
      ),
    describeCluster: async () => ({ node, role: config.role, ...(await status()).parts }),
    ready,
    slowOpening: () => null,
    runWhileLeader: (tasks) => leadership.run(tasks),
    wakeLeader: () => messages.send({ chores: true }),
    broadcastChange: (projectId) => messages.send({ shipped: [projectId] }),
    reportMetrics: (registry) => reportClusterMetrics(registry, status),
    crashWorker: () => thread.notify('crash'),
  };
}

type Stores = Awaited<ReturnType<typeof openStores>>;

async function openStores(
  { config, clockMemory, tables }: BackendOptions,
  { databaseUrl }: ClusterUrls,
  node: string,
  toClose: CloseList,
) {
  const now = clockOn(clockMemory).now();
  const opened = await openPostgresMetadataStore(databaseUrl, now, { size: config.databasePoolSize }, tables);
  toClose.push(() => opened.metadata.close());
  await requireFinishedMove(opened.metadata.installation);
  const { ingestLogMaxBytes: maxBytes, logPartitions: partitions } = config;
  const log = await openPartitionedLog(databaseUrl, { maxBytes, partitions, node });
  toClose.push(() => log.close());
  const pool = await openLogPool(databaseUrl, POOL_SIZE);
  toClose.push(() => pool.end());
  const messages = await openMessageChannel(databaseUrl);
  toClose.push(() => messages.close());
  const metadata = { ...opened.metadata, subjects: timeLimitedSubjects(opened.metadata.subjects) };
  return { metadata, ingest: opened.ingest, db: opened.db, log, pool, messages };
}

/** Without a user of its own in ClickHouse, nobody's SQL is run there. */
function openSql({ config, clockMemory }: BackendOptions, { db, pool }: Stores, toClose: CloseList): Backend['sql'] {
  const { clickhouseSqlUrl: url, clickhouseOptions, sqlTimeoutSeconds: timeoutSeconds, sqlMemoryMb: memoryMb } = config;
  if (url === null) return null;
  const settings = clickhouseOptions['longValues'] === undefined ? 'of the user' : 'sent';
  const reader = new ClickHouseSqlUser({ url, settings, timeoutSeconds, memoryMb });
  toClose.push(() => reader.close());
  return {
    reader,
    source: sqlCopySource({ db, dialect: postgresDialect }),
    freshUntil: async () => (await readClusterStatus(pool)).oldestReceivedAt ?? clockOn(clockMemory).now(),
  };
}

const openReadYourWrites = async ({ log, messages }: Stores): Promise<PartitionedReadYourWrites> =>
  new PartitionedReadYourWrites({
    initialHeads: await unprocessedHeads(log),
    partitions: log.partitions,
    processNow: throttledSend(messages, { hurry: true }),
  });

const workerOptions = (
  { config, clockMemory, logger }: BackendOptions,
  urls: ClusterUrls,
  node: string,
  { partitions }: PartitionedLog,
): ClusterWorkerOptions => ({
  ...urls,
  node,
  // A relay has no backend.
  role: config.role === 'relay' ? 'all' : config.role,
  databasePoolSize: config.databasePoolSize,
  clickhouseCluster: config.clickhouseCluster,
  clickhouseOptions: config.clickhouseOptions,
  partitions,
  clockMemory,
  logLevel: logger.level,
  eventsMemoryMb: config.eventsMemoryMb,
  deduplicationMemoryMb: config.deduplicationMemoryMb,
  nameLimits: { eventNames: config.maxEventNames, propertyNames: config.maxPropertyNames },
  queryTimeoutSeconds: config.queryTimeoutSeconds,
  faults: config.faults,
});

function startWorker(
  { logger }: BackendOptions,
  options: ClusterWorkerOptions,
  leadership: Leadership,
  toClose: CloseList,
) {
  const liveEvents = new LiveEventSubscriptions(async (projectIds) => thread.methods.watch(projectIds));
  const ignore = (): void => undefined;
  const thread = new WorkerThread<WorkerMethods>(
    builtFile('large-worker.js'),
    options,
    {
      // Nodes learn of progress by messages, since another node may have made it.
      onReady: ignore,
      onProcessed: ignore,
      onIdle: ignore,
      onWebhookMessages: ignore,
      onLiveEvents: (events) => liveEvents.publish(events),
      onLeaderChange: (isLeader) => leadership.change(isLeader),
    },
    logger,
  );
  const ready = thread.start();
  // It may fail before anybody waits for it.
  ready.catch(() => undefined);
  toClose.push(async () => {
    await ready.catch(() => undefined);
    // A task may wait for an event store that does not answer; the next leader does it again.
    await resolvesWithin(LEADER_TASKS_STOP_TIMEOUT_MS, leadership.stop());
    await thread.close();
  });
  return { thread, liveEvents, ready };
}

const eventMethods = ({ clockMemory }: BackendOptions, { pool, log }: Stores, thread: WorkerThread<WorkerMethods>) => ({
  dialect: clickhouseDialect,
  worker: () => thread.methods,
  reassigner: {
    progress: async () => progressAt(0),
    reassign: async () => thread.methods.reassign(),
  },
  findPending: (projectId: number, uuid: string) => findInPartitions(pool, log, projectId, uuid),
  async counts() {
    const { accepted, fates, shipping, oldestReceivedAt } = await readClusterStatus(pool);
    const lagMs = oldestReceivedAt === null ? 0 : Math.max(0, clockOn(clockMemory).now() - oldestReceivedAt);
    const counts = ingestCounts(fates, { accepted, lagMs });
    // Events that are processed but not shipped cannot be queried yet.
    return { ...counts, stored: counts.stored - shipping, pending: counts.pending + shipping };
  },
  // The transaction that processes entries deletes them; the space is PostgreSQL's to reclaim.
  purgeLog: async () => undefined,
  scanFiles: async () => ({ files: 0, bytes: 0, found: new Map() }),
  // PostgreSQL and ClickHouse have their own backup tools.
  snapshots: null,
});

/** Entries that wait at the start may be about any person. */
async function unprocessedHeads(log: PartitionedLog): Promise<Map<number, number>> {
  const [heads, positions] = [await log.heads(), await log.positions()];
  return new Map([...heads].map(([partition, head]) => [partition, head > (positions.get(partition) ?? 0) ? head : 0]));
}

/** Whether it answers. Checking its data is left to its own tools. */
async function checkStore(store: string, answer: Promise<unknown>): Promise<StoreCheck> {
  try {
    await answer;
    return { store, problem: null, detail: 'it answers' };
  } catch (error) {
    return { store, problem: (error as Error).message, detail: 'no answer' };
  }
}

const PROCESS_NOW_INTERVAL_MS = 10;

/** Sends at once, and then not again for a moment. */
function throttledSend(messages: MessageChannel, message: NodeMessage): () => void {
  let last = Number.NEGATIVE_INFINITY;
  return () => {
    if (performance.now() - last < PROCESS_NOW_INTERVAL_MS) return;
    last = performance.now();
    messages.send(message);
  };
}

/** The uuid does not tell the partition, so all are searched. */
async function findInPartitions(pool: pg.Pool, log: PartitionedLog, projectId: number, uuid: string) {
  for (const [partition, position] of await log.positions()) {
    const reader = {
      read: (seq: number, maxEvents: number, maxBytes: number) =>
        readPartitionEntries(pool, new Map([[partition, seq]]), maxEvents, maxBytes),
      close: () => undefined,
    };
    const found = await findPendingEvent({ log: reader, progress: async () => progressAt(position) }, projectId, uuid);
    if (found) return found;
  }
  return null;
}
