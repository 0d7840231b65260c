/** Answers of insights as tables: for spreadsheets, without links and nesting. */
import type { FastifyReply } from 'fastify';
import type { Json, JsonObject } from '../../../core/json/json.ts';
import { readFormat } from '../../../http/format.ts';
import type { Query } from '../../../http/paging.ts';
import { csvLine } from '../../../lib/csv-line.ts';
import { fieldText, type InsightFields } from './insight-request.ts';

type InsightTable = 'trend' | 'retention' | 'funnel' | 'path' | 'correlation';

/** Header and rows; a header of nothing is no table. */
type Table = readonly (readonly Json[])[];

interface Shown {
  fields: InsightFields;
  query: Query;
  url: URL;
  reply: FastifyReply;
}

/** The answer as it is, or its result as a table where that is asked for: `format=csv`. */
export function sendInsight<A extends { result: unknown }>(
  of: InsightTable,
  answer: A,
  shown: Shown,
): A | FastifyReply {
  return readFormat(shown.query) === 'json' ? answer : sendTable(of, answer.result as Json, shown);
}

export function sendTable(of: InsightTable, result: Json, { fields, url, reply }: Omit<Shown, 'query'>): FastifyReply {
  const table = TABLES[of](result);
  const id = fieldText(fields['export_insight_id']);
  const first = id === undefined ? '' : csvLine([`${url.origin}/insights/${encodeURIComponent(id)}/`]);
  return reply
    .type('text/csv; charset=utf-8')
    .header('content-disposition', `attachment; filename="${fileName(fields, of)}"`)
    .send(first + table.map((row) => csvLine(row.map(cellText))).join(''));
}

/** Plain letters alone: a header takes no others. */
function fileName(fields: InsightFields, of: InsightTable): string {
  const name = (fieldText(fields['export_name']) ?? of).toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  const dates = [fields['date_from'], fields['date_to']].map((date) => fieldText(date)?.replaceAll(/[^\w-]+/g, ''));
  const range = dates.some((date) => date) ? ` (${dates.map((date) => date || 'now').join(' - ')})` : '';
  return `${name.replaceAll(/^-|-$/g, '') || of}${range}.csv`;
}

const cellText = (value: Json): string => {
  if (value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
};

const TABLES: Readonly<Record<InsightTable, (result: Json) => Table>> = {
  trend: (result) => trendTable(result as JsonObject[]),
  retention: (result) => retentionTable(result as JsonObject[]),
  funnel: funnelTable,
  path: (result) => pick(result as JsonObject[], ['source', 'target', 'value', 'average_conversion_time']),
  correlation: (result) => correlationTable((result as { events: JsonObject[] }).events),
};

function pick(items: readonly JsonObject[], columns: readonly string[]): Table {
  return [columns, ...items.map((item) => columns.map((column) => item[column] ?? null))];
}

/** Numbers have a fraction, as they always had in this table. */
const float = (value: Json): Json => (Number.isInteger(value) ? `${value}.0` : value);

function trendTable(items: readonly JsonObject[]): Table {
  const [first] = items;
  if (first === undefined) return [['series']];
  if ('aggregated_value' in first) {
    const rows = items.map((item) => [nameOf(item), float(item['aggregated_value'] ?? null)]);
    return [['series', 'total count'], ...rows];
  }
  return seriesTable(items, nameOf, float);
}

function seriesTable(
  items: readonly JsonObject[],
  name: (item: JsonObject) => Json,
  cell: (value: Json) => Json,
): Table {
  const labels = (items[0]?.['labels'] ?? []) as Json[];
  return [['series', ...labels], ...items.map((item) => [name(item), ...((item['data'] ?? []) as Json[]).map(cell)])];
}

/** Two periods of one series are told apart. */
const nameOf = ({ label = '', compare_label: period }: JsonObject): Json =>
  period === undefined ? label : `${label} - ${period}`;

function retentionTable(rows: readonly JsonObject[]): Table {
  const counts = rows.map(({ values }) => (values as { count: number }[]).map(({ count }) => count));
  const periods = Math.max(0, ...counts.map(({ length }) => length));
  // Rows of dates are called after periods; those of a breakdown are not.
  const labels = rows[0]?.['date'] === undefined ? [] : rows.map(({ label }) => label ?? null);
  const later = Array.from({ length: Math.max(0, periods - 1) }, (_, at) => labels[at + 1] ?? `Period ${at + 1}`);
  const lines = rows.map(({ date, label }, at) => {
    const own = counts[at] ?? [];
    return [date ?? label ?? null, ...own, ...Array<Json>(periods - own.length).fill(null)];
  });
  return [['cohort', 'cohort size', ...later], ...lines];
}

const STEP = ['name', 'breakdown_value', 'action_id', 'count', 'median_conversion_time', 'average_conversion_time'];
const STEP_HEADS = [...STEP.slice(0, 4), 'median_conversion_time (seconds)', 'average_conversion_time (seconds)'];

function funnelTable(result: Json): Table {
  if (!Array.isArray(result)) {
    const { bins } = result as { bins: Json[][] };
    return [['from (seconds)', 'persons'], ...bins];
  }
  const items = result.flat() as JsonObject[];
  const isOverTime = items[0] !== undefined && 'data' in items[0];
  if (isOverTime)
    return seriesTable(
      items,
      (item) => joined(item['breakdown_value'] ?? 'percent'),
      (value) => value,
    );
  const rows = items.map((step) => ({
    ...step,
    name: step['custom_name'] ?? step['name'] ?? null,
    breakdown_value: joined(step['breakdown_value'] ?? null),
  }));
  return [STEP_HEADS, ...pick(rows, STEP).slice(1)];
}

const joined = (value: Json): Json => (Array.isArray(value) ? value.join('::') : value);

function correlationTable(events: readonly JsonObject[]): Table {
  const named = events.map((one) => ({ ...one, event: (one['event'] as JsonObject)['event'] ?? null }));
  return pick(named, ['event', 'success_count', 'failure_count', 'odds_ratio', 'correlation_type']);
}
