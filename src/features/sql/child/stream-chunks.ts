/**
 * Rows that are read while the engine finds them. When a statement fails by then, the driver ends its result as if there
 * were no more rows. So another row comes after the last one: without it, rows are missing.
 */
import type { DuckDBDataChunk, DuckDBPreparedStatement, DuckDBType } from '@duckdb/node-api';
import { SqlRefusal } from '../rules/refusal.ts';

/** With values for its parameters. */
type Prepare = (sql: string) => Promise<DuckDBPreparedStatement>;

interface StreamedChunk {
  chunk: DuckDBDataChunk;
  /** How many of its rows are the statement's. */
  rowCount: number;
}

interface RowStream {
  /** Of the statement, and of one column more: whether the row is the one after the last. */
  types: readonly DuckDBType[];
  /** Rejects where rows are missing at the end. */
  chunks: AsyncIterable<StreamedChunk>;
}

export async function streamChunks(sql: string, prepare: Prepare): Promise<RowStream> {
  const plain = sql.replace(/;\s*$/, '');
  const statement = await prepare(`select r.*, false from (${plain}) r
    union all select r.*, true from (select 1) l left join (select * from (${plain}) limit 0) r on true`);
  const result = await statement.stream();
  const types = result.columnTypes();
  async function* chunks(): AsyncGenerator<StreamedChunk> {
    try {
      for (let chunk = await result.fetchChunk(); chunk && chunk.rowCount > 0; chunk = await result.fetchChunk()) {
        const isEnd = chunk.getColumnVector(types.length - 1).getItem(chunk.rowCount - 1) === true;
        yield { chunk, rowCount: isEnd ? chunk.rowCount - 1 : chunk.rowCount };
        if (isEnd) return;
      }
    } finally {
      // It would keep its file open.
      statement.destroySync();
    }
    await failAgain(plain, prepare);
  }
  return { types, chunks: chunks() };
}

/** Why rows are missing is not known: the statement is run once more, without keeping any. */
async function failAgain(sql: string, prepare: Prepare): Promise<never> {
  const statement = await prepare(`select bit_xor(hash(r)) from (${sql}) r`);
  await statement.run().finally(() => statement.destroySync());
  throw new SqlRefusal('too_large', 'The rows could not be read to the end. Select fewer columns or rows.');
}
