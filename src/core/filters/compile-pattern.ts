import { RE2JS } from 're2js';

/** Whether a pattern is found in a text; null where the pattern is invalid. User-given patterns must never reach `RegExp`. */
export type PatternSearch = (pattern: string, text: string) => boolean | null;

/** Longer patterns in filters count as invalid: they would take too long to compile. */
export const MAX_PATTERN_LENGTH = 2000;

/**
 * Compiles a pattern that a user gave; null where it is invalid or longer than `maxLength`. RE2 takes time in proportion
 * to the text, whatever the pattern; look-around and back-references do not exist in it. Use `compile-search.ts`, which
 * bounds that time and knows look-around.
 */
export function compilePattern(pattern: string, maxLength: number): RE2JS | null {
  if (pattern.length > maxLength) return null;
  try {
    return RE2JS.compile(pattern);
  } catch {
    return null;
  }
}
