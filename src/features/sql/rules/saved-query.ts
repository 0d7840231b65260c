/** Statements of saved insights: as they are kept, on a dashboard with filters of its own, and as one number. */
import { isJsonObject, type JsonObject } from '../../../core/json/json.ts';
import { readSource } from './read-sql-query.ts';

/** As PostHog's clients expect it back: a statement alone gets what is around it. Fails where it is no SQL. */
export function readSavedQuery(query: JsonObject): JsonObject {
  const source = readSource(query);
  return query['kind'] === 'DataVisualizationNode' ? query : { kind: 'DataVisualizationNode', source };
}

/** Dates of the dashboard replace those of the statement's `{filters}`; its property filters are added. */
export function withFiltersOf(query: JsonObject, dashboard: JsonObject): JsonObject {
  const { date_from: from, date_to: to, explicit_date: explicit, properties } = dashboard;
  if (from === undefined && to === undefined && properties === undefined) return query;
  const source = readSource(query);
  const filters = isJsonObject(source['filters']) ? source['filters'] : {};
  const range = {
    ...(from === undefined ? {} : { date_from: from }),
    ...(to === undefined ? {} : { date_to: to }),
    ...(explicit === undefined ? {} : { explicitDate: explicit }),
  };
  const dated = from === undefined && to === undefined ? filters : { ...filters, dateRange: range };
  const both = [filters['properties'], properties].filter((one) => one !== undefined && one !== null);
  const lists = both.every(Array.isArray) ? both.flat() : { type: 'AND', values: both.map(toGroup) };
  return {
    ...query,
    source: { ...source, filters: { ...dated, ...(both.length === 0 ? {} : { properties: lists }) } },
  };
}

const toGroup = (filters: unknown) =>
  (Array.isArray(filters) ? { type: 'AND', values: filters } : filters) as JsonObject;

interface Rows {
  types: readonly (readonly string[])[];
  results: readonly (readonly unknown[])[];
}

const NUMBER = /^(?:Nullable\()?(?:U?Int|Float|Decimal)/;

/** What an alert watches: the first column with numbers, in the last row. Null where there is none. */
export function lastNumber({ types, results }: Rows): number | null {
  const column = types.findIndex(([, type = '']) => NUMBER.test(type));
  const value = column < 0 ? null : results.at(-1)?.[column];
  if (value === null || value === undefined) return null;
  // Whole numbers beyond 2^53 are texts.
  const number = Number(value);
  return Number.isFinite(number) ? number : null;
}
