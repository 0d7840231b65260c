import { RE2JS } from 're2js';
import type { PatternSearch } from '../core/filters/search.ts';

/** Longer patterns are taken for invalid: compiling them would cost more than any honest one. */
const MAX_PATTERN_LENGTH = 2000;
const CACHE_SIZE = 100;

const compiled = new Map<string, RE2JS | null>();

/**
 * Looks for a pattern that a user gave in a text: RE2's syntax, whose time grows with the text and no faster, whatever
 * the pattern. The same pattern is looked for in many texts in a row, so the last ones are kept ready.
 */
export const searchPattern: PatternSearch = (pattern, text) => compiledPattern(pattern)?.matcher(text).find() ?? null;

/** Replaces every place that the pattern finds by the very text; null where the pattern is invalid. */
export const replacePattern = (pattern: string, text: string, replacement: string): string | null =>
  compiledPattern(pattern)?.matcher(text).replaceAll(RE2JS.quoteReplacement(replacement)) ?? null;

function compiledPattern(pattern: string): RE2JS | null {
  let regex = compiled.get(pattern);
  if (regex === undefined) {
    regex = compile(pattern);
    if (compiled.size >= CACHE_SIZE) compiled.clear();
    compiled.set(pattern, regex);
  }
  return regex;
}

function compile(pattern: string): RE2JS | null {
  if (pattern.length > MAX_PATTERN_LENGTH) return null;
  try {
    return RE2JS.compile(pattern);
  } catch {
    return null;
  }
}
