import { compilePattern } from '../../../../core/filters/compile-pattern.ts';

/** Whether the pattern is found in a text; null if the search would take too long. */
type PatternSearch = (text: string) => boolean | null;

const MAX_PATTERN_LENGTH = 1000;
/** Instructions of a compiled pattern. */
const MAX_PROGRAM_SIZE = 2000;
/** Instructions times characters of one search: about a tenth of a second at worst. */
const MAX_SEARCH_WORK = 1_000_000;
/** Bounds the compilation, which expands counted repetitions. */
const MAX_EXPANDED_LENGTH = 250_000;

/** Compiles a user's pattern; null if it is invalid or too costly. */
export function compileSearch(text: string): PatternSearch | null {
  if (text.length * repetitionsOf(text) > MAX_EXPANDED_LENGTH) return null;
  const pattern = compilePattern(text, MAX_PATTERN_LENGTH);
  const size = pattern?.programSize() ?? 0;
  if (pattern === null || size > MAX_PROGRAM_SIZE) return null;
  return (subject) => (size * subject.length > MAX_SEARCH_WORK ? null : pattern.test(subject));
}

export const isValidPattern = (text: string): boolean => compileSearch(text) !== null;

/** An upper bound for how often a part of the pattern is repeated; RE2 itself allows a thousand. */
function repetitionsOf(text: string): number {
  let times = 1;
  for (const [, least = '', most = ''] of text.matchAll(/\{(\d+)(?:,(\d*))?\}/g)) {
    times = Math.min(1000, times * Math.max(1, Number(least), Number(most)));
  }
  return times;
}

export type PatternCache = Map<string, PatternSearch | null>;

export function getPattern(cache: PatternCache, text: string): PatternSearch | null {
  const known = cache.get(text);
  if (known !== undefined) return known;
  const search = compileSearch(text);
  cache.set(text, search);
  return search;
}
