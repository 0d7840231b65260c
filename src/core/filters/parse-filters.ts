import { Failure, invalid } from '../errors.ts';
import { readCondition } from '../expressions/check-expression.ts';
import type { ExpressionSubject } from '../expressions/resolve-field.ts';
import { stringifyExact } from '../json/exact-json.ts';
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts';
import { parseJson } from '../json/parse-json.ts';
import { SESSION_PROPERTY_LIST, sessionProperty } from '../web/session-properties.ts';
import { filterOnBotLabels } from './bot-filter.ts';
import { type CohortFilter, isNegatedCohort, parseCohortId } from './cohort-filter.ts';
import { checkElementFilter } from './element-filter.ts';
import { filterWithoutLookAround } from './look-around/filter-without-look-around.ts';
import {
  type DefaultFilterOwner,
  type ExpressionFilter,
  type Filter,
  type FilterGroup,
  type FilterOperator,
  isFilterOperator,
  NO_FILTER,
  type PropertyFilter,
} from './property-filter.ts';

/** Deeper nesting could exhaust the stack. */
const MAX_DEPTH = 20;

/**
 * Reads `properties` as clients send them in a query: JSON of a list of filters, one filter, a group `{type, values}`,
 * or the old object `{key__operator: value}`. A repeated parameter is a list, one item each. Items that are not filters
 * are ignored. Unsupported types are rejected, because ignoring them would give wrong results.
 */
export function parseFilters(given: string | readonly string[], options: FilterOptions = {}): Filter {
  const filters = [given]
    .flat()
    .filter((text) => text.trim() !== '')
    .map((text) => readParameter(parse(text), options));
  const [first = NO_FILTER, ...more] = filters;
  return more.length === 0 ? first : { kind: 'and', filters };
}

const readParameter = (value: unknown, options: FilterOptions): Filter =>
  readFilters(isSingleFilter(value) ? [value] : value, options);

const FILTER_FIELDS = new Set(['key', 'value', 'operator', 'type', 'group_type_index', 'negation', 'label']);

/** A list of one filter, as typed clients write it. The old object could look the same only with these very names. */
const isSingleFilter = (value: unknown): value is JsonObject =>
  isJsonObject(value) &&
  typeof value['key'] === 'string' &&
  ('value' in value || 'operator' in value || value['type'] === 'hogql') &&
  Object.keys(value).every((name) => FILTER_FIELDS.has(name));

export function readFilters(value: unknown, { owner = 'event', expressions }: FilterOptions = {}): Filter {
  const place = { owner, expressions, depth: 1 };
  if (Array.isArray(value)) return readList('and', value, place);
  if (!isJsonObject(value)) throw new UnparsableFilters();
  return 'type' in value && 'values' in value ? readGroup(value, place) : readLegacyObject(value, place);
}

interface FilterOptions {
  /** For filters without a type: `event` unless given. */
  owner?: DefaultFilterOwner;
  /** What expressions (type `hogql`) are about; they are rejected where this is absent. */
  expressions?: ExpressionSubject;
}

interface ReadContext {
  owner: DefaultFilterOwner;
  expressions: ExpressionSubject | undefined;
  depth: number;
}

/** An error of the whole request, not of one field. */
export class UnparsableFilters extends Failure {
  constructor(detail = 'Properties are unparsable!', cause?: unknown) {
    super('invalid', detail, { cause });
  }
}

function parse(text: string): unknown {
  try {
    return parseJson(text);
  } catch (cause) {
    throw new UnparsableFilters(undefined, cause);
  }
}

function readGroup(group: JsonObject, place: ReadContext): FilterGroup {
  const { type, values } = group;
  const kind = type === 'AND' ? 'and' : type === 'OR' ? 'or' : undefined;
  if (kind === undefined || !Array.isArray(values)) {
    const given = JSON.stringify(kind === undefined ? type : values) ?? 'nothing';
    const wanted = kind === undefined ? '"AND" or "OR" as type' : 'a list of values';
    throw new UnparsableFilters(`PropertyGroup is unparsable: expected ${wanted}, got ${given.slice(0, 100)}`);
  }
  return readList(kind, values, place);
}

const isGroup = (item: Json): boolean => isJsonObject(item) && 'values' in item;

function readList(kind: 'and' | 'or', items: Json[], place: ReadContext): FilterGroup {
  if (place.depth > MAX_DEPTH) throw new UnparsableFilters();
  const groups = items.filter(isGroup).length;
  if (groups > 0 && groups < items.length) {
    throw invalid(undefined, 'Property list cannot contain both PropertyGroup and Property objects');
  }
  const read = (item: Json): Filter[] =>
    groups > 0 ? [readGroup(item as JsonObject, { ...place, depth: place.depth + 1 })] : readItem(item, place);
  return { kind, filters: items.flatMap(read) };
}

