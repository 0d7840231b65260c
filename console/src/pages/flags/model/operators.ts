/** How the conditions of a flag can compare, and in which form each of them takes its value. */
import { OPERATORS } from '../../../lib/filters.ts';
import type { Property } from './filters.ts';

export const FLAG_OPERATORS: readonly { value: string; label: string }[] = [
  ...OPERATORS,
  { value: 'starts_with', label: 'begins with' },
  { value: 'not_starts_with', label: 'does not begin with' },
  { value: 'ends_with', label: 'ends with' },
  { value: 'not_ends_with', label: 'does not end with' },
  { value: 'icontains_multi', label: 'contains one of' },
  { value: 'not_icontains_multi', label: 'contains none of' },
  { value: 'between', label: 'is between' },
  { value: 'not_between', label: 'is not between' },
  { value: 'semver_eq', label: 'is the version' },
  { value: 'semver_neq', label: 'is not the version' },
  { value: 'semver_gt', label: 'is a version above' },
  { value: 'semver_gte', label: 'is a version from … on:' },
  { value: 'semver_lt', label: 'is a version below' },
  { value: 'semver_lte', label: 'is a version up to' },
  { value: 'semver_tilde', label: 'is a version like ~' },
  { value: 'semver_caret', label: 'is a version like ^' },
  { value: 'semver_wildcard', label: 'is a version like' },
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

/** A later version may know more of them: those are shown by their name, and kept. */
export const labelOf = (operator: string): string =>
  FLAG_OPERATORS.find(({ value }) => value === operator)?.label ?? operator;

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

export const textsOf = (value: unknown): string[] =>
  [value]
    .flat()
    .filter((one) => one !== null && one !== undefined && one !== '')
    .map(asText);

/** Values that were there before stay what they were: the number 5 does not become the text '5' by an edit beside it. */
export function valuesFrom(texts: readonly string[], before: unknown): unknown[] {
  const known = new Map([before].flat().map((value) => [asText(value), value]));
  return texts.map((text) => (known.has(text) ? known.get(text) : text));
}

/** The same question with another comparison; values stay as far as it can take them. */
export function withOperator(property: Property, operator: string): Property {
  const texts = textsOf(property.value);
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

/** Whether there is enough to ask with. */
export function isComplete(property: Property): boolean {
  const { key, value, type } = property;
  if (type === 'cohort') return typeof value === 'number' || (typeof value === 'string' && value !== '');
  if (type === 'flag') return String(key ?? '') !== '' && value !== undefined;
  if (typeof key !== 'string' || key === '') return false;
  const form = formOf(operatorOf(property));
  const texts = textsOf(value);
  return form === 'none' || (form === 'range' ? texts.length === 2 : texts.length > 0);
}
