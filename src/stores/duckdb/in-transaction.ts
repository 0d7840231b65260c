import type { DuckDBConnection } from '@duckdb/node-api';

/** `meanwhile` is called while the engine commits. */
export async function inTransaction(
  writer: DuckDBConnection,
  work: () => Promise<void>,
  meanwhile?: () => void,
): Promise<void> {
  await writer.run('begin');
  try {
    await work();
    const committed = writer.run('commit');
    meanwhile?.();
    await committed;
  } catch (error) {
    // A commit that failed has ended the transaction already: then there is nothing to roll back.
    await writer.run('rollback').catch(() => undefined);
    throw error;
  }
}
