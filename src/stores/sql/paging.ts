import type { Page, Paged } from '../metadata/page.ts';

/** The two questions every list asks: how many there are, and which stand on this page. */
export async function paged<Row, T>(
  query: {
    count: () => Promise<{ count: number | string | bigint } | undefined>;
    rows: (page: Page) => Promise<Row[]>;
  },
  page: Page,
  present: (row: Row) => T,
): Promise<Paged<T>> {
  const count = Number((await query.count())?.count ?? 0);
  const rows = await query.rows(page);
  return { count, items: rows.map(present) };
}
