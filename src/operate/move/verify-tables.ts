/** Reads a table whole on both sides and compares it, project by project. */
import type Database from 'better-sqlite3';
import { addText, type Sums } from './checksums.ts';
import { storable } from './copy-tables.ts';
import type { Progress } from './progress.ts';
import { isMark, type MovedTable, quoted } from './tables.ts';
import type { Target } from './target.ts';

type Row = readonly unknown[];

const FETCH = 2000;

export interface Compared {
  source: Sums;
  target: Sums;
}

/** Keys of the sums are numbers of projects; '' for what belongs to none. */
export async function compareTable(
  shelf: Database.Database,
  target: Target,
  table: MovedTable,
  progress: Progress,
): Promise<Compared> {
  const here: Sums = new Map();
  const there: Sums = new Map();
  const rows = shelf.prepare(`select ${quoted(table.columns)} from "${table.name}"`).raw(true);
  for (const row of rows.iterate() as IterableIterator<Row>) addRow(here, table, row.map(storable));
  await target.transaction(async () => {
    await target.client.query(`declare moved cursor for select ${quoted(table.columns)} from "${table.name}"`);
    for (;;) {
      const batch = await target.client.query({ text: `fetch ${FETCH} from moved`, rowMode: 'array' });
      if (batch.rows.length === 0) break;
      const moved = (batch.rows as Row[]).filter((row) => !isMark(table, row));
      for (const row of moved) addRow(there, table, row);
      progress.add(moved.length);
    }
    await target.client.query('close moved');
  });
  return { source: here, target: there };
}

const PROJECT = { projects: 'id' } as const;

function addRow(sums: Sums, { name, columns }: MovedTable, row: Row): void {
  const project = columns.indexOf(name === 'projects' ? PROJECT.projects : 'project_id');
  const texts = row.map((value) => (Buffer.isBuffer(value) ? value.toString('hex') : value));
  addText(sums, project < 0 ? '' : String(row[project] ?? ''), JSON.stringify(texts));
}
