import { expect, it } from 'vitest';
import { createPatternSearch } from '../../../lib/search-pattern.ts';
import { columnFilter, literalPart } from './person-column-filter.ts';

const searchPattern = createPatternSearch();

it.each([
  ['^Nobody$', 'Nobody'],
  ['ab.cde', 'cde'],
  ['colou?r', 'colo'],
  ['ab*', 'a'],
  ['ab+c', 'ab'],
  ['é*abc', 'abc'],
  ['abc|x', ''],
  ['(?i)abc', ''],
  ['a{0}bc', ''],
  ['\\Qabc', ''],
  ['[abc]def', ''],
  ['', ''],
  ['.*', ''],
])('every match of the pattern %j contains %j', (pattern, part) => {
  expect(literalPart(pattern)).toBe(part);
});

it.each([
  ['icontains', 'Ada Lovelace', 'ada lovelace'],
  ['icontains', 'é@example', '@example'],
  ['icontains', 'a"bcd', 'bcd'],
  ['icontains', '1e21', '1e'],
  ['icontains', '', null],
  ['exact', 'Pro', 'pro'],
  ['exact', '[1, 2]', null],
  ['regex', '^pro', 'pro'],
  ['is_not', 'pro', null],
  ['gt', '5', null],
] as const)('values that match %s %j contain %j', (operator, value, part) => {
  const test = columnFilter(
    { search: searchPattern },
    { kind: 'property', owner: 'person', key: 'k', operator, values: [value] },
  );
  expect(test).toMatchObject({ kind: 'property', key: 'k', part });
});
