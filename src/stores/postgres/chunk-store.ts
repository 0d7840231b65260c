import { sql } from 'kysely';
import type { ChunkStore, ChunkTransaction, NewBlock, ProcessedPartition } from '../cluster/chunk-store.ts';
import type { Positions } from '../cluster/partitioned-log.ts';
import { sqlIngestStore, sqlIngestTransaction } from '../sql/ingest/ingest-store.ts';
import { postgresDialect } from '../sql/postgres-dialect.ts';
import { SeenEvents } from '../sql/seen/seen-events.ts';
import type { Db } from '../sql/tables.ts';
import { codeOf } from './errors.ts';
import { retryTransaction } from './ingest-store.ts';

/** Another worker has this one's lease: raised by `finish_entries` of migration 14. */
export const isLeaseLost = (error: unknown): boolean => codeOf(error) === 'CAIRN';

interface ChunkStoreOptions {
  seen?: SeenEvents;
  onRetry?(error: unknown): void;
}

export function postgresChunkStore(
  db: Db,
  { seen = new SeenEvents(db, postgresDialect), onRetry }: ChunkStoreOptions = {},
): ChunkStore {
  const attempt = <T>(work: (store: ChunkTransaction) => Promise<T>): Promise<T> =>
    db.transaction().execute(async (tx) => {
      await postgresDialect.lock(tx, 'chunk');
      const finish: ChunkTransaction['finish'] = async (node, processed, block) => {
        const positions = await finishEntries(tx, node, processed);
        if (block) await addBlock(tx, block);
        await notifyProcessed(tx, positions);
        return positions;
      };
      return work({ ...sqlIngestTransaction({ db: tx, dialect: postgresDialect }, seen), finish });
    });
  return {
    ...sqlIngestStore(db, postgresDialect, { seen }),
    transaction: (work) => retryTransaction(() => attempt(work), onRetry),
  };
}

async function finishEntries(tx: Db, node: string, processed: readonly ProcessedPartition[]): Promise<Positions> {
  const column = <T>(pick: (one: ProcessedPartition) => T): T[] => processed.map(pick);
  const { rows } = await sql<{ ofPartition: number; upTo: number }>`select * from finish_entries(
    ${node},
    ${column(({ lease }) => lease.name)}::text[],
    ${column(({ lease }) => lease.token)}::bigint[],
    ${column(({ partition }) => partition)}::integer[],
    ${column(({ events }) => events)}::bigint[],
    ${column(({ bytes }) => bytes)}::bigint[],
    ${processed.flatMap(({ partition, seqs }) => seqs.map(() => partition))}::integer[],
    ${processed.flatMap(({ seqs }) => seqs)}::bigint[])`.execute(tx);
  return new Map(rows.map(({ ofPartition, upTo }) => [ofPartition, Number(upTo)]));
}

/** Numbered here, after everything that the chunk depends on: see decision 22. */
async function addBlock(tx: Db, { events, projects, receivedAt, overrides, rows }: NewBlock): Promise<void> {
  await sql`insert into event_blocks (events, projects, received_at, overrides, rows)
    values (${events}, ${[...projects]}::bigint[], ${receivedAt}, ${JSON.stringify(overrides)}, ${rows})`.execute(tx);
}

async function notifyProcessed(tx: Db, positions: Positions): Promise<void> {
  const message = { processed: { positions: [...positions] }, queued: true };
  await sql`select pg_notify('cairn', ${JSON.stringify(message)})`.execute(tx);
}
