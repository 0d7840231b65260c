/**
 * Property filters as they mean, whatever shape they came in. A filter compares text: strings as they are, numbers and
 * booleans as JSON writes them, null as `null`, and a property that is not there as the empty text.
 *
 * `matches` says what a filter means; `query/filters/filter-sql.ts` says the same to the engine of events.
 */
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

/** Whose property is asked for where nobody says so. */
export type DefaultFilterOwner = 'event' | 'person';

/**
 * Whose property is asked for. `group`: the group of one kind that the event belongs to. `session`: the event's session,
 * of which only the length is known. `element`: one of the elements that were clicked, from the innermost to the page.
 */
export type FilterOwner = DefaultFilterOwner | 'group' | 'session' | 'element';

export interface PropertyFilter {
  kind: 'property';
  owner: FilterOwner;
  /** Which kind of group, where the owner is one. */
  groupIndex?: number;
  key: string;
  operator: FilterOperator;
  /** As text. Several mean 'one of them', or 'none of them' for the negative operators; empty for is_set, is_not_set. */
  values: readonly string[];
}

export interface FilterGroup {
  kind: 'and' | 'or';
  filters: readonly Filter[];
}

/** An empty group restricts nothing, be it an 'and' or an 'or'. */
export type Filter = PropertyFilter | CohortFilter | FilterGroup;

export const isFilterOperator = (text: unknown): text is FilterOperator =>
  (FILTER_OPERATORS as readonly unknown[]).includes(text);

/** Every filter on a single property, in the order of mention. */
export const propertyFiltersIn = (filter: Filter): PropertyFilter[] =>
  leafFilters(filter).filter((one) => one.kind === 'property');

/** Every cohort that is asked for, in the order of mention. */
export const cohortFiltersIn = (filter: Filter): CohortFilter[] =>
  leafFilters(filter).filter((one) => one.kind === 'cohort');

const leafFilters = (filter: Filter): (PropertyFilter | CohortFilter)[] =>
  'filters' in filter ? filter.filters.flatMap(leafFilters) : [filter];

export const NO_FILTER: FilterGroup = { kind: 'and', filters: [] };
