import { describe, expect, it } from 'vitest';
import { createPatternSearch, replacePattern } from './search-pattern.ts';

const searchPattern = createPatternSearch();

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

  it.each(['(', '[', '(?=x)*', '\\', '*', '\\1', 'x'.repeat(2001)])(
    'has no answer for the invalid %.20s',
    (pattern) => {
      expect(searchPattern(pattern, 'x')).toBeNull();
    },
  );

  it('matches a pattern in linear time that would backtrack elsewhere', () => {
    expect(searchPattern('(a+)+$', `${'a'.repeat(5000)}!`)).toBe(false);
  });

  it('has no answer where it would take too long', () => {
    expect(searchPattern('(a|b)*a(a|b){300}c$', 'ab'.repeat(50))).toBe(false);
    expect(searchPattern('(a|b)*a(a|b){300}c$', 'ab'.repeat(1000))).toBeNull();
    expect(searchPattern('(?=(a|b)*c)', 'ab'.repeat(50_000))).toBeNull();
  });
});

describe('replacing', () => {
  it('replaces all matches of many patterns', () => {
    for (let i = 0; i < 250; i++) expect(replacePattern(`/${i}\\b`, `/${i}/x/${i}`, '/:id')).toBe('/:id/x/:id');
  });

  it('is refused where it would take too long, or make the text too long', () => {
    expect(replacePattern('(a|b)*a(a|b){300}c$', 'ab'.repeat(1000), 'x')).toBeNull();
    expect(replacePattern('', 'a'.repeat(1000), 'x'.repeat(1000))).toBeNull();
    expect(replacePattern('(', 'a', 'x')).toBeNull();
  });
});
