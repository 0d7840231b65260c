/**
 * The second thread of a node among many machines: it answers questions, and on a worker it holds leases, processes
 * their partitions and ships events. Heavy work is never in the way of a request on the main thread.
 */
import { hostname } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { Failure } from '../../core/errors.ts';
import { calculateCohort } from '../../features/cohorts/calculate-cohort.ts';
import { answerQuestion, withSignal } from '../../features/insights/answer-question.ts';
import { EventStoreOwner } from '../../ingest/cluster/event-store-owner.ts';
import { LiveEventPoller } from '../../ingest/cluster/live-event-poller.ts';
import { OwnerTasks } from '../../ingest/cluster/owner-tasks.ts';
import { PartitionWorkers } from '../../ingest/cluster/partition-workers.ts';
import { LEADER_LEASE, partitionLease } from '../../ingest/cluster/plan-leases.ts';
import { PropertyReadReporter } from '../../ingest/cluster/report-property-reads.ts';
import { DefinitionRecorder } from '../../ingest/process/definition-recorder.ts';
import { StepTimes } from '../../ingest/process/step-times.ts';
import { clockOn } from '../../lib/clock.ts';
import { randomIds } from '../../lib/ids.ts';
import { openLog } from '../../lib/log.ts';
import { notify, onNotice, serve } from '../../lib/rpc.ts';
import { resolvesWithin } from '../../lib/within.ts';
import { queryTooLarge } from '../../query/query-limits.ts';
import { clickhouseDialect } from '../../stores/clickhouse/dialect.ts';
import { openClickHouseEventStore } from '../../stores/clickhouse/event-store.ts';
import { packBlock } from '../../stores/cluster/event-block.ts';
import type { NodeInfo } from '../../stores/cluster/leases.ts';
import { isOutage, isOutOfMemory } from '../../stores/outage.ts';
import { PostgresBlockQueue } from '../../stores/postgres/block-queue.ts';
import { isLeaseLost, postgresChunkStore } from '../../stores/postgres/chunk-store.ts';
import { PostgresLeases, recordNode } from '../../stores/postgres/lease-store.ts';
import { openLogPool } from '../../stores/postgres/log-pool.ts';
import { openMessageChannel } from '../../stores/postgres/message-channel.ts';
import { openPostgresDatabase } from '../../stores/postgres/metadata-store.ts';
import { postgresOwnerTasks } from '../../stores/postgres/owner-task-store.ts';
import { readPartitionEntries, readProgress } from '../../stores/postgres/read-partitions.ts';
import { sqlMetadataStore } from '../../stores/sql/metadata-store.ts';
import { sqlPersonIndex } from '../../stores/sql/person-index.ts';
import { postgresDialect } from '../../stores/sql/postgres-dialect.ts';
import { VERSION } from '../../version.ts';
import type { WorkerMethods } from '../worker-protocol.ts';
import { lazyEventStore } from './lazy-event-store.ts';
import type { ClusterWorkerOptions } from './worker-options.ts';

const LOG_POOL_SIZE = 4;
const HEARTBEAT_INTERVAL_MS = 2000;
const CLOSE_TIMEOUT_MS = 2000;

