import { describe, expect, it } from 'vitest';
import { searchPattern } from './search-pattern.ts';

describe('searching for a pattern', () => {
  it.each([
    ['^a.c$', 'abc', true],
    ['b', 'abc', true],
    ['B', 'abc', false],
    ['(?i)B', 'abc', true],
    ['', '', true],
    ['\\d+', 'x12', true],
    ['é+', 'caféé', true],
  ])('%j in %j: %s', (pattern, text, expected) => {
    expect(searchPattern(pattern, text)).toBe(expected);
    expect(searchPattern(pattern, text)).toBe(expected);
  });

  it.each(['(', '[', '(?=x)', '\\', '*', '\\1', 'x'.repeat(2001)])('has no answer for the invalid %.20s', (pattern) => {
    expect(searchPattern(pattern, 'x')).toBeNull();
  });

  it('matches a pattern in linear time that would backtrack elsewhere', () => {
    expect(searchPattern('(a+)+$', `${'a'.repeat(5000)}!`)).toBe(false);
  });

  it('caches a limited number of patterns', () => {
    for (let i = 0; i < 250; i++) expect(searchPattern(`^${i}$`, String(i))).toBe(true);
  });
});
