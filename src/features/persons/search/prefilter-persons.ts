/**
 * What a person must show at first sight to have a chance with a filter: pieces of JSON text that the database can look
 * for without reading JSON. The filter itself decides afterwards (`matches`), so a clue may be too generous, but never
 * too strict. It relies on properties being written by `JSON.stringify`, without spaces.
 */

import type { Filter, PropertyFilter } from '../../../core/filters/property-filter.ts';
import type { PatternSearch } from '../../../core/filters/search.ts';
import type { Prefilter } from '../../../stores/metadata/persons.ts';

/** All of the list must hold; of each entry, one. */
export type Prefilters = readonly (readonly Prefilter[])[];

/** More alternatives than this save no time any more. */
const MAX_ALTERNATIVES = 50;

export function prefilterOf(filter: Filter, search: PatternSearch): Prefilters {
  // Who is in a cohort does not show at first sight.
  if (filter.kind === 'cohort') return [];
  const clues =
    filter.kind === 'property'
      ? propertyPrefilter(filter, search)
      : groupPrefilter(filter.kind, filter.filters, search);
  // No alternative at all is a filter without values, which `matches` knows how to read.
  return clues.filter((choice) => choice.length > 0 && choice.length <= MAX_ALTERNATIVES);
}

function groupPrefilter(kind: 'and' | 'or', filters: readonly Filter[], search: PatternSearch): Prefilters {
  const inner = filters.map((filter) => prefilterOf(filter, search));
  if (kind === 'and') return inner.flat();
  // Each alternative implies its own first clue; one without any lets everybody pass.
  const firsts = inner.map(([first]) => first ?? []);
  return firsts.length === 0 || firsts.some((choice) => choice.length === 0) ? [] : [firsts.flat()];
}

function propertyPrefilter(filter: PropertyFilter, search: PatternSearch): Prefilters {
  const { key, operator, values } = filter;
  switch (operator) {
    case 'is_set':
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
    case 'is_date_exact':
    case 'is_date_after':
    case 'is_date_before':
      return [[hasKey(key)]];
    case 'exact':
      // Whoever lacks the property has the empty text.
      return values.includes('') ? [] : [values.map((value) => hasValue(key, value))];
    case 'icontains':
      return values.includes('') ? [] : [key === 'email' ? values.map(emailContains) : [hasKey(key)]];
    case 'regex':
      return values.some((pattern) => search(pattern, '') === true) ? [] : [[hasKey(key)]];
    case 'is_not':
    case 'not_icontains':
    case 'not_regex':
    case 'is_not_set':
      return [];
  }
}

const hasKey = (key: string): Prefilter => ({ kind: 'text', text: `${JSON.stringify(key)}:` });

/** A value that could stand for something other than a string is looked for by its key alone. */
const hasValue = (key: string, value: string): Prefilter =>
  isJson(value) ? hasKey(key) : { kind: 'text', text: `${JSON.stringify(key)}:${JSON.stringify(value)}` };

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Printable ASCII that JSON writes as it is. */
const PLAIN = /[ !#-[\]-~]+/g;

/** Between these JSON has a plus sign in the largest numbers, which filters do not see (`1e+21`). */
const EXPONENT = /(?<=e)(?=\d)/i;

/** The longest stretch of letters that stand in JSON text as they are. */
export const longestPlain = (text: string): string =>
  (text.match(PLAIN) ?? [])
    .flatMap((stretch) => stretch.split(EXPONENT))
    .reduce((best, one) => (one.length > best.length ? one : best), '');

/** An e-mail that contains `part`, whatever the case: its longest stretch of plain letters is what can be looked for. */
export function emailContains(part: string): Prefilter {
  const longest = longestPlain(part);
  return longest === '' ? hasKey('email') : { kind: 'email', part: longest.toLowerCase() };
}

/** The JSON texts of e-mails that are, as text, this one; undefined where there is no telling. */
export function emailTexts(value: string): string[] | undefined {
  const mayBeContainer = /^\s*[[{]/.test(value);
  return value === '' || mayBeContainer ? undefined : [JSON.stringify(value), value];
}
