/** A filter that runs on the columns of the person index. `matches` decides about each value. */

import type { PatternSearch } from '../../../core/filters/compile-pattern.ts';
import { matches } from '../../../core/filters/matches.ts';
import type { ExpressionFilter, Filter, PropertyFilter } from '../../../core/filters/property-filter.ts';
import type { Json } from '../../../core/json/json.ts';
import type { ColumnFilter } from '../../../core/persons/person-columns.ts';
import { longestPlain } from './prefilter-persons.ts';

export interface ColumnFilterDeps {
  search: PatternSearch;
  isCohortMember?(personId: number, cohortId: number): boolean | undefined;
  /** Whether an expression is true for a person. */
  isTrue?(personId: number, expression: ExpressionFilter): boolean;
}

export function columnFilter(deps: ColumnFilterDeps, filter: Filter): ColumnFilter {
  if (filter.kind === 'cohort') {
    return { kind: 'person', fits: (id) => deps.isCohortMember?.(id, filter.id) === !filter.negated };
  }
  if (filter.kind === 'expression') return { kind: 'person', fits: (id) => deps.isTrue?.(id, filter) === true };
  if (filter.kind === 'property') return propertyColumnFilter(deps, filter);
  const tests = filter.filters.map((inner) => columnFilter(deps, inner));
  // An empty group restricts nothing.
  return { kind: filter.kind === 'or' && tests.length > 0 ? 'any' : 'all', tests };
}

function propertyColumnFilter({ search }: ColumnFilterDeps, filter: PropertyFilter): ColumnFilter {
  const { key } = filter;
  const fits = (value: Json | undefined): boolean =>
    matches(filter, { event: {}, person: value === undefined ? {} : { [key]: value } }, search);
  return { kind: 'property', key, fits, part: fits(undefined) ? null : partOf(filter) };
}

/** A text that every matching value contains, for filters with a single value. */
function partOf({ operator, values }: PropertyFilter): string | null {
  const [value, ...more] = values;
  if (value === undefined || more.length > 0) return null;
  if (operator === 'icontains') return plainPart(value);
  if (operator === 'exact') return startsJsonContainer(value) ? null : plainPart(value);
  return operator === 'regex' ? plainPart(literalPart(value)) : null;
}

/** Lists and objects are compared regardless of whitespace. */
const startsJsonContainer = (value: string): boolean => /^\s*[[{]/.test(value);

const plainPart = (text: string): string | null => longestPlain(text).toLowerCase() || null;

/** Near these characters, letters may be optional or have a special meaning. */
const SPECIAL_CHARACTERS = /[|\\()[\]{}]/;

/** The longest text that every match of a simple pattern contains; empty for other patterns. */
export function literalPart(pattern: string): string {
  if (SPECIAL_CHARACTERS.test(pattern)) return '';
  // The letter before '*' or '?' is optional.
  const pieces = pattern.split(/[^.+*?^$][*?]|[.+*?^$]/);
  return pieces.reduce((longest, piece) => (piece.length > longest.length ? piece : longest), '');
}
