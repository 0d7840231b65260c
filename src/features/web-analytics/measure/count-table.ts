/** One table of a period, alone. */
import type { WebTable } from '../rules/web-answers.ts';
import type { TableKey, TablePage } from '../rules/web-question.ts';
import { countKeptPages, countKeptTable } from './count-kept.ts';
import { countKept, countTableInSql, findKeptLookups, openSite } from './count-period.ts';
import type { KeptSite } from './kept-site.ts';
import { countExits, measureReads, NOT_READ } from './measure-pages.ts';
import type { WebQuery } from './web-scope.ts';

export async function countTable(query: WebQuery, key: TableKey, page: TablePage): Promise<WebTable> {
  const site = await openSite(query, [query.question.range], [key]);
  if (site === null) return key === 'page' ? pagesInSql(query, page) : countTableInSql(query, key, page);
  const counted = await countKept(query, site, () => tableOfRows(query, site, key, page));
  return counted ?? countTable(query, key, page);
}

async function tableOfRows(query: WebQuery, site: KeptSite, key: TableKey, page: TablePage): Promise<WebTable> {
  const { range } = query.question;
  const asked = { range, page, lookups: await findKeptLookups(query, range) };
  if (key !== 'page') return countKeptTable(query, site, asked, key);
  return countKeptPages(query, site, asked);
}

async function pagesInSql(query: WebQuery, page: TablePage): Promise<WebTable> {
  const { rows, total } = await countTableInSql(query, 'page', page);
  const paths = rows.map(({ value }) => value);
  const [exits, reads] = [await countExits(query, paths), await measureReads(query, paths)];
  return {
    rows: rows.map((row) => ({
      ...row,
      engagement: { exits: exits.get(row.value) ?? 0, ...(reads.get(row.value) ?? NOT_READ) },
    })),
    total,
  };
}
