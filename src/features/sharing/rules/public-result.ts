/**
 * What strangers may see of an insight: names and numbers. Everything is left out unless it is listed here, so that a
 * field that is added to answers later does not leave with them.
 */
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts';

/** Of answers, at any depth: no persons, no links to them, no filters. */
const RESULT_FIELDS = new Set([
  'label',
  'count',
  'data',
  'labels',
  'days',
  'aggregated_value',
  'breakdown',
  'breakdowns',
  'breakdown_value',
  'breakdown_values',
  'compare',
  'compare_label',
  'status',
  'action',
  'name',
  'custom_name',
  'order',
  'math',
  'math_property',
  'type',
  'average_conversion_time',
  'median_conversion_time',
  'bins',
  'date',
  'values',
  'source',
  'target',
  'value',
]);

export function publicResult(result: Json): Json {
  if (Array.isArray(result)) return result.map(publicResult);
  if (!isJsonObject(result)) return maskText(result);
  return Object.fromEntries(
    Object.entries(result).flatMap(([name, value]) =>
      RESULT_FIELDS.has(name) && value !== undefined ? [[name, publicResult(value)]] : [],
    ),
  );
}

/** What a chart needs to know about its question. */
const FILTER_FIELDS = [
  'insight',
  'shown_as',
  'display',
  'interval',
  'date_from',
  'date_to',
  'compare',
  'compare_to',
  'formula',
  'breakdown_type',
  'funnel_viz_type',
  'funnel_order_type',
  'period',
  'total_intervals',
  'retention_type',
  'edge_limit',
  'min_edge_weight',
  'max_edge_weight',
];
const SERIES_FIELDS = ['id', 'name', 'custom_name', 'type', 'order', 'math', 'math_property'];

export function publicFilters(filters: JsonObject): JsonObject {
  const lists = ['events', 'actions'].flatMap((name) => {
    const list = filters[name];
    return Array.isArray(list)
      ? [[name, list.flatMap((one) => (isJsonObject(one) ? [pick(one, SERIES_FIELDS)] : []))]]
      : [];
  });
  const entities = ['target_entity', 'returning_entity'].flatMap((name) => {
    const entity = filters[name];
    return isJsonObject(entity) ? [[name, pick(entity, SERIES_FIELDS)]] : [];
  });
  return {
    ...pick(filters, FILTER_FIELDS),
    ...breakdownName(filters),
    ...Object.fromEntries([...lists, ...entities]),
  };
}

/** An expression is code of ours, not a name. */
function breakdownName({ breakdown, breakdown_type: type }: JsonObject): JsonObject {
  if (breakdown === undefined || breakdown === null) return {};
  return { breakdown: type === 'hogql' ? 'expression' : maskAddresses(breakdown) };
}

const pick = (from: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = from[name];
      return value === undefined || isJsonObject(value) ? [] : [[name, maskAddresses(value)]];
    }),
  );

/** Properties whose values tell who somebody is. */
const IDENTIFYING = new Set([
  'email',
  '$email',
  'distinct_id',
  '$distinct_id',
  'user_id',
  '$user_id',
  'username',
  'first_name',
  'last_name',
  'full_name',
  'phone',
  'phone_number',
  '$ip',
  'ip',
  '$device_id',
  '$session_id',
]);
/** Of persons; an event may have the name of a product. */
const IDENTIFYING_PERSONS = new Set([...IDENTIFYING, 'name', 'id', 'uuid']);

/** Whether the answer would list persons one by one. */
export function listsPersons({ breakdown, breakdowns, breakdown_type: type }: JsonObject): boolean {
  const isIdentifying = (property: Json, kind: Json): boolean =>
    typeof property === 'string' && (kind === 'person' ? IDENTIFYING_PERSONS : IDENTIFYING).has(property.toLowerCase());
  const several = (Array.isArray(breakdowns) ? breakdowns : []).filter(isJsonObject);
  return (
    [breakdown ?? null].flat().some((property) => isIdentifying(property, type ?? null)) ||
    several.some((one) => isIdentifying(one['property'] ?? null, one['type'] ?? type ?? null))
  );
}

/** Whether a column of a statement tells who somebody is. */
export const isIdentifyingColumn = (column: string): boolean => {
  const name = column.toLowerCase();
  return IDENTIFYING.has(name) || name === 'person_id';
};

/** How the rows of a statement are drawn; not the statement. */
export const publicQuery = ({ kind, display, chartSettings }: JsonObject): JsonObject => ({
  kind: kind ?? null,
  display: typeof display === 'string' ? display : null,
  chartSettings: chartSettings === undefined ? null : publicChart(chartSettings),
});

/** Which columns are the axes. */
function publicChart(settings: Json): Json {
  if (!isJsonObject(settings)) return null;
  const axis = (value: Json | undefined): Json =>
    isJsonObject(value) && typeof value['column'] === 'string' ? { column: value['column'] } : null;
  const { xAxis, yAxis } = settings;
  return { xAxis: axis(xAxis), yAxis: Array.isArray(yAxis) ? yAxis.map(axis) : null };
}

const ADDRESS = /[^\s@"'<>()/?&=,;:]{1,64}@[^\s@"'<>()/?&=,;:]{1,255}\.[a-z]{2,63}/gi;

const maskText = <T extends Json>(value: T): T | string =>
  typeof value === 'string' ? value.replace(/%40/gi, '@').replace(ADDRESS, '•••') : value;

/** Addresses of people in names of pages and values: only that there was one. */
export function maskAddresses(value: Json): Json {
  if (Array.isArray(value)) return value.map(maskAddresses);
  if (!isJsonObject(value)) return maskText(value);
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, maskAddresses(one ?? null)]));
}
