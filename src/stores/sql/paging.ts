import type { SelectQueryBuilder } from 'kysely';
import type { Page, Paged } from '../metadata/page.ts';

/** Counts the rows of a query and reads one page of them. */
export async function paged<DB, TB extends keyof DB, Row, T>(
  query: SelectQueryBuilder<DB, TB, Row>,
  { limit, offset }: Page,
  toItem: (row: Row) => T,
): Promise<Paged<T>> {
  const counting = query
    .clearSelect()
    .clearOrderBy()
    .select((eb) => eb.fn.countAll().as('count'));
  const { count } = (await counting.executeTakeFirstOrThrow()) as { count: number | string | bigint };
  const rows = await query.limit(limit).offset(offset).execute();
  return { count: Number(count), items: rows.map((row) => toItem(row as Row)) };
}
