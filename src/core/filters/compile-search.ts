/**
 * Searches for patterns that users give, bounded in time: the size of the compiled pattern and the steps of one search are
 * limited. Patterns run on RE2; those with look-around, which RE2 does not have, on the matcher of `look-around/`.
 */
import { compilePattern } from './compile-pattern.ts';
import { compileProgram, searchProgram } from './look-around/match-pattern.ts';
import { parsePattern, UnsupportedPattern } from './look-around/parse-pattern.ts';

/** Whether the pattern is found in a text; null if the search would take too long. */
export type BoundedSearch = (text: string) => boolean | null;

/** Instructions of a compiled pattern. */
const MAX_PROGRAM_SIZE = 2000;
/** Characters and classes, with repeated ones counted as often as they are repeated: bounds the compilation. */
const MAX_EXPANDED_SIZE = 4000;
/** Instructions times characters of one search: up to 8 ms, with patterns that are made to take long. */
const MAX_SEARCH_WORK = 100_000;
/** Of the matcher: about as long. */
const MAX_LOOK_AROUND_STEPS = 20_000;

/**
 * Compiles a user's pattern; null if it is invalid or too costly. `sharedBy`: how many patterns are searched for in the
 * same text, which take no longer together than one may.
 */
export function compileSearch(pattern: string, maxLength: number, sharedBy = 1): BoundedSearch | null {
  const regex = compileBounded(pattern, maxLength);
  if (regex !== null) return (text) => (isTooMuchWork(regex, text, sharedBy) ? null : regex.test(text));
  return hasLookAround(pattern) && pattern.length <= maxLength ? compileLookAround(pattern, sharedBy) : null;
}

type Compiled = NonNullable<ReturnType<typeof compilePattern>>;

/** Compiles a pattern of RE2 of limited size. */
export function compileBounded(pattern: string, maxLength: number): Compiled | null {
  if (pattern.length > maxLength || expandedSize(pattern) > MAX_EXPANDED_SIZE) return null;
  const regex = compilePattern(pattern, maxLength);
  return regex !== null && regex.programSize() <= MAX_PROGRAM_SIZE ? regex : null;
}

export const isTooMuchWork = (regex: Compiled, text: string, sharedBy = 1): boolean =>
  regex.programSize() * text.length * sharedBy > MAX_SEARCH_WORK;

const LOOK_AROUND = /\(\?<?[=!]/;

/** Whether it looks like it: an escaped parenthesis is no look-around, but RE2 takes such a pattern. */
export const hasLookAround = (pattern: string): boolean => LOOK_AROUND.test(pattern);

function compileLookAround(pattern: string, sharedBy: number): BoundedSearch | null {
  try {
    const program = compileProgram(parsePattern(pattern), MAX_PROGRAM_SIZE);
    return (text) => searchProgram(program, text, MAX_LOOK_AROUND_STEPS / sharedBy);
  } catch (error) {
    if (error instanceof UnsupportedPattern) return null;
    throw error;
  }
}

/** One escape, class, opening, closing, counted repetition or other character. */
const TOKEN = /\\.|\[\^?\]?(?:\\.|[^\]\\])*\]?|\(|\)|\{(\d+)(?:,(\d*))?\}|[\s\S]/g;

/** How many characters and classes there are once counted repetitions are written out. */
function expandedSize(pattern: string): number {
  const outer: number[] = [];
  let size = 0;
  let last = 0;
  for (const [token, least, most] of pattern.matchAll(TOKEN)) {
    if (token === '(') {
      outer.push(size);
      size = 0;
      last = 0;
    } else if (token === ')') {
      last = size;
      size += outer.pop() ?? 0;
    } else if (least !== undefined) {
      const more = last * (Math.max(1, Number(least), Number(most ?? 0)) - 1);
      size += more;
      last += more;
    } else {
      last = 1;
      size++;
    }
  }
  return size;
}
