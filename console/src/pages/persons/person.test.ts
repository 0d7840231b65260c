import { describe, expect, it } from 'vitest';
import { sortProperties } from '../../components/property-list.tsx';
import { describeReason } from '../flags/model/reasons.ts';
import { draftOf, readDraft, type ValueKind } from './property-values.ts';

describe('a property in a form', () => {
  it.each(['text', '', 12.5, -3, true, false, null, [1, 'a'], { a: { b: null } }])(
    'is the same after editing: %j',
    (value) => {
      expect(readDraft(draftOf(value))).toEqual({ value });
    },
  );
  it.each<[ValueKind, string, string]>([
    ['number', '', 'Not a number'],
    ['number', '12,5', 'Not a number'],
    ['number', '1e999', 'Not a number'],
    ['json', '{a: 1}', 'Invalid JSON'],
    ['json', '', 'Invalid JSON'],
  ])('of type %s rejects %j', (kind, text, problem) => {
    expect(readDraft({ kind, text })).toEqual({ problem: expect.stringContaining(problem) });
  });
  it('is sorted before the properties that SDKs set', () => {
    expect(sortProperties({ $os: 1, plan: 2, $browser: 3, email: 4 }).map(([key]) => key)).toEqual([
      'email',
      'plan',
      '$browser',
      '$os',
    ]);
  });
});

it.each<[string, number | null, string]>([
  ['condition_match', 1, 'Matches condition 2 and is within its rollout.'],
  ['out_of_rollout_bound', 0, 'Matches condition 1, but is not within its rollout.'],
  ['out_of_rollout_bound', null, 'Matches a condition, but is not within its rollout.'],
  ['no_condition_match', null, "Doesn't match any release condition."],
  ['disabled', null, 'The flag is disabled.'],
  ['failed', null, 'the server says'],
])('describes the reason %s with index %j', (reason, condition_index, text) => {
  expect(describeReason({ reason, condition_index, description: 'the server says' })).toBe(text);
});
