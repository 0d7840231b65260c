import type { Json, JsonObject } from '../../../core/json/json.ts';
import { readJsonField } from '../../insights/rules/fields.ts';

/** Dates and comparison of the dashboard replace those of the insight; its property filters are added. */
export function withDashboardFilters(filters: JsonObject, dashboard: JsonObject): JsonObject {
  const { properties, compare, compare_to, ...dates } = dashboard;
  const { compare: _compare, compare_to: _to, ...others } = filters;
  const compared =
    compare === undefined ? filters : { ...others, compare, ...(compare_to === undefined ? {} : { compare_to }) };
  const dated = withDates(compared, dates);
  return properties === undefined ? dated : { ...dated, properties: bothFilters(filters['properties'], properties) };
}

function withDates(filters: JsonObject, dates: JsonObject): JsonObject {
  if (Object.keys(dates).length === 0) return filters;
  const { date_from: _from, date_to: _to, explicit_date: _explicit, ...rest } = filters;
  return { ...rest, ...dates };
}

/** A list stays a list, which every client can show. */
function bothFilters(own: Json | undefined, added: Json): Json {
  const given = readJsonField({ own: own ?? [] }, 'own') ?? [];
  if (Array.isArray(given) && Array.isArray(added)) return [...given, ...added];
  const group = (filters: Json): Json => (Array.isArray(filters) ? { type: 'AND', values: filters } : filters);
  return { type: 'AND', values: [group(given), group(added)] };
}
