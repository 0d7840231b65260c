import type { PatternCache } from './pattern.ts';
import {
  between,
  compareDates,
  compareNumbers,
  compareToVersion,
  contains,
  containsAny,
  endsWith,
  equals,
  inVersionRange,
  inVersionRangeFrom,
  type MakeTest,
  not,
  searches,
  startsWith,
  type ValueTest,
} from './value-tests.ts';
import { caretRange, tildeRange, wildcardRange } from './versions.ts';

/** The comparison that a condition makes on one property. */
export interface PropertyComparison {
  /** For a property that is present; null counts as present. */
  test: ValueTest;
  whenMissing: boolean;
}

const NEVER: PropertyComparison = { test: () => false, whenMissing: false };

/**
 * Compiles an operator and a condition's value; null for an unknown operator. A value that the operator cannot use
 * matches nothing, even if the operator is negative.
 */
export function compileComparison(operator: string, value: unknown, patterns: PatternCache): PropertyComparison | null {
  if (operator === 'is_set') return { test: () => true, whenMissing: false };
  if (operator === 'is_not_set') return { test: () => false, whenMissing: true };
  const known = OPERATORS.get(operator);
  if (known === undefined) return null;
  const test = value === undefined || value === null ? null : known.make(value, patterns);
  return test === null ? NEVER : { test, whenMissing: known.whenMissing };
}

const atLeast = compareNumbers((value, wanted) => value >= wanted);
const atMost = compareNumbers((value, wanted) => value <= wanted);

/** False without the property; the negative ones below are true without it. */
const POSITIVE_OPERATORS: Readonly<Record<string, MakeTest>> = {
  exact: equals,
  icontains: contains,
  starts_with: startsWith,
  ends_with: endsWith,
  icontains_multi: containsAny,
  regex: searches(true),
  gt: compareNumbers((value, wanted) => value > wanted),
  gte: atLeast,
  min: atLeast,
  lt: compareNumbers((value, wanted) => value < wanted),
  lte: atMost,
  max: atMost,
  between: between(true),
  is_date_before: compareDates((moment, wanted) => moment < wanted),
  is_date_after: compareDates((moment, wanted) => moment > wanted),
  is_date_exact: compareDates((moment, wanted, span) => Math.floor(moment / span) === Math.floor(wanted / span)),
  semver_eq: compareToVersion((order) => order === 0),
  semver_neq: compareToVersion((order) => order !== 0),
  semver_gt: compareToVersion((order) => order > 0),
  semver_gte: compareToVersion((order) => order >= 0),
  semver_lt: compareToVersion((order) => order < 0),
  semver_lte: compareToVersion((order) => order <= 0),
  semver_tilde: inVersionRangeFrom(tildeRange),
  semver_caret: inVersionRangeFrom(caretRange),
  semver_wildcard: inVersionRange(wildcardRange),
};

const NEGATIVE_OPERATORS: Readonly<Record<string, MakeTest>> = {
  is_not: not(equals),
  not_icontains: not(contains),
  not_starts_with: not(startsWith),
  not_ends_with: not(endsWith),
  not_icontains_multi: not(containsAny),
  not_regex: searches(false),
  not_between: between(false),
};

interface Operator {
  make: MakeTest;
  whenMissing: boolean;
}

const OPERATORS: ReadonlyMap<string, Operator> = new Map([
  ...operatorEntries(POSITIVE_OPERATORS, false),
  ...operatorEntries(NEGATIVE_OPERATORS, true),
]);

function operatorEntries(makers: Readonly<Record<string, MakeTest>>, whenMissing: boolean): [string, Operator][] {
  return Object.entries(makers).map(([name, make]) => [name, { make, whenMissing }]);
}

/** All operators on properties of persons and groups. */
export const PROPERTY_OPERATORS: readonly string[] = ['is_set', 'is_not_set', ...OPERATORS.keys()];
