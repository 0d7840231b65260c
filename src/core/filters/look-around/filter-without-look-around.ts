import { invalid } from '../../errors.ts';
import { compilePattern, MAX_PATTERN_LENGTH } from '../compile-pattern.ts';
import { hasLookAround } from '../compile-search.ts';
import type { Filter, PropertyFilter } from '../property-filter.ts';
import { splitPattern } from './split-pattern.ts';

/**
 * The same filter with patterns that every engine has: look-around becomes several patterns, of which some must not be
 * found. Where that is not possible, the filter is refused: it would match nobody.
 */
export function filterWithoutLookAround(filter: PropertyFilter): Filter {
  const { operator, values } = filter;
  if ((operator !== 'regex' && operator !== 'not_regex') || !values.some(needsLookAround)) return filter;
  const isNegative = operator === 'not_regex';
  const test = (pattern: string, isNot: boolean): Filter => ({
    ...filter,
    operator: isNot === isNegative ? 'regex' : 'not_regex',
    values: [pattern],
  });
  // Negated, every `or` is an `and`, and the other way round.
  const [or, and] = isNegative ? (['and', 'or'] as const) : (['or', 'and'] as const);
  const filters = values.map((value): Filter => {
    if (!needsLookAround(value)) return test(value, false);
    const options = filter.owner === 'element' ? null : splitPattern(value);
    if (options === null) throw notSupported(value);
    return {
      kind: or,
      filters: options.map((tests) => ({
        kind: and,
        filters: tests.map(({ pattern, isNegative: isNot }) => test(pattern, isNot)),
      })),
    };
  });
  return { kind: or, filters };
}

const needsLookAround = (pattern: string): boolean =>
  hasLookAround(pattern) && compilePattern(pattern, MAX_PATTERN_LENGTH) === null;

const notSupported = (pattern: string) =>
  invalid(
    'properties',
    `The pattern ${JSON.stringify(pattern.slice(0, 200))} cannot be searched for in events and persons: look-around is possible right after ^, as in ^(?!.*@example\\.com), and as look-behind right before $. Use two filters instead: one that matches (regex) and one that does not (not_regex).`,
  );
