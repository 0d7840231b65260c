/** Filters, as the API takes them and as text. */
import type { PropertyOwner } from '../api/definitions.ts';
import { propertyLabel } from './friendly-names.ts';

export interface PropertyFilter {
  type: PropertyOwner;
  key: string;
  operator: Operator;
  /** A list for `exact` and `is_not`, which match any of several values; one text for the others. */
  value: string | string[];
}

/** A filter on the group that an event belongs to. */
export interface GroupFilter extends Omit<PropertyFilter, 'type'> {
  type: 'group';
  group_type_index: number;
}

/** A filter on the session that an event belongs to. */
export interface SessionFilter extends Omit<PropertyFilter, 'type'> {
  type: 'session';
}

export interface CohortFilter {
  type: 'cohort';
  key: 'id';
  value: number;
  operator: 'in' | 'not_in';
}

/** A filter that the console can show and remove, but not edit. */
export interface OtherFilter {
  type: 'other';
  given: unknown;
  /** All filters in one, such as a nested group: others cannot be added. */
  isWhole: boolean;
}

export type AnyFilter = ValueFilter | CohortFilter | OtherFilter;
export type ValueFilter = PropertyFilter | GroupFilter | SessionFilter;

export const OPERATORS = [
  { value: 'exact', label: 'equals' },
  { value: 'is_not', label: "doesn't equal" },
  { value: 'icontains', label: 'contains' },
  { value: 'not_icontains', label: "doesn't contain" },
  { value: 'regex', label: 'matches regex' },
  { value: 'not_regex', label: "doesn't match regex" },
  { value: 'gt', label: 'is greater than' },
  { value: 'gte', label: 'is greater than or equal to' },
  { value: 'lt', label: 'is less than' },
  { value: 'lte', label: 'is less than or equal to' },
  { value: 'is_set', label: 'is set' },
  { value: 'is_not_set', label: 'is not set' },
  { value: 'is_date_exact', label: 'is on date' },
  { value: 'is_date_after', label: 'is after date' },
  { value: 'is_date_before', label: 'is before date' },
] as const;

export type Operator = (typeof OPERATORS)[number]['value'];

export const takesList = (operator: Operator): boolean => operator === 'exact' || operator === 'is_not';
export const takesNothing = (operator: Operator): boolean => operator === 'is_set' || operator === 'is_not_set';
export const takesDate = (operator: Operator): boolean => operator.startsWith('is_date');

export const valuesOf = (value: string | string[]): string[] => [value].flat().filter((text) => text !== '');

/** Keeps the values as far as the new operator can take them. */
export function withOperator<F extends ValueFilter>(filter: F, operator: Operator): F {
  const values = valuesOf(filter.value);
  const value = takesNothing(operator) ? '' : takesList(operator) ? values : (values[0] ?? '');
  return { ...filter, operator, value };
}

export const isValueFilter = (filter: AnyFilter): filter is ValueFilter =>
  filter.type !== 'cohort' && filter.type !== 'other';

export const isComplete = (filter: AnyFilter): boolean =>
  !isValueFilter(filter) || (filter.key !== '' && (takesNothing(filter.operator) || valuesOf(filter.value).length > 0));

/** As the API takes them. */
export function filtersToField(filters: readonly AnyFilter[]): unknown {
  const whole = filters.find((one) => one.type === 'other' && one.isWhole);
  if (whole?.type === 'other') return whole.given;
  return filters.map((one) => (one.type === 'other' ? one.given : one));
}

/** The `properties` parameter of the API; undefined without complete filters. */
export function filtersToQuery(filters: readonly AnyFilter[]): string | undefined {
  const complete = filters.filter(isComplete);
  return complete.length === 0 ? undefined : JSON.stringify(filtersToField(complete));
}

/** 'plan equals pro or team'. `cohortName` is for filters on cohorts. */
export function describeFilter(filter: AnyFilter, cohortName?: string): string {
  if (filter.type === 'other') return describeOther(filter.given);
  if (filter.type === 'cohort') {
    return `${filter.operator === 'in' ? 'In' : 'Not in'} cohort ${cohortName ?? filter.value}`;
  }
  const { key, operator, value } = filter;
  const label = OPERATORS.find((one) => one.value === operator)?.label ?? operator;
  const text = `${propertyLabel(key)} ${label}`;
  return takesNothing(operator) ? text : `${text} ${valuesOf(value).join(' or ')}`;
}

/** Whoever made the filter recognizes it by its key. */
function describeOther(given: unknown): string {
  if (typeof given !== 'object' || given === null || !('key' in given)) return 'Nested filters';
  const { key, operator = 'exact', value = '' } = given as { key: unknown; operator?: unknown; value?: unknown };
  const label = OPERATORS.find((one) => one.value === operator)?.label ?? String(operator);
  return `${key} ${label} ${[value].flat().map(String).join(' or ')}`.trim();
}
