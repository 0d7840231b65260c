/**
 * How many different people come within some days. Steep at first and flatter later, since regulars come once: a mean of
 * the first days would promise too many.
 */

import type { Range } from '../../../core/time/range.ts';
import { DAY_MS } from '../../../core/time/units.ts';

interface CurvePoint {
  days: number;
  /** Different people until then. */
  people: number;
}

/** The part that tells how it goes on. */
const LATEST_DAYS = 7;

export class ArrivalCurve {
  /** From the first day on, with rising `days`. */
  readonly #points: readonly CurvePoint[];
  readonly #end: CurvePoint;
  /** New people a day, lately. */
  readonly newPerDay: number;

  /** `firstSeen`: how many were seen for the first time, by the start of the day (ms UTC). */
  constructor(range: Range, firstSeen: readonly { day: number; count: number }[]) {
    const points: CurvePoint[] = [{ days: 0, people: 0 }];
    const days = firstSeen.toSorted((a, b) => a.day - b.day);
    let people = 0;
    for (const [at, { day, count }] of days.entries()) {
      // Nobody was new between the last day and this one.
      if (day > range.from) points.push({ days: (day - range.from) / DAY_MS, people });
      people += count;
      const next = days[at + 1]?.day ?? range.until;
      points.push({ days: (Math.min(next, day + DAY_MS, range.until) - range.from) / DAY_MS, people });
    }
    this.#end = { days: (range.until - range.from) / DAY_MS, people };
    this.#points = [...points, this.#end];
    const before = Math.max(0, this.#end.days - LATEST_DAYS);
    this.newPerDay = (people - this.peopleIn(before)) / (this.#end.days - before);
  }

  get people(): number {
    return this.#end.people;
  }

  peopleIn(days: number): number {
    if (days >= this.#end.days) return this.people + (days - this.#end.days) * this.newPerDay;
    return interpolate(this.#points, 'days', 'people', days);
  }

  /** Null: never, since nobody new comes. */
  daysUntil(people: number): number | null {
    if (people <= this.people) return interpolate(this.#points, 'people', 'days', people);
    return this.newPerDay > 0 ? this.#end.days + (people - this.people) / this.newPerDay : null;
  }
}

/** The first value of `to` at which `from` has reached `value`; both only rise. */
function interpolate<F extends keyof CurvePoint>(
  points: readonly CurvePoint[],
  from: F,
  to: keyof CurvePoint,
  value: number,
): number {
  const at = points.findIndex((point) => point[from] >= value);
  const next = points[at] as CurvePoint;
  const last = points[at - 1];
  if (last === undefined || next[from] === last[from]) return next[to];
  return last[to] + ((value - last[from]) / (next[from] - last[from])) * (next[to] - last[to]);
}
