import { literal } from '../filters/element-pattern.ts';

/**
 * A part of an address in which `%` stands for any text and `_` for any character, as in SQL's LIKE, as a pattern; `\`
 * before one of them takes its meaning away. Null where it has neither: then it is a plain text.
 */
export function urlPattern(part: string): string | null {
  if (!/[%_\\]/.test(part)) return null;
  return `(?s:${part.replace(TOKEN, (token) => WILDCARDS[token] ?? literal(token.replace(ESCAPED, '$1')))})`;
}

const TOKEN = /\\[%_\\]|./gsu;
const ESCAPED = /^\\([%_\\])$/;
const WILDCARDS: Readonly<Record<string, string>> = { '%': '.*', _: '.' };
