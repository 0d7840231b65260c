/** Compares a table on both sides by project. */
import type Database from 'better-sqlite3';
import { addText, type Checksums } from './checksums.ts';
import { storable } from './copy-tables.ts';
import type { MoveProgress } from './progress.ts';
import { isMoveMark, type MovedTable, quoteColumns } from './tables.ts';
import type { MoveTarget } from './target.ts';

type Row = readonly unknown[];

const FETCH_ROWS = 2000;
/** Of a table with blocks of bytes. */
const FETCH_BLOCKS = 50;

export interface TableComparison {
  source: Checksums;
  target: Checksums;
}

/** Keys are project ids; '' for rows without a project. */
export async function compareTable(
  metadata: Database.Database,
  target: MoveTarget,
  table: MovedTable,
  progress: MoveProgress,
): Promise<TableComparison> {
  const here: Checksums = new Map();
  const there: Checksums = new Map();
  const rows = metadata.prepare(`select ${quoteColumns(table.columns)} from "${table.name}"`).raw(true);
  for (const row of rows.iterate() as IterableIterator<Row>) addRow(here, table, row.map(storable));
  await target.transaction(async () => {
    const most = table.types.includes('bytea') ? FETCH_BLOCKS : FETCH_ROWS;
    await target.client.query(`declare moved cursor for select ${quoteColumns(table.columns)} from "${table.name}"`);
    for (;;) {
      const batch = await target.client.query({ text: `fetch ${most} from moved`, rowMode: 'array' });
      if (batch.rows.length === 0) break;
      const moved = (batch.rows as Row[]).filter((row) => !isMoveMark(table, row));
      for (const row of moved) addRow(there, table, row);
      progress.add(moved.length);
    }
    await target.client.query('close moved');
  });
  return { source: here, target: there };
}

const PROJECT = { projects: 'id' } as const;

function addRow(sums: Checksums, { name, columns }: MovedTable, row: Row): void {
  const project = columns.indexOf(name === 'projects' ? PROJECT.projects : 'project_id');
  const texts = row.map((value) => (Buffer.isBuffer(value) ? value.toString('hex') : value));
  addText(sums, project < 0 ? '' : String(row[project] ?? ''), JSON.stringify(texts));
}
