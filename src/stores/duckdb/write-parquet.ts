/** Writes the result of a statement to a Parquet file, on a connection of its own: queries go on meanwhile. */
import { rename, rm } from 'node:fs/promises';
import type { DuckDBInstance } from '@duckdb/node-api';
import type { ParquetCompression } from '../events/event-store.ts';
import { exportPath, quoteText } from './engine.ts';
import { bindValues } from './query-connections.ts';
import type { ResolvedStatement } from './read-properties.ts';

/** So many rows are in memory for each thread; the default of 122,880 may be all the memory there is. */
const ROW_GROUP_ROWS = 10_000;

interface ParquetFile {
  /** Of the event store, beside which the engine may write. */
  path: string;
  target: string;
  compression: ParquetCompression;
}

/** Returns the number of rows. */
export async function writeParquetFile(
  instance: DuckDBInstance,
  { sql, values }: Pick<ResolvedStatement, 'sql' | 'values'>,
  { path, target, compression }: ParquetFile,
): Promise<number> {
  const unfinished = exportPath(path);
  await rm(unfinished, { force: true });
  const connection = await instance.connect();
  try {
    const statement = await connection.prepare(
      `copy (${sql}) to ${quoteText(unfinished)}
        (format parquet, compression ${compression}, row_group_size ${ROW_GROUP_ROWS})`,
    );
    try {
      bindValues(statement, values);
      const { rowsChanged } = await statement.run();
      await rename(unfinished, target);
      return rowsChanged;
    } finally {
      statement.destroySync();
    }
  } finally {
    connection.closeSync();
    await rm(unfinished, { force: true });
  }
}
