import { describe, expect, it } from 'vitest';
import {
  formatDate,
  formatDateTime,
  formatDuration,
  formatRecent,
  formatRelative,
  formatTick,
  formatTime,
  knownZone,
} from './dates.ts';
import { localeFor } from './locale.ts';
import { formatBytes, formatCompact, formatPercent, formatRollout, pluralize } from './numbers.ts';

/** Some versions of ICU put a narrow no-break space before AM and PM. */
const plain = (text: string): string => text.replaceAll(/\s/g, ' ');

describe('locale', () => {
  it.each([
    ['en-US', 'en-US'],
    ['en-GB', 'en-GB'],
    ['de-DE', 'en-DE'],
    ['de', 'en-DE'],
    ['fr-CA', 'en-CA'],
    ['not a language', 'en'],
  ])('of a browser in %s is %s', (language, locale) => expect(localeFor(language)).toBe(locale));
});

describe('dates', () => {
  const at = '2026-01-15T20:04:59Z';
  it.each([
    ['en-US', 'Jan 15, 2026', '8:04:59 PM', 'Jan 15, 2026, 8:04:59 PM'],
    ['en-GB', '15 Jan 2026', '20:04:59', '15 Jan 2026, 20:04:59'],
    ['en-DE', '15 Jan 2026', '20:04:59', '15 Jan 2026, 20:04:59'],
  ])('follow the locale %s', (locale, date, time, dateTime) => {
    expect([formatDate, formatTime, formatDateTime].map((format) => plain(format(at, 'UTC', locale)))).toEqual([
      date,
      time,
      dateTime,
    ]);
  });
  it('are in the time zone of the project, across daylight saving', () => {
    expect(formatDateTime('2026-01-15T12:04:59Z', 'Europe/Berlin', 'en-GB')).toBe('15 Jan 2026, 13:04:59');
    expect(formatDateTime('2026-07-15T12:04:59Z', 'Europe/Berlin', 'en-GB')).toBe('15 Jul 2026, 14:04:59');
    expect(formatDateTime(at, 'Asia/Tokyo', 'en-GB')).toBe('16 Jan 2026, 05:04:59');
  });
  it('are in UTC if the browser does not know the time zone, and – if invalid', () => {
    expect([knownZone('Mars/Olympus'), formatDate(at, 'Mars/Olympus', 'en-GB')]).toEqual(['UTC', '15 Jan 2026']);
    expect(formatDateTime('soon', 'UTC')).toBe('–');
  });
  it.each([
    ['2026-01-15T08:00:00Z', '08:00:00'],
    ['2026-01-14T23:59:59Z', '14 Jan, 23:59:59'],
    ['2025-12-31T23:59:59Z', '31 Dec 2025, 23:59:59'],
  ])('of %s as recent is %s', (moment, text) => {
    expect(formatRecent(moment, 'UTC', Date.parse(at), 'en-GB')).toBe(text);
  });
  it.each([
    [0, 'now'],
    [-59_000, '59 seconds ago'],
    [-60_000, '1 minute ago'],
    [-86_400_000, 'yesterday'],
    [-400 * 86_400_000, 'last year'],
    [7_200_000, 'in 2 hours'],
  ])('%d ms from now is %s', (difference, text) => {
    const now = Date.parse(at);
    expect(formatRelative(now + difference, now)).toBe(text);
  });
  it.each([
    ['2024-01-05', 'day', '5 Jan'],
    ['2024-01-05', 'week', '5 Jan'],
    ['2024-01-05', 'month', 'Jan 2024'],
    ['2024-01-05 13:00:00', 'hour', '5 Jan, 13:00'],
    [3, 'day', '3'],
  ] as const)('the tick %s by %s is %s', (tick, interval, text) => {
    expect(formatTick(tick, interval, 'en-GB')).toBe(text);
  });
  it.each([
    [0, '0s'],
    [850, '850ms'],
    [12_000, '12s'],
    [60_000, '1m'],
    [185_000, '3m 5s'],
    [360_000_000, '4d 4h'],
  ])('a duration of %d ms is %s', (ms, text) => expect(formatDuration(ms)).toBe(text));
});

describe('numbers', () => {
  it.each([
    [0, '0 bytes'],
    [999, '999 bytes'],
    [1000, '1 kB'],
    [81_300_000_000, '81.3 GB'],
    [271_000_000_000, '271 GB'],
  ])('%d bytes are %s', (bytes, text) => expect(formatBytes(bytes)).toBe(text));
  it.each([
    [formatCompact(9999), '9,999'],
    [formatCompact(12_345), '12.3K'],
    [formatPercent(0.1234), '12.3%'],
    [formatPercent(0.5), '50%'],
    [formatRollout(33.33), '33.33%'],
    [pluralize(1, 'event'), '1 event'],
    [pluralize(1200, 'event'), '1,200 events'],
  ])('%s is %s', (actual, text) => expect(actual).toBe(text));
});
