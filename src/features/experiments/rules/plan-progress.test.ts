import { describe, expect, it } from 'vitest';
import { type ProgressInput, planProgress } from './plan-progress.ts';
import { readDecision } from './read-settings.ts';

const DAY = 86_400_000;
const TODAY = Date.parse('2026-01-15T00:00:00Z');
const NOW = TODAY + DAY / 2;

const anInput = (over: Partial<ProgressInput> = {}): ProgressInput => ({
  settings: readDecision({ plan: { planned_users: 12_000, mde_relative: 0.1 }, stats_config: { stopping: 'fixed' } }),
  users: 5000,
  days: Array.from({ length: 10 }, (_, at) => ({ day: TODAY - at * DAY, variant: 'control', count: 500 })),
  windowMs: 0,
  compared: [{ n: 5000, standardError: 0.01, baselineMean: 0.3 }],
  startedAt: TODAY - 10 * DAY,
  endedAt: null,
  now: NOW,
  today: TODAY,
  ...over,
});

describe('the days that are left', () => {
  it.each<[string, Partial<ProgressInput>, number | null]>([
    // 10.5 days so far and 14 more at 500 a day: 24.5, which is 28 in whole weeks.
    ['at the pace of the last week', {}, 18],
    ['with a window that must end, too', { windowMs: 4 * DAY }, 25],
    ['when all are there', { users: 12_000 }, 0],
    ['when all are there but the days are not', { users: 12_000, startedAt: NOW - 5 * DAY }, 2],
    ['when no one comes any more', { days: [] }, null],
    ['when it has ended', { endedAt: NOW }, null],
    ['on the first day, by the hours so far', { startedAt: NOW - DAY / 4, days: [], users: 2000 }, 7],
  ])('%s', (_, over, expected) => {
    expect(planProgress(anInput(over)).daysLeft).toBe(expected);
  });

  it('are not known without a planned number', () => {
    expect(planProgress(anInput({ settings: readDecision({}) })).daysLeft).toBeNull();
  });
});

describe('what can be shown by now', () => {
  it('is the power for the planned change, and the change for the planned power', () => {
    const { powerNow, mdeNow } = planProgress(anInput());
    // δ = 0.03 is three standard errors: Φ(3 − 1.96).
    expect(powerNow).toBeCloseTo(0.8508, 4);
    expect(mdeNow).toBeCloseTo(((1.959964 + 0.841621) * 0.01) / 0.3, 6);
  });

  it('needs more in a sequential test, and counts the variant of which least is known', () => {
    const fixed = planProgress(anInput());
    const sequential = planProgress(
      anInput({ settings: readDecision({ plan: { planned_users: 12_000, mde_relative: 0.1 } }) }),
    );
    expect(sequential.mdeNow).toBeGreaterThan(fixed.mdeNow ?? 0);
    const one = { n: 5000, standardError: 0.01, baselineMean: 0.3 };
    const two = planProgress(anInput({ compared: [one, { ...one, standardError: 0.02 }] }));
    expect(two.powerNow).toBeLessThan(0.5);
  });

  it('is not known without a variance or a baseline', () => {
    const none = { n: 10, standardError: 0, baselineMean: 0.3 };
    const { powerNow, mdeNow } = planProgress(
      anInput({ compared: [none, { ...none, standardError: 1, baselineMean: 0 }] }),
    );
    expect([powerNow, mdeNow]).toEqual([null, null]);
  });
});
