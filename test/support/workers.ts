/**
 * Workers of many machines in this process, on a real PostgreSQL; their event store is DuckDB in memory, which takes the
 * same shipments and answers at once.
 */
import { gunzipSync } from 'node:zlib';
import type pg from 'pg';
import { HOT_PROPERTIES } from '../../src/core/events/hot-properties.ts';
import { EventKeeper } from '../../src/ingest/cluster/event-store-owner.ts';
import { Errands } from '../../src/ingest/cluster/owner-tasks.ts';
import { PartitionWorkers } from '../../src/ingest/cluster/partition-workers.ts';
import { PartitionedIngestion } from '../../src/ingest/cluster/partitioned-intake.ts';
import { PartitionedWrites } from '../../src/ingest/cluster/partitioned-read-your-writes.ts';
import { CHORES, partitionLease } from '../../src/ingest/cluster/plan-leases.ts';
import { Definitions } from '../../src/ingest/process/definition-recorder.ts';
import { randomIds } from '../../src/lib/ids.ts';
import { openLog } from '../../src/lib/log.ts';
import type { BlockStore, Shipment } from '../../src/stores/cluster/block-store.ts';
import { packBlock } from '../../src/stores/cluster/event-block.ts';
import type { EventStore, StoredEvent } from '../../src/stores/events/event-store.ts';
import { isOutage } from '../../src/stores/outage.ts';
import { PostgresBlockQueue } from '../../src/stores/postgres/block-queue.ts';
import { isLeaseLost, postgresChunkStore } from '../../src/stores/postgres/chunk-store.ts';
import { readWhole } from '../../src/stores/postgres/cluster-status.ts';
import { PostgresLeases } from '../../src/stores/postgres/lease-store.ts';
import { openQuickPool } from '../../src/stores/postgres/log-pool.ts';
import { openNewsChannel } from '../../src/stores/postgres/message-channel.ts';
import { openDatabase } from '../../src/stores/postgres/metadata-store.ts';
import { postgresErrands } from '../../src/stores/postgres/owner-task-store.ts';
import { openPartitionedLog } from '../../src/stores/postgres/partitioned-log.ts';
import { readEntries, readProgress } from '../../src/stores/postgres/read-partitions.ts';
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
      read: JSON.parse(row['properties'] ?? '{}'),
      hot: HOT_PROPERTIES.map(text),
      elementsChain: row['elements_chain'] ?? '',
      groups: [0, 1, 2, 3, 4].map((index) => text(`group_${index}`)),
    };
  });
}

export interface Shipped {
  store: BlockStore;
  /** Shipments as they were sent, also those that were sent again. */
  sent: Shipment[];
  /** The next sendings fail: before anything is written, or after everything is. */
  failures: ('before' | 'after')[];
}

/** An event store that takes shipments, in front of one that takes events. */
export function takingShipments(events: EventStore): Shipped {
  const shipped: Shipped = { store: undefined as never, sent: [], failures: [] };
  const away = (): Error => Object.assign(new Error('away'), { code: 'ENOSPC' });
  shipped.store = new Proxy(events as BlockStore, {
    get: (target, name) => {
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
        if (failure === 'after') throw away();
      };
    },
  });
  return shipped;
}

export interface TestWorker {
  workers: PartitionWorkers;
  keeper: EventKeeper;
  stop(): Promise<void>;
  /** As a machine that loses its power: nothing is given up, nothing more is written. */
  die(): Promise<void>;
}

export async function startWorker(url: string, node: string, events: BlockStore, leaseMs = 1500): Promise<TestWorker> {
  const db = openDatabase(url, { size: 4 });
  const pool = openQuickPool(url, 4);
  const news = await openNewsChannel(url);
  const ingest = postgresChunkStore(db);
  const logger = openLog('silent');
  const errands = new Errands(postgresErrands(pool));
  const queue = new PostgresBlockQueue(pool, db);
  const personIndex = sqlPersonIndex(db, postgresDialect);
  const keeper = new EventKeeper({ node, events, ingest, queue, errands, personIndex, clock, logger, gatherMs: 20 });
  const leases = new PostgresLeases(pool, leaseMs);
  await leases.name([CHORES, ...Array.from({ length: PARTITIONS }, (_, n) => partitionLease(n))]);
  const workers = new PartitionWorkers({
    leases,
    node: () => ({ id: node, role: 'worker', host: 'here', version: '0', facts: {} }),
    keeper,
    logger,
    onCharge: () => undefined,
    onGiven: () => news.send({ leases: true }),
    lane: {
      node,
      ingest,
      log: {
        read: (after, maxEvents, maxBytes) => readEntries(pool, after, Math.min(maxEvents, 40), maxBytes),
        positions: () => readProgress(pool),
      },
      pack: packBlock,
      clock,
      logger,
      definitions: new Definitions(randomIds),
      isOutage: (error) => isOutage(error) || isLeaseLost(error),
      onProcessed: () => undefined,
      onIdle: () => undefined,
    },
  });
  news.on((piece) => {
    workers.hear(piece);
    if (piece.errand !== undefined) errands.ended(piece.errand);
  });
  workers.start();
  const close = async (): Promise<void> => {
    await news.close();
    await db.destroy().catch(() => undefined);
    await pool.end().catch(() => undefined);
  };
  return {
    workers,
    keeper,
    async stop() {
      await workers.stop();
      await close();
    },
    async die() {
      await cut(pool);
      await close();
      await workers.stop().catch(() => undefined);
    },
  };
}

/** Every connection of the pool ends in the middle of what it does. */
async function cut(pool: pg.Pool): Promise<void> {
  await pool.end().catch(() => undefined);
}

export interface TestDoor {
  ingestion: PartitionedIngestion;
  writes: PartitionedWrites;
  whole(): ReturnType<typeof readWhole>;
  close(): Promise<void>;
}

export async function openDoor(url: string, node = 'door'): Promise<TestDoor> {
  const log = await openPartitionedLog(url, { maxBytes: 1e9, partitions: PARTITIONS, node });
  const pool = openQuickPool(url, 2);
  const news = await openNewsChannel(url);
  const writes = new PartitionedWrites({
    unread: new Map(),
    partitions: log.partitions,
    hurry: () => news.send({ hurry: true }),
  });
  news.on(({ came, processed }) => {
    if (came && came.from !== node) {
      writes.note(came.changed, new Map(Object.entries(came.heads).map(([key, head]) => [Number(key), head])));
    }
    if (processed) writes.processed(processed.positions);
  });
  const ingestion = new PartitionedIngestion({
    log,
    writes,
    newSeed: () => randomIds.seed(),
    heard: async () => undefined,
    isShipping: async () => (await readWhole(pool)).isShipping,
  });
  return {
    ingestion,
    writes,
    whole: () => readWhole(pool),
    async close() {
      await news.close();
      await pool.end();
      await log.close();
    },
  };
}
