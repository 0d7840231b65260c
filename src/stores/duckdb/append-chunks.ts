import type { DuckDBConnection, DuckDBDataChunk } from '@duckdb/node-api';

/** Appends to a table within the connection's transaction. Twice as fast as cell by cell. */
export async function appendChunks(
  connection: DuckDBConnection,
  table: string,
  chunks: Iterable<DuckDBDataChunk>,
): Promise<void> {
  const appender = await connection.createAppender(table);
  try {
    for (const chunk of chunks) appender.appendDataChunk(chunk);
  } catch (error) {
    // Closing would try to write the rows before the error.
    appender.clear();
    throw error;
  } finally {
    appender.closeSync();
  }
}
