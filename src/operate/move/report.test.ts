import { expect, it } from 'vitest';
import { addText, type Sums } from './checksums.ts';
import { eventsLine, sayReport, tableLine } from './report.ts';

const sumsOf = (...rows: [string, string][]): Sums => {
  const sums: Sums = new Map();
  for (const [key, text] of rows) addText(sums, key, text);
  return sums;
};

it('is a small table, with every place where the sides differ', () => {
  const same = { source: sumsOf(['1', 'a']), target: sumsOf(['1', 'a']) };
  const lines = [
    tableLine('persons', same),
    tableLine('roles', { source: new Map(), target: new Map() }),
    tableLine('users', { source: sumsOf(['', 'a']), target: new Map() }),
    eventsLine({ source: sumsOf(['1 -1', 'a'], ['1 20000', 'b']), target: sumsOf(['1 -1', 'c'], ['1 20000', 'b']) }),
  ];
  expect(sayReport(lines)).toBe(
    [
      '                 source         target',
      'persons               1              1  same',
      'users                 1              0  DIFFERENT',
      'events                2              2  DIFFERENT',
      '',
      'users: what belongs to no project: 1 rows, 0 there',
      'events: project 1, 1969-12-31: 1 rows, not the same',
    ].join('\n'),
  );
});
