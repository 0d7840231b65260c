import { describe, expect, it } from 'vitest';
import { withDates } from './with-dates.ts';

const TODAY = '2026-11-16';

describe("a dashboard's date range", () => {
  it('replaces the dates of an insight', () => {
    const filters = { insight: 'TRENDS', date_from: '-7d', display: 'ActionsBar' };
    expect(withDates(filters, { date_from: '-30d' }, TODAY)).toEqual({ ...filters, date_from: '-30d' });
    expect(withDates(filters, {}, TODAY)).toEqual(filters);
  });

  it.each([
    ['Day', '-7d', undefined, 8],
    ['Day', '-30d', undefined, 31],
    ['Day', 'mStart', undefined, 16],
    ['Day', '2026-11-01', '2026-11-10', 10],
    ['Day', 'dStart', undefined, 2],
    ['Day', '-90d', undefined, 60],
    ['Day', 'all', undefined, 60],
    // Sunday, November 15, began a week.
    ['Week', '-7d', undefined, 2],
    ['Week', '-30d', undefined, 6],
    ['Month', 'yStart', undefined, 11],
    ['Month', '-90d', undefined, 4],
    ['Hour', '-24h', undefined, 48],
    [undefined, '-14d', undefined, 15],
  ])('makes retention by %s from %s to %s show %i periods', (period, date_from, date_to, expected) => {
    const filters = { insight: 'RETENTION', total_intervals: 8, ...(period && { period }) };
    const dates = { date_from, ...(date_to && { date_to }) };
    expect(withDates(filters, dates, TODAY)).toEqual({ ...filters, ...dates, total_intervals: expected });
  });

  it('leaves retention as it is without an override', () => {
    expect(withDates({ insight: 'RETENTION', total_intervals: 8 }, {}, TODAY)).toEqual({
      insight: 'RETENTION',
      total_intervals: 8,
    });
  });
});
