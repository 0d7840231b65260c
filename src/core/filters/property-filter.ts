/**
 * Property filters, whatever form they were sent in. They compare text: strings as they are, numbers and booleans as in
 * JSON, null as `null`, and an absent property as the empty string.
 *
 * `matches` evaluates a filter; `query/filters/filter-sql.ts` writes it as SQL.
 */
import type { TypedExpression } from '../expressions/typed-expression.ts';
import type { CohortFilter } from './cohort-filter.ts';

export const FILTER_OPERATORS = [
  'exact',
  'is_not',
  'icontains',
  'not_icontains',
  'regex',
  'not_regex',
  'gt',
  'gte',
  'lt',
  'lte',
  'is_set',
  'is_not_set',
  'is_date_exact',
  'is_date_after',
  'is_date_before',
] as const;

export type FilterOperator = (typeof FILTER_OPERATORS)[number];

/** Whose property a filter is about where it does not say so. */
export type DefaultFilterOwner = 'event' | 'person';

/**
 * Whose property a filter is about. `group`: the event's group of one type. `session`: the event's session (see
 * `core/web/session-properties.ts`). `element`: any of the clicked elements, from the innermost to the page.
 */
export type FilterOwner = DefaultFilterOwner | 'group' | 'session' | 'element';

export interface PropertyFilter {
  kind: 'property';
  owner: FilterOwner;
  /** The group type, where the owner is a group. */
  groupIndex?: number;
  key: string;
  operator: FilterOperator;
  /** One of them has to match, or none for negative operators. Empty for is_set and is_not_set. */
  values: readonly string[];
}

export interface FilterGroup {
  kind: 'and' | 'or';
  filters: readonly Filter[];
}

/** A filter of type `hogql`: an expression that has to be true (see `core/expressions`). */
export interface ExpressionFilter {
  kind: 'expression';
  text: string;
  condition: TypedExpression;
}

/** An empty group matches everything, be it an 'and' or an 'or'. */
export type Filter = PropertyFilter | CohortFilter | ExpressionFilter | FilterGroup;

export const isFilterOperator = (text: unknown): text is FilterOperator =>
  (FILTER_OPERATORS as readonly unknown[]).includes(text);

/** All filters on properties, in order. */
export const propertyFiltersIn = (filter: Filter): PropertyFilter[] =>
  leafFilters(filter).filter((one) => one.kind === 'property');

/** All filters on cohorts, in order. */
export const cohortFiltersIn = (filter: Filter): CohortFilter[] =>
  leafFilters(filter).filter((one) => one.kind === 'cohort');

/** All expressions, in order. */
export const expressionFiltersIn = (filter: Filter): ExpressionFilter[] =>
  leafFilters(filter).filter((one) => one.kind === 'expression');

/** Without the groups around them. */
export const leafFilters = (filter: Filter): (PropertyFilter | CohortFilter | ExpressionFilter)[] =>
  'filters' in filter ? filter.filters.flatMap(leafFilters) : [filter];

export const NO_FILTER: FilterGroup = { kind: 'and', filters: [] };
