import { expect, it } from 'vitest';
import { readDays } from './general.tsx';
import { cleaned } from './path-cleaning.tsx';
import { readLines } from './test-accounts.tsx';

it.each([
  ['', null],
  ['30', 30],
  ['0', 'mistake'],
  ['1.5', 'mistake'],
  ['soon', 'mistake'],
  ['40000', 'mistake'],
])('keeps events for %j days: %j', (text, days) => {
  expect(readDays(text)).toBe(days);
});

it('cleans paths rule by rule, and passes over a pattern that is none', () => {
  const rules = [
    { regex: '\\d+', alias: ':id' },
    { regex: '(', alias: 'never' },
    { regex: '^/(shop)', alias: '$1' },
  ];
  expect(cleaned('/shop/orders/12/items/7', rules)).toBe('$1/orders/:id/items/:id');
});

it('shows conditions as lines where lines can show them', () => {
  const line = { type: 'person', key: 'email', operator: 'not_icontains', value: '@example.org' };
  expect(readLines([line])).toEqual([line]);
  expect(readLines([{ key: 'plan', value: ['pro'] }])).toEqual([
    { type: 'event', key: 'plan', operator: 'exact', value: ['pro'] },
  ]);
  expect(readLines([line, { type: 'cohort', key: 'id', value: 3 }])).toBeNull();
  expect(readLines([null])).toBeNull();
});
