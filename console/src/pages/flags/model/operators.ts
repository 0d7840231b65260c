/** The operators of release conditions, and the form of their values. */
import { OPERATORS } from '../../../lib/filters.ts';
import type { Property } from './filters.ts';

export const FLAG_OPERATORS: readonly { value: string; label: string }[] = [
  ...OPERATORS,
  { value: 'starts_with', label: 'starts with' },
  { value: 'not_starts_with', label: "doesn't start with" },
  { value: 'ends_with', label: 'ends with' },
  { value: 'not_ends_with', label: "doesn't end with" },
  { value: 'icontains_multi', label: 'contains any of' },
  { value: 'not_icontains_multi', label: 'contains none of' },
  { value: 'between', label: 'is between' },
  { value: 'not_between', label: 'is not between' },
  { value: 'semver_eq', label: 'equals version' },
  { value: 'semver_neq', label: "doesn't equal version" },
  { value: 'semver_gt', label: 'is greater than version' },
  { value: 'semver_gte', label: 'is greater than or equal to version' },
  { value: 'semver_lt', label: 'is less than version' },
  { value: 'semver_lte', label: 'is less than or equal to version' },
  { value: 'semver_tilde', label: 'matches version ~' },
  { value: 'semver_caret', label: 'matches version ^' },
  { value: 'semver_wildcard', label: 'matches version' },
];

type ValueForm = 'none' | 'list' | 'date' | 'range' | 'text';

const FORMS: Readonly<Record<string, ValueForm>> = {
  is_set: 'none',
  is_not_set: 'none',
  exact: 'list',
  is_not: 'list',
  icontains_multi: 'list',
  not_icontains_multi: 'list',
  is_date_exact: 'date',
  is_date_after: 'date',
  is_date_before: 'date',
  between: 'range',
  not_between: 'range',
};

export const formOf = (operator: string): ValueForm => FORMS[operator] ?? 'text';

export const operatorOf = ({ operator }: Property): string => (typeof operator === 'string' ? operator : 'exact');

/** Unknown operators are shown by name and kept. */
export const labelOf = (operator: string): string =>
  FLAG_OPERATORS.find(({ value }) => value === operator)?.label ?? operator;

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

export const valuesOf = (value: unknown): string[] =>
  [value]
    .flat()
    .filter((one) => one !== null && one !== undefined && one !== '')
    .map(asText);

/** Existing values keep their type: the number 5 does not become '5'. */
export function valuesFrom(texts: readonly string[], before: unknown): unknown[] {
  const byText = new Map([before].flat().map((value) => [asText(value), value]));
  return texts.map((text) => (byText.has(text) ? byText.get(text) : text));
}

/** Keeps the values as far as the new operator can take them. */
export function withOperator(property: Property, operator: string): Property {
  const texts = valuesOf(property.value);
  const [first = ''] = texts;
  const values: Record<ValueForm, unknown> = {
    none: operator,
    list: valuesFrom(texts, property.value),
    range: [texts[0] ?? '', texts[1] ?? ''],
    date: first,
    text: first,
  };
  return { ...property, operator, value: values[formOf(operator)] };
}

export function isComplete(property: Property): boolean {
  const { key, value, type } = property;
  if (type === 'cohort') return typeof value === 'number' || (typeof value === 'string' && value !== '');
  if (type === 'flag') return String(key ?? '') !== '' && value !== undefined;
  if (typeof key !== 'string' || key === '') return false;
  const form = formOf(operatorOf(property));
  const texts = valuesOf(value);
  return form === 'none' || (form === 'range' ? texts.length === 2 : texts.length > 0);
}
