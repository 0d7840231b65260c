/**
 * A property value as text, for comparisons. Anything but a string becomes compact JSON with sorted keys, so that
 * `{a, b}` equals `{b, a}`; null becomes `null`.
 */
export function comparableText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  if (typeof value === 'boolean' || value === null) return String(value);
  return sortedJson(value, 0);
}

/** Deeper levels are left out. */
const MAX_DEPTH = 100;

function sortedJson(value: unknown, depth: number): string {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (depth === MAX_DEPTH) return '';
  if (Array.isArray(value)) return `[${value.map((part) => sortedJson(part, depth + 1)).join(',')}]`;
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([key, part]) => `${JSON.stringify(key)}:${sortedJson(part, depth + 1)}`).join(',')}}`;
}

/** For `exact`: ignores the case of all letters. */
export const lowerText = (value: unknown): string => comparableText(value).toLowerCase();

const ASCII = /^\p{ASCII}*$/u;

/**
 * Whether `text.toLowerCase() === lower`. Compares ASCII letter by letter without allocating a string; other letters can
 * change in number with their case, so they take the slow path.
 */
export function equalsIgnoringCase(text: string, lower: string): boolean {
  const length = Math.min(text.length, lower.length);
  for (let at = 0; at < length; at++) {
    const code = text.charCodeAt(at);
    const wanted = lower.charCodeAt(at);
    if (code > 0x7f || wanted > 0x7f) return text.toLowerCase() === lower;
    if (code !== wanted && (code < 0x41 || code > 0x5a || code + 0x20 !== wanted)) return false;
  }
  return text.length === lower.length;
}

/** For `icontains` and the like: ignores the case of A to Z only, so `É` differs from `é`. */
export function lowerAscii(value: unknown): string {
  const text = comparableText(value);
  return ASCII.test(text) ? text.toLowerCase() : text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** Booleans, their texts in any case, and lists of these. */
export const isBooleanLike = (value: unknown): boolean =>
  Array.isArray(value) ? value.every(isBooleanWord) : isBooleanWord(value);

const isBooleanWord = (value: unknown): boolean =>
  typeof value === 'boolean' || (typeof value === 'string' && /^(?:true|false)$/i.test(value));

/** True, its text, and lists of these. The number 1 is not. */
export const isTrue = (value: unknown): boolean => (Array.isArray(value) ? value.every(isTrueWord) : isTrueWord(value));

const isTrueWord = (value: unknown): boolean =>
  value === true || (typeof value === 'string' && value.length === 4 && value.toLowerCase() === 'true');

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/** Numbers, and texts that consist of a number only. */
export function toNumber(value: unknown): number | null {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  return typeof value === 'string' && NUMBER.test(value) ? Number(value) : null;
}
