/** The set of many machines: PostgreSQL and ClickHouse, which any number of web nodes and workers share. */

import { HeardNews } from '../../ingest/cluster/broadcast-confirmations.ts';
import { PartitionedIngestion } from '../../ingest/cluster/partitioned-intake.ts';
import { PartitionedWrites } from '../../ingest/cluster/partitioned-read-your-writes.ts';
import { Tail } from '../../ingest/live/live-event-subscriptions.ts';
import { findPending } from '../../ingest/track/find-pending-event.ts';
import { ingestCounts } from '../../ingest/track/ingest-counts.ts';
import { clockOn } from '../../lib/clock.ts';
import { randomIds } from '../../lib/ids.ts';
import { within } from '../../lib/within.ts';
import { clickhouseDialect } from '../../stores/clickhouse/dialect.ts';
import type { News, NewsChannel } from '../../stores/cluster/node-messages.ts';
import type { PartitionedLog } from '../../stores/cluster/partitioned-log.ts';
import type { StoreCheck } from '../../stores/folder-snapshots.ts';
import { refuseHalfMoved } from '../../stores/metadata/move-marks.ts';
import { readWhole } from '../../stores/postgres/cluster-status.ts';
import { openQuickPool } from '../../stores/postgres/log-pool.ts';
import { openNewsChannel } from '../../stores/postgres/message-channel.ts';
import { openPostgresShelf } from '../../stores/postgres/metadata-store.ts';
import { openPartitionedLog } from '../../stores/postgres/partitioned-log.ts';
import { readEntries } from '../../stores/postgres/read-partitions.ts';
import type { Charge, Opened, SetOptions, StoreSet } from '../backend.ts';
import { builtFile } from '../built-file.ts';
import type { WorkerMethods } from '../worker-protocol.ts';
import { WorkerThread } from '../worker-thread.ts';
import { followNews } from './follow-messages.ts';
import { reportWhole } from './report-metrics.ts';
import { impatient } from './time-limited-subjects.ts';
import type { LargeWorkerOptions } from './worker-options.ts';

/** Where they are: the settings have been checked. */
export interface LargeAddresses {
  databaseUrl: string;
  clickhouseUrl: string;
}

const CONNECTIONS = 2;
const CHORES_END_WITHIN_MS = 3000;

