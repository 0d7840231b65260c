/** Which tables are copied. It is read from the databases, so that new tables are moved without a change here. */
import type Database from 'better-sqlite3';
import { MoveError } from './move-error.ts';
import type { MoveTarget } from './target.ts';

export interface MovedTable {
  name: string;
  columns: readonly string[];
  /** Of the target, in the order of `columns`. */
  types: readonly string[];
  /** The primary key, in its order. */
  key: readonly string[];
}

/** What each side has in its own form, and what the target builds itself. */
const SKIPPED_TABLES: Readonly<Record<string, string>> = {
  schema_version: 'compared instead',
  cookieless_visitors: 'of a day whose salt is not moved',
  person_change: 'a sequence in PostgreSQL',
  ingest_position: 'the target has one for each partition',
  person_blocks: 'an index, built by the target',
  person_columns: 'an index, built by the target',
  person_places: 'an index, built by the target',
  gone_persons: 'an index, built by the target',
  person_index_positions: 'an index, built by the target',
};

export async function movedTables(metadata: Database.Database, target: MoveTarget): Promise<MovedTable[]> {
  const names = metadata
    .prepare<[], string>(
      `select name from sqlite_schema where type = 'table' and name not like 'sqlite\\_%' escape '\\'`,
    )
    .pluck()
    .all();
  const there = await targetColumns(target);
  return names
    .filter((name) => !(name in SKIPPED_TABLES))
    .map((name) => matchTarget(describeTable(metadata, name), there.get(name)));
}

interface ColumnInfo {
  name: string;
  pk: number;
}

function describeTable(metadata: Database.Database, name: string): Omit<MovedTable, 'types'> {
  const columns = metadata.prepare<[string], ColumnInfo>('select name, pk from pragma_table_info(?)').all(name);
  const key = columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
  return { name, columns: columns.map((column) => column.name), key: key.map((column) => column.name) };
}

/** The types of columns; null for a generated one. */
type TargetColumns = ReadonlyMap<string, string | null>;

async function targetColumns(target: MoveTarget): Promise<Map<string, TargetColumns>> {
  const rows = await target.rows<{ table: string; column: string; type: string | null }>(
    `select table_name as "table", column_name as "column", case is_generated when 'NEVER' then udt_name end as type
    from information_schema.columns where table_schema = current_schema()`,
  );
  const tables = new Map<string, Map<string, string | null>>();
  for (const { table, column, type } of rows) {
    const columns = tables.get(table) ?? new Map<string, string | null>();
    tables.set(table, columns.set(column, type));
  }
  return tables;
}

/** What the target generates is not copied: the e-mails of persons, which SQLite has as written. */
function matchTarget(table: Omit<MovedTable, 'types'>, there: TargetColumns = new Map()): MovedTable {
  const columns = table.columns.filter((column) => there.get(column) !== null);
  const types = columns.flatMap((column) => there.get(column) ?? []);
  const expected = [...there.values()].filter((type) => type !== null);
  if (types.length !== columns.length || types.length !== expected.length || table.key.length === 0) {
    throw new MoveError(`The table ${table.name} is different in the target. Nothing was copied.`);
  }
  return { ...table, columns, types };
}

export const quoteColumns = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(', ');

/** The move's own progress is in a table that is moved. */
export const isMoveMark = (table: MovedTable, row: readonly unknown[]): boolean =>
  table.name === 'installation' && String(row[table.columns.indexOf('name')]).startsWith('move:');
