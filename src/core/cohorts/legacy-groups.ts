/**
 * The old form of criteria: a list of groups, of which one has to match. A group is a list of properties, or an event
 * performed within some days, perhaps a number of times. It is converted to today's form.
 */

import { isFilterOperator } from '../filters/property-filter.ts';
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts';

const DEFAULT_DAYS = 365;

/** `filters`, or the old `groups` where there are none. */
export const effectiveFilters = (cohort: { filters: JsonObject; groups: readonly Json[] }): JsonObject =>
  'properties' in cohort.filters ? cohort.filters : filtersFromGroups(cohort.groups);

export const filtersFromGroups = (groups: readonly Json[]): JsonObject => ({
  properties: { type: 'OR', values: groups.map(readGroup) },
});

function readGroup(group: Json): JsonObject {
  return { type: 'AND', values: isJsonObject(group) ? itemsOf(group) : [] };
}

function itemsOf(group: JsonObject): Json[] {
  const { properties } = group;
  if (Array.isArray(properties) && properties.length > 0) return properties.map(asPerson);
  if (isJsonObject(properties) && Array.isArray(properties['values'])) return properties['values'].map(asPerson);
  if (isJsonObject(properties) && Object.keys(properties).length > 0) return Object.entries(properties).map(fromPair);
  const key = group['action_id'] || group['event_id'];
  return key === undefined || key === null || key === '' ? [] : [behaviourOf(group, key)];
}

/** In the old form, filters on event properties meant the person's. */
const asPerson = (item: Json): Json =>
  isJsonObject(item) && (item['type'] ?? 'event') === 'event' ? { ...item, type: 'person' } : item;

/** `{"email__icontains": "@x.io"}`. */
function fromPair([name, value]: [string, Json]): Json {
  const at = name.lastIndexOf('__');
  const operator = name.slice(at + 2);
  const split = at > 0 && isFilterOperator(operator);
  return { key: split ? name.slice(0, at) : name, value, type: 'person', operator: split ? operator : 'exact' };
}

function behaviourOf(group: JsonObject, key: Json): JsonObject {
  const count = Math.trunc(Number(group['count'] ?? 0));
  const isCounted = Number.isFinite(count) && count > 0;
  return {
    type: 'behavioral',
    key: String(key),
    event_type: group['action_id'] ? 'actions' : 'events',
    value: isCounted ? 'performed_event_multiple' : 'performed_event',
    time_value: group['days'] || DEFAULT_DAYS,
    time_interval: 'day',
    ...(isCounted ? { operator: group['count_operator'] || 'eq', operator_value: count } : {}),
  };
}
