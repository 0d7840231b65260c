import type { DuckDBConnection } from '@duckdb/node-api';
import { commit, type EngineUse } from './run-in-engine.ts';

interface TransactionOptions extends EngineUse {
  /** Called while the engine commits. */
  meanwhile?: (() => void) | undefined;
}

export async function inTransaction<T>(
  writer: DuckDBConnection,
  work: () => Promise<T>,
  { meanwhile, ...use }: TransactionOptions = {},
): Promise<T> {
  await writer.run('begin');
  try {
    const result = await work();
    const committed = commit(writer, use);
    meanwhile?.();
    await committed;
    return result;
  } catch (error) {
    // A commit that failed has ended the transaction already: then there is nothing to roll back.
    await writer.run('rollback').catch(() => undefined);
    throw error;
  }
}
