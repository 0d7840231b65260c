import type { DuckDBConnection } from '@duckdb/node-api';
import { commit } from './commit.ts';

/** `meanwhile` is called while the engine commits. */
export async function inTransaction<T>(
  writer: DuckDBConnection,
  work: () => Promise<T>,
  meanwhile?: () => void,
): Promise<T> {
  await writer.run('begin');
  try {
    const result = await work();
    const committed = commit(writer);
    meanwhile?.();
    await committed;
    return result;
  } catch (error) {
    // A commit that failed has ended the transaction already: then there is nothing to roll back.
    await writer.run('rollback').catch(() => undefined);
    throw error;
  }
}
