import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { zoned } from '../time/zoned.ts';
import { describeRecurrence } from './describe-recurrence.ts';
import { FREQUENCIES, lastOccurrence, nextOccurrence, type Recurrence, WEEKDAYS, type Weekday } from './recurrence.ts';

const rule = (start: string, rest: Partial<Recurrence> = {}): Recurrence => ({
  frequency: 'daily',
  interval: 1,
  weekdays: [],
  position: null,
  count: null,
  start: Date.parse(start),
  until: null,
  ...rest,
});

/** The first few times, as clocks in the zone show them. */
function course(of: Recurrence, timezone: string, length = 4, after = of.start - 1): string[] {
  const found: string[] = [];
  let at = nextOccurrence(of, after, timezone);
  while (at !== null && found.length < length) {
    found.push(zoned(at, timezone).toPlainDateTime().toString({ smallestUnit: 'minute' }));
    at = nextOccurrence(of, at, timezone);
  }
  return found;
}

const CASES: [name: string, of: Recurrence, timezone: string, times: string[]][] = [
  ['each day', rule('2026-01-15T08:00Z'), 'UTC', ['2026-01-15T08:00', '2026-01-16T08:00', '2026-01-17T08:00']],
  ['each third day', rule('2026-01-30T08:00Z', { interval: 3 }), 'UTC', ['2026-01-30T08:00', '2026-02-02T08:00']],
  [
    'work days',
    rule('2026-01-15T08:00Z', { weekdays: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'] }),
    'UTC',
    ['2026-01-15T08:00', '2026-01-16T08:00', '2026-01-19T08:00'],
  ],
  [
    'eight o’clock stays eight o’clock as clocks go forward',
    rule('2026-03-28T07:00Z'),
    'Europe/Berlin',
    ['2026-03-28T08:00', '2026-03-29T08:00', '2026-03-30T08:00'],
  ],
  [
    'half past two comes an hour later on the day that has none',
    rule('2026-03-28T01:30Z'),
    'Europe/Berlin',
    ['2026-03-28T02:30', '2026-03-29T03:30', '2026-03-30T02:30'],
  ],
  [
    'half past two comes once on the day that has two',
    rule('2026-10-24T00:30Z'),
    'Europe/Berlin',
    ['2026-10-24T02:30', '2026-10-25T02:30', '2026-10-26T02:30'],
  ],
  [
    'a day that a zone has left out is left out',
    rule('2011-12-29T20:00Z'),
    'Pacific/Apia',
    ['2011-12-29T10:00', '2011-12-31T10:00', '2012-01-01T10:00'],
  ],
  [
    'the day of the start, each week',
    rule('2026-01-15T08:00Z', { frequency: 'weekly' }),
    'UTC',
    ['2026-01-15T08:00', '2026-01-22T08:00'],
  ],
  [
    'a start that is no Monday waits for one',
    rule('2026-01-15T08:00Z', { frequency: 'weekly', weekdays: ['monday'] }),
    'UTC',
    ['2026-01-19T08:00', '2026-01-26T08:00'],
  ],
  [
    'two days of every other week, counted from the week of the start',
    rule('2026-01-14T08:00Z', { frequency: 'weekly', interval: 2, weekdays: ['friday', 'monday'] }),
    'UTC',
    ['2026-01-16T08:00', '2026-01-26T08:00', '2026-01-30T08:00', '2026-02-09T08:00'],
  ],
  [
    'the 31st is the last day of every month',
    rule('2026-01-31T08:00Z', { frequency: 'monthly' }),
    'UTC',
    ['2026-01-31T08:00', '2026-02-28T08:00', '2026-03-31T08:00', '2026-04-30T08:00'],
  ],
  [
    'the day is that of the zone',
    rule('2026-01-31T23:30Z', { frequency: 'monthly' }),
    'Asia/Tokyo',
    ['2026-02-01T08:30', '2026-03-01T08:30'],
  ],
  [
    'the first Monday',
    rule('2026-01-15T08:00Z', { frequency: 'monthly', weekdays: ['monday'], position: 1 }),
    'UTC',
    ['2026-02-02T08:00', '2026-03-02T08:00', '2026-04-06T08:00'],
  ],
  [
    'the last Friday of every other month',
    rule('2026-01-15T08:00Z', { frequency: 'monthly', interval: 2, weekdays: ['friday'], position: -1 }),
    'UTC',
    ['2026-01-30T08:00', '2026-03-27T08:00', '2026-05-29T08:00'],
  ],
  [
    'the last day, as all days of the week',
    rule('2026-01-15T08:00Z', { frequency: 'monthly', weekdays: WEEKDAYS, position: -1 }),
    'UTC',
    ['2026-01-31T08:00', '2026-02-28T08:00', '2026-03-31T08:00'],
  ],
  [
    'the 29th of February is the 28th in other years',
    rule('2024-02-29T08:00Z', { frequency: 'yearly' }),
    'UTC',
    ['2024-02-29T08:00', '2025-02-28T08:00', '2026-02-28T08:00', '2027-02-28T08:00'],
  ],
  [
    'the first Monday of the year',
    rule('2026-01-15T08:00Z', { frequency: 'yearly', weekdays: ['monday'], position: 1 }),
    'UTC',
    ['2027-01-04T08:00', '2028-01-03T08:00'],
  ],
  ['three times', rule('2026-01-15T08:00Z', { count: 2 }), 'UTC', ['2026-01-15T08:00', '2026-01-16T08:00']],
  [
    'up to a time, which counts',
    rule('2026-01-15T08:00Z', { until: Date.parse('2026-01-16T08:00Z') }),
    'UTC',
    ['2026-01-15T08:00', '2026-01-16T08:00'],
  ],
  [
    'never: each seventh day from a Thursday is no Monday',
    rule('2026-01-15T08:00Z', { interval: 7, weekdays: ['monday'] }),
    'UTC',
    [],
  ],
  [
    'never: a week has one Monday',
    rule('2026-01-15T08:00Z', { frequency: 'weekly', weekdays: ['monday'], position: 2 }),
    'UTC',
    [],
  ],
];

describe('nextOccurrence', () => {
  it.each(CASES)('%s', (_name, of, timezone, times) => {
    const ends = of.count !== null || of.until !== null || times.length === 0;
    expect(course(of, timezone, ends ? 10 : times.length)).toEqual(times);
  });

  const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'Pacific/Apia'];
  const anyRule: fc.Arbitrary<Recurrence> = fc
    .record({
      frequency: fc.constantFrom(...FREQUENCIES),
      interval: fc.integer({ min: 1, max: 40 }),
      weekdays: fc.uniqueArray(fc.constantFrom<Weekday>(...WEEKDAYS), { maxLength: 7 }),
      position: fc.constantFrom(null, 1, 2, 3, 4, -1),
      start: fc.integer({ min: Date.UTC(2005), max: Date.UTC(2035) }).map((ms) => ms - (ms % 60_000)),
    })
    .map(({ position, ...rest }) => ({
      ...rest,
      position: rest.weekdays.length === 0 ? null : position,
      count: null,
      until: null,
    }));
  const anyCase = [anyRule, fc.constantFrom(...ZONES)] as const;
  const DAY = 86_400_000;

  it('gives the same times whether asked from the start or from anywhere in between', () => {
    fc.assert(
      fc.property(...anyCase, fc.integer({ min: -400, max: 2000 }), (of, timezone, days) => {
        const after = of.start + days * DAY;
        const next = nextOccurrence(of, after, timezone);
        let at = nextOccurrence(of, of.start - 1, timezone);
        while (at !== null && at <= after) at = nextOccurrence(of, at, timezone);
        expect(next).toBe(at);
      }),
      { numRuns: 60 },
    );
  });

  it('keeps the time of day, the days asked for, and the order', () => {
    fc.assert(
      fc.property(...anyCase, (of, timezone) => {
        const wall = zoned(of.start, timezone).toPlainTime();
        let last = of.start - 1;
        for (let i = 0; i < 12; i++) {
          const at = nextOccurrence(of, last, timezone);
          if (at === null) return;
          expect(at).toBeGreaterThan(last);
          const time = zoned(at, timezone);
          // Only a time of day that was skipped is another one.
          const isSame = time.toPlainTime().equals(wall);
          const wanted = time.toPlainDate().toZonedDateTime({ timeZone: timezone, plainTime: wall });
          expect(isSame || wanted.epochMilliseconds === at).toBe(true);
          // Samoa had no 30 December 2011: what is due on a day that is skipped comes on the next.
          const dayBefore = time.toPlainDate().subtract({ days: 1 });
          const isMoved = dayBefore.toZonedDateTime({ timeZone: timezone, plainTime: wall }).epochMilliseconds === at;
          const { dayOfWeek } = isMoved ? dayBefore : time;
          if (of.weekdays.length > 0) expect(of.weekdays).toContain(WEEKDAYS[dayOfWeek - 1]);
          last = at;
        }
      }),
      { numRuns: 80 },
    );
  });

  it('comes so many times and not after its end', () => {
    fc.assert(
      fc.property(...anyCase, fc.integer({ min: 1, max: 9 }), (of, timezone, count) => {
        const all = course(of, timezone, count);
        expect(course({ ...of, count }, timezone, count + 3)).toEqual(all);
        const second = nextOccurrence(of, nextOccurrence(of, of.start - 1, timezone) ?? 0, timezone);
        if (second === null) return;
        expect(course({ ...of, until: second }, timezone, 5)).toEqual(course(of, timezone, 2));
        expect(course({ ...of, until: second - 1 }, timezone, 5)).toEqual(course(of, timezone, 1));
      }),
      { numRuns: 60 },
    );
  });
});

describe('lastOccurrence', () => {
  it('is the newest after a standstill', () => {
    const daily = rule('2026-01-15T08:00Z');
    const last = (after: string, until: string) => lastOccurrence(daily, Date.parse(after), Date.parse(until), 'UTC');
    expect(last('2026-01-16T08:00Z', '2026-01-23T07:59Z')).toBe(Date.parse('2026-01-22T08:00Z'));
    expect(last('2026-01-16T08:00Z', '2126-01-23T08:00Z')).toBe(Date.parse('2126-01-23T08:00Z'));
    expect(last('2026-01-16T08:00Z', '2026-01-17T07:00Z')).toBeNull();
    const thrice = { ...daily, count: 3 };
    expect(lastOccurrence(thrice, 0, Date.parse('2030-01-01T00:00Z'), 'UTC')).toBe(Date.parse('2026-01-17T08:00Z'));
  });
});

it.each<[Partial<Recurrence>, string]>([
  [{}, 'every day'],
  [{ interval: 2 }, 'every 2 days'],
  [{ frequency: 'weekly' }, 'every week on Thursday'],
  [{ frequency: 'weekly', weekdays: ['friday', 'monday'] }, 'every week on Monday and Friday'],
  [{ frequency: 'monthly', interval: 3 }, 'every 3 months on day 15'],
  [{ frequency: 'monthly', weekdays: ['monday'], position: -1 }, 'every month on the last Monday'],
  [{ frequency: 'yearly' }, 'every year on 15 January'],
])('describes %j', (rest, text) => {
  expect(describeRecurrence(rule('2026-01-15T08:00Z', rest), 'UTC')).toBe(text);
});
