import { RE2JS } from 're2js';

/** Whether a text has the pattern somewhere; null where finding out would take too long. */
type PatternSearch = (text: string) => boolean | null;

/** Longer patterns are refused. */
const MAX_PATTERN_LENGTH = 1000;
/** Instructions that a pattern may take once compiled. */
const MAX_PROGRAM_SIZE = 2000;
/** Instructions times characters that one search may take: about a tenth of a second at the very worst. */
const MAX_SEARCH_WORK = 1_000_000;
/** Bounds the compilation itself, which writes counted repetitions out. */
const MAX_EXPANDED_LENGTH = 250_000;

/**
 * A user's pattern, ready to search with; null where it is invalid. RE2 takes time in proportion to the text, whatever
 * the pattern; the price is that look-around and back-references do not exist and make a pattern invalid.
 */
export function compilePattern(text: string): PatternSearch | null {
  if (text.length > MAX_PATTERN_LENGTH || text.length * repetitionsOf(text) > MAX_EXPANDED_LENGTH) return null;
  try {
    const pattern = RE2JS.compile(text);
    const size = pattern.programSize();
    if (size > MAX_PROGRAM_SIZE) return null;
    return (subject) => (size * subject.length > MAX_SEARCH_WORK ? null : pattern.test(subject));
  } catch {
    return null;
  }
}

/** Whether a condition may use it: what is refused on write would match nothing. */
export const isValidPattern = (text: string): boolean => compilePattern(text) !== null;

/** How often a part of the pattern is written out at most; RE2 itself refuses more than a thousand times. */
function repetitionsOf(text: string): number {
  let times = 1;
  for (const [, least = '', most = ''] of text.matchAll(/\{(\d+)(?:,(\d*))?\}/g)) {
    times = Math.min(1000, times * Math.max(1, Number(least), Number(most)));
  }
  return times;
}

/** Compiles each pattern once, however many conditions have it. */
export type PatternCache = Map<string, PatternSearch | null>;

export function getPattern(cache: PatternCache, text: string): PatternSearch | null {
  const known = cache.get(text);
  if (known !== undefined) return known;
  const search = compilePattern(text);
  cache.set(text, search);
  return search;
}
