import { RE2JS } from 're2js';
import { invalid } from '../core/errors.ts';
import { MAX_PATTERN_LENGTH, type PatternSearch } from '../core/filters/compile-pattern.ts';
import { type BoundedSearch, compileBounded, compileSearch, isTooMuchWork } from '../core/filters/compile-search.ts';
import { type Filter, type PropertyFilter, propertyFiltersIn } from '../core/filters/property-filter.ts';
import { createPause } from './in-batches.ts';

const CACHE_SIZE = 100;

/** More are refused: each value would be searched for all of them. */
const MAX_PATTERNS = 50;

/** Compiles the patterns of a filter, with pauses in between. */
export async function preparePatternSearch(filter: Filter): Promise<PatternSearch> {
  const patterns = [...new Set(propertyFiltersIn(filter).flatMap(patternsOf))];
  if (patterns.length > MAX_PATTERNS) {
    throw invalid('properties', `A filter takes up to ${MAX_PATTERNS} patterns, not ${patterns.length}.`);
  }
  const search = createPatternSearch(patterns.length);
  const pause = createPause();
  for (const pattern of patterns) {
    search(pattern, '');
    await pause();
  }
  return search;
}

const patternsOf = ({ operator, values }: PropertyFilter): readonly string[] =>
  operator === 'regex' || operator === 'not_regex' ? values : [];

/** A search that compiles each pattern once. It is for one request: no other can displace its patterns. */
export function createPatternSearch(patternCount = 1): PatternSearch {
  const compiled = new Map<string, BoundedSearch | null>();
  return (pattern, text) => {
    let search = compiled.get(pattern);
    if (search === undefined) {
      search = compileSearch(pattern, MAX_PATTERN_LENGTH, patternCount || 1);
      compiled.set(pattern, search);
    }
    return search?.(text) ?? null;
  };
}

/** A replacement multiplies a text by at most its own length; more is a mistake or an attack. */
const MAX_REPLACED_LENGTH = 100_000;

/** The same rules clean many paths in a row. */
const compiled = new Map<string, RE2JS | null>();

/** Replaces every match by a literal text; null where the pattern is invalid, or the replacement too costly. */
export function replacePattern(pattern: string, text: string, replacement: string): string | null {
  const regex = cachedPattern(pattern);
  if (regex === null || isTooMuchWork(regex, text)) return null;
  if ((text.length + 1) * (replacement.length + 1) > MAX_REPLACED_LENGTH) return null;
  return regex.matcher(text).replaceAll(RE2JS.quoteReplacement(replacement));
}

function cachedPattern(pattern: string): RE2JS | null {
  let regex = compiled.get(pattern);
  if (regex === undefined) {
    regex = compileBounded(pattern, MAX_PATTERN_LENGTH);
    if (compiled.size >= CACHE_SIZE) compiled.clear();
    compiled.set(pattern, regex);
  }
  return regex;
}
