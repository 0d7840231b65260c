/** Copies tables in batches by primary key. Progress is saved in the transaction of each batch. */
import type Database from 'better-sqlite3';
import { cleanText } from '../../core/json/text.ts';
import type { MoveProgress } from './progress.ts';
import { type MovedTable, quoteColumns } from './tables.ts';
import type { MoveTarget } from './target.ts';

interface BatchLimits {
  rows: number;
  bytes: number;
}

const BATCH_LIMITS: BatchLimits = { rows: 2000, bytes: 4 * 1024 * 1024 };

type Row = readonly unknown[];

export async function copyTable(
  metadata: Database.Database,
  target: MoveTarget,
  table: MovedTable,
  progress: MoveProgress,
  bounds = BATCH_LIMITS,
): Promise<void> {
  const mark = `table:${table.name}`;
  let after = await target.getMark<Row>(mark);
  for (;;) {
    const rows = readBatch(metadata, table, after, bounds);
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

/** Rows that are not copied yet. */
export async function countRemainingRows(
  metadata: Database.Database,
  target: MoveTarget,
  table: MovedTable,
): Promise<number> {
  const after = await target.getMark<Row>(`table:${table.name}`);
  const count = metadata.prepare(`select count(*) from "${table.name}" ${whereAfter(table, after)}`).pluck();
  return Number(count.get(...(after ?? [])));
}

const whereAfter = ({ key }: MovedTable, after: Row | null): string =>
  after === null ? '' : `where (${quoteColumns(key)}) > (${key.map(() => '?').join(', ')})`;

function readBatch(metadata: Database.Database, table: MovedTable, after: Row | null, bounds: BatchLimits): Row[] {
  const rows = metadata
    .prepare(
      `select ${quoteColumns(table.columns)} from "${table.name}" ${whereAfter(table, after)} order by ${quoteColumns(table.key)}`,
    )
    .raw(true)
    .iterate(...(after ?? [])) as IterableIterator<Row>;
  const batch: Row[] = [];
  let bytes = 0;
  for (const row of rows) {
    batch.push(row);
    for (const value of row) bytes += sizeOf(value);
    if (batch.length >= bounds.rows || bytes >= bounds.bytes) break;
  }
  return batch;
}

const sizeOf = (value: unknown): number =>
  typeof value === 'string' || value instanceof Uint8Array ? value.length : 8;

/** PostgreSQL cannot store NUL; servers replace it the same way. */
export const storable = (value: unknown): unknown => (typeof value === 'string' ? cleanText(value) : value);

/** One array per column, so that the number of parameters does not depend on the rows. */
async function insertRows(
  target: MoveTarget,
  { name, columns, types }: MovedTable,
  rows: readonly Row[],
): Promise<void> {
  const lists = types.map((type, i) => `$${i + 1}::${type}[]`).join(', ');
  await target.client.query(
    `insert into "${name}" (${quoteColumns(columns)}) select * from unnest(${lists})`,
    columns.map((_, i) => rows.map((row) => storable(row[i]))),
  );
}
