/**
 * Objects as CSV: nested fields become columns joined by dots (`properties.$os`, `distinct_ids.0`), columns are in
 * alphabetical order, missing values are empty.
 */
import type { Json } from '../core/json/json.ts';
import { type CsvCells, csvLine } from '../lib/csv-line.ts';

export type FlatRow = ReadonlyMap<string, string>;

export function flatten(item: Json): FlatRow {
  const row = new Map<string, string>();
  visit(item, '', row);
  return row;
}

/** Empty lists and objects have no columns. */
function visit(value: Json, path: string, row: Map<string, string>): void {
  if (typeof value !== 'object' || value === null) {
    row.set(path, cellText(value));
    return;
  }
  for (const [name, inner] of Object.entries(value)) visit(inner, path === '' ? name : `${path}.${name}`, row);
}

/** Booleans are capitalised. */
function cellText(value: string | number | bigint | boolean | null): string {
  if (value === null) return '';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return String(value);
}

/** The columns of many rows, in alphabetical order. */
function collectColumns(rows: Iterable<FlatRow>, known: ReadonlySet<string> = new Set()): Set<string> {
  const columns = new Set(known);
  for (const row of rows) for (const column of row.keys()) columns.add(column);
  return columns;
}

const csvRows = (columns: readonly string[], rows: readonly FlatRow[], cells: CsvCells): string =>
  rows
    .map((row) =>
      csvLine(
        columns.map((column) => row.get(column) ?? ''),
        cells,
      ),
    )
    .join('');

/** A few items as one text; empty where there are none. */
export function toCsv(items: readonly Json[], cells: CsvCells): string {
  const rows = items.map(flatten);
  const columns = [...collectColumns(rows)].sort();
  return columns.length === 0 ? '' : csvLine(columns, cells) + csvRows(columns, rows, cells);
}

type Pages = AsyncIterable<readonly FlatRow[]>;

/**
 * Many items, a page at a time. The header has every column, so the pages are read twice: once for their columns, once
 * for their rows. Twice the work, but never more than a page in memory.
 */
export async function* csvLines(pages: () => Pages, cells: CsvCells): AsyncGenerator<string> {
  yield* csvLinesOf(await csvColumns(pages()), pages(), cells);
}

/** The first pass, for callers that want errors before they start to answer. */
export async function csvColumns(pages: Pages): Promise<string[]> {
  let columns = new Set<string>();
  for await (const rows of pages) columns = collectColumns(rows, columns);
  return [...columns].sort();
}

/** The second pass. */
export async function* csvLinesOf(columns: readonly string[], pages: Pages, cells: CsvCells): AsyncGenerator<string> {
  if (columns.length > 0) yield csvLine(columns, cells);
  for await (const rows of pages) yield csvRows(columns, rows, cells);
}