function readItem(item: Json, { owner, expressions }: ReadContext): Filter[] {
  if (!isJsonObject(item)) return [];
  const { key, value, type = owner, operator: given } = item;
  if (COHORT_TYPES.includes(type)) return readCohorts(item);
  if (type === 'hogql' && expressions !== undefined) return [readExpressionFilter(key, expressions)];
  const operator = given ?? 'exact';
  if ((typeof key !== 'string' && typeof key !== 'number') || !isFilterOperator(operator)) return [];
  const owned = readOwner(type, item);
  const values = needsValue(operator) ? valuesAsText(value) : [];
  if (values === undefined) return [];
  const name = owned.owner === 'session' ? (sessionProperty(String(key)) ?? String(key)) : String(key);
  const filter = filterOnBotLabels({ kind: 'property', ...owned, key: name, operator, values });
  checkRelated(filter);
  const read =
    item['negation'] === true ? negate(filter.operator, (flipped) => ({ ...filter, operator: flipped })) : filter;
  return [read.kind === 'property' ? filterWithoutLookAround(read) : read];
}

function readOwner(type: Json, { group_type_index: given }: JsonObject): Pick<PropertyFilter, 'owner' | 'groupIndex'> {
  if (type === 'event' || type === 'person' || type === 'session' || type === 'element') return { owner: type };
  if (type !== 'group') throw unsupported(type);
  const groupIndex = typeof given === 'string' && /^\d$/.test(given) ? Number(given) : given;
  if (typeof groupIndex === 'number' && [0, 1, 2, 3, 4].includes(groupIndex)) return { owner: type, groupIndex };
  throw invalid('properties', 'Filters of type "group" need a group_type_index from 0 to 4.');
}

/** The key is the expression; there is no value. */
function readExpressionFilter(key: Json | undefined, subject: ExpressionSubject): ExpressionFilter {
  if (typeof key !== 'string' || key.trim() === '') {
    throw invalid(undefined, 'Filters of type "hogql" have an expression as key, such as "properties.price > 10".');
  }
  return { kind: 'expression', text: key, condition: readCondition(key, subject) };
}

/** Sessions and elements have certain properties; a filter on another one would never match. */
function checkRelated(filter: PropertyFilter): void {
  const { owner, key } = filter;
  if (owner === 'session' && sessionProperty(key) === undefined) {
    throw invalid('properties', `Sessions have no such property. They have ${SESSION_PROPERTY_LIST}.`);
  }
  if (owner === 'element') checkElementFilter(filter);
}

/** Older clients send these types too; they all mean membership. */
const COHORT_TYPES: readonly Json[] = ['cohort', 'static-cohort', 'precalculated-cohort'];

/** What is no id becomes 0, which no cohort has. */
function readCohorts(item: JsonObject): Filter[] {
  const negated = isNegatedCohort(item);
  const ids = [item['value'] ?? []].flat().map((value) => parseCohortId(value) ?? 0);
  const filters = ids.map((id): CohortFilter => ({ kind: 'cohort', id, negated }));
  return filters.length > 1 ? [{ kind: negated ? 'and' : 'or', filters }] : filters;
}

const unsupported = (type: Json): Failure =>
  invalid(
    'properties',
    `Filters of type ${JSON.stringify(type)} are not supported here: use event, person, group, session, element or cohort.`,
  );

const needsValue = (operator: FilterOperator): boolean => operator !== 'is_set' && operator !== 'is_not_set';

/** Undefined where there is nothing to compare with; then the item is no filter. */
function valuesAsText(value: Json | undefined): string[] | undefined {
  if (value === undefined || value === null) return undefined;
  return (Array.isArray(value) ? value : [value]).map((one) =>
    typeof one === 'object' && one !== null ? stringifyExact(one) : String(one),
  );
}

const OPPOSITE: { [O in Exclude<FilterOperator, 'is_date_exact'>]: FilterOperator } = {
  exact: 'is_not',
  is_not: 'exact',
  icontains: 'not_icontains',
  not_icontains: 'icontains',
  regex: 'not_regex',
  not_regex: 'regex',
  gt: 'lte',
  lte: 'gt',
  gte: 'lt',
  lt: 'gte',
  is_set: 'is_not_set',
  is_not_set: 'is_set',
  is_date_after: 'is_date_before',
  is_date_before: 'is_date_after',
};

/** PostHog replaces the operator by its opposite; comparisons still leave out what is no number or date. */
function negate(operator: FilterOperator, filterWith: (operator: FilterOperator) => Filter): Filter {
  if (operator !== 'is_date_exact') return filterWith(OPPOSITE[operator]);
  return { kind: 'or', filters: [filterWith('is_date_before'), filterWith('is_date_after')] };
}

/** `{"$browser": "Chrome", "$url__icontains": "x"}`: all of them have to match. */
function readLegacyObject(filters: JsonObject, place: ReadContext): FilterGroup {
  const items = Object.entries(filters).flatMap(([name, value]) => {
    const at = name.lastIndexOf('__');
    const operator = name.slice(at + 2);
    const split = at > 0 && isFilterOperator(operator);
    return readItem({ key: split ? name.slice(0, at) : name, value, ...(split ? { operator } : {}) }, place);
  });
  return { kind: 'and', filters: items };
}
