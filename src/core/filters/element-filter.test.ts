import { describe, expect, it } from 'vitest';
import { createPatternSearch } from '../../lib/search-pattern.ts';
import { elementsChain } from '../events/elements-chain.ts';
import { matchesElement } from './element-filter.ts';
import { readFilters } from './parse-filters.ts';
import type { FilterOperator, PropertyFilter } from './property-filter.ts';

/** A link in a list item in a page, the innermost first. */
const LINK = elementsChain([
  {
    tag_name: 'a',
    attr__class: 'btn primary md:flex',
    attr__href: '/buy?x=1;y',
    attr__id: 'buy',
    'attr__data-x': 'say "hi"; div.fake',
    nth_child: 2,
    nth_of_type: 1,
    $el_text: 'Buy "now"',
  },
  { tag_name: 'li', attr__class: 'item' },
  { tag_name: 'ul' },
  { tag_name: 'body', attr__class: 'dark' },
]);

const element = (key: string, operator: FilterOperator, ...values: string[]): PropertyFilter => ({
  kind: 'property',
  owner: 'element',
  key,
  operator,
  values,
});
const fits = (filter: PropertyFilter, chain = LINK): boolean => matchesElement(filter, chain, createPatternSearch());

describe('a selector', () => {
  it.each([
    'a',
    '*',
    'li',
    '.btn',
    'a.btn',
    'a.primary.btn',
    'a.btn.primary',
    '#buy',
    'a#buy.btn',
    'a[id="buy"]',
    'a[href="/buy?x=1;y"]',
    "a[href='/buy?x=1;y'].btn:nth-child(2)",
    ':nth-of-type(1)',
    'li a',
    'li > a',
    'ul a',
    'ul > li > a.btn',
    'body.dark a',
    'body > ul li',
    '* > a',
    'body ul li a',
    '[data-x=\'say "hi"; div.fake\']',
  ])('finds %s', (selector) => {
    expect(fits(element('selector', 'exact', selector))).toBe(true);
    expect(fits(element('selector', 'is_not', selector))).toBe(false);
  });

  it.each([
    'b',
    'ab',
    '.bt',
    '.btnx',
    'li.btn',
    '#bu',
    'a[href="/buy"]',
    'a:nth-child(1)',
    'ul > a',
    'a li',
    'body > li',
    'div',
    'div.fake',
    '.fake',
    'a.item',
  ])('does not find %s', (selector) => {
    expect(fits(element('selector', 'exact', selector))).toBe(false);
    expect(fits(element('selector', 'is_not', selector))).toBe(true);
  });

  it.each(['', '>', 'a >', '> a', 'a > > b', 'a:hover', 'a[href^="/x"]', 'a,b', 'a[', 'x'.repeat(1001)])(
    'is refused where it is not understood: %s',
    (selector) => {
      const filters = [{ key: 'selector', type: 'element', value: selector }];
      expect(() => readFilters(filters)).toThrow(/is not understood/);
    },
  );

  it('is one of several', () => {
    expect(fits(element('selector', 'exact', 'b', 'li'))).toBe(true);
    expect(fits(element('selector', 'is_not', 'b', 'li'))).toBe(false);
    expect(fits(element('selector', 'is_not', 'b', 'i'))).toBe(true);
  });

  it('takes linear time', () => {
    const long = elementsChain(Array.from({ length: 2000 }, () => ({ tag_name: 'div', attr__class: 'a b c' })));
    const began = performance.now();
    expect(fits(element('selector', 'exact', 'p div .a.b div > div span'), long)).toBe(false);
    expect(performance.now() - began).toBeLessThan(2000);
  });
});

