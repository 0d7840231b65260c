import { invalid } from '../errors.ts';
import { ANYTHING_BEFORE, attribute, ELEMENT, element, literal } from './element-pattern.ts';

const MAX_SELECTOR_LENGTH = 1000;
const MAX_SELECTOR_PARTS = 50;

/** CSS escapes: `\:` is a colon, `\31 ` and `\000031` the character of that code; a space ends the code. */
const ESCAPE = String.raw`\\(?:[0-9a-fA-F]{1,6}\s?|.)`;
const NAME = String.raw`(?:[^\s.#[\]:>"'\\]|${ESCAPE})+`;
const TAG = String.raw`(?:[\w-]|${ESCAPE})+`;
const QUOTED = String.raw`"(?:[^"\\]|${ESCAPE})*"|'(?:[^'\\]|${ESCAPE})*'`;
const ATTRIBUTE = String.raw`\[${TAG}=(?:${QUOTED}|(?:[^\]"'\\]|${ESCAPE})*)\]`;
const NTH = String.raw`:nth-(?:child|of-type)\(\d+\)`;

/** One simple selector: `a.btn#buy[data-x="y"]:nth-child(2)`. */
const SIMPLE = new RegExp(String.raw`^(\*|${TAG})?((?:[.#]${NAME}|${ATTRIBUTE}|${NTH})*)$`, 's');
const PIECE = new RegExp(String.raw`([.#])(${NAME})|(${ATTRIBUTE})|:(nth-child|nth-of-type)\((\d+)\)`, 'gs');

/**
 * A CSS selector as a pattern over the elements chain: tags, classes, ids, attributes, nth-child, nth-of-type,
 * descendants and children. The chain begins with the innermost element, so the selector is written in reverse.
 */
export function selectorPattern(selector: string): string {
  if (selector.length > MAX_SELECTOR_LENGTH) throw invalidSelector(selector);
  const steps = stepsOf(selector).reverse();
  if (steps.length === 0 || steps.length > MAX_SELECTOR_PARTS) throw invalidSelector(selector);
  const [innermost = '', ...outer] = steps.map(({ simple }) => simplePattern(simple, selector));
  const written = outer.map((pattern, at) => (steps[at]?.isChild ? `;${pattern}` : `;(?:${ELEMENT};)*${pattern}`));
  return `${ANYTHING_BEFORE}${innermost}${written.join('')}(?:;|$)`;
}

interface Step {
  simple: string;
  /** Whether it is a child of the step before it, not just a descendant. */
  isChild: boolean;
}

const PART = new RegExp(String.raw`>|(?:\[(?:${QUOTED}|[^\]"'\\]|${ESCAPE})*\]|[^\s>[\\]|${ESCAPE})+`, 'gs');

/** Splits at spaces and `>`, but not inside of brackets and quotes, nor after `\`. */
function stepsOf(selector: string): Step[] {
  const parts = selector.match(PART) ?? [];
  if (selector.replaceAll(PART, '').trim() !== '') throw invalidSelector(selector);
  const steps: Step[] = [];
  let isChild = false;
  for (const part of parts) {
    if (part === '>') {
      if (isChild || steps.length === 0) throw invalidSelector(selector);
      isChild = true;
      continue;
    }
    steps.push({ simple: part, isChild });
    isChild = false;
  }
  if (isChild) throw invalidSelector(selector);
  return steps;
}

function simplePattern(simple: string, selector: string): string {
  const [matched, tag = '*', rest = ''] = SIMPLE.exec(simple) ?? [];
  if (matched === undefined || matched === '') throw invalidSelector(selector);
  const classes: string[] = [];
  const attributes: { key: string; value: string }[] = [];
  for (const [, mark, name = '', given, nth, place = ''] of rest.matchAll(PIECE)) {
    // The chain has no quotes in classes.
    if (mark === '.') classes.push(unescaped(name).replaceAll('"', ''));
    if (mark === '#') attributes.push({ key: 'attr_id', value: unescaped(name) });
    if (given !== undefined) attributes.push(attributeOf(given));
    if (nth !== undefined) attributes.push({ key: nth, value: place });
  }
  const written = attributes
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ key, value }) => attribute(key, literal(escaped(value))));
  return element(tag === '*' ? null : unescaped(tag), classes.sort(), written);
}

const ATTRIBUTE_PARTS = new RegExp(String.raw`^\[(${TAG})=(.*)\]$`, 's');

/** `[key="value"]`, also in single quotes or without any. */
function attributeOf(given: string): { key: string; value: string } {
  const [, key = '', value = ''] = ATTRIBUTE_PARTS.exec(given) ?? [];
  const plain = /^["']/.test(value) ? value.slice(1, -1) : value;
  return { key: keyOf(unescaped(key)), value: unescaped(plain) };
}

const unescaped = (text: string): string =>
  text.replace(/\\(?:([0-9a-f]{1,6})\s?|(.))/gis, (_, code: string | undefined, character: string) =>
    code === undefined ? character : characterOf(Number.parseInt(code, 16)),
  );

const characterOf = (code: number): string => (code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd');

const keyOf = (name: string): string => (name === 'id' ? 'attr_id' : `attr__${name}`);

/** As in the elements chain. */
const escaped = (value: string): string => value.replaceAll('\\', '\\\\').replaceAll('"', '\\"');

const invalidSelector = (selector: string) =>
  invalid(
    'properties',
    `The selector ${JSON.stringify(selector.slice(0, 60))} is not understood: use tags, .classes, #ids, [attribute="value"], :nth-child(n) and :nth-of-type(n), with spaces and > between them.`,
  );
