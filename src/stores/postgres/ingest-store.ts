import { setTimeout as sleep } from 'node:timers/promises';
import type { IngestStore } from '../ingest/ingest-store.ts';
import { sqlIngestStore } from '../sql/ingest/ingest-store.ts';
import { postgresDialect } from '../sql/postgres-dialect.ts';
import type { Db } from '../sql/tables.ts';
import { isRetryable } from './errors.ts';

/** Chunks that were in each other's way: each gets through sooner or later, and mostly at the second try. */
const MAX_TRIES = 20;
const PAUSE_MS = 5;

interface PostgresIngestOptions {
  /** Which log's chunks are written; each has a position of its own. */
  log?: string;
  /** Hears of every try that was in vain. */
  onRetry?(error: unknown): void;
}

/**
 * The processor's side of the shelf. Where chunks came into each other's way, `work` is run again from the beginning,
 * on what is there now.
 */
export function postgresIngestStore(db: Db, { log, onRetry }: PostgresIngestOptions = {}): IngestStore {
  const store = sqlIngestStore(db, postgresDialect, log);
  return { ...store, transaction: (work) => retryTransaction(() => store.transaction(work), onRetry) };
}

/** For every transaction of chunks, also those that do more than the store's own. */
export async function retryTransaction<T>(attempt: () => Promise<T>, onRetry?: (error: unknown) => void): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      if (tries >= MAX_TRIES || !isRetryable(error)) throw error;
      onRetry?.(error);
      await sleep(PAUSE_MS * tries);
    }
  }
}
