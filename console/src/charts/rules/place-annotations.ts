import type { Annotation } from '../chart-data.ts';
import { endOf, localTime, type PeriodUnit } from './unfinished.ts';

/** What happened at a moment. */
export interface Mark {
  /** ISO 8601. */
  at: string;
  text: string;
}

/** Marks by the period in which they lie, oldest first; those outside are left out. */
export function placeAnnotations(
  marks: readonly Mark[],
  starts: readonly (string | number)[],
  unit: PeriodUnit,
  zone: string,
): Annotation[] {
  const days = starts.map((start) => String(start).replace('T', ' '));
  const last = days.at(-1);
  if (last === undefined || typeof starts[0] === 'number') return [];
  const end = endOf(last, unit);
  return marks
    .map(({ at, text }) => ({ at: localTime(at, zone), text }))
    .filter(({ at }) => at < end)
    .map(({ at, text }) => ({ at, text, tick: days.findLastIndex((day) => day.slice(0, 16) <= at) }))
    .filter(({ tick }) => tick >= 0)
    .sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
    .map(({ tick, text }) => ({ tick, text }));
}
