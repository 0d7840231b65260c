import fc from 'fast-check';
import { expect, it } from 'vitest';
import { elementsChain } from './elements-chain.ts';
import { parseElements } from './parse-elements.ts';

const NOTHING = {
  event: null,
  text: null,
  attr_class: null,
  href: null,
  attr_id: null,
  nth_child: null,
  nth_of_type: null,
  attributes: {},
};

it('reads what was clicked, the innermost element first', () => {
  const chain = elementsChain([
    {
      tag_name: 'a',
      attr__class: 'md:flex btn w-1/2',
      attr__href: '/buy?x=1;y',
      attr__id: 'buy',
      'attr__data-x': 'say "hi"; div.fake \\ :',
      nth_child: 2,
      nth_of_type: 1,
      $el_text: 'Buy "now"',
    },
    { tag_name: 'div' },
  ]);
  expect(parseElements(chain)).toEqual([
    {
      event: null,
      text: 'Buy "now"',
      tag_name: 'a',
      attr_class: ['btn', 'md:flex', 'w-1/2'],
      href: '/buy?x=1;y',
      attr_id: 'buy',
      nth_child: 2,
      nth_of_type: 1,
      attributes: {
        attr__class: 'md:flex btn w-1/2',
        'attr__data-x': 'say "hi"; div.fake \\ :',
        attr__href: '/buy?x=1;y',
        attr__id: 'buy',
      },
      order: 0,
    },
    { ...NOTHING, tag_name: 'div', order: 1 },
  ]);
});

it.each([
  ['', []],
  ['div', [{ ...NOTHING, tag_name: 'div', order: 0 }]],
  ['.a', [{ ...NOTHING, tag_name: null, attr_class: ['a'], order: 0 }]],
  ['a:nth-child="x"', [{ ...NOTHING, tag_name: 'a', order: 0 }]],
])('reads %j', (chain, elements) => {
  expect(parseElements(chain)).toEqual(elements);
});

it('reads any text without failing', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', '.', ':', ';', '"', '\\', '=', '-') }), (chain) => {
      expect(parseElements(chain).every(({ order }, at) => order === at)).toBe(true);
    }),
  );
});

it('takes linear time', () => {
  const began = performance.now();
  parseElements(`a:${'x="'.repeat(50_000)}`);
  parseElements('a:'.repeat(50_000));
  parseElements('"'.repeat(50_001));
  expect(performance.now() - began).toBeLessThan(2000);
});
