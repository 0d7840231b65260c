/**
 * Workers of many machines in this process, on a real PostgreSQL; their event store is DuckDB in memory, which takes the
 * same shipments and answers at once.
 */
import { gunzipSync } from 'node:zlib';
import type pg from 'pg';
import { HOT_PROPERTIES } from '../../src/core/events/hot-properties.ts';
import { EventStoreOwner } from '../../src/ingest/cluster/event-store-owner.ts';
import { OwnerTasks } from '../../src/ingest/cluster/owner-tasks.ts';
import { PartitionWorkers } from '../../src/ingest/cluster/partition-workers.ts';
import { PartitionedIntake } from '../../src/ingest/cluster/partitioned-intake.ts';
import { PartitionedReadYourWrites } from '../../src/ingest/cluster/partitioned-read-your-writes.ts';
import { LEADER_LEASE, partitionLease } from '../../src/ingest/cluster/plan-leases.ts';
import { DefinitionLimits } from '../../src/ingest/process/definition-limits.ts';
import { DefinitionRecorder } from '../../src/ingest/process/definition-recorder.ts';
import { StepTimes } from '../../src/ingest/process/step-times.ts';
import { randomIds } from '../../src/lib/ids.ts';
import { openLog } from '../../src/lib/log.ts';
import type { BlockStore, Shipment } from '../../src/stores/cluster/block-store.ts';
import { packBlock } from '../../src/stores/cluster/event-block.ts';
import type { EventStore, StoredEvent } from '../../src/stores/events/event-store.ts';
import { isOutage } from '../../src/stores/outage.ts';
import { PostgresBlockQueue } from '../../src/stores/postgres/block-queue.ts';
import { isLeaseLost, postgresChunkStore } from '../../src/stores/postgres/chunk-store.ts';
import { readClusterStatus } from '../../src/stores/postgres/cluster-status.ts';
import { PostgresLeases } from '../../src/stores/postgres/lease-store.ts';
import { openLogPool } from '../../src/stores/postgres/log-pool.ts';
import { openMessageChannel } from '../../src/stores/postgres/message-channel.ts';
import { openPostgresDatabase } from '../../src/stores/postgres/metadata-store.ts';
import { postgresOwnerTasks } from '../../src/stores/postgres/owner-task-store.ts';
import { postgresAttempts } from '../../src/stores/postgres/partition-attempts.ts';
import { openPartitionedLog } from '../../src/stores/postgres/partitioned-log.ts';
import { readInTurns, readPartitionEntry, readProgress } from '../../src/stores/postgres/read-partitions.ts';
import { sqlMetadataStore } from '../../src/stores/sql/metadata-store.ts';
import { sqlPersonIndex } from '../../src/stores/sql/person-index.ts';
import { postgresDialect } from '../../src/stores/sql/postgres-dialect.ts';

const clock = { now: () => Date.UTC(2026, 0, 15) };
const PARTITIONS = 8;

function unpack(block: Uint8Array): StoredEvent[] {
  const lines = gunzipSync(block).toString('utf8').split('\n').filter(Boolean);
  return lines.map((line) => {
    const row = JSON.parse(line) as Record<string, never>;
    const text = (key: string): string | null => row[key] ?? null;
    return {
      projectId: row['project_id'] ?? 0,
      uuid: row['uuid'] ?? '',
      event: row['event'] ?? '',
      distinctId: row['distinct_id'] ?? '',
      personId: row['person_id'] ?? '',
      timestamp: row['timestamp'] ?? 0,
      createdAt: row['created_at'] ?? 0,
      properties: row['properties'] ?? '{}',
      parsed: JSON.parse(row['properties'] ?? '{}'),
      hot: HOT_PROPERTIES.map(text),
      elementsChain: row['elements_chain'] ?? '',
      groups: [0, 1, 2, 3, 4].map((index) => text(`group_${index}`)),
    };
  });
}

export interface Shipped {
  store: BlockStore;
  /** All shipments, repeated ones included. */
  sent: Shipment[];
  /** The next shipments fail, before or after they are written. */
  failures: ('before' | 'after')[];
}

/** A block store that writes to an event store. */
export function recordingBlockStore(events: EventStore): Shipped {
  const shipped: Shipped = { store: undefined as never, sent: [], failures: [] };
  const away = (): Error => Object.assign(new Error('away'), { code: 'ENOSPC' });
  let totals: Shipment['totals'];
  shipped.store = new Proxy(events as BlockStore, {
    get: (target, name) => {
      if (name === 'shipped') {
        return async () => ({ events: null, receivedAt: null, ...totals, shipment: await target.position() });
      }
      if (name !== 'writeBlocks') {
        const own = target[name as keyof EventStore] as unknown;
        return typeof own === 'function' ? own.bind(target) : own;
      }
      return async (shipment: Shipment) => {
        shipped.sent.push(shipment);
        const failure = shipped.failures.shift();
        if (failure === 'before') throw away();
        const { blocks, overrides, position } = shipment;
        await target.write({ events: blocks.flatMap(unpack), overrides, position });
        totals = shipment.totals;
        if (failure === 'after') throw away();
      };
    },
  });
  return shipped;
}

