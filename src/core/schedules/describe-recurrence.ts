import { zoned } from '../time/zoned.ts';
import { type Recurrence, WEEKDAYS, type Weekday } from './recurrence.ts';

const PERIODS = { daily: 'day', weekly: 'week', monthly: 'month', yearly: 'year' } as const;
const POSITIONS: Readonly<Record<number, string>> = { 1: 'first', 2: 'second', 3: 'third', 4: 'fourth', [-1]: 'last' };
const MONTHS = 'January February March April May June July August September October November December'.split(' ');

/** `every week on Monday`, `every 2 months on the last Friday`, `every month on day 31` */
export function describeRecurrence(rule: Recurrence, timezone: string): string {
  const { frequency, interval } = rule;
  const period = PERIODS[frequency];
  const every = interval === 1 ? `every ${period}` : `every ${interval} ${period}s`;
  const days = describeDays(rule, timezone);
  return days === '' ? every : `${every} on ${days}`;
}

function describeDays({ frequency, weekdays, position, start }: Recurrence, timezone: string): string {
  if (weekdays.length > 0) {
    const names = listNames(weekdays);
    return position === null || frequency === 'daily' ? names : `the ${POSITIONS[position] ?? position} ${names}`;
  }
  const { day, month, dayOfWeek } = zoned(start, timezone);
  switch (frequency) {
    case 'daily':
      return '';
    case 'weekly':
      return capitalized(WEEKDAYS[dayOfWeek - 1] ?? 'monday');
    case 'monthly':
      return `day ${day}`;
    case 'yearly':
      return `${day} ${MONTHS[month - 1]}`;
  }
}

const capitalized = (name: string): string => name.slice(0, 1).toUpperCase() + name.slice(1);

function listNames(weekdays: readonly Weekday[]): string {
  const names = WEEKDAYS.filter((day) => weekdays.includes(day)).map(capitalized);
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
