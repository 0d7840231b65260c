import { expect, it } from 'vitest';
import { readDays } from './general.tsx';
import { cleanPath } from './path-cleaning.tsx';
import { readFilters } from './test-accounts.tsx';

it.each([
  ['', null],
  ['30', 30],
  ['0', 'invalid'],
  ['1.5', 'invalid'],
  ['soon', 'invalid'],
  ['40000', 'invalid'],
])('reads a retention of %j days as %j', (text, days) => {
  expect(readDays(text)).toBe(days);
});

it('applies path cleaning rules in order, and skips invalid patterns', () => {
  const rules = [
    { regex: '\\d+', alias: ':id' },
    { regex: '(', alias: 'never' },
    { regex: '^/(shop)', alias: '$1' },
  ];
  expect(cleanPath('/shop/orders/12/items/7', rules)).toBe('$1/orders/:id/items/:id');
});

it('reads test account filters, or null if the form cannot show them', () => {
  const filter = { type: 'person', key: 'email', operator: 'not_icontains', value: '@example.org' };
  expect(readFilters([filter])).toEqual([filter]);
  expect(readFilters([{ key: 'plan', value: ['pro'] }])).toEqual([
    { type: 'event', key: 'plan', operator: 'exact', value: ['pro'] },
  ]);
  expect(readFilters([filter, { type: 'cohort', key: 'id', value: 3 }])).toBeNull();
  expect(readFilters([null])).toBeNull();
});