describe('a selector with escapes', () => {
  const chain = elementsChain([
    {
      tag_name: 'button',
      attr__class: 'md:flex w-1/2 p-1.5 2xl:hidden [&>li]:mt-2 group/item',
      attr__id: 'a:b',
      'attr__data-x': 'say "hi" \\ ]',
    },
    { tag_name: 'x:y' },
  ]);
  it.each([
    String.raw`button.md\:flex`,
    String.raw`.md\:flex.w-1\/2`,
    String.raw`.p-1\.5`,
    String.raw`.\32xl\:hidden`,
    String.raw`.\32 xl\:hidden`,
    String.raw`.\[\&\>li\]\:mt-2`,
    String.raw`x\:y > button.group\/item`,
    String.raw`x\:y>.md\:flex`,
    String.raw`#a\:b`,
    '[id="a:b"]',
    String.raw`[id=a\:b]`,
    String.raw`[data-x="say \"hi\" \\ ]"]`,
    String.raw`[data\-x='say "hi" \5c  ]']`,
  ])('finds %s', (selector) => {
    expect(fits(element('selector', 'exact', selector), chain)).toBe(true);
  });

  it.each([String.raw`.md\:fle`, String.raw`.md\:flexx`, String.raw`.p-1\.6`, String.raw`#a\.b`])(
    'does not find %s',
    (selector) => {
      expect(fits(element('selector', 'exact', selector), chain)).toBe(false);
    },
  );

  it.each(['.a\\', '.md:flex', '.md\\\\:flex', '[x="a]'])('is refused where it is not understood: %s', (selector) => {
    expect(() => readFilters([{ key: 'selector', type: 'element', value: selector }])).toThrow(/is not understood/);
  });
});

describe('a filter on elements', () => {
  const CASES: [string, PropertyFilter, boolean][] = [
    ['the tag of any of them', element('tag_name', 'exact', 'ul'), true],
    ['no part of a tag', element('tag_name', 'exact', 'u'), false],
    ['none of these tags', element('tag_name', 'is_not', 'b', 'i'), true],
    ['the whole text', element('text', 'exact', 'Buy "now"'), true],
    ['no part of the text', element('text', 'exact', 'Buy'), false],
    ['a part of the text, whatever its case', element('text', 'icontains', 'BUY "N'), true],
    ['a text that is not there', element('text', 'not_icontains', 'sell'), true],
    ['a pattern of the text', element('text', 'regex', 'B.y.*'), true],
    ['no pattern of a part', element('text', 'regex', 'B'), false],
    ['a text that no pattern fits', element('text', 'not_regex', 'S.*'), true],
    ['an invalid pattern, which finds nothing', element('text', 'regex', '('), false],
    ['and keeps nothing out', element('text', 'not_regex', '('), false],
    ['an address', element('href', 'exact', '/buy?x=1;y'), true],
    ['a part of an address', element('href', 'icontains', '/buy'), true],
    ['that there is an address', element('href', 'is_set'), true],
    ['that there is none', element('href', 'is_not_set'), false],
    ['nothing in quotes', element('tag_name', 'exact', ' div'), false],
  ];
  it.each(CASES)('matches by %s', (_name, filter, expected) => {
    expect(fits(filter)).toBe(expected);
  });

  it('finds nothing where nothing was clicked', () => {
    expect(fits(element('tag_name', 'exact', 'a'), '')).toBe(false);
    expect(fits(element('text', 'is_not_set'), '')).toBe(true);
    expect(fits(element('selector', 'is_not', 'a'), '')).toBe(true);
  });

  it.each([
    [{ key: 'colour', value: 'red', type: 'element' }, /tag_name, text, href and selector/],
    [{ key: 'tag_name', value: 'a', type: 'element', operator: 'regex' }, /support exact, is_not; not regex/],
    [{ key: 'text', value: '5', type: 'element', operator: 'gt' }, /not gt/],
    [{ key: 'x', value: '5', type: 'session' }, /Sessions have no such property\. They have \$session_duration, /],
    [{ key: 'x', value: '5', type: 'group' }, /group_type_index from 0 to 4/],
    [{ key: 'x', value: '5', type: 'group', group_type_index: 5 }, /group_type_index from 0 to 4/],
    [{ key: 'x', value: '5', type: 'hogql' }, /not supported here/],
  ])('is rejected if it could never match: %j', (filter, problem) => {
    expect(() => readFilters([filter])).toThrow(problem);
  });
});