async function start(port: NonNullable<typeof parentPort>, options: ClusterWorkerOptions): Promise<void> {
  const { node, role, databaseUrl } = options;
  const logger = openLog(options.logLevel).child({ thread: 'worker' });
  const clock = clockOn(options.clockMemory);
  const db = openPostgresDatabase(databaseUrl, { size: options.databasePoolSize });
  const pool = openLogPool(databaseUrl, LOG_POOL_SIZE);
  const news = await openMessageChannel(databaseUrl);
  const metadata = sqlMetadataStore(db, postgresDialect);
  const ingest = postgresChunkStore(db);
  const events = lazyEventStore(() =>
    openClickHouseEventStore({
      url: options.clickhouseUrl,
      cluster: options.clickhouseCluster,
      queryTimeoutSeconds: options.queryTimeoutSeconds,
      ...options.clickhouseOptions,
    }),
  );
  const errands = new OwnerTasks(postgresOwnerTasks(pool));
  const queue = new PostgresBlockQueue(pool, db);
  const personIndex = sqlPersonIndex(db, postgresDialect);
  const keeper = new EventStoreOwner({ node, events, ingest, queue, ownerTasks: errands, personIndex, clock, logger });
  const asked = new PropertyReadReporter({ events, messages: news, owner: keeper });
  const tail = new LiveEventPoller({
    events,
    dialect: clickhouseDialect,
    clock,
    publish: (shown) => notify(port, 'tail', shown),
  });
  const noteOf = (): NodeInfo => ({
    id: node,
    role,
    host: hostname(),
    version: VERSION,
    facts: { leases: workers?.held ?? [] },
  });
  const leases = new PostgresLeases(pool);
  const stepTimes = new StepTimes();
  const workers =
    role === 'web'
      ? null
      : new PartitionWorkers({
          leases,
          node: noteOf,
          owner: keeper,
          logger,
          onLeaderChange: (isInCharge) => notify(port, 'charge', isInCharge),
          onReleased: () => news.send({ leases: true }),
          processor: {
            node,
            ingest,
            log: {
              read: (after, maxEvents, maxBytes) => readPartitionEntries(pool, after, maxEvents, maxBytes),
              positions: () => readProgress(pool),
            },
            pack: packBlock,
            clock,
            logger,
            definitions: new DefinitionRecorder(randomIds),
            stepTimes,
            isOutage: (error) => isOutage(error) || isLeaseLost(error),
            onProcessed: ({ messages }) => {
              if (messages > 0) news.send({ chores: true });
            },
            onIdle: () => undefined,
          },
        });
  news.onMessage((piece) => {
    workers?.onMessage(piece);
    asked.onMessage(piece);
    if (piece.processed) keeper.onPersonsChanged();
    if (piece.shipped !== undefined) {
      tail.poll(piece.shipped).catch((err: unknown) => logger.warn({ err }, 'a live stream has a gap'));
    }
    if (piece.errand !== undefined) errands.onFinished(piece.errand);
  });
  await leases.createLeases([LEADER_LEASE, ...Array.from({ length: options.partitions }, (_, n) => partitionLease(n))]);
  const noting =
    role === 'web'
      ? setInterval(() => void recordNode(pool, noteOf()).catch(() => undefined), HEARTBEAT_INTERVAL_MS)
      : null;
  if (role === 'web') await recordNode(pool, noteOf());
  const close = async (): Promise<void> => {
    if (noting) clearInterval(noting);
    asked.stop();
    await workers?.stop();
    if (role === 'web') await leases.leave(node).catch(() => undefined);
    // Connections end when nobody uses them any more. Whoever waits for a store that does not answer is not waited for:
    // the thread ends next, and what was under way is nobody's until it is committed.
    await resolvesWithin(
      CLOSE_TIMEOUT_MS,
      (async () => {
        await news.close();
        await events.close();
        await db.destroy();
        await pool.end();
      })(),
    );
  };
  const die = async (error: unknown): Promise<void> => {
    logger.error({ err: error }, 'the worker thread ends because of a fault; it is started again');
    process.exit(1);
  };
  process.on('uncaughtException', (error) => void die(error));
  const mirrorPersons = (projectId: number): Promise<void> => keeper.mirrorPersons(projectId).catch(explainOutage);
  const refile = async (): Promise<void> => {
    const waiting = new Set((await ingest.pendingReassignments()).map(({ id }) => id));
    while (waiting.size > 0) {
      keeper.wake();
      if (!keeper.isOwner) news.send({ queued: true });
      await new Promise((resolve) => setTimeout(resolve, 50));
      const left = new Set((await ingest.pendingReassignments()).map(({ id }) => id));
      for (const id of waiting) if (!left.has(id)) waiting.delete(id);
    }
  };
  const methods: WorkerMethods = {
    // Processing ends in the relational shelf: the event store is never ahead of it.
    position: async () => 0,
    query: (sql, values, signal) => events.query(sql, values, signal).catch(explainOutage),
    deleteBefore: (projectId, timestamp) => keeper.deleteBefore(projectId, timestamp),
    reassign: refile,
    purge: () => keeper.purge(),
    mirrorPersons,
    deleteMirror: (projectId) => keeper.forgetPersons(projectId),
    size: () => events.size(),
    stepSeconds: async () => stepTimes.seconds(),
    listPromotedProperties: () => events.listPromotedProperties(),
    watch: async (projectIds) => tail.watch(projectIds),
    answerQuestion: (projectId, question, page, signal) => {
      const deps = {
        metadata,
        events: withSignal(events, signal),
        dialect: clickhouseDialect,
        clock,
        mirrorPersons,
        signal,
      };
      return answerQuestion(deps, projectId, question, page).catch(explainOutage);
    },
    calculateCohort: (projectId, cohortId) =>
      calculateCohort(
        { metadata, events, dialect: clickhouseDialect, clock, mirrorPersons },
        projectId,
        cohortId,
      ).catch(explainOutage),
    close,
  };
  serve(port, methods);
  if (options.faults) onNotice(port, 'fault', () => void die(new Error('told to die')));
  notify(port, 'ready', 0);
  workers?.start();
}

/** What one question wants too much of, it can be told to do without; what is away comes back. */
function explainOutage(error: unknown): never {
  if (isOutOfMemory(error)) throw queryTooLarge(error);
  if (!isOutage(error) || error instanceof Failure) throw error;
  throw new Failure('unavailable', 'The event store cannot be reached; try again in a moment.', {
    retryAfter: 5,
    cause: error,
  });
}

if (parentPort) await start(parentPort, workerData as ClusterWorkerOptions);
