import { notFound } from '../core/errors.ts';
import { type Query, queryText } from './paging.ts';

type EventFormat = 'json' | 'csv';

export function readFormat(query: Query): EventFormat {
  // Forms and typed clients send an empty parameter where nothing was chosen.
  const format = queryText(query, 'format') || 'json';
  if (format !== 'json' && format !== 'csv') throw notFound();
  return format;
}

export const FORMAT_QUERY = { format: '`json` (the default) or `csv`.' } as const;
