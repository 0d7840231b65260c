/** Converts between NDJSON and Parquet with an empty in-memory DuckDB. */
import { DuckDBInstance } from '@duckdb/node-api';

const COLUMNS = {
  events: {
    uuid: 'UUID',
    event: 'VARCHAR',
    distinct_id: 'VARCHAR',
    person_id: 'UUID',
    timestamp: 'TIMESTAMP',
    created_at: 'TIMESTAMP',
    elements_chain: 'VARCHAR',
    properties: 'JSON',
  },
  persons: {
    person_id: 'UUID',
    distinct_ids: 'VARCHAR[]',
    created_at: 'TIMESTAMP',
    is_identified: 'BOOLEAN',
    properties: 'JSON',
  },
} as const;

export type Exportable = keyof typeof COLUMNS;

/** The names of the columns, in their order. */
export const exportColumns = (what: Exportable): string[] => Object.keys(COLUMNS[what]);

const MAX_LINE_BYTES = 64 * 1024 * 1024;

const quoteText = (text: string): string => `'${text.replaceAll("'", "''")}'`;

export function linesToParquet(what: Exportable, lines: string, target: string): Promise<void> {
  const columns = Object.entries(COLUMNS[what]).map(([name, type]) => `${name}: ${quoteText(type)}`);
  const source = `read_json(${quoteText(lines)}, format = 'newline_delimited', maximum_object_size = ${MAX_LINE_BYTES},
    columns = {${columns.join(', ')}})`;
  return convert(`copy (select * from ${source}) to ${quoteText(target)} (format parquet, compression zstd)`);
}

export const parquetToLines = (source: string, target: string): Promise<void> =>
  convert(`copy (select * from read_parquet(${quoteText(source)})) to ${quoteText(target)} (format json)`);

async function convert(sql: string): Promise<void> {
  const instance = await DuckDBInstance.create(':memory:', { memory_limit: '1GB', preserve_insertion_order: 'true' });
  try {
    const connection = await instance.connect();
    await connection.run(`set TimeZone = 'UTC'`);
    await connection.run(sql);
    connection.closeSync();
  } finally {
    instance.closeSync();
  }
}
