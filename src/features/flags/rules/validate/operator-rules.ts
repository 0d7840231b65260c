/** Operators of a flag's conditions, and the values that they accept. */
import { isJsonNumber, type Json, type JsonObject } from '../../../../core/json/json.ts';
import { parseFlagDate } from '../compile/flag-dates.ts';
import { patternProblem } from '../compile/pattern.ts';
import { invalidFlagFilters, pythonText } from './filter-errors.ts';

type ValueKind = 'anything' | 'text' | 'text or number' | 'texts' | 'range' | 'pattern' | 'date';

const VALUE_KINDS: ReadonlyMap<string, ValueKind> = new Map([
  ...['exact', 'is_not', 'is_set', 'is_not_set'].map((name) => [name, 'anything'] as const),
  ...['icontains', 'not_icontains', 'starts_with', 'not_starts_with', 'ends_with', 'not_ends_with'].map(
    (name) => [name, 'text'] as const,
  ),
  ...['icontains_multi', 'not_icontains_multi'].map((name) => [name, 'texts'] as const),
  ...['regex', 'not_regex'].map((name) => [name, 'pattern'] as const),
  ...['gt', 'gte', 'lt', 'lte', 'min', 'max'].map((name) => [name, 'text or number'] as const),
  ...['between', 'not_between'].map((name) => [name, 'range'] as const),
  ...['is_date_exact', 'is_date_before', 'is_date_after'].map((name) => [name, 'date'] as const),
  ...['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'tilde', 'caret', 'wildcard'].map(
    (name) => [`semver_${name}`, 'text'] as const,
  ),
]);

/** Operators that exist for insights, but not for flags. */
const UNSUPPORTED_OPERATORS = new Set([
  'is_cleaned_path_exact',
  'is_not_cleaned_path_exact',
  'is_not_cleaned_path_contains',
]);

const MAX_VALUES = 1000;

/** A condition on a property of a person or a group. */
export function checkComparison(property: JsonObject): void {
  const { key, value = null, type } = property;
  const operator = property['operator'] ?? 'exact';
  if (operator === 'in' || operator === 'not_in') {
    throw invalidOperator(`The '${operator}' operator is only valid for cohort properties, not '${type}' properties.`);
  }
  if (operator === 'flag_evaluates_to') {
    throw invalidOperator(`The '${operator}' operator is only valid for flag properties, not '${type}' properties.`);
  }
  const kind = typeof operator === 'string' ? VALUE_KINDS.get(operator) : undefined;
  if (kind === undefined) throw unknownOperator(operator);
  if (Array.isArray(value) && value.length > MAX_VALUES) {
    throw invalidFlagFilters(
      `Property group expressions of type ${pythonText(key)} cannot contain more than ${MAX_VALUES} values.`,
    );
  }
  checkValue(String(operator), kind, value);
}

const invalidOperator = (detail: string) => invalidFlagFilters(detail, 'invalid_operator');

const unknownOperator = (operator: Json) =>
  typeof operator === 'string' && UNSUPPORTED_OPERATORS.has(operator)
    ? invalidFlagFilters(`Unsupported operator for feature flags: ${operator}`, 'unsupported_operator')
    : invalidOperator(`Invalid operator: ${pythonText(operator)}`);

function checkValue(operator: string, kind: ValueKind, value: Json): void {
  if (!fits(kind, value)) {
    throw kind === 'date'
      ? invalidFlagFilters(`Invalid date value: ${pythonText(value)}`, 'invalid_date')
      : invalidFlagFilters(`Invalid value for operator ${operator}: ${pythonText(value)}`, 'invalid_value');
  }
  const problem = kind === 'pattern' ? patternProblem(String(value)) : null;
  if (problem !== null) {
    throw invalidFlagFilters(
      `Invalid value for operator ${operator}: '${pythonText(value)}' is not a pattern that can be evaluated here. ${problem}`,
      'invalid_value',
    );
  }
}

function fits(kind: ValueKind, value: Json): boolean {
  switch (kind) {
    case 'anything':
      return true;
    case 'text':
    case 'pattern':
      return typeof value === 'string';
    case 'text or number':
      return typeof value === 'string' || isJsonNumber(value);
    case 'texts':
      return typeof value === 'string' || (Array.isArray(value) && value.every((one) => typeof one === 'string'));
    case 'range':
      return Array.isArray(value) && value.length === 2 && value.every(isNumber);
    case 'date':
      return parseFlagDate(value) !== null;
  }
}

const isNumber = (value: Json): boolean =>
  isJsonNumber(value) || (typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value)));
