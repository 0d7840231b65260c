import { describe, expect, it } from 'vitest';
import { ArrivalCurve } from './arrival-curve.ts';
import { type PlanInput, planExperiment } from './plan-experiment.ts';

const DAY = 86_400_000;
const RANGE = { from: 0, until: 14 * DAY };
const curveOf = (counts: readonly number[]): ArrivalCurve =>
  new ArrivalCurve(
    RANGE,
    counts.map((count, at) => ({ day: at * DAY, count })),
  );
/** 10,000 in the first week, then 100 new people a day. */
const REGULARS = [4000, 2000, 1500, 1000, 700, 500, 300, ...Array<number>(7).fill(100)];

const anInput = (over: Partial<PlanInput> = {}): PlanInput => ({
  mdeRelative: 0.2,
  power: 0.8,
  alpha: 0.05,
  comparisons: 1,
  stopping: 'fixed',
  minDays: 7,
  maxDays: 60,
  rollout: 1,
  windowDays: 0,
  ...over,
});
/** One in ten converts. */
const plan = (over: Partial<PlanInput>, counts: readonly number[] = REGULARS) => {
  const curve = curveOf(counts);
  const n = curve.people;
  const converted = n / 10;
  const sums = { kind: 'mean', n, sum: converted, sumSquares: converted } as const;
  return planExperiment(anInput(over), { sums, isBinary: true, nonZero: converted, curve });
};

describe('the plan of an experiment', () => {
  // (1.96 + 0.8416)² × (0.1 × 0.9 + 0.12 × 0.88) / 0.02², rounded up, for two variants.
  const NEEDED = 2 * 3839;

  it('needs as many people whatever the traffic', () => {
    expect(plan({}).plannedUsers).toBe(NEEDED);
    expect(plan({ rollout: 0.1, windowDays: 9 }).plannedUsers).toBe(NEEDED);
  });

  it.each<[string, Partial<PlanInput>, number | null]>([
    // After three days 7,500 have come, and 7,678 soon after.
    ['a rollout to all', {}, 7],
    ['a window that must end, too', { windowDays: 10 }, 14],
    // 15,356 people: the regulars give 10,700, then 46.6 days at 100.
    ['half of the people', { rollout: 0.5 }, 63],
    ['a minimum', { minDays: 15 }, 21],
    ['nobody', { rollout: 0 }, null],
  ])('takes with %s so many days: %o → %s', (_, over, days) => {
    expect(plan(over).days).toBe(days);
  });

  it('never ends where nobody new comes', () => {
    const few = plan({}, [500, 100, ...Array<number>(12).fill(0)]);
    // The variance of few people is estimated a little larger.
    expect(few).toMatchObject({ plannedUsers: 7690, days: null, usersPerDay: 0 });
    expect(few.sentence).toMatch(
      /^This traffic cannot show a change of 20 % in 60 days\. In 60 days it can show [\d.]+ %\.$/,
    );
  });

  it('says what the longest run can show, by those who come until its last window begins', () => {
    // 10,700 and 46 days at 100: 15,300 people; with a window of a month 12,300.
    const all = plan({ mdeRelative: 0.01 });
    const windowed = plan({ mdeRelative: 0.01, windowDays: 30 });
    expect((windowed.detectable ?? 0) / (all.detectable ?? 0)).toBeCloseTo(Math.sqrt(15_300 / 12_300), 2);
    const half = plan({ mdeRelative: 0.01, rollout: 0.5 });
    expect((half.detectable ?? 0) / (all.detectable ?? 0)).toBeCloseTo(Math.SQRT2, 2);
    expect(all.sentence).toContain('cannot show a change of 1 %');
  });

  it('says how many are new a day, by the rollout', () => {
    expect(plan({ rollout: 0.25 }).usersPerDay).toBeCloseTo(25, 9);
  });
});
