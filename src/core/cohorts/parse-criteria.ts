/**
 * Reads the criteria of a cohort: `{properties: {type: "AND" | "OR", values: […]}}`, groups of items or of groups. Rejects
 * items that it does not understand: ignoring them would give the wrong members.
 */
import { Failure } from '../errors.ts';
import { type CohortFilter, isNegatedCohort, parseCohortId } from '../filters/cohort-filter.ts';
import { readFilters } from '../filters/parse-filters.ts';
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts';
import type { Criteria, Criterion, PersonCriterion } from './criteria.ts';
import { invalidFilters, parseBehaviour } from './parse-behaviour.ts';

const MAX_DEPTH = 20;
/** Each criterion is a query of its own. */
const MAX_CRITERIA = 200;

export function parseCriteria(filters: unknown): Criteria {
  if (!isJsonObject(filters) || !('properties' in filters)) {
    throw invalidFilters("Filters must be a dictionary with a 'properties' key.");
  }
  const { properties } = filters;
  const items = { left: MAX_CRITERIA };
  if (Array.isArray(properties)) return readValues('and', properties, 1, items);
  if (!isJsonObject(properties)) throw invalidFilters('properties is a group: {"type": "AND" or "OR", "values": […]}.');
  return Object.keys(properties).length === 0 ? null : readGroup(properties, 1, items);
}

function readGroup(group: JsonObject, depth: number, items: { left: number }): Criteria {
  const { type, values } = group;
  const kind = type === 'AND' ? 'and' : type === 'OR' ? 'or' : undefined;
  if (kind === undefined || !Array.isArray(values)) {
    throw invalidFilters('PropertyGroup is unparsable: expected {"type": "AND" or "OR", "values": […]}.');
  }
  return readValues(kind, values, depth, items);
}

const isGroup = (value: Json): boolean => isJsonObject(value) && 'values' in value;

/** Empty groups are ignored. */
function readValues(kind: 'and' | 'or', values: Json[], depth: number, items: { left: number }): Criteria {
  if (depth > MAX_DEPTH) throw invalidFilters(`Groups are nested more than ${MAX_DEPTH} levels deep.`);
  const groups = values.filter(isGroup).length;
  if (groups > 0 && groups < values.length) {
    throw invalidFilters('Property list cannot contain both PropertyGroup and Property objects');
  }
  const read = (value: Json): Criteria =>
    groups > 0 ? readGroup(value as JsonObject, depth + 1, items) : readItem(value, items);
  const criteria = values.map(read).filter((one) => one !== null);
  return criteria.length === 0 ? null : { kind, criteria };
}

function readItem(item: Json, items: { left: number }): Criterion {
  if (items.left-- <= 0) throw invalidFilters(`A cohort has at most ${MAX_CRITERIA} criteria.`);
  if (!isJsonObject(item)) throw invalidFilters('Criteria are objects with at least a key, a type and a value.');
  switch (item['type'] ?? 'person') {
    case 'person':
      return readPerson(item);
    case 'behavioral':
      return { kind: 'behaviour', behaviour: parseBehaviour(item), negated: item['negation'] === true };
    case 'cohort':
    case 'static-cohort':
    case 'precalculated-cohort':
      return readCohort(item);
    default:
      throw invalidFilters('Cohorts are made of criteria of type person, cohort and behavioral.');
  }
}

function readPerson(item: JsonObject): PersonCriterion {
  const [filter] = filtersOf({ ...item, type: 'person' });
  if (filter === undefined) {
    throw invalidFilters(
      `A criterion on ${JSON.stringify(item['key']) ?? 'no key'} lacks a value, or its operator is unknown.`,
    );
  }
  return { kind: 'person', filter };
}

function filtersOf(item: JsonObject) {
  try {
    const read = readFilters([item]);
    return 'filters' in read ? read.filters : [read];
  } catch (cause) {
    throw cause instanceof Failure ? invalidFilters(cause.message) : cause;
  }
}

function readCohort(item: JsonObject): CohortFilter {
  const id = parseCohortId(item['value']);
  if (id === null) throw invalidFilters('Invalid Cohort ID in filter');
  return { kind: 'cohort', id, negated: isNegatedCohort(item) };
}
