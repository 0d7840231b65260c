import type { PropertyOwner } from '../api/definitions.ts';
/** Property filters as they travel to the API, and as sentences. */

export interface PropertyFilter {
  type: PropertyOwner;
  key: string;
  operator: Operator;
  /** A list for `exact` and `is_not`, which compare with any of several; one text for the others. */
  value: string | string[];
}

export const OPERATORS = [
  { value: 'exact', label: 'is' },
  { value: 'is_not', label: 'is not' },
  { value: 'icontains', label: 'contains' },
  { value: 'not_icontains', label: 'does not contain' },
  { value: 'regex', label: 'matches the pattern' },
  { value: 'not_regex', label: 'does not match the pattern' },
  { value: 'gt', label: 'is more than' },
  { value: 'gte', label: 'is at least' },
  { value: 'lt', label: 'is less than' },
  { value: 'lte', label: 'is at most' },
  { value: 'is_set', label: 'is set' },
  { value: 'is_not_set', label: 'is not set' },
  { value: 'is_date_exact', label: 'is on' },
  { value: 'is_date_after', label: 'is after' },
  { value: 'is_date_before', label: 'is before' },
] as const;

export type Operator = (typeof OPERATORS)[number]['value'];

export const takesList = (operator: Operator): boolean => operator === 'exact' || operator === 'is_not';
export const takesNothing = (operator: Operator): boolean => operator === 'is_set' || operator === 'is_not_set';
export const takesDate = (operator: Operator): boolean => operator.startsWith('is_date');

export const textsOf = (value: string | string[]): string[] => [value].flat().filter((text) => text !== '');

/** The same filter with another operator: the values stay as far as the operator can take them. */
export function withOperator(filter: PropertyFilter, operator: Operator): PropertyFilter {
  const texts = textsOf(filter.value);
  const value = takesNothing(operator) ? '' : takesList(operator) ? texts : (texts[0] ?? '');
  return { ...filter, operator, value };
}

/** Whether there is enough to ask with. */
export const isComplete = (filter: PropertyFilter): boolean =>
  filter.key !== '' && (takesNothing(filter.operator) || textsOf(filter.value).length > 0);

/** What the API takes in `properties`; undefined where there is nothing to ask. */
export function toQuery(filters: readonly PropertyFilter[]): string | undefined {
  const complete = filters.filter(isComplete);
  return complete.length === 0 ? undefined : JSON.stringify(complete);
}

/** 'plan is pro or team' */
export function sentenceOf({ key, operator, value }: PropertyFilter): string {
  const word = OPERATORS.find((one) => one.value === operator)?.label ?? operator;
  return takesNothing(operator) ? `${key} ${word}` : `${key} ${word} ${textsOf(value).join(' or ')}`;
}
