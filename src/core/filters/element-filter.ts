/** Filters on the elements that were clicked: their tag, text and address, or a selector. Any of them may fit. */
import { invalid } from '../errors.ts';
import { ANYTHING_BEFORE, attribute, element, literal } from './element-pattern.ts';
import { selectorPattern } from './element-selector.ts';
import type { Operator, PropertyFilter } from './property-filter.ts';
import type { Search } from './search.ts';

const NAMED: readonly Operator[] = ['exact', 'is_not'];
const WRITTEN: readonly Operator[] = [
  ...NAMED,
  'icontains',
  'not_icontains',
  'regex',
  'not_regex',
  'is_set',
  'is_not_set',
];
const OPERATORS: Readonly<Record<string, readonly Operator[]>> = {
  tag_name: NAMED,
  selector: NAMED,
  text: WRITTEN,
  href: WRITTEN,
};

export function checkElementFilter({ key, operator, values }: PropertyFilter): void {
  const known = Object.hasOwn(OPERATORS, key) ? OPERATORS[key] : undefined;
  if (known === undefined) {
    throw invalid('properties', 'Filters of type "element" ask for tag_name, text, href or selector.');
  }
  if (!known.includes(operator)) {
    throw invalid('properties', `Filters on ${key} of an element take ${known.join(', ')}; not ${operator}.`);
  }
  if (key === 'selector') values.forEach(selectorPattern);
}

const NEGATIVE: readonly Operator[] = ['is_not', 'not_icontains', 'not_regex', 'is_not_set'];

export const isNegative = ({ operator }: PropertyFilter): boolean => NEGATIVE.includes(operator);

/** Patterns over the text of the elements. One that fits is enough; for negative operators none may. */
export function elementPatterns({ key, operator, values }: PropertyFilter): string[] {
  if (key === 'selector') return values.map(selectorPattern);
  if (key === 'tag_name') return values.map((tag) => `${ANYTHING_BEFORE}${element(tag, [], [])}(?:;|$)`);
  const has = (pattern: string): string => `${ANYTHING_BEFORE}${element(null, [], [attribute(key, pattern)])}`;
  if (operator === 'is_set' || operator === 'is_not_set') return [has('[^"]+')];
  return values.map((value) => {
    if (operator === 'regex' || operator === 'not_regex') return has(`(?:${value})`);
    const part = literal(value.replaceAll('\\', '\\\\').replaceAll('"', '\\"'));
    const isPart = operator === 'icontains' || operator === 'not_icontains';
    return isPart ? has(`(?:[^"\\\\]|\\\\.)*(?i:${part})(?:[^"\\\\]|\\\\.)*`) : has(part);
  });
}

/** What such a filter means. An invalid pattern matches nothing, and keeps nothing out. */
export function matchesElement(filter: PropertyFilter, chain: string, search: Search): boolean {
  const found = elementPatterns(filter).map((pattern) => search(pattern, chain));
  return isNegative(filter) ? found.every((one) => one === false) : found.some((one) => one === true);
}