export async function openLarge(
  options: SetOptions,
  { databaseUrl, clickhouseUrl }: LargeAddresses,
  opened: Opened,
): Promise<StoreSet> {
  const { config, logger, clockMemory } = options;
  const clock = clockOn(clockMemory);
  const node = randomIds.uuid();
  const shelf = await openPostgresShelf(databaseUrl, clock.now(), { size: config.databasePoolSize });
  opened.push(() => shelf.metadata.close());
  await refuseHalfMoved(shelf.metadata.installation);
  const { ingestLogMaxBytes: maxBytes, logPartitions: partitions } = config;
  const log = await openPartitionedLog(databaseUrl, { maxBytes, partitions, node });
  opened.push(() => log.close());
  const pool = openQuickPool(databaseUrl, CONNECTIONS);
  opened.push(() => pool.end());
  const news = await openNewsChannel(databaseUrl);
  opened.push(() => news.close());
  const writes = new PartitionedWrites({
    unread: await unreadOf(log),
    partitions: log.partitions,
    hurry: throttled(news, { hurry: true }),
  });
  const heard = new HeardNews();
  let charge: Charge | null = null;
  let isInCharge = false;
  const metadata = { ...shelf.metadata, subjects: impatient(shelf.metadata.subjects) };
  const { listeners } = options;
  const following = followNews({
    news,
    node,
    log,
    pool,
    writes,
    heard,
    metadata,
    listeners,
    onChores: () => charge?.wake(),
  });
  opened.push(() => following.stop());
  const tellCharge = (): void => news.send({ chores: true });
  const onCharge = (isOurs: boolean): void => {
    isInCharge = isOurs;
    if (isOurs) charge?.start();
    else charge?.stop().catch((err: unknown) => logger.warn({ err }, 'the chores did not end in peace'));
  };
  const worker: LargeWorkerOptions = {
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
  const tail = new Tail(async (projectIds) => thread.methods.watch(projectIds));
  const thread = new WorkerThread<WorkerMethods>(
    builtFile('large-worker.js'),
    worker,
    {
      onReady: () => undefined,
      onProcessed: () => undefined,
      onIdle: () => undefined,
      onTail: (events) => tail.show(events),
      onNews: () => undefined,
      onCharge,
    },
    logger,
  );
  const ready = thread.start();
  opened.push(async () => {
    await ready.catch(() => undefined);
    // What a chore has under way may wait for an event store that does not answer; it is done again by whoever is next.
    if (charge !== null) await within(CHORES_END_WITHIN_MS, charge.stop());
    await thread.close();
  });
  const whole = () => readWhole(pool);
  return {
    metadata,
    ingest: shelf.ingest,
    ingestion: new PartitionedIngestion({
      log,
      writes,
      newSeed: () => randomIds.seed(),
      heard: (reached) => heard.heard(reached),
      isShipping: async () => (await whole()).isShipping,
    }),
    writes,
    tail,
    dialect: clickhouseDialect,
    worker: () => thread.methods,
    filing: {
      position: async () => 0,
      refile: async () => thread.methods.refile(),
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
    scrubLog: async () => undefined,
    scanFiles: async () => ({ files: 0, bytes: 0, found: new Map() }),
    // The engines have tools of their own for that.
    snapshots: null,
    checkStores: async () => [
      await checked('PostgreSQL', metadata.check()),
      await checked('ClickHouse', thread.methods.size()),
    ],
    isReady: config.role === 'worker' ? () => metadata.check() : async () => undefined,
    describe: async () => ({ node, role: config.role, ...(await whole()).parts }),
    ready,
    takeCharge(chores) {
      charge = chores;
      if (isInCharge) chores.start();
    },
    tellCharge,
    tellChanged: (projectId) => news.send({ shipped: [projectId] }),
    report: (registry) => reportWhole(registry, whole),
    breakWorker: () => thread.tell('fault'),
  };
}

/** Whatever waits at the start may be about anybody. */
async function unreadOf(log: PartitionedLog): Promise<Map<number, number>> {
  const [heads, positions] = [await log.heads(), await log.positions()];
  return new Map([...heads].map(([partition, head]) => [partition, head > (positions.get(partition) ?? 0) ? head : 0]));
}

/** Whether it answers; what lies inside is for its own tools to look through. */
async function checked(store: string, answer: Promise<unknown>): Promise<StoreCheck> {
  try {
    await answer;
    return { store, problem: null, detail: 'it answers' };
  } catch (error) {
    return { store, problem: (error as Error).message, detail: 'it was asked for a sign of life' };
  }
}

const HURRY_EVERY_MS = 10;

/** Says it at once, and then not again for a moment. */
function throttled(news: NewsChannel, piece: News): () => void {
  let last = Number.NEGATIVE_INFINITY;
  return () => {
    if (performance.now() - last < HURRY_EVERY_MS) return;
    last = performance.now();
    news.send(piece);
  };
}

/** An event's partition cannot be told from its uuid: one after the other is looked through. */
async function findInPartitions(
  pool: ReturnType<typeof openQuickPool>,
  log: PartitionedLog,
  projectId: number,
  uuid: string,
) {
  for (const [partition, position] of await log.positions()) {
    const reader = {
      read: (seq: number, maxEvents: number, maxBytes: number) =>
        readEntries(pool, new Map([[partition, seq]]), maxEvents, maxBytes),
      close: () => undefined,
    };
    const found = await findPending({ log: reader, position: async () => position }, projectId, uuid);
    if (found) return found;
  }
  return null;
}
