/** Reads the body of a query as PostHog's clients send it. */
import { invalid } from '../../../core/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts';
import { readDateRange } from '../../../core/time/read-date-range.ts';
import { requireTimeZone } from '../../../core/time/zoned.ts';
import type { Project } from '../../../stores/metadata/accounts.ts';
import type { Placeholders } from '../rules/prepare-text.ts';
import type { SqlQuery } from '../sql-queries.ts';

const KINDS = ['HogQLQuery', 'DataVisualizationNode', 'ExperimentQuery', 'ExperimentExposureQuery'];

/** Of a table on a page; a file may have more. */
export const TABLE_ROWS = { byDefault: 100, max: 50_000 };

export function readSqlQuery(body: JsonObject, project: Project, now: number): SqlQuery {
  const query = sourceOf(body['query']);
  const sql = query['query'];
  if (typeof sql !== 'string') throw invalid('query.query', 'query.query must be the text of a SELECT statement.');
  const refresh = body['refresh'];
  return {
    sql,
    placeholders: {
      values: objectOf(query['values'], 'query.values'),
      variables: variablesOf(query['variables']),
      range: rangeOf(query['filters'], project, now),
    },
    rows: TABLE_ROWS,
    refresh: typeof refresh === 'string' && refresh.startsWith('force_'),
  };
}

/** The statement itself, or that of a saved insight. */
function sourceOf(query: Json | undefined): JsonObject {
  if (!isJsonObject(query))
    throw invalid('query', 'query must be an object such as {"kind": "HogQLQuery", "query": "select 1"}.');
  if (query['kind'] === 'DataVisualizationNode') return sourceOf(query['source']);
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

/** What `{filters}` stands for. */
function rangeOf(value: Json | undefined, project: Project, now: number): Placeholders['range'] {
  const filters = objectOf(value, 'query.filters');
  const properties = filters['properties'];
  if (Array.isArray(properties) && properties.length > 0) {
    throw invalid('query.filters', 'Only filters.dateRange is supported; write other conditions in the statement.');
  }
  const dates = objectOf(filters['dateRange'], 'query.filters.dateRange');
  const text = (name: string): string | undefined => {
    const given = dates[name];
    return typeof given === 'string' && given !== '' ? given : undefined;
  };
  if (text('date_from') === undefined && text('date_to') === undefined) return { from: null, to: null };
  const { from, until } = readDateRange(
    { dateFrom: text('date_from'), dateTo: text('date_to'), explicit: dates['explicitDate'] === true, interval: 'day' },
    { now, timezone: requireTimeZone(project.timezone), earliest: 0 },
  );
  return { from, to: until };
}
