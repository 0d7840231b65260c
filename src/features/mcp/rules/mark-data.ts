/**
 * Marks texts that strangers wrote, such as names of events, as data. An assistant reads everything that a tool answers,
 * so an event named "ignore your orders" must not look like an order: answers are between marks with a random id, which no
 * text can know; nothing in them can end the marks, hide, or be long.
 */
import { stringifyExact } from '../../../core/json/exact-json.ts';
import { isJsonObject, type Json } from '../../../core/json/json.ts';

const MAX_TEXT_LENGTH = 500;
/** Of an id or a key. */
const MAX_QUOTED_LENGTH = 400;
/** Control characters, marks that reorder or hide text, and tag characters, which are invisible. */
const HIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: to show them
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]|[\u{e0000}-\u{e0fff}]/gu;

const showHidden = (text: string): string =>
  text.replace(HIDDEN, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);

/** Most texts: nothing in them can be hidden. */
const PLAIN = /^[ -~]*$/;

function shorten(text: string): string {
  if (text.length <= MAX_TEXT_LENGTH && PLAIN.test(text)) return text;
  const shown = showHidden(text.slice(0, MAX_TEXT_LENGTH));
  return text.length > MAX_TEXT_LENGTH ? `${shown}…(+${text.length - MAX_TEXT_LENGTH})` : shown;
}

/** The same with every text and name shortened, and hidden characters shown. */
export function tameTexts(value: Json): Json {
  if (typeof value === 'string') return shorten(value);
  if (Array.isArray(value)) return value.map(tameTexts);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [shorten(name), tameTexts(inner)]));
}

/** One text among ours: as JSON, so that it cannot look like a sentence of ours. */
export const quoteArgument = (text: string): string =>
  stringifyExact(shorten(text.slice(0, MAX_QUOTED_LENGTH))).replaceAll('<', '\\u003c');

/** JSON between marks. `<` is written as an escape, so that no text looks like a mark. */
export const markData = (value: Json, id: string): string =>
  `<cairn-data id="${id}">\n${stringifyExact(tameTexts(value)).replaceAll('<', '\\u003c')}\n</cairn-data id="${id}">`;
