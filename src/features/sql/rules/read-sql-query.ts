/** Reads a query as PostHog's clients send it: a statement, or a saved insight around one. */
import { invalid } from '../../../core/errors.ts';
import { readFilters } from '../../../core/filters/parse-filters.ts';
import { type Filter, NO_FILTER } from '../../../core/filters/property-filter.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts';
import { readDateRange } from '../../../core/time/read-date-range.ts';
import { requireTimeZone } from '../../../core/time/zoned.ts';
import type { Placeholders } from './prepare-text.ts';

export interface SqlQuery {
  sql: string;
  placeholders: Placeholders;
  rows: { byDefault: number; max: number; isChosen?: boolean };
  /** Not from a kept answer, and with everything that is stored by now. */
  refresh: boolean;
  /** Of the answer; undefined: as large as an answer may be. */
  maxBytes?: number;
  checkOnly?: boolean;
  /** Also how it would be run. */
  explain?: boolean;
  /** As PostgreSQL's clients write it. */
  isPostgres?: boolean;
}

const KINDS = ['HogQLQuery', 'DataVisualizationNode', 'ExperimentQuery', 'ExperimentExposureQuery'];

/** Of a table on a page. */
export const TABLE_ROWS = { byDefault: 100, max: 50_000 };
export const FILE_ROWS = { byDefault: 1_000_000, max: 1_000_000 };

/** `body`: of a request, with the query and how fresh its answer has to be. */
export function readSqlQuery(body: JsonObject, context: { timezone: string; now: number }): SqlQuery {
  const query = readSource(body['query']);
  const sql = query['query'];
  if (typeof sql !== 'string') throw invalid('query.query', 'query.query must be the text of a SELECT statement.');
  const { refresh, limit } = body;
  const filters = objectOf(query['filters'], 'query.filters');
  return {
    sql,
    placeholders: {
      values: objectOf(query['values'], 'query.values'),
      variables: variablesOf(query['variables']),
      range: rangeOf(filters, context),
      properties: propertiesOf(filters['properties']),
    },
    rows: typeof limit === 'number' ? chosenRows(limit) : TABLE_ROWS,
    refresh: typeof refresh === 'string' && refresh.startsWith('force_'),
  };
}

function chosenRows(limit: number): SqlQuery['rows'] {
  const { max } = TABLE_ROWS;
  if (limit > max) {
    throw invalid('limit', `limit may be ${max} at most; query.csv and query.parquet have more rows.`, 'too_many_rows');
  }
  return { byDefault: limit, max: limit, isChosen: true };
}

/** The statement itself, or that of a saved insight. */
export function readSource(query: Json | undefined): JsonObject {
  if (!isJsonObject(query))
    throw invalid('query', 'query must be an object such as {"kind": "HogQLQuery", "query": "select 1"}.');
  if (query['kind'] === 'DataVisualizationNode') return readSource(query['source']);
  if (query['kind'] === 'HogQLQuery') return query;
  throw invalid('query.kind', `query.kind is one of ${KINDS.join(', ')}.`, 'query_kind_unsupported');
}

function objectOf(value: Json | undefined, name: string): JsonObject {
  if (value === undefined || value === null) return {};
  if (isJsonObject(value)) return value;
  throw invalid(name, `${name} must be an object.`, 'bad_parameter');
}

/** `{id: {code_name, value}}` → by code name. */
function variablesOf(value: Json | undefined): Placeholders['variables'] {
  const variables = Object.values(objectOf(value, 'query.variables')).filter(isJsonObject);
  return Object.fromEntries(variables.map((variable) => [String(variable['code_name']), variable['value']]));
}

/** What `{filters}` stands for: first the dates. */
function rangeOf(filters: JsonObject, { timezone, now }: { timezone: string; now: number }): Placeholders['range'] {
  const dates = objectOf(filters['dateRange'], 'query.filters.dateRange');
  const text = (name: string): string | undefined => {
    const given = dates[name];
    return typeof given === 'string' && given !== '' ? given : undefined;
  };
  if (text('date_from') === undefined && text('date_to') === undefined) return { from: null, to: null };
  const { from, until } = readDateRange(
    { dateFrom: text('date_from'), dateTo: text('date_to'), explicit: dates['explicitDate'] === true, interval: 'day' },
    { now, timezone: requireTimeZone(timezone), earliest: 0 },
  );
  return { from, to: until };
}

const propertiesOf = (given: Json | undefined): Filter =>
  given === undefined || given === null ? NO_FILTER : readFilters(given);
