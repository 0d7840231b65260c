import { describe, expect, it } from 'vitest';
import { sentenceOfReason } from './flag-reasons.ts';
import { byDay } from './group-by-day.ts';
import { draftOf, readDraft, sortedProperties, type ValueKind } from './property-values.ts';

describe('a property in a form', () => {
  it.each(['text', '', 12.5, -3, true, false, null, [1, 'a'], { a: { b: null } }])(
    'comes back as it was: %j',
    (value) => {
      expect(readDraft(draftOf(value))).toEqual({ value });
    },
  );
  it.each<[ValueKind, string, string]>([
    ['number', '', 'no number'],
    ['number', '12,5', 'no number'],
    ['number', '1e999', 'no number'],
    ['json', '{a: 1}', 'no JSON'],
    ['json', '', 'no JSON'],
  ])('of kind %s says what is wrong with %j', (kind, text, problem) => {
    expect(readDraft({ kind, text })).toEqual({ problem: expect.stringContaining(problem) });
  });
  it('stands before what SDKs set by themselves', () => {
    expect(sortedProperties({ $os: 1, plan: 2, $browser: 3, email: 4 }).map(([key]) => key)).toEqual([
      'email',
      'plan',
      '$browser',
      '$os',
    ]);
  });
});

it('cuts events into days of the zone of the project', () => {
  const events = ['2026-01-16T00:30:00Z', '2026-01-15T23:30:00Z', '2026-01-15T22:30:00Z'].map((timestamp) => ({
    timestamp,
  }));
  const cut = (zone: string) => byDay(events, zone).map(({ date, items }) => [date, items.length]);
  expect(cut('UTC')).toEqual([
    ['16 Jan 2026', 1],
    ['15 Jan 2026', 2],
  ]);
  expect(cut('Europe/Berlin')).toEqual([
    ['16 Jan 2026', 2],
    ['15 Jan 2026', 1],
  ]);
});

it.each<[boolean | string, string, number | null, string]>([
  [true, 'condition_match', 1, 'Condition 2 fits.'],
  ['blue', 'condition_match', 0, 'Condition 1 fits, and the person falls into the share of this variant.'],
  [false, 'no_condition_match', null, 'None of its conditions fits the person.'],
  [false, 'disabled', null, 'It is switched off for everybody.'],
  [false, 'failed', null, 'the server says'],
])('%s by %s is because: %s %s', (value, reason, condition_index, sentence) => {
  const evaluation = { reason, condition_index, description: 'the server says' };
  expect(sentenceOfReason({ value, evaluation })).toBe(sentence);
});
