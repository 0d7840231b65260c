import { describe, expect, it } from 'vitest';
import { getPattern, patternProblem } from './pattern.ts';

const compileSearch = (pattern: string) => getPattern(new Map(), pattern);
const isValidPattern = (pattern: string) => patternProblem(pattern) === null;

describe('patterns', () => {
  it.each([
    ['@example\\.com$', 'me@example.com', true],
    ['@example\\.com$', 'me@example.com.evil', false],
    ['(?i)HELLO', 'say hello', true],
    ['^\\d{3}-\\d{4}$', '555-1234', true],
    ['^.$', '😀', true],
    ['\\bfoo\\b', 'a foo b', true],
    ['', 'anything', true],
    ['[[:alpha:]]', '123', false],
    ['^(?!.*@x\\.com)', 'me@y.com', true],
    ['^(?!.*@x\\.com)', 'me@x.com', false],
    ['(?<!a)b', 'ab', false],
  ])('%j in %j: %s', (pattern, text, expected) => expect(compileSearch(pattern)?.(text)).toBe(expected));

  it.each([
    '?*',
    '(',
    '[a',
    '(?=a)*b',
    '(?=(a)\\1)b',
    '(?=a',
    '(a)\\1',
    'a++',
    '(?>a)',
    'a{1001}',
    '(a{100}){100}',
    '(a{1000}){1000}',
    'a{1000}'.repeat(100),
    `(${'ab'.repeat(400)}){900}`,
    '(\\pL?){1000}',
    'a'.repeat(1001),
    '('.repeat(500),
    `${'('.repeat(499)}a${')'.repeat(499)}`.repeat(2),
  ])('%.40s… is refused', (pattern) => expect(isValidPattern(pattern)).toBe(false));

  it.each([
    '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$',
    'https?://(www\\.)?[-a-zA-Z0-9@:%._+~#=]{1,256}\\.[a-zA-Z0-9()]{1,6}\\b([-a-zA-Z0-9()@:%_+.~#?&/=]*)',
    '^(\\+\\d{1,2}\\s)?\\(?\\d{3}\\)?[\\s.-]\\d{3}[\\s.-]\\d{4}$',
    '^(alice|bob|carol)@(example|test)\\.(com|org)$',
    '^(?=.*[A-Z])(?=.*[0-9]).{8,64}$',
  ])('%s is taken', (pattern) => expect(isValidPattern(pattern)).toBe(true));

  it.each([
    ['(a|b)\\1', 'Back-references'],
    ['(?=a)(?>b)', 'Atomic groups'],
    ['a++(?!b)', 'possessive'],
    ['a'.repeat(1001), 'up to 1000 characters'],
    ['(ab){1000}', 'too large'],
    ['[a', 'no regular expression'],
  ])('%.20s: the error says why', (pattern, why) => expect(patternProblem(pattern)).toContain(why));

  // A backtracking engine would never finish these; the assertion is that this one does.
  it.each(['(a+)+$', '(a|aa)+$', '(a|a?)+b', '(.*a){20}$', '^(([a-z])+.)+[A-Z]([a-z])+$', '(x+x+)+y|(a*)*b'])(
    'comes to an end with %s',
    (pattern) => expect(compileSearch(pattern)?.(`${'a'.repeat(900)}!`)).toBe(false),
  );

  it('gives up if a search would take too many steps', () => {
    const search = compileSearch('(a|b)*a(a|b){300}c$');
    expect(search?.('ab'.repeat(50))).toBe(false);
    expect(search?.('ab'.repeat(100_000))).toBeNull();
  });
});
