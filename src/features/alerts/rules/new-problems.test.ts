import { describe, expect, it } from 'vitest';
import { DAY_MS } from '../../../core/time/units.ts';
import { newProblems, problemNotes } from './new-problems.ts';

const day = (name: string, first: number, last = first) => ({ name, first: first * DAY_MS, last: last * DAY_MS });
const found = (days: Parameters<typeof newProblems>[0], from = 14) =>
  newProblems(days, from * DAY_MS).map(({ at, name }) => [name, at / DAY_MS]);

describe('new problems', () => {
  const cases: [string, Parameters<typeof newProblems>[0], unknown][] = [
    ['one that was never seen is new', [day('a', 15)], [['a', 15]]],
    ['one that is seen each day is not', [day('a', 1), day('a', 14), day('a', 15)], []],
    ['one that comes back after 14 days is new', [day('a', 1), day('a', 15)], [['a', 15]]],
    ['one that comes back sooner is not', [day('a', 1.1, 1.5), day('a', 15.4)], []],
    ['the last time of a day counts', [day('a', 1, 1.9), day('a', 15.8)], []],
    ['one from before the range is not told', [day('a', 2)], []],
    [
      'each name is new once',
      [day('b', 16), day('a', 15), day('a', 16)],
      [
        ['a', 15],
        ['b', 16],
      ],
    ],
  ];
  for (const [name, days, expected] of cases) it(name, () => expect(found(days)).toEqual(expected));

  it('are told in at most ten notes', () => {
    const problems = Array.from({ length: 12 }, (_, at) => ({ at, text: `error ${at}` }));
    expect(problemNotes(problems.slice(0, 1))).toEqual(['error 0']);
    expect(problemNotes(problems).slice(-2)).toEqual(['error 9', 'and 2 more']);
  });
});
