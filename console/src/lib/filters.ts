import type { PropertyOwner } from '../api/definitions.ts';
import { propertyLabel } from './friendly-names.ts';
/** Property filters, as the API takes them and as text. */

export interface PropertyFilter {
  type: PropertyOwner;
  key: string;
  operator: Operator;
  /** A list for `exact` and `is_not`, which match any of several values; one text for the others. */
  value: string | string[];
}

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
export function withOperator(filter: PropertyFilter, operator: Operator): PropertyFilter {
  const values = valuesOf(filter.value);
  const value = takesNothing(operator) ? '' : takesList(operator) ? values : (values[0] ?? '');
  return { ...filter, operator, value };
}

export const isComplete = (filter: PropertyFilter): boolean =>
  filter.key !== '' && (takesNothing(filter.operator) || valuesOf(filter.value).length > 0);

/** The `properties` parameter of the API; undefined without complete filters. */
export function filtersToQuery(filters: readonly PropertyFilter[]): string | undefined {
  const complete = filters.filter(isComplete);
  return complete.length === 0 ? undefined : JSON.stringify(complete);
}

/** 'plan equals pro or team' */
export function describeFilter({ key, operator, value }: PropertyFilter): string {
  const label = OPERATORS.find((one) => one.value === operator)?.label ?? operator;
  const text = `${propertyLabel(key)} ${label}`;
  return takesNothing(operator) ? text : `${text} ${valuesOf(value).join(' or ')}`;
}
