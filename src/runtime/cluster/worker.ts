/**
 * The worker thread of a node in a cluster: it answers queries and, unless the node's role is `web`, holds leases,
 * processes their partitions and ships events to the event store.
 */
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { Failure } from '../../core/errors.ts';
import { EventStoreOwner } from '../../ingest/cluster/event-store-owner.ts';
import { LiveEventPoller } from '../../ingest/cluster/live-event-poller.ts';
import { OwnerTasks } from '../../ingest/cluster/owner-tasks.ts';
import { PartitionWorkers } from '../../ingest/cluster/partition-workers.ts';
import { LEADER_LEASE, partitionLease } from '../../ingest/cluster/plan-leases.ts';
import { PropertyReadReporter } from '../../ingest/cluster/report-property-reads.ts';
import type { LiveEvent } from '../../ingest/live/live-event-publisher.ts';
import { DefinitionLimits } from '../../ingest/process/definition-limits.ts';
import { DefinitionRecorder } from '../../ingest/process/definition-recorder.ts';
import { StepTimes } from '../../ingest/process/step-times.ts';
import { type Clock, clockOn } from '../../lib/clock.ts';
import { randomIds } from '../../lib/ids.ts';
import { type Logger, openLog } from '../../lib/log.ts';
import { resolvesWithin } from '../../lib/resolves-within.ts';
import { notify, onNotice, serve } from '../../lib/rpc.ts';
import { queryTooLarge } from '../../query/query-limits.ts';
import { clickhouseDialect } from '../../stores/clickhouse/dialect.ts';
import { openClickHouseEventStore } from '../../stores/clickhouse/event-store.ts';
import { packBlock } from '../../stores/cluster/event-block.ts';
import type { NodeInfo } from '../../stores/cluster/leases.ts';
import { progressAt } from '../../stores/ingest/log-progress.ts';
import { isOutage, isOutOfMemory } from '../../stores/outage.ts';
import { PostgresBlockQueue } from '../../stores/postgres/block-queue.ts';
import { isLeaseLost, postgresChunkStore } from '../../stores/postgres/chunk-store.ts';
import { PostgresLeases, recordNode } from '../../stores/postgres/lease-store.ts';
import { openLogPool } from '../../stores/postgres/log-pool.ts';
import { openMessageChannel } from '../../stores/postgres/message-channel.ts';
import { openPostgresDatabase } from '../../stores/postgres/metadata-store.ts';
import { postgresOwnerTasks } from '../../stores/postgres/owner-task-store.ts';
import { postgresAttempts } from '../../stores/postgres/partition-attempts.ts';
import { readInTurns, readPartitionEntry, readProgress } from '../../stores/postgres/read-partitions.ts';
import { sqlMetadataStore } from '../../stores/sql/metadata-store.ts';
import { sqlPersonIndex } from '../../stores/sql/person-index.ts';
import { postgresDialect } from '../../stores/sql/postgres-dialect.ts';
import { SeenEvents } from '../../stores/sql/seen/seen-events.ts';
import { VERSION } from '../../version.ts';
import { queryMethods } from '../worker-features.ts';
import type { WorkerMethods } from '../worker-protocol.ts';
import { lazyEventStore } from './lazy-event-store.ts';
import type { ClusterWorkerOptions } from './worker-options.ts';

const LOG_POOL_SIZE = 4;
const HEARTBEAT_INTERVAL_MS = 2000;
const CLOSE_TIMEOUT_MS = 2000;
const REASSIGN_POLL_INTERVAL_MS = 50;

type Port = NonNullable<typeof parentPort>;

