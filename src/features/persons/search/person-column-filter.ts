/** A filter as a question that can be asked of columns of persons. What it means of one value, `matches` says. */

import { matches } from '../../../core/filters/matches.ts';
import type { Filter, PropertyFilter } from '../../../core/filters/property-filter.ts';
import type { PatternSearch } from '../../../core/filters/search.ts';
import type { Json } from '../../../core/json/json.ts';
import type { ColumnFilter } from '../../../core/persons/person-columns.ts';
import { longestPlain } from './prefilter-persons.ts';

export interface ColumnFilterDeps {
  search: PatternSearch;
  isCohortMember?(personId: number, cohortId: number): boolean | undefined;
}

export function columnFilter(deps: ColumnFilterDeps, filter: Filter): ColumnFilter {
  if (filter.kind === 'cohort') {
    return { kind: 'person', fits: (id) => deps.isCohortMember?.(id, filter.id) === !filter.negated };
  }
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

/** What a value must contain, where a single one is asked for: several would have to be looked for one by one. */
function partOf({ operator, values }: PropertyFilter): string | null {
  const [value, ...more] = values;
  if (value === undefined || more.length > 0) return null;
  if (operator === 'icontains') return plainPart(value);
  if (operator === 'exact') return startsList(value) ? null : plainPart(value);
  return operator === 'regex' ? plainPart(literalPart(value)) : null;
}

/** A list or an object is compared whatever its spaces. */
const startsList = (value: string): boolean => /^\s*[[{]/.test(value);

const plainPart = (text: string): string | null => longestPlain(text).toLowerCase() || null;

/** Where one of these is about, what stands beside it may be optional, or mean something else. */
const SPECIAL_CHARACTERS = /[|\\()[\]{}]/;

/** The longest text that a pattern finds letter for letter, in patterns of the simplest kind; otherwise none. */
export function literalPart(pattern: string): string {
  if (SPECIAL_CHARACTERS.test(pattern)) return '';
  // A letter before '*' or '?' may be missing.
  const pieces = pattern.split(/[^.+*?^$][*?]|[.+*?^$]/);
  return pieces.reduce((best, piece) => (piece.length > best.length ? piece : best), '');
}
