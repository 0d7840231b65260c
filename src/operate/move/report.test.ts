import { expect, it } from 'vitest';
import { addText, type Checksums } from './checksums.ts';
import { eventsReport, formatReport, tableReport } from './report.ts';

const sumsOf = (...rows: [string, string][]): Checksums => {
  const sums: Checksums = new Map();
  for (const [key, text] of rows) addText(sums, key, text);
  return sums;
};

it('is a small table with every difference', () => {
  const same = { source: sumsOf(['1', 'a']), target: sumsOf(['1', 'a']) };
  const lines = [
    tableReport('persons', same),
    tableReport('roles', { source: new Map(), target: new Map() }),
    tableReport('users', { source: sumsOf(['', 'a']), target: new Map() }),
    eventsReport({ source: sumsOf(['1 -1', 'a'], ['1 20000', 'b']), target: sumsOf(['1 -1', 'c'], ['1 20000', 'b']) }),
  ];
  expect(formatReport(lines)).toBe(
    [
      '                 source         target',
      'persons               1              1  same',
      'users                 1              0  DIFFERENT',
      'events                2              2  DIFFERENT',
      '',
      'users: rows without a project: 1 rows, 0 there',
      'events: project 1, 1969-12-31: 1 rows, different content',
    ].join('\n'),
  );
});
