/**
 * Calendar days in a time zone. A 'local' time is what the clocks there show, written as if it were UTC, so that plain
 * date arithmetic works on it.
 */
const FIELDS = {
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  hour: 'numeric',
  minute: 'numeric',
  second: 'numeric',
  hourCycle: 'h23',
} as const;

export function toLocal(time: number, timeZone: string): number {
  if (timeZone === 'UTC') return time;
  const parts = new Intl.DateTimeFormat('en', { timeZone, ...FIELDS }).formatToParts(time);
  const field = (type: string): number => Number(parts.find((part) => part.type === type)?.value);
  const second = Date.UTC(
    field('year'),
    field('month') - 1,
    field('day'),
    field('hour'),
    field('minute'),
    field('second'),
  );
  return second + (((time % 1000) + 1000) % 1000);
}

/** Where clocks go back a local time happens twice, and the second counts; where they go forward, some never happen. */
export function fromLocal(local: number, timeZone: string): number {
  const guess = local - (toLocal(local, timeZone) - local);
  return local - (toLocal(guess, timeZone) - guess);
}

export type LocalUnit = 'hour' | 'day' | 'week' | 'month' | 'year';

/** The local time at which the unit began that is `count` units after the one that `local` is in. Weeks begin on Sunday. */
export function startOfLocal(local: number, unit: LocalUnit, count = 0): number {
  const date = new Date(local);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  switch (unit) {
    case 'hour':
      return Date.UTC(year, month, day, date.getUTCHours() + count);
    case 'day':
      return Date.UTC(year, month, day + count);
    case 'week':
      return Date.UTC(year, month, day - date.getUTCDay() + 7 * count);
    case 'month':
      return Date.UTC(year, month + count);
    case 'year':
      return Date.UTC(year + count, 0);
  }
}
