import { setTimeout as sleep } from 'node:timers/promises';
import type { IngestStore } from '../ingest/ingest-store.ts';
import { sqlIngestStore } from '../sql/ingest/ingest-store.ts';
import { postgresDialect } from '../sql/postgres-dialect.ts';
import type { SeenEvents } from '../sql/seen/seen-events.ts';
import type { Db } from '../sql/tables.ts';
import { isRetryable } from './errors.ts';

/** Conflicting chunks mostly succeed at the second try. */
const MAX_TRIES = 20;
const PAUSE_MS = 5;

interface PostgresIngestOptions {
  /** The log whose position is stored. */
  log?: string;
  seen?: SeenEvents;
  /** Called for each failed try. */
  onRetry?(error: unknown): void;
}

/**
 * The ingest store on PostgreSQL. After a conflict between chunks, `work` runs again from the start.
 */
export function postgresIngestStore(db: Db, { onRetry, ...options }: PostgresIngestOptions = {}): IngestStore {
  const store = sqlIngestStore(db, postgresDialect, options);
  return { ...store, transaction: (work) => retryTransaction(() => store.transaction(work), onRetry) };
}

/** For all transactions of chunks. */
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
