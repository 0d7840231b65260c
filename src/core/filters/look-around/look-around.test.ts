import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createPatternSearch } from '../../../lib/search-pattern.ts';
import { compileProgram, searchProgram } from './match-pattern.ts';
import { parsePattern } from './parse-pattern.ts';
import { splitPattern } from './split-pattern.ts';

const STEPS = 250_000;
const searchPattern = createPatternSearch();
const search = (pattern: string, text: string): boolean | null =>
  searchProgram(compileProgram(parsePattern(pattern), 2000), text, STEPS);

describe('a search with look-around', () => {
  it.each([
    ['^(?!.*@x\\.com).*', 'me@y.com', true],
    ['^(?!.*@x\\.com).*', 'me@x.com', false],
    ['^(?=.*\\d)(?=.*[a-z]).{4,}$', 'abc1', true],
    ['^(?=.*\\d)(?=.*[a-z]).{4,}$', 'abcd', false],
    ['foo(?!bar)', 'foobar foobaz', true],
    ['foo(?!bar)', 'foobar', false],
    ['(?<=@)x\\.com$', 'me@x.com', true],
    ['(?<!@)x\\.com$', 'me@x.com', false],
    ['^.*(?<!@x\\.com)$', 'me@y.com', true],
    ['(?i)^(?!ADMIN)', 'administrator', false],
    ['(?i:^(?!ADMIN))x', 'xadmin', true],
    ['^(?!\\s*$).+', '   ', false],
    ['^(?![\\w.-]+@test\\.(?:com|org)$)[^@]+@', 'a.b@test.org', false],
    ['^(?!😀)', '😀', false],
    ['^.(?=😀)', 'a😀', true],
    ['\\b(?!test)\\w+@', 'test@ prod@', true],
    ['(?s)^(?!.*b).', 'a\nb', false],
    ['^(?!.*b).', 'a\nb', true],
    ['(?m)^(?=b)', 'a\nb', true],
  ])('%s in %j: %s', (pattern, text, expected) => expect(search(pattern, text)).toBe(expected));

  it.each([
    '(a)\\1(?=b)',
    '(?>a)(?=b)',
    'a++(?=b)',
    '(?=a)*',
    '(?=a',
    '[z-a](?=b)',
    '(?=a))',
    '\\pL(?=a)',
    'a{1001}(?=b)',
    '(?=(a{1000}){1000})',
  ])('%s is not supported', (pattern) => expect(() => search(pattern, 'aab')).toThrow());

  it.each(['(?=(a+)+$)', '(a|aa)+(?!a)b', '^(?!(a*)*b).*(?=(x+x+)+y)', '(?<=(a+)+)b', '(?=(?=(?=(a|b)*c)))'])(
    '%s comes to an end',
    (pattern) => expect(search(pattern, `${'a'.repeat(3000)}!`)).not.toBe(true),
  );

  it('gives up after too many steps', () => {
    expect(searchProgram(compileProgram(parsePattern('(?=.*b)'), 100), 'a'.repeat(300_000), STEPS)).toBeNull();
  });
});

/** Patterns whose meaning is the same in JavaScript, with look-around in every place. */
const piece = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom('a', 'b', 'c', '.', '[ab]', '[^a]', '\\w', '\\d', '1', ' ', '\\b', '\\B', '\\.'),
  },
  { weight: 1, arbitrary: fc.constantFrom('^', '$') },
);
const quantifier = fc.constantFrom('', '', '', '*', '+', '?', '{2}', '{1,2}', '{0,}', '*?', '+?');
const isAnchor = (text: string): boolean => ['^', '$', '\\b', '\\B'].includes(text);
const { pattern: randomPattern } = fc.letrec<{ pattern: string; sequence: string; item: string }>((tie) => ({
  item: fc.oneof(
    { maxDepth: 3 },
    { weight: 5, arbitrary: fc.tuple(piece, quantifier).map(([one, times]) => (isAnchor(one) ? one : one + times)) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(fc.constantFrom('(?=', '(?!', '(?<=', '(?<!'), tie('pattern'))
        .map(([open, body]) => `${open}${body})`),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.constantFrom('(', '(?:'), tie('pattern'), quantifier)
        .map(([open, body, times]) => `${open}${body})${times}`),
    },
  ),
  sequence: fc.array(tie('item'), { minLength: 1, maxLength: 4 }).map((items) => items.join('')),
  pattern: fc.array(tie('sequence'), { minLength: 1, maxLength: 2 }).map((options) => options.join('|')),
}));
const randomText = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '1', ' ', '.'), maxLength: 8 });

describe('random patterns', () => {
  it('find what JavaScript finds', () => {
    fc.assert(
      fc.property(randomPattern, fc.array(randomText, { minLength: 5, maxLength: 5 }), (pattern, texts) => {
        const expected = texts.map((text) => new RegExp(pattern, 'u').test(text));
        expect([pattern, ...texts.map((text) => search(pattern, text))]).toEqual([pattern, ...expected]);
      }),
      { numRuns: 1500, seed: 14 },
    );
  });

  it('find the same when they are split into patterns without look-around', () => {
    const plain = fc.constantFrom('a', '.*a', 'b+', '[ab]{2}', '.*c1', '(?:a|b)c', ' ', 'a$', '(a|)');
    const look = fc.tuple(fc.constantFrom('(?=', '(?!'), plain).map(([open, body]) => `${open}${body})`);
    const behind = fc.tuple(fc.constantFrom('(?<=', '(?<!'), plain).map(([open, body]) => `${open}${body})`);
    const anchored = fc
      .tuple(fc.array(look, { maxLength: 3 }), plain, fc.array(behind, { maxLength: 2 }))
      .map(
        ([ahead, rest, back]) =>
          `^${ahead.join('')}${rest.replace('$', '')}${back.length > 0 ? `${back.join('')}$` : ''}`,
      );
    const pattern = fc.array(anchored, { minLength: 1, maxLength: 2 }).map((options) => options.join('|'));
    fc.assert(
      fc.property(pattern, fc.array(randomText, { minLength: 5, maxLength: 5 }), (given, texts) => {
        const options = splitPattern(given);
        const found = (text: string) =>
          options?.some((tests) => tests.every((test) => searchPattern(test.pattern, text) !== test.isNegative));
        expect([given, ...texts.map(found)]).toEqual([given, ...texts.map((text) => new RegExp(given).test(text))]);
        expect(texts.map((text) => search(given, text))).toEqual(texts.map((text) => new RegExp(given).test(text)));
      }),
      { numRuns: 800, seed: 15 },
    );
  });
});

describe('splitting', () => {
  it.each([
    [
      '^(?!.*@x\\.com)',
      [
        [
          { pattern: '^(?:.*@x\\.com)', isNegative: true },
          { pattern: '^', isNegative: false },
        ],
      ],
    ],
    [
      '(?i)^(?!a)(?=b)c$',
      [
        [
          { pattern: '(?i)^(?:a)', isNegative: true },
          { pattern: '(?i)^(?:b)', isNegative: false },
          { pattern: '(?i)^(?:c$)', isNegative: false },
        ],
      ],
    ],
    ['foo(?!bar)', null],
    ['(?!a)', null],
    ['^(?!a(?=b))', null],
    ['^(?i)(?!a)', null],
    ['(?m)^(?!a)', null],
    ['^(?!(a)\\1)', null],
  ])('%s', (pattern, expected) => expect(splitPattern(pattern)).toEqual(expected));
});
