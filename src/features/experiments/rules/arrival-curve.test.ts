import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ArrivalCurve } from './arrival-curve.ts';

const DAY = 86_400_000;
const FROM = Date.parse('2026-01-01T00:00:00Z');
const RANGE = { from: FROM, until: FROM + 14 * DAY };
/** New people on each of the days. */
const curveOf = (...counts: number[]): ArrivalCurve =>
  new ArrivalCurve(
    RANGE,
    counts.flatMap((count, at) => (count === 0 ? [] : [{ day: FROM + at * DAY, count }])),
  );
/** 700 regulars on the first days, then 10 new people a day. */
const REGULARS = curveOf(300, 200, 100, 50, 30, 10, 10, 10, 10, 10, 10, 10, 10, 10);

describe('the curve of arrivals', () => {
  it.each([
    [0, 0],
    [0.5, 150],
    [1, 300],
    [2, 500],
    [14, 770],
    // As in the last week, not as in the mean of all days.
    [24, 870],
  ])('has after %d days %d people', (days, people) => {
    expect(REGULARS.peopleIn(days)).toBeCloseTo(people, 9);
    expect(REGULARS.daysUntil(people)).toBeCloseTo(days, 9);
  });

  it('says how many are new a day, lately', () => {
    expect(REGULARS.newPerDay).toBeCloseTo(10, 9);
    expect(curveOf(...Array<number>(14).fill(40)).newPerDay).toBeCloseTo(40, 9);
    // A site that began two days ago.
    expect(curveOf(...Array<number>(12).fill(0), 70, 70).newPerDay).toBeCloseTo(20, 9);
  });

  it('never reaches more where nobody new comes', () => {
    const old = curveOf(100, 20);
    expect(old.newPerDay).toBe(0);
    expect(old.daysUntil(120)).toBeCloseTo(2, 9);
    expect(old.daysUntil(121)).toBeNull();
    expect(old.peopleIn(1000)).toBe(120);
    expect(curveOf().daysUntil(1)).toBeNull();
    expect(curveOf().peopleIn(7)).toBe(0);
  });

  it('takes days that begin before the range, in other zones and with 23 or 25 hours', () => {
    const range = { from: FROM + DAY / 4, until: FROM + 14.25 * DAY };
    const curve = new ArrivalCurve(range, [
      { day: FROM - DAY / 24, count: 60 },
      { day: FROM + DAY, count: 100 },
      { day: FROM + 14 * DAY, count: 5 },
    ]);
    expect(curve.peopleIn(0.75)).toBeCloseTo(60, 0);
    expect(curve.peopleIn(1.75)).toBeCloseTo(160, 9);
    expect(curve.peopleIn(13.75)).toBeCloseTo(160, 9);
    expect(curve.people).toBe(165);
  });

  it('only rises, and its two directions agree', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(500), { minLength: 14, maxLength: 14 }),
        fc.double({ min: 0, max: 40, noNaN: true }),
        fc.double({ min: 0, max: 40, noNaN: true }),
        (counts, a, b) => {
          const curve = curveOf(...counts);
          const [early, late] = [Math.min(a, b), Math.max(a, b)];
          expect(curve.peopleIn(late)).toBeGreaterThanOrEqual(curve.peopleIn(early) - 1e-9);
          const people = curve.peopleIn(late);
          const days = curve.daysUntil(people);
          expect(days).not.toBeNull();
          expect(days as number).toBeLessThanOrEqual(late + 1e-6);
          expect(curve.peopleIn(days as number)).toBeCloseTo(people, 4);
        },
      ),
    );
  });
});
