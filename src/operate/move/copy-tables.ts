/** Copies tables in batches by their primary key. Each batch comes with how far it reaches, in one transaction. */
import type Database from 'better-sqlite3';
import { cleanText } from '../../core/json/text.ts';
import type { Progress } from './progress.ts';
import { type MovedTable, quoted } from './tables.ts';
import type { Target } from './target.ts';

export interface BatchBounds {
  rows: number;
  bytes: number;
}

const BOUNDS: BatchBounds = { rows: 2000, bytes: 4 * 1024 * 1024 };

type Row = readonly unknown[];

export async function copyTable(
  shelf: Database.Database,
  target: Target,
  table: MovedTable,
  progress: Progress,
  bounds = BOUNDS,
): Promise<void> {
  const mark = `table:${table.name}`;
  let after = await target.mark<Row>(mark);
  for (;;) {
    const rows = readBatch(shelf, table, after, bounds);
    const last = rows.at(-1);
    if (last === undefined) return;
    after = table.key.map((column) => last[table.columns.indexOf(column)]);
    const reached = after;
    await target.transaction(async () => {
      await insertRows(target, table, rows);
      await target.setMark(mark, reached);
    });
    progress.add(rows.length);
  }
}

/** How many rows of the table come after those that have been copied. */
export async function rowsLeft(shelf: Database.Database, target: Target, table: MovedTable): Promise<number> {
  const after = await target.mark<Row>(`table:${table.name}`);
  const count = shelf.prepare(`select count(*) from "${table.name}" ${past(table, after)}`).pluck();
  return Number(count.get(...(after ?? [])));
}

const past = ({ key }: MovedTable, after: Row | null): string =>
  after === null ? '' : `where (${quoted(key)}) > (${key.map(() => '?').join(', ')})`;

function readBatch(shelf: Database.Database, table: MovedTable, after: Row | null, bounds: BatchBounds): Row[] {
  const rows = shelf
    .prepare(`select ${quoted(table.columns)} from "${table.name}" ${past(table, after)} order by ${quoted(table.key)}`)
    .raw(true)
    .iterate(...(after ?? [])) as IterableIterator<Row>;
  const batch: Row[] = [];
  let bytes = 0;
  for (const row of rows) {
    batch.push(row);
    for (const value of row) bytes += typeof value === 'string' ? value.length : 8;
    if (batch.length >= bounds.rows || bytes >= bounds.bytes) break;
  }
  return batch;
}

/** PostgreSQL keeps no NUL; a server that writes there replaces it just so. */
export const storable = (value: unknown): unknown => (typeof value === 'string' ? cleanText(value) : value);

/** Column by column: one statement with as many values as there are columns, however many rows there are. */
async function insertRows(target: Target, { name, columns, types }: MovedTable, rows: readonly Row[]): Promise<void> {
  const lists = types.map((type, i) => `$${i + 1}::${type}[]`).join(', ');
  await target.client.query(
    `insert into "${name}" (${quoted(columns)}) select * from unnest(${lists})`,
    columns.map((_, i) => rows.map((row) => storable(row[i]))),
  );
}
