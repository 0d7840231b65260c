import { type BoundedSearch, compileSearch } from '../../../../core/filters/compile-search.ts';
import { explainPattern } from '../../../../core/filters/explain-pattern.ts';

const MAX_PATTERN_LENGTH = 1000;

/** Why the pattern cannot be evaluated; null if it can. */
export const patternProblem = (text: string): string | null =>
  compileSearch(text, MAX_PATTERN_LENGTH) === null ? explainPattern(text, MAX_PATTERN_LENGTH) : null;

export type PatternCache = Map<string, BoundedSearch | null>;

export function getPattern(cache: PatternCache, text: string): BoundedSearch | null {
  const known = cache.get(text);
  if (known !== undefined) return known;
  const search = compileSearch(text, MAX_PATTERN_LENGTH);
  cache.set(text, search);
  return search;
}