async function start(port: Port, options: ClusterWorkerOptions): Promise<void> {
  const logger = openLog(options.logLevel).child({ thread: 'worker' });
  const clock = clockOn(options.clockMemory);
  const stores = await openStores(options);
  const worker = createWorker(port, options, stores, clock, logger);
  followMessages(stores, worker, logger);
  await stores.leases.createLeases(leaseNames(options.partitions));
  const heartbeat = await startHeartbeat(options, stores);
  const crash = async (error: unknown): Promise<void> => {
    logger.error({ err: error }, 'the worker thread failed and is being restarted');
    process.exit(1);
  };
  process.on('uncaughtException', (error) => void crash(error));
  const close = async (): Promise<void> => {
    heartbeat.stop();
    worker.propertyReads.stop();
    await worker.partitions?.stop();
    if (options.role === 'web') await stores.leases.leave(options.node).catch(() => undefined);
    // A store that does not answer is not waited for: what is not committed will be done again by another worker.
    await resolvesWithin(CLOSE_TIMEOUT_MS, closeStores(stores));
  };
  serve(port, methodsOf(stores, worker, clock, close));
  if (options.faults) onNotice(port, 'crash', () => void crash(new Error('crashed on request')));
  notify(port, 'ready', 0);
  worker.partitions?.start();
}

type Stores = Awaited<ReturnType<typeof openStores>>;

/** ClickHouse is opened when it is first used: it may be down when the node starts. */
async function openStores(options: ClusterWorkerOptions) {
  const db = openPostgresDatabase(options.databaseUrl, { size: options.databasePoolSize });
  const pool = await openLogPool(options.databaseUrl, LOG_POOL_SIZE);
  return {
    db,
    pool,
    messages: await openMessageChannel(options.databaseUrl),
    metadata: sqlMetadataStore(db, postgresDialect),
    ingest: postgresChunkStore(db, {
      seen: new SeenEvents(db, postgresDialect, { filterMb: options.deduplicationMemoryMb }),
    }),
    leases: new PostgresLeases(pool),
    events: lazyEventStore(() =>
      openClickHouseEventStore({
        url: options.clickhouseUrl,
        cluster: options.clickhouseCluster,
        queryTimeoutSeconds: options.queryTimeoutSeconds,
        ...options.clickhouseOptions,
      }),
    ),
  };
}

async function closeStores({ messages, events, db, pool }: Stores): Promise<void> {
  await messages.close();
  await events.close();
  await db.destroy();
  await pool.end();
}

type ClusterWorker = ReturnType<typeof createWorker>;

function createWorker(port: Port, options: ClusterWorkerOptions, stores: Stores, clock: Clock, logger: Logger) {
  const { node, role } = options;
  const { db, pool, messages, ingest, events, metadata } = stores;
  const ownerTasks = new OwnerTasks(postgresOwnerTasks(pool));
  const queue = new PostgresBlockQueue(pool, db);
  const personIndex = sqlPersonIndex(db, postgresDialect);
  const owner = new EventStoreOwner({
    ...{ node, events, ingest, queue, ownerTasks, personIndex, metadata, clock, logger },
  });
  const publish = (batch: LiveEvent[]): void => notify(port, 'live-events', batch);
  const stepTimes = new StepTimes();
  const partitions =
    role === 'web' ? null : newPartitionWorkers(port, options, stores, { owner, stepTimes, clock, logger });
  return {
    ownerTasks,
    owner,
    stepTimes,
    partitions,
    propertyReads: new PropertyReadReporter({ events, messages, owner }),
    liveEvents: new LiveEventPoller({ events, dialect: clickhouseDialect, clock, publish }),
  };
}

interface PartitionDeps {
  owner: EventStoreOwner;
  stepTimes: StepTimes;
  clock: Clock;
  logger: Logger;
}

function newPartitionWorkers(
  port: Port,
  options: ClusterWorkerOptions,
  { leases, ingest, pool, messages }: Stores,
  { owner, stepTimes, clock, logger }: PartitionDeps,
): PartitionWorkers {
  const { node } = options;
  let turn = 0;
  const workers: PartitionWorkers = new PartitionWorkers({
    leases,
    node: () => nodeInfo(options, workers.held),
    owner,
    logger,
    onLeaderChange: (isLeader) => notify(port, 'leader-change', isLeader),
    onReleased: () => messages.send({ leases: true }),
    processor: {
      node,
      ingest,
      log: {
        read: (after, maxEvents, maxBytes) => readInTurns(pool, after, maxEvents, maxBytes, turn++),
        get: (partition, seq) => readPartitionEntry(pool, partition, seq),
        positions: () => readProgress(pool),
      },
      attempts: postgresAttempts(pool),
      pack: packBlock,
      clock,
      logger,
      definitions: new DefinitionRecorder(randomIds),
      limits: new DefinitionLimits(options.nameLimits),
      stepTimes,
      isOutage: (error) => isOutage(error) || isLeaseLost(error),
      onProcessed(chunk) {
        if (chunk.messages > 0) messages.send({ chores: true });
      },
      onIdle: () => undefined,
    },
  });
  return workers;
}

