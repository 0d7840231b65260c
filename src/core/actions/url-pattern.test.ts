import { expect, it } from 'vitest';
import { searchPattern } from '../../lib/search-pattern.ts';
import { urlPattern } from './url-pattern.ts';

const holds = (part: string, url: string): boolean => {
  const pattern = urlPattern(part);
  return pattern === null ? url.includes(part) : searchPattern(pattern, url) === true;
};

it.each([
  ['/docs', 'https://x.org/docs/a', true],
  ['/docs', 'https://x.org/Docs', false],
  ['x.org/%/edit', 'https://x.org/posts/5/edit?a', true],
  ['x.org/%/edit', 'https://x.org/edit', false],
  ['xxorg%', 'https://x.org/', false],
  ['/a_c', 'https://x.org/abc', true],
  ['/a_c', 'https://x.org/ac', false],
  ['a%b', 'a\nb', true],
  ['a_b', 'a😀b', true],
  [String.raw`100\%`, 'x?off=100%', true],
  [String.raw`100\%`, 'x?off=1000', false],
  [String.raw`a\_c`, 'abc', false],
  [String.raw`a\\b`, String.raw`a\b`, true],
  [String.raw`a\b`, String.raw`a\b`, true],
  ['(%', '(', true],
  ['%', '', true],
  ['?a=_', '/?a=1', true],
])('%s in %s: %s', (part, url, expected) => {
  expect(holds(part, url)).toBe(expected);
});
