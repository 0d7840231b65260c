import { formatDate, type Moment } from '../../lib/format.ts';

export interface Day<T> {
  /** As the project's zone writes it: '15 Jan 2026'. */
  date: string;
  items: T[];
}

/** A list that is in order of time, cut where a new day begins in the zone. */
export function byDay<T extends { timestamp: Moment }>(items: readonly T[], zone: string): Day<T>[] {
  const days: Day<T>[] = [];
  for (const item of items) {
    const date = formatDate(item.timestamp, zone);
    const last = days.at(-1);
    if (last?.date === date) last.items.push(item);
    else days.push({ date, items: [item] });
  }
  return days;
}
