/**
 * Writes the rows of a statement to a Parquet file. The engine that reads the copy must not write files, so rows go into
 * a second one, which never sees text of a user beside the names of columns.
 */
import { rmSync, statSync } from 'node:fs';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { SqlRefusal } from '../rules/refusal.ts';
import type { streamChunks } from './stream-chunks.ts';

const MEMORY_MB = 128;
/** Rows are checked for their size once in so many chunks. */
const CHUNKS_PER_CHECK = 16;

interface ParquetFile {
  path: string;
  /** Of the columns. */
  names: readonly string[];
  maxRows: number;
  maxBytes: number;
}

interface WrittenRows {
  rowCount: number;
  hasMore: boolean;
}

type RowStream = Awaited<ReturnType<typeof streamChunks>>;

export async function writeParquet(rows: RowStream, file: ParquetFile): Promise<WrittenRows> {
  // Beside the file, so that whoever removes one finds the other.
  const rowsPath = `${file.path}.rows`;
  const instance = await DuckDBInstance.create(rowsPath, { memory_limit: `${MEMORY_MB}MB`, threads: '1' });
  const connection = await instance.connect();
  try {
    const names = uniqueNames([...file.names, 'is_end']);
    const found = await appendRows(connection, rows, { ...file, names, rowsPath });
    const rowCount = Math.min(found, file.maxRows);
    const quoted = `'${file.path.replaceAll("'", "''")}'`;
    const columns = `* exclude (${quotedName(names.at(-1))})`;
    await connection.run(`copy (select ${columns} from result_rows limit ${rowCount}) to ${quoted} (format parquet)`);
    return { rowCount, hasMore: found > file.maxRows };
  } finally {
    connection.closeSync();
    instance.closeSync();
    for (const end of ['', '.wal']) rmSync(`${rowsPath}${end}`, { force: true });
  }
}

async function appendRows(
  connection: DuckDBConnection,
  { types, chunks: streamed }: RowStream,
  { rowsPath, names, maxRows, maxBytes }: ParquetFile & { rowsPath: string },
): Promise<number> {
  const declared = types.map((type, i) => `${quotedName(names[i])} ${type}`);
  await connection.run(`create table result_rows (${declared.join(', ')})`);
  const appender = await connection.createAppender('result_rows');
  let rows = 0;
  let chunks = 0;
  for await (const { chunk, rowCount } of streamed) {
    appender.appendDataChunk(chunk);
    rows += rowCount;
    if (++chunks % CHUNKS_PER_CHECK === 0) {
      appender.flushSync();
      if (sizeOf(rowsPath) > maxBytes) {
        throw new SqlRefusal('too_large', 'The file would be too large. Select fewer columns, or set a lower limit.');
      }
    }
    if (rows > maxRows) break;
  }
  appender.closeSync();
  return rows;
}

const quotedName = (name = ''): string => `"${name.replaceAll('"', '""')}"`;

const sizeOf = (path: string): number =>
  ['', '.wal'].reduce((sum, end) => sum + (statSync(`${path}${end}`, { throwIfNoEntry: false })?.size ?? 0), 0);

/** A second column of a name gets a number: `n`, `n_2`. Case does not distinguish them. */
function uniqueNames(names: readonly string[]): string[] {
  const used = new Set<string>();
  return names.map((name) => {
    let unique = name;
    for (let n = 2; used.has(unique.toLowerCase()); n++) unique = `${name}_${n}`;
    used.add(unique.toLowerCase());
    return unique;
  });
}
