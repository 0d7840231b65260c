import { expect, it } from 'vitest';
import { firstColumn } from '../../features/cohorts/rules/first-column.ts';
import { dependentCohortIds, dependsOnItself, inDependencyOrder, reachableFrom } from './references.ts';

const references = new Map([
  [1, []],
  [2, [1]],
  [3, [2, 9]],
  [4, [5]],
  [5, [4]],
  [6, [6]],
]);

it('follows references through others, and cycles', () => {
  expect([...reachableFrom([3], references)].sort()).toEqual([1, 2, 3, 9]);
  expect([...reachableFrom([4], references)].sort()).toEqual([4, 5]);
});

it.each([
  [1, false],
  [3, false],
  [4, true],
  [6, true],
])('cohort %i is in a cycle: %s', (id, expected) => {
  expect(dependsOnItself(id, references)).toBe(expected);
});

it('finds the cohorts that depend on one', () => {
  expect(dependentCohortIds(1, references)).toEqual([2, 3]);
  expect(dependentCohortIds(3, references)).toEqual([]);
});

it('puts each after those that it refers to', () => {
  expect(inDependencyOrder([3, 2, 1], references)).toEqual([1, 2, 3]);
  expect(inDependencyOrder([3, 1], references)).toEqual([1, 3]);
  expect(inDependencyOrder([4, 5], references)).toHaveLength(2);
});

it.each<[string, string, string[]]>([
  ['plain lines', 'a\nb\nc', ['a', 'b', 'c']],
  ['other line ends and blank lines', '\ufeffa\r\nb\r\r\n\n c \n', ['a', 'b', 'c']],
  ['more columns', 'a,1,x\nb,2,"y\nz"\nc', ['a', 'b', 'c']],
  ['quotes', '"a,1",2\n"say ""hi""",3\n"c\nd"\ne', ['a,1', 'say "hi"', 'c\nd', 'e']],
  ['quotes within cells', 'a"b,5" screen\nc', ['a"b', 'c']],
  ['no first cell', ',x\n"",y\nb', ['b']],
  ['an unclosed quote', '"a\nb', ['a\nb']],
  ['an unclosed quote in a later cell', 'a,"b\nc', ['a']],
  ['nothing', '', []],
])('reads the first column of %s', (_name, text, cells) => {
  expect([...firstColumn(text)]).toEqual(cells);
});
