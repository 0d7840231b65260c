import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csvLine } from './csv-line.ts';

describe('a cell that a spreadsheet would run', () => {
  it.each([
    ['=1+1', "'=1+1"],
    ['+1-800-CALL', "'+1-800-CALL"],
    ['-2+3', "'-2+3"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "'\t=1"],
    [' =1', "' =1"],
    ['＝1', "'＝1"],
    ['-', "'-"],
    ['--', "'--"],
    ['+1 2', "'+1 2"],
    ['-5\n=1', '"\'-5\n=1"'],
  ])('%j begins with an apostrophe', (cell, written) => {
    expect(csvLine([cell])).toBe(`${written}\r\n`);
    expect(csvLine([cell], 'raw')).not.toContain("'");
  });

  it('is quoted after the apostrophe', () => {
    expect(csvLine(['=HYPERLINK("http://x","y")'])).toBe('"\'=HYPERLINK(""http://x"",""y"")"\r\n');
    expect(csvLine(['\r=1'])).toBe('"\'\r=1"\r\n');
    expect(csvLine(['=A1,B1'], 'raw')).toBe('"=A1,B1"\r\n');
  });
});

it.each(['-5', '+5', '-5.25', '-.5', '1e-7', '-1E+30', '0', '', 'a=1', 'a@example.org', '2020-01-01', "'=1"])(
  'leaves %j as it is',
  (cell) => {
    expect(csvLine([cell])).toBe(`${cell}\r\n`);
  },
);

it('leaves every number as it is', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (n) => csvLine([String(n)]) === `${n}\r\n`),
  );
});
