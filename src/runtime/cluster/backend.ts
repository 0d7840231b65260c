/** The set of many machines: PostgreSQL and ClickHouse, which any number of web nodes and workers share. */

import { BroadcastConfirmations } from '../../ingest/cluster/broadcast-confirmations.ts';
import { PartitionedIntake } from '../../ingest/cluster/partitioned-intake.ts';
import { PartitionedReadYourWrites } from '../../ingest/cluster/partitioned-read-your-writes.ts';
import { LiveEventSubscriptions } from '../../ingest/live/live-event-subscriptions.ts';
import { findPendingEvent } from '../../ingest/track/find-pending-event.ts';
import { ingestCounts } from '../../ingest/track/ingest-counts.ts';
import { clockOn } from '../../lib/clock.ts';
import { randomIds } from '../../lib/ids.ts';
import type { LeaderTask } from '../../lib/leader-task.ts';
import { resolvesWithin } from '../../lib/within.ts';
import { clickhouseDialect } from '../../stores/clickhouse/dialect.ts';
import type { MessageChannel, NodeMessage } from '../../stores/cluster/node-messages.ts';
import type { PartitionedLog } from '../../stores/cluster/partitioned-log.ts';
import type { StoreCheck } from '../../stores/folder-snapshots.ts';
import { requireFinishedMove } from '../../stores/metadata/move-marks.ts';
import { readClusterStatus } from '../../stores/postgres/cluster-status.ts';
import { openLogPool } from '../../stores/postgres/log-pool.ts';
import { openMessageChannel } from '../../stores/postgres/message-channel.ts';
import { openPostgresMetadataStore } from '../../stores/postgres/metadata-store.ts';
import { openPartitionedLog } from '../../stores/postgres/partitioned-log.ts';
import { readPartitionEntries } from '../../stores/postgres/read-partitions.ts';
import type { Backend, BackendOptions } from '../backend.ts';
import { builtFile } from '../built-file.ts';
import type { CloseList } from '../close-list.ts';
import type { WorkerMethods } from '../worker-protocol.ts';
import { WorkerThread } from '../worker-thread.ts';
import { followMessages } from './follow-messages.ts';
import { reportClusterMetrics } from './report-metrics.ts';
import { timeLimitedSubjects } from './time-limited-subjects.ts';
import type { ClusterWorkerOptions } from './worker-options.ts';

/** Where they are: the settings have been checked. */
interface ClusterUrls {
  databaseUrl: string;
  clickhouseUrl: string;
}

const POOL_SIZE = 2;
const LEADER_TASKS_STOP_TIMEOUT_MS = 3000;

