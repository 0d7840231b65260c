import { isJsonNumber, isJsonObject, type Json, type JsonObject } from '../json/json.ts';
import { cleanText } from '../json/text.ts';

const MAX_TEXT_LENGTH = 400;
const MAX_HREF_LENGTH = 2048;

/**
 * Autocaptured elements as one string, innermost first, joined by `;`:
 * `a.btn.primary:attr__class="btn primary"href="/x"nth-child="1"nth-of-type="2"text="Buy"`.
 * Attributes are sorted, so that the same element always gives the same string.
 */
export function elementsChain(elements: Json | undefined): string {
  return Array.isArray(elements) ? elements.filter(isJsonObject).map(elementText).join(';') : '';
}

/** Newer clients send the chain, older ones the elements. */
export function readChain(properties: JsonObject): string {
  const { $elements_chain: chain, $elements: elements } = properties;
  return cleanText(typeof chain === 'string' && chain !== '' ? chain : elementsChain(elements));
}

function elementText(element: JsonObject): string {
  const tag = asText(element['tag_name']) ?? '';
  const names = classesOf(element).map((name) => `.${name.replaceAll('"', '')}`);
  const attributes = Object.entries(attributesOf(element)).sort(byKey);
  const shown = attributes.map(([key, value]) => `${key}="${escapeQuotes(value)}"`);
  return `${tag}${names.join('')}:${shown.join('')}`;
}

function attributesOf(element: JsonObject): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [key, value] of Object.entries(element)) {
    if (!key.startsWith('attr__')) continue;
    const text = Array.isArray(value) ? value.map((item) => asText(item) ?? '').join(' ') : asText(value);
    if (text !== undefined) found[key] = key === 'attr__href' ? text.slice(0, MAX_HREF_LENGTH) : text;
  }
  return { ...found, ...derivedAttributes(element) };
}

/** Attributes under the names that filters use. */
function derivedAttributes(element: JsonObject): Record<string, string> {
  const facts: Record<string, string | undefined> = {
    attr_id: asText(element['attr__id']),
    href: asText(element['attr__href'])?.slice(0, MAX_HREF_LENGTH),
    'nth-child': asText(element['nth_child']),
    'nth-of-type': asText(element['nth_of_type']),
    text: asText(element['$el_text'])?.slice(0, MAX_TEXT_LENGTH),
  };
  const known = Object.entries(facts).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return Object.fromEntries(known);
}

/** Classes come as a string or a list; sorted, because their order has no meaning. */
function classesOf(element: JsonObject): string[] {
  const value = element['attr__class'];
  const list = Array.isArray(value) ? value.map((item) => asText(item) ?? '') : (asText(value) ?? '').split(/\s+/);
  return list.filter((name) => name !== '').sort();
}

const asText = (value: Json | undefined): string | undefined => {
  if (typeof value === 'string') return value;
  return isJsonNumber(value) || typeof value === 'boolean' ? String(value) : undefined;
};

const escapeQuotes = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('"', '\\"');

const byKey = ([a]: [string, string], [b]: [string, string]): number => (a < b ? -1 : a > b ? 1 : 0);
