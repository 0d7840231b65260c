import type { Kysely, RawBuilder } from 'kysely';

/**
 * Runs one statement for each row, compiled once. For large rows this is faster than one statement over JSON (measured
 * with persons of 1.5 kB: half the time).
 */
export async function runForEach<Row>(
  db: Kysely<never> | Kysely<unknown>,
  rows: readonly Row[],
  values: (row: Row) => unknown[],
  statement: (values: unknown[]) => RawBuilder<unknown>,
): Promise<void> {
  const [first] = rows;
  if (first === undefined) return;
  const compiled = statement(values(first)).compile(db as Kysely<unknown>);
  for (const row of rows) await (db as Kysely<unknown>).executeQuery({ ...compiled, parameters: values(row) });
}
