import { describe, expect, it } from 'vitest';
import { HOUR_MS } from '../time/units.ts';
import { backtest, suggestThreshold } from './backtest.ts';
import type { AlertRule, Measured } from './judge.ts';
import { countSlots, isWeekend, lastWholeSlot, slotAfter, slotAt, slotHistory, slotName } from './slots.ts';

const START = Date.UTC(2026, 0, 5);
const rule = (rest: Partial<AlertRule> = {}): AlertRule => ({
  condition: 'absolute_value',
  threshold: { type: 'absolute', lower: 10, upper: null },
  hysteresis: { for: 1, clearFor: 1, margin: 0, remindEveryMs: null },
  ...rest,
});
/** A week of hours in which every fourth is low. */
const noisy: Measured = {
  history: slotHistory(START, START + 168 * HOUR_MS, 'hour', 'UTC'),
  series: [{ label: null, values: Array.from({ length: 168 }, (_, i) => (i % 4 === 3 ? 7 : 12)) }],
  since: START,
};

describe('a back-test', () => {
  it('counts firings a week, and suggests a bound that fires at most once', () => {
    expect(backtest(rule(), noisy, 0).perWeek).toBe(42);
    expect(suggestThreshold(rule(), noisy, 0)).toEqual({ type: 'absolute', lower: 7, upper: null });
  });

  it('suggests nothing where it fires seldom, or where no wider bound helps', () => {
    const quiet = rule({ threshold: { type: 'absolute', lower: 7, upper: null } });
    expect(suggestThreshold(quiet, noisy, 0)).toBeNull();
  });

  it('suggests a larger change for a relative condition', () => {
    const relative = rule({
      condition: 'relative_decrease',
      threshold: { type: 'percentage', lower: null, upper: 0.3 },
    });
    expect(suggestThreshold(relative, noisy, 0)).toEqual({
      type: 'percentage',
      lower: null,
      upper: expect.closeTo(0.45),
    });
  });

  it('says that the last one is still firing', () => {
    const { wouldFire } = backtest(rule(), noisy, 160);
    expect(wouldFire).toEqual([
      { from: START + 163 * HOUR_MS, to: START + 164 * HOUR_MS, peak: 7, bound: 10, label: null },
      { from: START + 167 * HOUR_MS, to: null, peak: 7, bound: 10, label: null },
    ]);
  });
});

describe('slots', () => {
  const at = (iso: string) => Date.parse(iso);

  it('are whole by the clocks of the project', () => {
    const now = at('2026-01-15T12:34:56Z');
    const start = (unit: Parameters<typeof slotAt>[1]) => slotName(lastWholeSlot(now, unit, 'Asia/Kolkata').start);
    expect(start('minute')).toBe('2026-01-15T12:33Z');
    expect(start('hour')).toBe('2026-01-15T11:30Z');
    expect(start('day')).toBe('2026-01-13T18:30Z');
    expect(start('week')).toBe('2026-01-03T18:30Z');
    expect(start('month')).toBe('2025-11-30T18:30Z');
  });

  it('follow each other, without weekends where those are skipped', () => {
    const friday = slotAt(at('2026-01-16T12:00:00Z'), 'day', 'UTC');
    expect(slotName(slotAfter(friday, 'day', 'UTC', false).start)).toBe('2026-01-17T00:00Z');
    expect(slotName(slotAfter(friday, 'day', 'UTC', true).start)).toBe('2026-01-19T00:00Z');
    const hour = slotAt(at('2026-01-16T23:00:00Z'), 'hour', 'UTC');
    expect(slotName(slotAfter(hour, 'hour', 'UTC', true).start)).toBe('2026-01-19T00:00Z');
    const week = slotAt(at('2026-01-16T12:00:00Z'), 'week', 'UTC');
    expect(isWeekend(week, 'week', 'UTC')).toBe(false);
    const sunday = at('2026-01-18T12:00:00Z');
    expect(slotName(lastWholeSlot(sunday, 'hour', 'UTC', true).start)).toBe('2026-01-16T23:00Z');
    expect(slotName(lastWholeSlot(sunday, 'week', 'UTC', true).start)).toBe('2026-01-11T00:00Z');
  });

  it('are counted from one to another, by the clocks of the project', () => {
    const count = (unit: Parameters<typeof slotAt>[1], from: string, to: string, skipsWeekends: boolean): number => {
      const slot = (iso: string) => slotAt(at(iso), unit, 'Europe/Berlin');
      return countSlots(slot(from), slot(to), unit, 'Europe/Berlin', skipsWeekends);
    };
    expect(count('hour', '2026-01-16T12:00:00Z', '2026-01-16T12:00:00Z', false)).toBe(0);
    // A weekend on which clocks skip an hour.
    expect(count('hour', '2026-03-27T11:00:00Z', '2026-03-30T10:00:00Z', false)).toBe(71);
    expect(count('hour', '2026-03-27T11:00:00Z', '2026-03-30T10:00:00Z', true)).toBe(24);
    expect(count('day', '2026-03-27T11:00:00Z', '2026-03-30T10:00:00Z', true)).toBe(1);
  });
});
