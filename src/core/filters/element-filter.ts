/** Filters on the clicked elements: tag, text, href or a selector. One matching element is enough. */
import { invalid } from '../errors.ts';
import type { PatternSearch } from './compile-pattern.ts';
import { ANYTHING_BEFORE, attribute, element, literal } from './element-pattern.ts';
import { selectorPattern } from './element-selector.ts';
import type { FilterOperator, PropertyFilter } from './property-filter.ts';

const NAME_OPERATORS: readonly FilterOperator[] = ['exact', 'is_not'];
const TEXT_OPERATORS: readonly FilterOperator[] = [
  ...NAME_OPERATORS,
  'icontains',
  'not_icontains',
  'regex',
  'not_regex',
  'is_set',
  'is_not_set',
];
const OPERATORS_BY_KEY: Readonly<Record<string, readonly FilterOperator[]>> = {
  tag_name: NAME_OPERATORS,
  selector: NAME_OPERATORS,
  text: TEXT_OPERATORS,
  href: TEXT_OPERATORS,
};

export function checkElementFilter({ key, operator, values }: PropertyFilter): void {
  const known = Object.hasOwn(OPERATORS_BY_KEY, key) ? OPERATORS_BY_KEY[key] : undefined;
  if (known === undefined) {
    throw invalid('properties', 'Filters of type "element" support tag_name, text, href and selector.');
  }
  if (!known.includes(operator)) {
    throw invalid('properties', `Filters on ${key} of an element support ${known.join(', ')}; not ${operator}.`);
  }
  if (key === 'selector') values.forEach(selectorPattern);
}

const NEGATIVE: readonly FilterOperator[] = ['is_not', 'not_icontains', 'not_regex', 'is_not_set'];

export const isNegativeFilter = ({ operator }: PropertyFilter): boolean => NEGATIVE.includes(operator);

/** Patterns over the elements chain: one has to match, or none for negative operators. */
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

/** An invalid pattern matches nothing, whatever the operator. */
export function matchesElement(filter: PropertyFilter, chain: string, search: PatternSearch): boolean {
  const found = elementPatterns(filter).map((pattern) => search(pattern, chain));
  return isNegativeFilter(filter) ? found.every((one) => one === false) : found.some((one) => one === true);
}
