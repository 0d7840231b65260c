/**
 * Property values as comparisons see them. Texts are themselves; everything else is compact JSON with the keys of
 * objects in order, so that `{a, b}` equals `{b, a}`. A stored null reads as the text `null`.
 */
export function propertyText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return String(value);
  return sortedJson(value, 0);
}

/** Deeper than anybody writes by hand; what lies below is left out. */
const MAX_DEPTH = 100;

function sortedJson(value: unknown, depth: number): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (depth === MAX_DEPTH) return '';
  if (Array.isArray(value)) return `[${value.map((part) => sortedJson(part, depth + 1)).join(',')}]`;
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([key, part]) => `${JSON.stringify(key)}:${sortedJson(part, depth + 1)}`).join(',')}}`;
}

/** How `exact` compares: any case of any alphabet. */
export const lowerText = (value: unknown): string => propertyText(value).toLowerCase();

const ASCII = /^\p{ASCII}*$/u;

/**
 * Whether `text.toLowerCase()` is this text, which is in small letters. Told letter by letter, without making another
 * text of it, as far as both are ASCII. Beyond, letters may change their number with their case, or end within ASCII.
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

/** How `icontains` and its kin compare: only A to Z have two cases, so that `É` stays apart from `é`. */
export function lowerAscii(value: unknown): string {
  const text = propertyText(value);
  return ASCII.test(text) ? text.toLowerCase() : text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** True, false, their texts in any case, and lists of nothing else. */
export const isBooleanLike = (value: unknown): boolean =>
  Array.isArray(value) ? value.every(isBooleanWord) : isBooleanWord(value);

const isBooleanWord = (value: unknown): boolean =>
  typeof value === 'boolean' || (typeof value === 'string' && /^(?:true|false)$/i.test(value));

/** True and its text; a list if all of it is. The number 1 is not. */
export const isTrue = (value: unknown): boolean => (Array.isArray(value) ? value.every(isTrueWord) : isTrueWord(value));

const isTrueWord = (value: unknown): boolean =>
  value === true || (typeof value === 'string' && value.length === 4 && value.toLowerCase() === 'true');

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/** Numbers, and texts that are one from end to end. */
export function toNumber(value: unknown): number | null {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && NUMBER.test(value) ? Number(value) : null;
}
