import { sql } from 'kysely';
import type { ChunkStore, ChunkTransaction, NewBlock, PartitionRange } from '../cluster/chunk-store.ts';
import { sqlIngestStore, sqlIngestTransaction } from '../sql/ingest/ingest-store.ts';
import { postgresDialect } from '../sql/postgres-dialect.ts';
import type { Db } from '../sql/tables.ts';
import { codeOf } from './errors.ts';
import { retryTransaction } from './ingest-store.ts';

/** Another worker has this one's lease: raised by `settle_entries` of migration 11. */
export const isLeaseLost = (error: unknown): boolean => codeOf(error) === 'CAIRN';

export function postgresChunkStore(db: Db, onRetry?: (error: unknown) => void): ChunkStore {
  const attempt = <T>(work: (store: ChunkTransaction) => Promise<T>): Promise<T> =>
    db.transaction().execute(async (tx) => {
      await postgresDialect.lock(tx, 'chunk');
      const finish = async (node: string, ranges: readonly PartitionRange[], block: NewBlock | null): Promise<void> => {
        await finishEntries(tx, node, ranges);
        if (block) await addBlock(tx, block);
        await notifyProcessed(tx, ranges);
      };
      return work({ ...sqlIngestTransaction({ db: tx, dialect: postgresDialect }), finish });
    });
  return {
    ...sqlIngestStore(db, postgresDialect),
    transaction: (work) => retryTransaction(() => attempt(work), onRetry),
  };
}

async function finishEntries(tx: Db, node: string, ranges: readonly PartitionRange[]): Promise<void> {
  const column = <T>(pick: (range: PartitionRange) => T): T[] => ranges.map(pick);
  await sql`select settle_entries(
    ${node},
    ${column(({ lease }) => lease.name)}::text[],
    ${column(({ lease }) => lease.token)}::bigint[],
    ${column(({ partition }) => partition)}::integer[],
    ${column(({ after }) => after)}::bigint[],
    ${column(({ upTo }) => upTo)}::bigint[],
    ${column(({ events }) => events)}::bigint[],
    ${column(({ bytes }) => bytes)}::bigint[])`.execute(tx);
}

/** Numbered here, after everything that the chunk depends on: see decision 22. */
async function addBlock(tx: Db, { events, projects, receivedAt, overrides, rows }: NewBlock): Promise<void> {
  await sql`insert into event_blocks (events, projects, received_at, overrides, rows)
    values (${events}, ${[...projects]}::bigint[], ${receivedAt}, ${JSON.stringify(overrides)}, ${rows})`.execute(tx);
}

async function notifyProcessed(tx: Db, ranges: readonly PartitionRange[]): Promise<void> {
  const positions = ranges.map(({ partition, upTo }) => [partition, upTo]);
  await sql`select pg_notify('cairn', ${JSON.stringify({ processed: { positions }, queued: true })})`.execute(tx);
}