export interface TestWorker {
  workers: PartitionWorkers;
  owner: EventStoreOwner;
  stop(): Promise<void>;
  /** Like a power failure: leases are not released, and nothing more is written. */
  die(): Promise<void>;
}

export async function startWorker(url: string, node: string, events: BlockStore, leaseMs = 1500): Promise<TestWorker> {
  const db = openPostgresDatabase(url, { size: 4 });
  const pool = await openLogPool(url, 4);
  const channel = await openMessageChannel(url);
  const ingest = postgresChunkStore(db);
  const logger = openLog('silent');
  const errands = new OwnerTasks(postgresOwnerTasks(pool));
  const queue = new PostgresBlockQueue(pool, db);
  const personIndex = sqlPersonIndex(db, postgresDialect);
  const eventStoreOwner = new EventStoreOwner({
    node,
    events,
    ingest,
    queue,
    ownerTasks: errands,
    personIndex,
    metadata: sqlMetadataStore(db, postgresDialect),
    clock,
    logger,
    batchDelayMs: 20,
  });
  const leases = new PostgresLeases(pool, leaseMs);
  await leases.createLeases([LEADER_LEASE, ...Array.from({ length: PARTITIONS }, (_, n) => partitionLease(n))]);
  let turn = 0;
  const workers = new PartitionWorkers({
    leases,
    node: () => ({ id: node, role: 'worker', host: 'here', version: '0', facts: {} }),
    owner: eventStoreOwner,
    logger,
    onLeaderChange: () => undefined,
    onReleased: () => channel.send({ leases: true }),
    processor: {
      node,
      ingest,
      log: {
        read: (after, maxEvents, maxBytes) => readInTurns(pool, after, Math.min(maxEvents, 40), maxBytes, turn++),
        get: (partition, seq) => readPartitionEntry(pool, partition, seq),
        positions: () => readProgress(pool),
      },
      attempts: postgresAttempts(pool),
      pack: packBlock,
      clock,
      logger,
      definitions: new DefinitionRecorder(randomIds),
      limits: new DefinitionLimits({ eventNames: 1000, propertyNames: 1000 }),
      stepTimes: new StepTimes(),
      isOutage: (error) => isOutage(error) || isLeaseLost(error),
      onProcessed: () => undefined,
      onIdle: () => undefined,
    },
  });
  channel.onMessage((piece) => {
    workers.onMessage(piece);
    if (piece.errand !== undefined) errands.onFinished(piece.errand);
  });
  workers.start();
  const close = async (): Promise<void> => {
    await channel.close();
    await db.destroy().catch(() => undefined);
    await pool.end().catch(() => undefined);
  };
  return {
    workers,
    owner: eventStoreOwner,
    async stop() {
      await workers.stop();
      await close();
    },
    async die() {
      await disconnect(pool);
      await close();
      await workers.stop().catch(() => undefined);
    },
  };
}

/** Ends every connection of the pool at once. */
async function disconnect(pool: pg.Pool): Promise<void> {
  await pool.end().catch(() => undefined);
}

export interface TestIntake {
  ingestion: PartitionedIntake;
  writes: PartitionedReadYourWrites;
  clusterStatus(): ReturnType<typeof readClusterStatus>;
  close(): Promise<void>;
}

export async function openIntake(url: string, node = 'intake'): Promise<TestIntake> {
  const log = await openPartitionedLog(url, { maxBytes: 1e9, partitions: PARTITIONS, node });
  const pool = await openLogPool(url, 2);
  const channel = await openMessageChannel(url);
  const writes = new PartitionedReadYourWrites({
    initialHeads: new Map(),
    partitions: log.partitions,
    processNow: () => channel.send({ hurry: true }),
  });
  channel.onMessage(({ came, processed }) => {
    if (came && came.from !== node) {
      writes.add(came.changed, new Map(Object.entries(came.heads).map(([key, head]) => [Number(key), head])));
    }
    if (processed) writes.onProcessed(processed.positions);
  });
  const ingestion = new PartitionedIntake({
    log,
    writes,
    newSeed: () => randomIds.seed(),
    whenConfirmed: async () => undefined,
    hasUnshippedEvents: async () => (await readClusterStatus(pool)).isShipping,
  });
  return {
    ingestion,
    writes,
    clusterStatus: () => readClusterStatus(pool),
    async close() {
      await channel.close();
      await pool.end();
      await log.close();
    },
  };
}
