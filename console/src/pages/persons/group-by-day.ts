import { formatDate, type Moment } from '../../lib/dates.ts';

interface Day<T> {
  date: string;
  items: T[];
}

/** Groups a list that is sorted by time into days of the time zone. */
export function groupByDay<T extends { timestamp: Moment }>(items: readonly T[], zone: string): Day<T>[] {
  const days: Day<T>[] = [];
  for (const item of items) {
    const date = formatDate(item.timestamp, zone);
    const last = days.at(-1);
    if (last?.date === date) last.items.push(item);
    else days.push({ date, items: [item] });
  }
  return days;
}
