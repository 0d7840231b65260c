import { describe, expect, it } from 'vitest';
import { bigNumber, chartOf, chooseDisplay, possibleDisplays, readDisplay, type SqlRows } from './sql-chart.ts';

const rows = (types: Record<string, string>, results: unknown[][]): SqlRows => ({
  columns: Object.keys(types),
  types: Object.entries(types),
  results,
});
const BY_DAY = rows({ day: 'Date', n: 'UInt64' }, [
  ['2026-01-02', 2],
  ['2026-01-01', 1],
]);

describe('the chart of a statement', () => {
  it.each([
    ['a number', rows({ n: 'UInt64' }, [[5]]), 'number'],
    ['days', BY_DAY, 'line'],
    [
      'names',
      rows({ event: 'String', n: 'Int64' }, [
        ['a', 1],
        ['b', 2],
      ]),
      'bar',
    ],
    [
      'texts',
      rows({ event: 'String', who: 'String' }, [
        ['a', 'b'],
        ['c', 'd'],
      ]),
      'table',
    ],
    ['one row', rows({ event: 'String', n: 'Int64' }, [['a', 1]]), 'table'],
    ['nothing', rows({ n: 'UInt64' }, []), 'table'],
  ])('of %s is chosen from the columns', (_name, given, expected) => {
    expect(chooseDisplay(given)).toBe(expected);
  });

  it('sorts days, and has a line for each column with numbers', () => {
    const chart = chartOf(
      rows({ n: 'Nullable(Float64)', day: "DateTime64(6, 'UTC')", m: 'Int64' }, [
        [2, '2026-01-02T00:00:00.000Z', 20],
        [null, '2026-01-01T00:00:00.000Z', 10],
      ]),
    );
    expect(chart?.ticks.map(({ label }) => label)).toEqual(['Jan 1', 'Jan 2']);
    expect(chart?.series.map(({ name, values }) => [name, values])).toEqual([
      ['n', [null, 2]],
      ['m', [10, 20]],
    ]);
  });

  it('has a line for each value of a second text', () => {
    const chart = chartOf(
      rows({ day: 'Date', browser: 'String', n: 'Int64' }, [
        ['2026-01-01', 'Firefox', 1],
        ['2026-01-01', 'Chrome', 2],
        ['2026-01-02', 'Chrome', 3],
      ]),
    );
    expect(chart?.series.map(({ name, values }) => [name, values])).toEqual([
      ['Firefox', [1, null]],
      ['Chrome', [2, 3]],
    ]);
  });

  it('draws at most 20 series, and says so', () => {
    const many = Array.from({ length: 30 }, (_, i) => ['2026-01-01', `b${i}`, i]);
    const chart = chartOf(rows({ day: 'Date', browser: 'String', n: 'Int64' }, many));
    expect([chart?.series.length, chart?.isCut]).toEqual([20, true]);
  });

  it('is no chart without numbers', () => {
    expect(possibleDisplays(rows({ a: 'String' }, [['x']]))).toEqual(['table']);
    expect(possibleDisplays(BY_DAY)).toEqual(['table', 'line', 'bar', 'number']);
  });

  it('shows the first number of the last row', () => {
    expect(bigNumber(BY_DAY)).toEqual({ name: 'n', value: 1 });
    expect(readDisplay('BoldNumber')).toBe('number');
    expect(readDisplay('else')).toBeNull();
  });
});
