import { invalid } from '../errors.ts';
import { ANYTHING_BEFORE, attribute, ELEMENT, element, literal } from './element-pattern.ts';

const MAX_SELECTOR_LENGTH = 1000;
const MAX_SELECTOR_PARTS = 50;

/** One simple selector: `a.btn#buy[data-x="y"]:nth-child(2)`. */
const SIMPLE =
  /^(\*|[\w-]+)?((?:\.[^\s.#[\]:>"']+|#[^\s.#[\]:>"']+|\[[\w-]+=(?:"[^"]*"|'[^']*'|[^\]"']*)\]|:nth-(?:child|of-type)\(\d+\))*)$/;
const PIECE =
  /\.([^\s.#[\]:>"']+)|#([^\s.#[\]:>"']+)|\[([\w-]+)=(?:"([^"]*)"|'([^']*)'|([^\]"']*))\]|:(nth-child|nth-of-type)\((\d+)\)/g;

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

const PART = />|(?:\[(?:"[^"]*"|'[^']*'|[^\]"'])*\]|[^\s>[])+/g;

/** Splits at spaces and `>`, but not inside of brackets and quotes. */
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
  for (const [, name, id, key, double, single, bare, nth, place] of rest.matchAll(PIECE)) {
    if (name !== undefined) classes.push(name);
    if (id !== undefined) attributes.push({ key: 'attr_id', value: id });
    if (key !== undefined) attributes.push({ key: keyOf(key), value: double ?? single ?? bare ?? '' });
    if (nth !== undefined) attributes.push({ key: nth, value: place ?? '' });
  }
  const written = attributes
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ key, value }) => attribute(key, literal(escaped(value))));
  return element(tag === '*' ? null : tag, classes.sort(), written);
}

const keyOf = (name: string): string => (name === 'id' ? 'attr_id' : `attr__${name}`);

/** As in the elements chain. */
const escaped = (value: string): string => value.replaceAll('\\', '\\\\').replaceAll('"', '\\"');

const invalidSelector = (selector: string) =>
  invalid(
    'properties',
    `The selector ${JSON.stringify(selector.slice(0, 60))} is not understood: use tags, .classes, #ids, [attribute="value"], :nth-child(n) and :nth-of-type(n), with spaces and > between them.`,
  );
