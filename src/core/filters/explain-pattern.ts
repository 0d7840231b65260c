import { compilePattern } from './compile-pattern.ts';

/** Why `compileSearch` refuses a pattern, and what to write instead. */
export function explainPattern(pattern: string, maxLength: number): string {
  if (pattern.length > maxLength) return `Patterns have up to ${maxLength} characters.`;
  if (/\\[1-9]|\\k[<{']|\(\?P=/.test(pattern)) {
    return 'Back-references are not supported, since their time has no bound: write the alternatives out, (a|b)\\1 as aa|bb.';
  }
  if (/\(\?>|[*+?}]\+/.test(pattern)) {
    return 'Atomic groups and possessive repetitions are not supported: write (?:…) for (?>…), and a* for a*+.';
  }
  if (compilePattern(pattern, maxLength) !== null)
    return 'It is too large: use smaller counts in repetitions such as {1,500}.';
  return 'It is no regular expression in the syntax of RE2 with look-around.';
}
