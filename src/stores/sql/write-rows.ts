import { type RawBuilder, sql } from 'kysely';
import type { RowType } from './dialect.ts';
import { runForEach } from './repeat.ts';
import type { Sql } from './tables.ts';

type Row = Readonly<Record<string, string | number | null>>;

/** Approximate length of one statement. */
const MAX_STATEMENT_CHARS = 4_000_000;

/**
 * Inserts rows that may be large. With SQLite, a statement per row is faster than JSON; with a remote server, every
 * statement is a round trip. `statement` gets the part after the column names.
 */
export async function writeRows(
  on: Sql,
  columns: Readonly<Record<string, RowType>>,
  rows: readonly Row[],
  statement: (source: RawBuilder<unknown>) => RawBuilder<unknown>,
): Promise<void> {
  const names = Object.keys(columns);
  if (!on.dialect.isRemote) {
    const valuesOf = (row: Row): unknown[] => names.map((name) => row[name]);
    await runForEach(on, rows, valuesOf, (values) => statement(sql`values (${sql.join(values)})`));
    return;
  }
  const picked = sql.join(names.map((name) => sql.ref(`r.${name}`)));
  for (const some of batches(rows)) {
    await statement(sql`select ${picked} from ${on.dialect.rows(columns, some)} r`).execute(on.db);
  }
}

function* batches(rows: readonly Row[]): Generator<Row[]> {
  let [slice, size]: [Row[], number] = [[], 0];
  for (const row of rows) {
    slice.push(row);
    for (const value of Object.values(row)) size += String(value).length;
    if (size < MAX_STATEMENT_CHARS) continue;
    yield slice;
    [slice, size] = [[], 0];
  }
  if (slice.length > 0) yield slice;
}
