/** Insights as CSV files: tables without links and nesting. */
import type { FastifyReply } from 'fastify';
import type { Json } from '../../../core/json/json.ts';
import { type CsvCells, csvLine } from '../../../lib/csv-line.ts';
import type { InsightKind } from '../kinds.ts';
import type { QuestionFields } from '../rules/fields.ts';
import { fieldText } from './insight-request.ts';

export function sendCsv(
  { endpoint, table }: InsightKind,
  result: unknown,
  { fields, url, reply, cells }: { fields: QuestionFields; url: URL; reply: FastifyReply; cells: CsvCells },
): FastifyReply {
  const id = fieldText(fields['export_insight_id']);
  const first = id === undefined ? '' : csvLine([`${url.origin}/insights/${encodeURIComponent(id)}/`]);
  const lines = table(result as Json).map((row) => csvLine(row.map(cellText), cells));
  return reply
    .type('text/csv; charset=utf-8')
    .header('content-disposition', `attachment; filename="${fileName(fields, endpoint.split('/').at(-1) ?? '')}"`)
    .send(first + lines.join(''));
}

/** ASCII only, as in any header. */
function fileName(fields: QuestionFields, fallback: string): string {
  const name = (fieldText(fields['export_name']) ?? fallback).toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  const dates = [fields['date_from'], fields['date_to']].map((date) => fieldText(date)?.replaceAll(/[^\w-]+/g, ''));
  const range = dates.some((date) => date) ? ` (${dates.map((date) => date || 'now').join(' - ')})` : '';
  return `${name.replaceAll(/^-|-$/g, '') || fallback}${range}.csv`;
}

const cellText = (value: Json): string => {
  if (value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
};
