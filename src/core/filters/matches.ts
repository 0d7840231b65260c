import { invalid } from '../errors.ts';
import { propertyText } from '../events/hot-properties.ts';
import type { Json } from '../json/json.ts';
import type { PatternSearch } from './compile-pattern.ts';
import { matchesElement } from './element-filter.ts';
import { dateSpan, parseFilterDate } from './filter-dates.ts';
import type { Filter, FilterOperator, PropertyFilter } from './property-filter.ts';

type Properties = Readonly<Record<string, Json>>;

/** Whether the person is a member of a cohort; undefined where there is no such cohort. */
type IsInCohort = (cohortId: number) => boolean | undefined;

/** The properties that filters are matched with. What is absent has none. */
interface FilterSubject {
  event: Properties;
  person: Properties;
  group?(index: number): Properties;
  /** The properties of the event's session; null where it has none. */
  session?: Properties | null;
  /** The elements chain of the event. */
  elements?: string;
}

/** Whether a filter matches. The SQL of `query/filters` is tested against this. */
export function matches(
  filter: Filter,
  owners: FilterSubject,
  search: PatternSearch,
  isIn: IsInCohort = () => undefined,
): boolean {
  if (filter.kind === 'property') return matchesProperty(filter, owners, search);
  if (filter.kind === 'cohort') return isIn(filter.id) === !filter.negated;
  if (filter.kind === 'expression') throw invalid('properties', 'Filters of type "hogql" are not supported here.');
  const holds = (inner: Filter): boolean => matches(inner, owners, search, isIn);
  if (filter.kind === 'or' && filter.filters.length > 0) return filter.filters.some(holds);
  return filter.filters.every(holds);
}

const NO_PROPERTIES: Properties = {};

function matchesProperty(filter: PropertyFilter, owners: FilterSubject, search: PatternSearch): boolean {
  switch (filter.owner) {
    case 'element':
      return matchesElement(filter, owners.elements ?? '', search);
    case 'group':
      return matchesOne(filter, owners.group?.(filter.groupIndex ?? 0) ?? NO_PROPERTIES, search);
    case 'session':
      // No filter on sessions matches an event without one.
      if (owners.session === null || owners.session === undefined) return false;
      return matchesOne(filter, owners.session, search);
    default:
      return matchesOne(filter, owners[filter.owner], search);
  }
}

function matchesOne({ key, operator, values }: PropertyFilter, properties: Properties, search: PatternSearch): boolean {
  const has = Object.hasOwn(properties, key);
  if (operator === 'is_set') return has;
  if (operator === 'is_not_set') return !has;
  const text = has ? (propertyText(properties[key]) ?? 'null') : '';
  if (operator === 'not_regex') return values.every((value) => search(value, text) === false);
  const positive = POSITIVE[operator];
  if (positive !== undefined) return !values.some((value) => compare(positive, text, value, search));
  return values.some((value) => compare(operator, text, value, search));
}

/** Negative operators match if none of the values does. */
const POSITIVE: { [O in FilterOperator]?: FilterOperator } = { is_not: 'exact', not_icontains: 'icontains' };

function compare(operator: FilterOperator, text: string, value: string, search: PatternSearch): boolean {
  switch (operator) {
    case 'exact':
      return isJsonText(value) ? withoutSpaces(text) === withoutSpaces(value) : text === value;
    case 'icontains':
      return text.toLowerCase().includes(value.toLowerCase());
    case 'regex':
      return search(value, text) === true;
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return compareNumbers(operator, parseNumber(text), value);
    case 'is_date_exact':
    case 'is_date_after':
    case 'is_date_before':
      return compareDates(operator, parseFilterDate(text), value);
    default:
      return false;
  }
}

const withoutSpaces = (text: string): string => text.replaceAll(' ', '');

/** A value that is a JSON list or object is compared regardless of spaces. */
export function isJsonText(value: string): boolean {
  if (!/^\s*[[{]/.test(value)) return false;
  try {
    JSON.parse(value);
    return true;
  } catch {
    return false;
  }
}

/** What counts as a number, after removing spaces. */
export const NUMBER_PATTERN = '[+-]?(\\d+\\.?\\d*|\\.\\d+)([eE][+-]?\\d+)?';
const NUMBER = new RegExp(`^(?:${NUMBER_PATTERN})$`);
/** A quick test: most texts are no numbers. */
const BEGINS_NUMBER = /^ *[-+.\d]/;

export function parseNumber(text: string): number | null {
  if (!BEGINS_NUMBER.test(text)) return null;
  const digits = withoutSpaces(text);
  return NUMBER.test(digits) ? Number(digits) : null;
}

function compareNumbers(operator: 'gt' | 'gte' | 'lt' | 'lte', left: number | null, value: string): boolean {
  const right = left === null ? null : parseNumber(value);
  if (left === null || right === null) return false;
  if (operator === 'gt') return left > right;
  if (operator === 'gte') return left >= right;
  return operator === 'lt' ? left < right : left <= right;
}

function compareDates(
  operator: 'is_date_exact' | 'is_date_after' | 'is_date_before',
  at: number | null,
  value: string,
): boolean {
  const span = at === null ? null : dateSpan(value);
  if (at === null || span === null) return false;
  if (operator === 'is_date_after') return at >= span.to;
  return operator === 'is_date_before' ? at < span.from : at >= span.from && at < span.to;
}
