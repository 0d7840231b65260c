/**
 * JSON in which whole numbers keep all their digits. `JSON.parse` rounds most of those beyond 2^53; here they become
 * bigints, and are written as the numbers that they were. Anything else is exactly as `JSON.parse` and `JSON.stringify` have it,
 * numbers with a fraction or an exponent included.
 */
import type { Json } from './json.ts';
import { endOfString } from './text-scan.ts';

declare global {
  interface BigInt {
    toJSON(): string;
  }
}

/** The first number that is rounded, 2^53 + 1, has 16 digits. */
const MIN_DIGITS = 16;
/** A double has no more: a longer number is Infinity to every other reader of JSON. */
const MAX_DIGITS = 308;

/** Throws a SyntaxError, like `JSON.parse`. Does not recurse. `T`: what the caller knows about text of its own. */
export function parseExact<T = Json>(text: string): T {
  const value: Json = JSON.parse(text);
  return (mayHaveLongNumber(text) ? parseLongNumbers(text, value) : value) as T;
}

/**
 * Whether there may be a whole number of 16 digits or more. Looks at every 16th character only, since a run of 16 digits
 * cannot lie between two of them: a few per cent of the time of parsing. Digits of texts and fractions follow a quote, a
 * letter or a point.
 */
export function mayHaveLongNumber(text: string): boolean {
  for (let at = MIN_DIGITS - 1; at < text.length; at += MIN_DIGITS) {
    if (!isDigitAt(text, at)) continue;
    // Of a run through `at`, one of these belongs to it too: most short runs are ruled out here.
    if (!isDigitAt(text, at - MIN_DIGITS / 2) && !isDigitAt(text, at + MIN_DIGITS / 2)) continue;
    let start = at;
    while (isDigitAt(text, start - 1)) start--;
    let end = at + 1;
    while (isDigitAt(text, end)) end++;
    if (end - start >= MIN_DIGITS && BEFORE_NUMBER.has(text[start - 1] ?? '')) return true;
    at = Math.max(at, end - MIN_DIGITS);
  }
  return false;
}

const BEFORE_NUMBER: ReadonlySet<string> = new Set(['', ':', ',', '[', '-', ' ', '\n', '\r', '\t']);

function isDigitAt(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 48 && code <= 57;
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

/** Not in an exponent or a fraction, nor with one. */
const LONG_NUMBER = /(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/g;

function replaceLongNumbers(text: string, replace: (digits: string) => string): string {
  const exactly = (digits: string): string => (isRounded(digits) ? replace(digits) : digits);
  const parts: string[] = [];
  for (let from = 0; from < text.length; ) {
    const quote = text.indexOf('"', from);
    const end = quote === -1 ? text.length : quote;
    parts.push(text.slice(from, end).replace(LONG_NUMBER, exactly));
    from = quote === -1 ? end : endOfString(text, quote);
    parts.push(text.slice(end, from));
  }
  return parts.join('');
}

/** Whether a double would not be written with these digits. */
const isRounded = (digits: string): boolean => digits.length <= MAX_DIGITS && String(Number(digits)) !== digits;

/** In place. A stack of its own, because the value may be nested too deeply for recursion. */
function readMarked(value: Json, mark: string): Json {
  const root = { value };
  const stack: { [key: string]: Json }[] = [root];
  for (let holder = stack.pop(); holder !== undefined; holder = stack.pop()) {
    for (const key in holder) {
      const inner = holder[key];
      if (typeof inner === 'string' && inner.startsWith(mark)) holder[key] = BigInt(inner.slice(mark.length));
      else if (typeof inner === 'object' && inner !== null) stack.push(inner as { [key: string]: Json });
    }
  }
  return root.value;
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
