import { notFound } from '../core/errors.ts';
import type { CsvCells } from '../lib/csv-line.ts';
import { type Query, queryText } from './paging.ts';

type EventFormat = 'json' | 'csv';

export function readFormat(query: Query): EventFormat {
  // Forms and typed clients send an empty parameter where nothing was chosen.
  const format = queryText(query, 'format') || 'json';
  if (format !== 'json' && format !== 'csv') throw notFound();
  return format;
}

/** `raw`, `raw=` and `raw=true`. */
export function readCsvCells(query: Query): CsvCells {
  const raw = queryText(query, 'raw')?.toLowerCase();
  return raw !== undefined && ['', 'true', '1', 'yes'].includes(raw) ? 'raw' : 'safe';
}

export const RAW_CSV_QUERY = {
  raw: '`true`: CSV cells as they are. Otherwise cells that a spreadsheet would run as a formula begin with an apostrophe.',
} as const;

export const FORMAT_QUERY = { format: '`json` (the default) or `csv`.', ...RAW_CSV_QUERY } as const;
