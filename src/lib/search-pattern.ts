import { RE2JS } from 're2js';
import { compilePattern, MAX_PATTERN_LENGTH, type PatternSearch } from '../core/filters/compile-pattern.ts';

const CACHE_SIZE = 100;

/** The same pattern is searched for in many texts in a row. */
const compiled = new Map<string, RE2JS | null>();

export const searchPattern: PatternSearch = (pattern, text) => cachedPattern(pattern)?.matcher(text).find() ?? null;

/** Replaces every match by a literal text; null where the pattern is invalid. */
export const replacePattern = (pattern: string, text: string, replacement: string): string | null =>
  cachedPattern(pattern)?.matcher(text).replaceAll(RE2JS.quoteReplacement(replacement)) ?? null;

function cachedPattern(pattern: string): RE2JS | null {
  let regex = compiled.get(pattern);
  if (regex === undefined) {
    regex = compilePattern(pattern, MAX_PATTERN_LENGTH);
    if (compiled.size >= CACHE_SIZE) compiled.clear();
    compiled.set(pattern, regex);
  }
  return regex;
}