const nodeInfo = ({ node: id, role }: ClusterWorkerOptions, leases: readonly string[]): NodeInfo => ({
  id,
  role,
  host: hostname(),
  version: VERSION,
  facts: { leases },
});

const leaseNames = (partitions: number): string[] => [
  LEADER_LEASE,
  ...Array.from({ length: partitions }, (_, partition) => partitionLease(partition)),
];

function followMessages({ messages }: Stores, worker: ClusterWorker, logger: Logger): void {
  messages.onMessage((message) => {
    worker.partitions?.onMessage(message);
    worker.propertyReads.onMessage(message);
    if (message.processed) worker.owner.onPersonsChanged();
    if (message.shipped !== undefined) {
      worker.liveEvents.poll(message.shipped).catch((err: unknown) => logger.warn({ err }, 'a live stream has a gap'));
    }
    if (message.errand !== undefined) worker.ownerTasks.onFinished(message.errand);
  });
}

/** Nodes with leases are seen when they renew them; others say that they are alive. */
async function startHeartbeat(options: ClusterWorkerOptions, { pool }: Stores) {
  if (options.role !== 'web') return { stop: () => undefined };
  const beat = (): Promise<void> => recordNode(pool, nodeInfo(options, []));
  await beat();
  const timer = setInterval(() => void beat().catch(() => undefined), HEARTBEAT_INTERVAL_MS);
  return { stop: () => clearInterval(timer) };
}

function methodsOf(stores: Stores, worker: ClusterWorker, clock: Clock, close: () => Promise<void>): WorkerMethods {
  const { metadata, events } = stores;
  const { owner, liveEvents, stepTimes } = worker;
  const mirrorPersons = (projectId: number): Promise<void> => owner.mirrorPersons(projectId).catch(explainError);
  return {
    ...queryMethods({ metadata, events, dialect: clickhouseDialect, clock, mirrorPersons }, explainError),
    // Processing ends in PostgreSQL: the event store is never ahead of it.
    progress: async () => progressAt(0),
    deleteBefore: (projectId, timestamp) => owner.deleteBefore(projectId, timestamp),
    addPlaces: (...asked) => owner.addPlaces(...asked),
    reassign: () => reassign(stores, owner),
    purge: () => owner.purge(),
    mirrorPersons,
    deleteMirror: (projectId) => owner.forgetPersons(projectId),
    size: () => events.size(),
    stepSeconds: async () => stepTimes.seconds(),
    listPromotedProperties: () => events.listPromotedProperties(),
    watch: async (projectIds) => liveEvents.watch(projectIds),
    close,
  };
}

/** Waits until the owner of the event store, here or on another node, has done what is pending now. */
async function reassign({ ingest, messages }: Stores, owner: EventStoreOwner): Promise<void> {
  const pendingIds = async () => new Set((await ingest.pendingReassignments()).map(({ id }) => id));
  const waiting = await pendingIds();
  while (waiting.size > 0) {
    owner.wake();
    if (!owner.isOwner) messages.send({ queued: true });
    await sleep(REASSIGN_POLL_INTERVAL_MS);
    const left = await pendingIds();
    for (const id of waiting) if (!left.has(id)) waiting.delete(id);
  }
}

/** A query that is too large is refused with advice; an outage is answered with when to try again. */
function explainError(error: unknown): never {
  if (isOutOfMemory(error)) throw queryTooLarge(error);
  if (!isOutage(error) || error instanceof Failure) throw error;
  throw new Failure('unavailable', 'The event store cannot be reached; try again in a moment.', {
    retryAfter: 5,
    cause: error,
  });
}

if (parentPort) void start(parentPort, workerData as ClusterWorkerOptions);
