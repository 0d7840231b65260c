/**
 * Patterns over the elements chain, as `core/events/elements-chain.ts` writes it:
 * `a.btn:attr__class="btn"href="/x"text="Buy";div:`. They are anchored at its start, so that
 * quoted text is never taken for an element.
 */

const QUOTED = '"(?:[^"\\\\]|\\\\.)*"';
/** One whole element. */
export const ELEMENT = `[^;"]*(?:${QUOTED}[^;"]*)*`;
export const ANYTHING_BEFORE = `^(?:${ELEMENT};)*`;
const ATTRIBUTES = `(?:[^"=;]*=${QUOTED})*`;

/** `pattern` has to match the whole quoted value. */
export const attribute = (key: string, pattern: string): string => `${key}="${pattern}"`;

/** An element with a tag (null: any), classes and attributes, both in the order of the chain. */
export function element(tag: string | null, classes: readonly string[], attributes: readonly string[]): string {
  const name = tag === null ? '[^;":.]*' : literal(tag);
  const classPattern = classes.map((one) => `(?:[.:][^;"]*)?\\.${literal(one)}`).join('');
  if (attributes.length === 0) return `${name}${classPattern}(?:[.:]${ELEMENT})?`;
  const attributePattern = attributes.map((one) => `${ATTRIBUTES}${one}`).join('');
  return `${name}${classPattern}(?:[.:][^;"]*)?:${attributePattern}${ATTRIBUTES}`;
}

/** Escapes a text for use in a pattern. */
export const literal = (text: string): string => text.replace(/[\\.+*?()|[\]{}^$]/g, '\\$&');
