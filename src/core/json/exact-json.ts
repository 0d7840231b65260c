/**
 * JSON in which whole numbers keep all their digits. `JSON.parse` rounds most of those beyond 2^53; here they become
 * bigints, and are written as the numbers that they were. Anything else is exactly as `JSON.parse` and `JSON.stringify` have it,
 * numbers with a fraction or an exponent included.
 */
import type { Json, JsonObject } from './json.ts';
import { MIN_LONG_DIGITS, mayHaveLongNumber } from './long-numbers.ts';
import { endOfString } from './text-scan.ts';

declare global {
  interface BigInt {
    toJSON(): string;
  }
}

/** A double has no more: a longer number is Infinity to every other reader of JSON. */
const MAX_DIGITS = 308;

/**
 * Throws a SyntaxError, like `JSON.parse`. Does not recurse. `T`: what the caller knows about text of its own.
 * `mayHaveLong`: false where the caller knows that there is no long number.
 */
export function parseExact<T = Json>(text: string, mayHaveLong = mayHaveLongNumber(text)): T {
  const value: Json = JSON.parse(text);
  return (mayHaveLong ? parseLongNumbers(text, value) : value) as T;
}

/** Control characters can only be in JSON as these escapes, so one that is absent can mark our texts. */
const MARKS = [0, 1, 2, 3, 4, 5, 6, 7].map((code) => ({
  escaped: `\\u000${code}`,
  character: String.fromCharCode(code),
}));

/** `text` is valid JSON for `value`. Long numbers are passed through the parser as marked texts. */
function parseLongNumbers(text: string, value: Json): Json {
  const mark = MARKS.find(({ escaped }) => !text.includes(escaped));
  // Only a hostile text has all of them; its numbers are rounded.
  if (mark === undefined) return value;
  const marked = replaceLongNumbers(text, (digits) => `"${mark.escaped}${digits}"`);
  return marked === text ? value : readMarked(JSON.parse(marked), mark.character);
}

/** Reads every character once: regular expressions overflow the stack on millions of digits. */
function replaceLongNumbers(text: string, replace: (digits: string) => string): string {
  const parts: string[] = [];
  let copied = 0;
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (!isNumberCode(code)) at++;
    else {
      const end = endOfNumber(text, at);
      const number = end - at < MIN_LONG_DIGITS ? '' : text.slice(at, end);
      if (isRounded(number)) {
        parts.push(text.slice(copied, at), replace(number));
        copied = end;
      }
      at = end;
    }
  }
  return copied === 0 ? text : parts.join('') + text.slice(copied);
}

const QUOTE = 34;

/** Digits and `+-.eE`. Outside of texts, numbers are the only words that begin with one of them. */
const isNumberCode = (code: number): boolean =>
  (code >= 48 && code <= 57) || code === 45 || code === 46 || code === 43 || code === 101 || code === 69;

function endOfNumber(text: string, from: number): number {
  let end = from;
  while (isNumberCode(text.charCodeAt(end))) end++;
  return end;
}

/** A whole number, which a double would not be written like. */
const isRounded = (number: string): boolean =>
  number.length <= MAX_DIGITS && /^-?\d+$/.test(number) && String(Number(number)) !== number;

/** In place. A stack of its own, because the value may be nested too deeply for recursion. */
function readMarked(value: Json, mark: string): Json {
  const root = [value];
  const stack: (Json[] | JsonObject)[] = [root];
  for (let holder = stack.pop(); holder !== undefined; holder = stack.pop()) {
    // Also a list: its indexes are keys.
    const values = holder as JsonObject;
    for (const [key, inner] of Object.entries(values)) {
      if (typeof inner === 'object' && inner !== null) stack.push(inner);
      else if (typeof inner === 'string' && inner.startsWith(mark)) values[key] = BigInt(inner.slice(mark.length));
    }
  }
  return root[0] ?? null;
}

let hasMetBigint = false;

/** Where a value is serialized by other means, a bigint becomes a text with its digits: nothing fails, nothing is lost. */
BigInt.prototype.toJSON = function toJSON(this: bigint): string {
  hasMetBigint = true;
  return this.toString();
};

/** Like `JSON.stringify`, and as fast unless there is a bigint. Recurses: the caller limits the depth. */
export function stringifyExact(value: unknown): string {
  hasMetBigint = false;
  const text = JSON.stringify(value);
  return hasMetBigint ? writeExact(value) : text;
}

function writeExact(value: unknown): string {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(writeExact).join(',')}]`;
  if ('toJSON' in value && typeof value.toJSON === 'function') return writeExact(value.toJSON());
  const fields = Object.entries(value).filter(([, inner]) => inner !== undefined && typeof inner !== 'function');
  return `{${fields.map(([key, inner]) => `${JSON.stringify(key)}:${writeExact(inner)}`).join(',')}}`;
}
