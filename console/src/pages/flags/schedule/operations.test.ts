import { expect, it } from 'vitest';
import { describeOperation, rampOf, readPercentages } from './operations.ts';

it.each([
  ['1, 10, 50, 100', [1, 10, 50, 100]],
  ['0.5 → 100', [0.5, 100]],
  ['', null],
  ['10, 5', null],
  ['10, 10', null],
  ['101', null],
  ['ten', null],
])('reads the steps of %j', (text, expected) => {
  expect(readPercentages(text)).toEqual(expected);
});

it.each([
  [{ operation: 'update_status', value: true }, 'Enable the flag'],
  [{ operation: 'update_status', value: false }, 'Disable the flag'],
  [{ operation: 'add_release_condition', value: { groups: [{}] } }, 'Add 1 release condition'],
  [{ operation: 'update_variants', value: { variants: [] } }, 'Replace the variants'],
  [rampOf(1, [1, 50], 0, 24), 'Roll out condition 2: 1% → 50%'],
  [rampOf(0, [5], 0, 24, 'a1'), 'Roll out condition 1: 5%, until an alert fires'],
])('describes %j', (payload, text) => {
  expect(describeOperation({ payload })).toBe(text);
});

it('spreads the steps of a gradual rollout', () => {
  const { value } = rampOf(0, [1, 50], Date.parse('2026-01-01T09:00:00Z'), 24);
  expect(value.steps.map(({ at }) => at)).toEqual(['2026-01-01T09:00:00.000Z', '2026-01-02T09:00:00.000Z']);
});
