import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aZone } from '../../../test/support/insight-worlds.ts';
import { INTERVALS, type Interval, nextIntervalStart, startOfInterval } from './interval.ts';
import { tickIndex, tickNames, ticksOf } from './ticks.ts';
import { HOUR_MS } from './units.ts';

const at = (text: string): number => Date.parse(text);
const dayOf = (start: number, interval: Interval, zone: string): string =>
  tickNames([start], interval, zone)[0]?.day ?? '';
const daysOf = (from: string, until: string, interval: Interval, zone: string): string[] =>
  tickNames(
    ticksOf({ from: at(from), until: at(until) }, interval, zone).map(({ start }) => start),
    interval,
    zone,
  ).map(({ day }) => day);
const hoursOf = (from: string, until: string, interval: Interval, zone: string): number[] =>
  ticksOf({ from: at(from), until: at(until) }, interval, zone).map(({ start, end }) => (end - start) / HOUR_MS);

describe('ticks', () => {
  it('have labels and sortable days', () => {
    const name = (text: string, interval: Interval, zone: string) => tickNames([at(text)], interval, zone)[0];
    expect(name('2020-01-01T00:00:00Z', 'day', 'UTC')).toEqual({ label: '1-Jan-2020', day: '2020-01-01' });
    expect(name('2020-01-01T05:00:00Z', 'hour', 'UTC')).toEqual({
      label: '1-Jan-2020 05:00',
      day: '2020-01-01 05:00:00',
    });
    expect(name('2019-12-31T23:30:00Z', 'day', 'Europe/Berlin')?.label).toBe('1-Jan-2020');
  });

  it('have a day of 23 hours in spring and one of 25 in autumn', () => {
    expect(hoursOf('2024-03-30T00:00+01:00', '2024-04-02T00:00+02:00', 'day', 'Europe/Berlin')).toEqual([24, 23, 24]);
    expect(hoursOf('2024-10-26T00:00+02:00', '2024-10-29T00:00+01:00', 'day', 'Europe/Berlin')).toEqual([24, 25, 24]);
  });

  it('leave out an hour that the clocks skip', () => {
    expect(daysOf('2024-03-31T00:00Z', '2024-03-31T03:00Z', 'hour', 'Europe/Berlin')).toEqual([
      '2024-03-31 01:00:00',
      '2024-03-31 03:00:00',
      '2024-03-31 04:00:00',
    ]);
  });

  it('have an hour twice that comes twice', () => {
    expect(daysOf('2024-10-27T00:00Z', '2024-10-27T03:00Z', 'hour', 'Europe/Berlin')).toEqual([
      '2024-10-27 02:00:00',
      '2024-10-27 02:00:00',
      '2024-10-27 03:00:00',
    ]);
  });

  it('know zones with half-hour offsets and changes', () => {
    expect(hoursOf('2024-04-06T13:00Z', '2024-04-06T17:00Z', 'hour', 'Australia/Lord_Howe')).toEqual([1, 1.5, 1, 1]);
    expect(hoursOf('2024-10-05T14:00Z', '2024-10-05T17:00Z', 'hour', 'Australia/Lord_Howe')).toEqual([1, 1, 0.5, 1]);
    expect(daysOf('2024-01-01T00:00Z', '2024-01-01T01:00Z', 'hour', 'Asia/Kolkata')).toEqual([
      '2024-01-01 05:00:00',
      '2024-01-01 06:00:00',
    ]);
  });

  it('know days without a midnight, and the day that Samoa skipped', () => {
    expect(hoursOf('2018-11-03T12:00Z', '2018-11-05T12:00Z', 'day', 'America/Sao_Paulo')).toEqual([24, 23, 24]);
    expect(daysOf('2011-12-29T12:00Z', '2012-01-01T00:00Z', 'day', 'Pacific/Apia')).toEqual([
      '2011-12-29',
      '2011-12-31',
      '2012-01-01',
    ]);
  });

  it('begin weeks on Sunday, or on Monday', () => {
    const wednesday = at('2024-05-15T10:00:00Z');
    expect(dayOf(startOfInterval(wednesday, 'week', 'UTC'), 'week', 'UTC')).toBe('2024-05-12');
    expect(dayOf(startOfInterval(wednesday, 'week', 'UTC', 'monday'), 'week', 'UTC')).toBe('2024-05-13');
    expect(dayOf(startOfInterval(at('2024-05-12T00:00Z'), 'week', 'UTC', 'monday'), 'week', 'UTC')).toBe('2024-05-06');
  });

  it('have no gaps, and every instant belongs to the tick that contains it', () => {
    const start = fc.integer({ min: at('2010-01-01'), max: at('2030-01-01') });
    const cases = fc.record({ zone: aZone, interval: fc.constantFrom(...INTERVALS), start, share: fc.nat(999) });
    fc.assert(
      fc.property(cases, ({ zone, interval, start: from, share }) => {
        const until = from + 1 + share * (interval === 'hour' ? 90_000 : interval === 'month' ? 1e8 : 2e6);
        const ticks = ticksOf({ from, until }, interval, zone);
        expect(ticks[0]?.start).toBeLessThanOrEqual(from);
        expect(ticks.at(-1)?.end).toBeGreaterThanOrEqual(until);
        ticks.forEach(({ start: begin, end }, index) => {
          expect(end).toBeGreaterThan(begin);
          expect(end).toBe(nextIntervalStart(begin, interval, zone));
          if (index > 0) expect(ticks[index - 1]?.end).toBe(begin);
        });
        for (const inside of [from, until - 1, Math.floor((from + until) / 2)]) {
          expect(ticks[tickIndex(ticks, inside)]?.start).toBe(startOfInterval(inside, interval, zone));
        }
        expect(tickIndex(ticks, (ticks[0]?.start ?? 0) - 1)).toBe(-1);
        expect(tickIndex(ticks, ticks.at(-1)?.end ?? 0)).toBe(-1);
      }),
      { numRuns: 60 },
    );
  });
});
