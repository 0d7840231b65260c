/**
 * Patterns over the text of clicked elements, as `core/events/elements-chain.ts` writes it:
 * `a.btn:attr__class="btn"href="/x"text="Buy";div:`. They begin at its start, so that what stands in quotes is never
 * taken for an element; the engine takes time in proportion to the text, whatever the pattern.
 */

const QUOTED = '"(?:[^"\\\\]|\\\\.)*"';
/** One whole element. */
export const ELEMENT = `[^;"]*(?:${QUOTED}[^;"]*)*`;
export const ANYTHING_BEFORE = `^(?:${ELEMENT};)*`;
const ATTRIBUTES = `(?:[^"=;]*=${QUOTED})*`;

/** `pattern` has to match the value as it stands between the quotes. */
export const attribute = (key: string, pattern: string): string => `${key}="${pattern}"`;

/** An element of a tag (null: any), with classes and attributes that are each in the order of the text. */
export function element(tag: string | null, classes: readonly string[], attributes: readonly string[]): string {
  const name = tag === null ? '[^;":.]*' : literal(tag);
  const worn = classes.map((one) => `(?:[.:][^;"]*)?\\.${literal(one)}`).join('');
  if (attributes.length === 0) return `${name}${worn}(?:[.:]${ELEMENT})?`;
  const had = attributes.map((one) => `${ATTRIBUTES}${one}`).join('');
  return `${name}${worn}(?:[.:][^;"]*)?:${had}${ATTRIBUTES}`;
}

/** A pattern that finds this text and nothing else. */
export const literal = (text: string): string => text.replace(/[\\.+*?()|[\]{}^$]/g, '\\$&');
