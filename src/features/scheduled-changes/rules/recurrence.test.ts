import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextTime, readCron } from './recurrence.ts';

const at = (iso: string): number => Date.parse(iso);
const next = (first: string, after: string, interval: 'daily' | 'weekly' | 'monthly' | 'yearly', timezone = 'UTC') =>
  new Date(nextTime(at(first), at(after), { interval, cron: null, timezone }) ?? 0).toISOString();

describe('intervals', () => {
  it.each([
    ['daily', '2026-01-01T09:00:00Z', '2026-01-01T09:00:00Z', '2026-01-02T09:00:00.000Z'],
    ['daily', '2026-01-01T09:00:00Z', '2026-03-05T08:59:59Z', '2026-03-05T09:00:00.000Z'],
    ['weekly', '2026-01-01T09:00:00Z', '2026-01-20T00:00:00Z', '2026-01-22T09:00:00.000Z'],
    ['monthly', '2026-01-31T09:00:00Z', '2026-01-31T09:00:00Z', '2026-02-28T09:00:00.000Z'],
    ['monthly', '2026-01-31T09:00:00Z', '2026-02-28T09:00:00Z', '2026-03-31T09:00:00.000Z'],
    ['yearly', '2024-02-29T09:00:00Z', '2026-01-01T00:00:00Z', '2026-02-28T09:00:00.000Z'],
    ['yearly', '2024-02-29T09:00:00Z', '2027-12-31T00:00:00Z', '2028-02-29T09:00:00.000Z'],
    ['daily', '2026-05-01T09:00:00Z', '2026-01-01T00:00:00Z', '2026-05-01T09:00:00.000Z'],
  ] as const)('%s from %s: after %s comes %s', (interval, first, after, expected) => {
    expect(next(first, after, interval)).toBe(expected);
  });

  it.each([
    // Clocks go forward at 02:00: 02:30 does not exist, and is 03:30.
    ['Europe/Berlin', '2026-03-28T01:30:00Z', '2026-03-29T01:30:00.000Z'],
    // 09:00 stays 09:00.
    ['America/Sao_Paulo', '2018-11-03T12:00:00Z', '2018-11-04T11:00:00.000Z'],
    ['Africa/Cairo', '2026-04-23T07:00:00Z', '2026-04-24T06:00:00.000Z'],
    ['Australia/Lord_Howe', '2026-10-03T00:00:00Z', '2026-10-03T23:30:00.000Z'],
    // Clocks go back at 02:00: 01:30 comes twice, and counts once.
    ['America/New_York', '2026-10-31T05:30:00Z', '2026-11-01T05:30:00.000Z'],
  ])('keep to the clocks of %s', (timezone, first, expected) => {
    expect(next(first, first, 'daily', timezone)).toBe(expected);
  });

  it('come one after the other, never twice, whatever was missed', () => {
    const zones = fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Pacific/Apia');
    const intervals = fc.constantFrom('daily', 'weekly', 'monthly', 'yearly');
    const times = fc.integer({ min: at('2024-01-01T00:00:00Z'), max: at('2027-01-01T00:00:00Z') });
    const check = (
      timezone: string,
      interval: 'daily' | 'weekly' | 'monthly' | 'yearly',
      first: number,
      now: number,
    ) => {
      const rule = { interval, cron: null, timezone };
      const found = nextTime(first, now, rule) ?? 0;
      expect(found).toBeGreaterThan(now);
      // Nothing lies between: just before it, it is still the next.
      expect(nextTime(first, found - 1, rule)).toBe(found);
      expect(nextTime(first, found, rule) ?? 0).toBeGreaterThan(found);
    };
    fc.assert(fc.property(zones, intervals, times, times, check), { numRuns: 300 });
  });
});

describe('cron expressions', () => {
  const cron = (text: string, after: string, timezone = 'UTC') =>
    new Date(nextTime(0, at(after), { interval: null, cron: text, timezone }) ?? 0).toISOString();

  it.each([
    ['0 9 * * 1', '2026-01-01T00:00:00Z', 'UTC', '2026-01-05T09:00:00.000Z'],
    ['0 9 * * 1', '2026-01-05T09:00:00Z', 'UTC', '2026-01-12T09:00:00.000Z'],
    ['*/15 * * * *', '2026-01-01T00:07:30Z', 'UTC', '2026-01-01T00:15:00.000Z'],
    ['0 9 * * *', '2026-03-28T10:00:00Z', 'Europe/Berlin', '2026-03-29T07:00:00.000Z'],
    ['30 1 * * *', '2026-11-01T05:30:00Z', 'America/New_York', '2026-11-02T06:30:00.000Z'],
  ])('%s after %s in %s is %s', (text, after, timezone, expected) => {
    expect(cron(text, after, timezone)).toBe(expected);
  });

  it.each(['', '* * * *', '* * * * * *', '61 * * * *', 'x * * * *', '0 0 30 2 *', '@daily'])('refuses %j', (text) => {
    expect(readCron(text, at('2026-01-01T00:00:00Z'), 'UTC')).toBeUndefined();
  });

  it('accepts five fields with any blanks', () => {
    expect(readCron(' 0  9\t* * 1-5 ', at('2026-01-01T00:00:00Z'), 'UTC')).toBe('0 9 * * 1-5');
  });
});
