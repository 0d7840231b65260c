/**
 * Prefilters: texts in the JSON of a person's properties that the database can search for without parsing. The filter
 * itself decides afterwards (`matches`), so a prefilter may let too many pass but never too few. Relies on properties
 * being written by `JSON.stringify`, without spaces.
 */

import type { PatternSearch } from '../../../core/filters/compile-pattern.ts';
import type { Filter, PropertyFilter } from '../../../core/filters/property-filter.ts';
import type { Prefilter } from '../../../stores/metadata/persons.ts';

/** A person must pass one alternative of every entry. */
export type Prefilters = readonly (readonly Prefilter[])[];

/** With more alternatives a prefilter saves no time. */
const MAX_ALTERNATIVES = 50;

export function prefilterOf(filter: Filter, search: PatternSearch): Prefilters {
  // Cohort membership is not in the properties, and what an expression needs is not known.
  if (filter.kind === 'cohort' || filter.kind === 'expression') return [];
  const prefilters =
    filter.kind === 'property'
      ? propertyPrefilter(filter, search)
      : groupPrefilter(filter.kind, filter.filters, search);
  // A filter without values has no alternatives; `matches` handles it.
  return prefilters.filter((choice) => choice.length > 0 && choice.length <= MAX_ALTERNATIVES);
}

function groupPrefilter(kind: 'and' | 'or', filters: readonly Filter[], search: PatternSearch): Prefilters {
  const inner = filters.map((filter) => prefilterOf(filter, search));
  if (kind === 'and') return inner.flat();
  // Each alternative implies its own first prefilter; one without any lets everybody pass.
  const alternatives = inner.map(([first]) => first ?? []);
  return alternatives.length === 0 || alternatives.some((choice) => choice.length === 0) ? [] : [alternatives.flat()];
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
      // A missing property equals the empty text.
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

/** A value that could be JSON other than a string is searched by its key alone. */
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

/** Printable ASCII that JSON does not escape. */
const PLAIN = /[ !#-[\]-~]+/g;

/** JSON writes a plus sign into large numbers (`1e+21`), which filters do not see. */
const EXPONENT = /(?<=e)(?=\d)/i;

/** The longest part of a text that JSON does not escape. */
export const longestPlain = (text: string): string =>
  (text.match(PLAIN) ?? [])
    .flatMap((run) => run.split(EXPONENT))
    .reduce((longest, run) => (run.length > longest.length ? run : longest), '');

/** E-mails that contain `part`, ignoring case: searches for its longest unescaped part. */
export function emailContains(part: string): Prefilter {
  const longest = longestPlain(part);
  return longest === '' ? hasKey('email') : { kind: 'email', part: longest.toLowerCase() };
}

/** The possible JSON texts of an e-mail with this value; undefined if they cannot be listed. */
export function emailTexts(value: string): string[] | undefined {
  const mayBeContainer = /^\s*[[{]/.test(value);
  return value === '' || mayBeContainer ? undefined : [JSON.stringify(value), value];
}