export async function openCluster(
  options: BackendOptions,
  { databaseUrl, clickhouseUrl }: ClusterUrls,
  opened: CloseList,
): Promise<Backend> {
  const { config, logger, clockMemory } = options;
  const clock = clockOn(clockMemory);
  const node = randomIds.uuid();
  const shelf = await openPostgresMetadataStore(
    databaseUrl,
    clock.now(),
    { size: config.databasePoolSize },
    options.tables,
  );
  opened.push(() => shelf.metadata.close());
  await requireFinishedMove(shelf.metadata.installation);
  const { ingestLogMaxBytes: maxBytes, logPartitions: partitions } = config;
  const log = await openPartitionedLog(databaseUrl, { maxBytes, partitions, node });
  opened.push(() => log.close());
  const pool = openLogPool(databaseUrl, POOL_SIZE);
  opened.push(() => pool.end());
  const news = await openMessageChannel(databaseUrl);
  opened.push(() => news.close());
  const writes = new PartitionedReadYourWrites({
    initialHeads: await unprocessedHeads(log),
    partitions: log.partitions,
    processNow: throttledSend(news, { hurry: true }),
  });
  const heard = new BroadcastConfirmations();
  let charge: Required<LeaderTask> | null = null;
  let isInCharge = false;
  const metadata = { ...shelf.metadata, subjects: timeLimitedSubjects(shelf.metadata.subjects) };
  const { listeners } = options;
  const following = followMessages({
    messages: news,
    node,
    log,
    pool,
    writes,
    confirmations: heard,
    metadata,
    listeners,
    onLeaderWork: () => charge?.wake(),
  });
  opened.push(() => following.stop());
  const tellCharge = (): void => news.send({ chores: true });
  const onCharge = (isOurs: boolean): void => {
    isInCharge = isOurs;
    if (isOurs) charge?.start();
    else charge?.stop().catch((err: unknown) => logger.warn({ err }, 'the chores did not end in peace'));
  };
  const worker: ClusterWorkerOptions = {
    node,
    role: config.role,
    databaseUrl,
    databasePoolSize: config.databasePoolSize,
    clickhouseUrl,
    clickhouseCluster: config.clickhouseCluster,
    clickhouseOptions: config.clickhouseOptions,
    partitions: log.partitions,
    clockMemory,
    logLevel: logger.level,
    eventsMemoryMb: config.eventsMemoryMb,
    queryTimeoutSeconds: config.queryTimeoutSeconds,
    faults: config.faults,
  };
  const tail = new LiveEventSubscriptions(async (projectIds) => thread.methods.watch(projectIds));
  const thread = new WorkerThread<WorkerMethods>(
    builtFile('large-worker.js'),
    worker,
    {
      onReady: () => undefined,
      onProcessed: () => undefined,
      onIdle: () => undefined,
      onLiveEvents: (events) => tail.publish(events),
      onWebhookMessages: () => undefined,
      onLeaderChange: onCharge,
    },
    logger,
  );
  const ready = thread.start();
  opened.push(async () => {
    await ready.catch(() => undefined);
    // What a chore has under way may wait for an event store that does not answer; it is done again by whoever is next.
    if (charge !== null) await resolvesWithin(LEADER_TASKS_STOP_TIMEOUT_MS, charge.stop());
    await thread.close();
  });
  const whole = () => readClusterStatus(pool);
  return {
    metadata,
    ingest: shelf.ingest,
    ingestion: new PartitionedIntake({
      log,
      writes,
      newSeed: () => randomIds.seed(),
      whenConfirmed: (reached) => heard.whenConfirmed(reached),
      hasUnshippedEvents: async () => (await whole()).isShipping,
    }),
    writes,
    liveEvents: tail,
    dialect: clickhouseDialect,
    worker: () => thread.methods,
    reassigner: {
      position: async () => 0,
      reassign: async () => thread.methods.reassign(),
    },
    findPending: (projectId, uuid) => findInPartitions(pool, log, projectId, uuid),
    async counts() {
      const { accepted, fates, shipping, oldestReceivedAt } = await whole();
      const lagMs = oldestReceivedAt === null ? 0 : Math.max(0, clock.now() - oldestReceivedAt);
      const counts = ingestCounts(fates, { accepted, lagMs });
      // What is processed but not shipped cannot be asked for yet.
      return { ...counts, stored: counts.stored - shipping, pending: counts.pending + shipping };
    },
    // Entries go with the transaction that processes them; the rest is PostgreSQL's to clean.
    purgeLog: async () => undefined,
    scanFiles: async () => ({ files: 0, bytes: 0, found: new Map() }),
    // The engines have tools of their own for that.
    snapshots: null,
    checkStores: async () => [
      await checkStore('PostgreSQL', metadata.check()),
      await checkStore('ClickHouse', thread.methods.size()),
    ],
    isReady: config.role === 'worker' ? () => metadata.check() : async () => undefined,
    describeCluster: async () => ({ node, role: config.role, ...(await whole()).parts }),
    ready,
    runWhileLeader(chores) {
      charge = chores;
      if (isInCharge) chores.start();
    },
    wakeLeader: tellCharge,
    broadcastChange: (projectId) => news.send({ shipped: [projectId] }),
    reportMetrics: (registry) => reportClusterMetrics(registry, whole),
    crashWorker: () => thread.notify('fault'),
  };
}

/** Whatever waits at the start may be about anybody. */
async function unprocessedHeads(log: PartitionedLog): Promise<Map<number, number>> {
  const [heads, positions] = [await log.heads(), await log.positions()];
  return new Map([...heads].map(([partition, head]) => [partition, head > (positions.get(partition) ?? 0) ? head : 0]));
}

/** Whether it answers; what lies inside is for its own tools to look through. */
async function checkStore(store: string, answer: Promise<unknown>): Promise<StoreCheck> {
  try {
    await answer;
    return { store, problem: null, detail: 'it answers' };
  } catch (error) {
    return { store, problem: (error as Error).message, detail: 'it was asked for a sign of life' };
  }
}

const PROCESS_NOW_INTERVAL_MS = 10;

/** Says it at once, and then not again for a moment. */
function throttledSend(news: MessageChannel, piece: NodeMessage): () => void {
  let last = Number.NEGATIVE_INFINITY;
  return () => {
    if (performance.now() - last < PROCESS_NOW_INTERVAL_MS) return;
    last = performance.now();
    news.send(piece);
  };
}

/** An event's partition cannot be told from its uuid: one after the other is looked through. */
async function findInPartitions(
  pool: ReturnType<typeof openLogPool>,
  log: PartitionedLog,
  projectId: number,
  uuid: string,
) {
  for (const [partition, position] of await log.positions()) {
    const reader = {
      read: (seq: number, maxEvents: number, maxBytes: number) =>
        readPartitionEntries(pool, new Map([[partition, seq]]), maxEvents, maxBytes),
      close: () => undefined,
    };
    const found = await findPendingEvent({ log: reader, position: async () => position }, projectId, uuid);
    if (found) return found;
  }
  return null;
}
