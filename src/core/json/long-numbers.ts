/**
 * Whether JSON may have a whole number of 16 digits or more: the first that `JSON.parse` rounds, 2^53 + 1, has 16. Only a
 * few characters are looked at, since most bodies have no such number: a small part of the time of parsing. Digits of
 * texts and fractions follow a quote, a letter or a point.
 */
export const MIN_LONG_DIGITS = 16;

/** Of 16 digits in a row, four that begin at a multiple of this (plus 4) belong to them, and four before or after those. */
const STRIDE = 13;

export function mayHaveLongNumber(text: string): boolean {
  for (let at = 4; at < text.length; at += STRIDE) {
    // Not all of the four, and also `:;<=>?`: the few that remain are looked at closely.
    if ((text.charCodeAt(at) & 0xfff0) !== 0x30 || (text.charCodeAt(at + 3) & 0xfff0) !== 0x30) continue;
    if ((text.charCodeAt(at + 7) & 0xfff0) !== 0x30 && (text.charCodeAt(at - 4) & 0xfff0) !== 0x30) continue;
    if (isLongInText(text, at)) return true;
  }
  return false;
}

const COMMA = 44;
const BEFORE_NUMBER: ReadonlySet<number> = new Set(Array.from(':,[- \n\r\t', (character) => character.charCodeAt(0)));

const isDigit = (code: number): boolean => code >= 48 && code <= 57;

/** Shorter ones are not worth a view of their own. */
const MIN_VIEWED_BYTES = 2048;

/** The same for UTF-8, which takes half the time. */
export function bytesMayHaveLongNumber(bytes: Uint8Array): boolean {
  return bytes.length < MIN_VIEWED_BYTES ? fewMayHaveLongNumber(bytes) : manyMayHaveLongNumber(bytes);
}

function fewMayHaveLongNumber(bytes: Uint8Array): boolean {
  for (let at = 4; at + 3 < bytes.length; at += STRIDE) {
    if (((bytes[at] as number) & 0xf0) !== 0x30 || ((bytes[at + 3] as number) & 0xf0) !== 0x30) continue;
    if (((bytes[at + 7] ?? 0) & 0xf0) !== 0x30 && ((bytes[at - 4] as number) & 0xf0) !== 0x30) continue;
    if (isLongInBytes(bytes, at)) return true;
  }
  return false;
}

/** Every third word of four bytes. */
function manyMayHaveLongNumber(bytes: Uint8Array): boolean {
  const before = (4 - (bytes.byteOffset & 3)) & 3;
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset + before, (bytes.length - before) >> 2);
  for (let at = 1; at < words.length; at += 3) {
    if (!areDigits(words[at] as number)) continue;
    if (!areDigits(words[at - 1] ?? 0) && !areDigits(words[at + 1] ?? 0)) continue;
    if (isLongInBytes(bytes, before + at * 4)) return true;
  }
  return false;
}

const areDigits = (word: number): boolean => (word & 0xf0f0f0f0) === 0x30303030;

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
