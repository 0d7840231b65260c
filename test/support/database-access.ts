/** Direct access to the metadata database, for reading and for tampering. */
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { DATA_FILES } from '../../src/stores/data-files.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests read rows freely, and assert what they find
export type AnyRow = any;

interface DatabaseAccess {
  /** Values replace the question marks. */
  read(sql: string, values: readonly unknown[]): Promise<AnyRow[]>;
  write(sql: string, values: readonly unknown[]): Promise<void>;
  close(): Promise<void>;
}

/** Uses connections of its own; the reader is read-only. */
export function openSqliteAccess(dataDir: string): DatabaseAccess {
  const path = join(dataDir, DATA_FILES.metadata);
  const reader = new Database(path, { readonly: true });
  return {
    read: async (sql, values) => reader.prepare(sql).all(...values),
    async write(sql, values) {
      const writer = new Database(path);
      writer.prepare(sql).run(...values);
      writer.close();
    },
    close: async () => void reader.close(),
  };
}

export async function openPostgresAccess(url: string): Promise<DatabaseAccess> {
  const { openPool } = await import('../../src/stores/postgres/pool.ts');
  const pool = await openPool(url, { size: 1 });
  const numbered = (sql: string): string => {
    let at = 0;
    return sql.replaceAll('?', () => `$${++at}`);
  };
  const read = async (sql: string, values: readonly unknown[]): Promise<AnyRow[]> =>
    (await pool.query(numbered(sql), [...values])).rows;
  return { read, write: async (sql, values) => void (await read(sql, values)), close: () => pool.end() };
}
