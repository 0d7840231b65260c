import { invalid } from '../errors.ts';

/**
 * JSON as SDKs send it: `NaN`, `Infinity` and `-Infinity` (Python's encoder writes them) are read as null.
 *
 * `JSON.parse` goes first, because nearly every body is plain JSON; only what it refuses is looked at again. It keeps
 * `__proto__` as an ordinary own key and does not recurse, so neither prototypes nor nesting can hurt here.
 */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const mended = nullBareLiterals(text);
    if (mended === text) throw malformedJson(error);
    return parseMended(mended);
  }
}

function parseMended(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw malformedJson(error);
  }
}

function malformedJson(cause: unknown): Error {
  const why = cause instanceof Error ? cause.message : String(cause);
  const failure = invalid(undefined, `Malformed request data: Invalid JSON: ${why}`, 'invalid_payload');
  failure.cause = cause;
  return failure;
}

/**
 * Bare words outside strings become null. A hand-written scan, because a regular expression over strings with escapes
 * takes quadratic time on a hostile body: this one looks at every character once.
 */
function nullBareLiterals(text: string): string {
  if (!text.includes('NaN') && !text.includes('Infinity')) return text;
  const parts: string[] = [];
  let from = 0;
  while (from < text.length) {
    const quote = text.indexOf('"', from);
    const end = quote === -1 ? text.length : quote;
    parts.push(text.slice(from, end).replace(BARE_LITERAL, 'null'));
    from = quote === -1 ? end : endOfString(text, quote);
    parts.push(text.slice(end, from));
  }
  return parts.join('');
}

const BARE_LITERAL = /-?\bInfinity\b|\bNaN\b/g;

/** Where the string that opens at `quote` is over: after its closing quote, or at the end of the text. */
function endOfString(text: string, quote: number): number {
  for (let i = quote + 1; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 34) return i + 1;
    if (code === 92) i++;
  }
  return text.length;
}
