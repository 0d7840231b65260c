import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseTimestamp } from './parse-timestamp.ts';

const shown = (value: unknown): string | undefined => {
  const ms = parseTimestamp(value);
  return ms === undefined ? undefined : new Date(ms).toISOString();
};

describe('parseTimestamp', () => {
  it.each([
    ['2021-10-29T01:02:03.456Z', '2021-10-29T01:02:03.456Z'],
    ['2021-10-29T01:02:03Z', '2021-10-29T01:02:03.000Z'],
    ['2021-10-29', '2021-10-29T00:00:00.000Z'],
    ['2021-10-29 00:00:00.000000', '2021-10-29T00:00:00.000Z'],
    ['2020-08-16 09:03:11.913767', '2020-08-16T09:03:11.913Z'],
    ['2020-08-16T09:03:11.57', '2020-08-16T09:03:11.570Z'],
    ['2021-10-29 00:00:00+00:00', '2021-10-29T00:00:00.000Z'],
    ['2021-10-29T02:00:00.123456+02:00', '2021-10-29T00:00:00.123Z'],
    ['2021-10-29T02:00:00-0330', '2021-10-29T05:30:00.000Z'],
    ['2021-10-29T02:00+01', '2021-10-29T01:00:00.000Z'],
    ['2021-W43-5', '2021-10-29T00:00:00.000Z'],
    ['2021W435T10:00', '2021-10-29T10:00:00.000Z'],
    ['2020-W01-1', '2019-12-30T00:00:00.000Z'],
    ['2021-302', '2021-10-29T00:00:00.000Z'],
    ['20211029T101112Z', '2021-10-29T10:11:12.000Z'],
    ['2021-10', '2021-10-01T00:00:00.000Z'],
    ['2021-02-30', '2021-03-02T00:00:00.000Z'],
    ['2021-02-30T00:00:00Z', '2021-03-02T00:00:00.000Z'],
    ['Fri, 29 Oct 2021 10:00:00 GMT', '2021-10-29T10:00:00.000Z'],
    ['Fri, 29 Oct 2021 10:00:00 +0200', '2021-10-29T08:00:00.000Z'],
    ['Oct 29 2021 10:00:00', '2021-10-29T10:00:00.000Z'],
    ['1635469200', '2021-10-29T01:00:00.000Z'],
    ['1635469200123', '2021-10-29T01:00:00.123Z'],
    [1635469200123, '2021-10-29T01:00:00.123Z'],
    [1635469200, '2021-10-29T01:00:00.000Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
  ])('reads %s', (value, expected) => {
    expect(shown(value)).toBe(expected);
  });

  it.each([
    ['not a date'],
    [''],
    ['2021-13-01'],
    ['2021-10-32'],
    ['2021-10-29T25:00:00'],
    ['2021-10-29T10:61:00'],
    ['2021-W54-1'],
    ['+012345-01-01T00:00:00Z'],
    ['-000001-01-01T00:00:00Z'],
    ['event 1'],
    [Number.NaN],
    [1e300],
    [true],
    [null],
    [{}],
    ['2'.repeat(1_000_000)],
  ])('rejects %s', (value) => {
    expect(parseTimestamp(value)).toBeUndefined();
  });

  it('reads every moment in ISO format', () => {
    const moments = fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true });
    fc.assert(
      fc.property(moments, (date) => {
        const iso = date.toISOString();
        expect(parseTimestamp(iso)).toBe(date.getTime());
        expect(parseTimestamp(iso.replace('T', ' ').replace('Z', ''))).toBe(date.getTime());
        expect(parseTimestamp(iso.replace('Z', '+00:00'))).toBe(date.getTime());
      }),
    );
  });

  it('never throws and stays within four-digit years', () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        const ms = parseTimestamp(value);
        if (ms !== undefined) expect(new Date(ms).toISOString()).toMatch(/^\d{4}-/);
      }),
    );
  });
});
