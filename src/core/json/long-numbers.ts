/**
 * Whether JSON may have a whole number of 16 digits or more: the first that `JSON.parse` rounds, 2^53 + 1, has 16. Only a
 * few characters are looked at, since most bodies have no such number: two to five percent of the time of parsing. Digits
 * of texts and fractions follow a quote, a letter or a point.
 */
export const MIN_LONG_DIGITS = 16;

/**
 * Of 16 digits in a row, one is at a multiple of 16 (plus 15), and so is the seventh before it or the eighth after it. The
 * first tests also take `:;<=>?` for digits: the few that remain are looked at closely. Written out, since V8 does not
 * inline everything here.
 */
export function mayHaveLongNumber(text: string): boolean {
  const { length } = text;
  for (let at = MIN_LONG_DIGITS - 1; at < length; at += MIN_LONG_DIGITS) {
    if ((text.charCodeAt(at) & 0xfff0) !== 0x30) continue;
    if ((text.charCodeAt(at - 7) & 0xfff0) !== 0x30 && (text.charCodeAt(at + 8) & 0xfff0) !== 0x30) continue;
    if (isLongInText(text, at)) return true;
  }
  return false;
}

const COMMA = 44;
const BEFORE_NUMBER: ReadonlySet<number> = new Set(Array.from(':,[- \n\r\t', (character) => character.charCodeAt(0)));

const isDigit = (code: number): boolean => code >= 48 && code <= 57;

/** Fewer are not worth a view of their own. */
const MANY_BYTES = 2048;

/** The same for UTF-8, which takes half the time. */
export function bytesMayHaveLongNumber(bytes: Uint8Array): boolean {
  return bytes.length < MANY_BYTES ? fewMayHaveLongNumber(bytes, 0) : manyMayHaveLongNumber(bytes);
}

function fewMayHaveLongNumber(bytes: Uint8Array, from: number): boolean {
  const { length } = bytes;
  for (let at = from + MIN_LONG_DIGITS - 1; at < length; at += MIN_LONG_DIGITS) {
    if (((bytes[at] as number) & 0xf0) !== 0x30) continue;
    if (((bytes[at - 7] as number) & 0xf0) !== 0x30 && ((bytes[at + 8] ?? 0) & 0xf0) !== 0x30) continue;
    if (isLongInBytes(bytes, at)) return true;
  }
  return false;
}

/**
 * Every third word of four bytes: 16 digits in a row fill three words at least. Four of them at a time, and all within
 * bounds, take a third of the time.
 */
function manyMayHaveLongNumber(bytes: Uint8Array): boolean {
  const before = (4 - (bytes.byteOffset & 3)) & 3;
  const words = new Int32Array(bytes.buffer, bytes.byteOffset + before, (bytes.length - before) >> 2);
  const end = words.length - 11;
  let at = 2;
  for (; at < end; at += 12) {
    if (areLong(words, at) || areLong(words, at + 3) || areLong(words, at + 6) || areLong(words, at + 9)) {
      if (isOneLong(bytes, before + at * 4)) return true;
    }
  }
  return fewMayHaveLongNumber(bytes, before + (at - 3) * 4);
}

/** Whether a word and two beside it are digits. */
const areLong = (words: Int32Array, at: number): boolean =>
  areDigits(words[at] as number) &&
  (areDigits(words[at + 1] as number)
    ? areDigits(words[at - 1] as number) || areDigits(words[at + 2] as number)
    : areDigits(words[at - 1] as number) && areDigits(words[at - 2] as number));

const areDigits = (word: number): boolean => (word & 0xf0f0f0f0) === 0x30303030;

const isOneLong = (bytes: Uint8Array, from: number): boolean =>
  [from, from + 12, from + 24, from + 36].some((at) => isLongInBytes(bytes, at));

/** Whether the digits around `at` are a long number. Looks no further than needed: there may be millions of them. */
function isLongInBytes(bytes: Uint8Array, at: number): boolean {
  let start = at;
  while (at - start < MIN_LONG_DIGITS && isDigit(bytes[start - 1] ?? 0)) start--;
  let end = at;
  while (end - start < MIN_LONG_DIGITS && isDigit(bytes[end] ?? 0)) end++;
  return end - start >= MIN_LONG_DIGITS && canPrecede(bytes[start - 1] ?? COMMA);
}

/** The same; one function for both would take twice the time. */
function isLongInText(text: string, at: number): boolean {
  let start = at;
  while (at - start < MIN_LONG_DIGITS && isDigit(text.charCodeAt(start - 1))) start--;
  let end = at;
  while (end - start < MIN_LONG_DIGITS && isDigit(text.charCodeAt(end))) end++;
  return end - start >= MIN_LONG_DIGITS && canPrecede(start === 0 ? COMMA : text.charCodeAt(start - 1));
}

/** A digit, if there are more of them than were looked at. */
const canPrecede = (code: number): boolean => isDigit(code) || BEFORE_NUMBER.has(code);
