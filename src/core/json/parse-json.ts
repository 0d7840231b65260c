import { invalid } from '../errors.ts';
import { parseExact } from './exact-json.ts';
import { bytesMayHaveLongNumber, mayHaveLongNumber } from './long-numbers.ts';
import { endOfString } from './text-scan.ts';

/**
 * JSON as SDKs send it: `NaN`, `Infinity` and `-Infinity`, which Python's encoder writes, are read as null.
 * Whole numbers keep all their digits.
 *
 * Plain parsing goes first, because nearly every body is plain JSON. It keeps `__proto__` as an ordinary own key and does
 * not recurse, so neither prototypes nor nesting are a danger here.
 */
export function parseJson(text: string, mayHaveLong = mayHaveLongNumber(text)): unknown {
  try {
    return parseExact(text, mayHaveLong);
  } catch (error) {
    const mended = nullBareLiterals(text);
    if (mended === text) throw malformedJson(error);
    return parseMended(mended, mayHaveLong);
  }
}

/** The same for UTF-8. */
export const parseJsonBytes = (bytes: Buffer): unknown => parseJson(bytes.toString(), bytesMayHaveLongNumber(bytes));

function parseMended(text: string, mayHaveLong: boolean): unknown {
  try {
    return parseExact(text, mayHaveLong);
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
 * Bare words outside of strings become null. A scan that reads every character once: a regular expression over strings
 * with escapes takes quadratic time on a hostile body.
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
