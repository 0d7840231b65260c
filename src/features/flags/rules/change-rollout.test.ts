import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../core/json/json.ts';
import { changeRollout } from './change-rollout.ts';
import { noInputs } from './compile/check.ts';
import { compileBucketing } from './compile/compile-bucketing.ts';
import type { Subject } from './subject.ts';
import { validateFilters } from './validate/validate-filters.ts';

const step = (of: number, ranges: JsonObject[], more: JsonObject = {}): JsonObject => ({
  hash: 'unleash',
  salt: 'g',
  by: 'distinct_id',
  of,
  ranges,
  ...more,
});
const range = (from: number, to: number, value?: string | boolean): JsonObject =>
  value === undefined ? { from, to } : { from, to, value };
const condition = (rollout_percentage: number, ...bucketing: JsonObject[]): JsonObject => ({
  properties: [],
  rollout_percentage,
  ...(bucketing.length === 0 ? {} : { bucketing }),
});
const rangesOf = (group: JsonObject, at = 0): unknown => (group['bucketing'] as JsonObject[])[at]?.['ranges'];

describe('another percentage', () => {
  it('is a number, where a condition has a number only', () => {
    expect(changeRollout({ ...condition(10), variant: 'a' }, 60)).toEqual({ ...condition(60), variant: 'a' });
  });

  it.each<[string, JsonObject, number, JsonObject[]]>([
    ['a longer range', condition(30, step(100, [range(0, 30)])), 60, [range(0, 60)]],
    ['a shorter one', condition(30, step(100, [range(0, 30)])), 5, [range(0, 5)]],
    ['none, and one again', changeRollout(condition(30, step(100, [range(0, 30)])), 0), 20, [range(0, 20)]],
    ['one of its own place', condition(10, step(1000, [range(200, 300)])), 40, [range(200, 600)]],
    [
      'longer ranges of variants, each to where the next begins',
      condition(50, step(1000, [range(0, 250, 'a'), range(500, 750, 'b')])),
      100,
      [range(0, 500, 'a'), range(500, 1000, 'b')],
    ],
    [
      'shorter ranges of variants, from where each begins',
      condition(100, step(1000, [range(0, 700, 'a'), range(700, 1000, 'b')])),
      50,
      [range(0, 350, 'a'), range(700, 850, 'b')],
    ],
    [
      'more users who are in, and fewer who are out after them',
      condition(30, step(100_000, [range(0, 30_000, true), range(30_000, 100_000, false)])),
      60,
      [range(0, 60_000, true), range(60_000, 100_000, false)],
    ],
    [
      'fewer users who are in',
      condition(30, step(100_000, [range(0, 30_000, true), range(30_000, 100_000, false)])),
      10,
      [range(0, 10_000, true), range(10_000, 100_000, false)],
    ],
    [
      'more users who are in, where those who are out come first',
      condition(30, step(100_000, [range(0, 70_000, false), range(70_000, 100_000, true)])),
      60,
      [range(0, 40_000, false), range(40_000, 100_000, true)],
    ],
  ])('is %s', (_name, group, percentage, ranges) => {
    const changed = changeRollout(group, percentage);
    expect([changed['rollout_percentage'], rangesOf(changed)]).toEqual([percentage, ranges]);
  });

  it('leaves alone how those who are in are split', () => {
    const split = step(2, [range(0, 1, 'a'), range(1, 2, 'b')], { hash: 'unleash_variant' });
    const changed = changeRollout(condition(30, step(100, [range(0, 30)]), split), 45);
    expect([rangesOf(changed), rangesOf(changed, 1)]).toEqual([[range(0, 45)], split['ranges']]);
  });

  it.each<[string, JsonObject, number, RegExp]>([
    [
      'of two percentages',
      condition(15, step(100, [range(0, 30)]), step(100, [range(0, 50)])),
      60,
      /^several percentages decide/,
    ],
    [
      'of two splits of everybody',
      condition(100, step(1, [range(0, 1)]), step(1, [range(0, 1)])),
      60,
      /^users are split several times/,
    ],
    ['of ranges that are for nobody', condition(0, step(1, [range(0, 1, false)])), 60, /leave no room/],
    ['beyond the end of its ranges', condition(10, step(100, [range(90, 100)])), 60, /leave no room/],
  ])('is refused %s', (_name, group, percentage, why) => {
    expect(() => changeRollout(group, percentage)).toThrow(why);
  });
});

it('comes back to the same users', () => {
  const start = condition(30, step(100, [range(0, 30)], { hash: 'unleash' }));
  for (const between of [7, 33.3, 45, 61.7, 99.99]) {
    const back = changeRollout(changeRollout(start, between), 30);
    expect(rangesOf(back)).toEqual([range(0, 30)]);
  }
});

it('keeps whoever is in while it grows, lets nobody in while it shrinks, and is what the ranges cover', () => {
  const hash = fc.constantFrom('unleash', 'growthbook_2', 'launchdarkly');
  const cuts = fc.uniqueArray(fc.integer({ min: 1, max: 999 }), { minLength: 0, maxLength: 5 });
  const groups = fc.tuple(hash, cuts, fc.integer({ min: 0, max: 100 })).map(([name, inner, covered]) => {
    // As GrowthBook has it: variants have their place, and are cut to the coverage.
    const starts = [0, ...inner.sort((a, b) => a - b), 1000];
    const ranges = starts.slice(0, -1).map((from, at) => {
      const size = (((starts[at + 1] ?? 0) - from) * covered) / 100;
      return range(from, from + size, inner.length === 0 ? undefined : `v${at % 3}`);
    });
    return condition(covered, step(1000, ranges, { hash: name }));
  });
  const multivariate = {
    variants: ['v0', 'v1', 'v2'].map((key, at) => ({ key, rollout_percentage: at === 0 ? 100 : 0 })),
  };
  const subject: Subject = {
    distinctId: '',
    deviceId: null,
    properties: {},
    groups: new Map(),
    staticCohorts: new Set(),
    overrides: new Map(),
    now: 0,
  };
  const users = Array.from({ length: 300 }, (_, i) => `user-${i}`);
  const valuesOf = (group: JsonObject) => {
    const bucketing = compileBucketing(group['bucketing'], '', noInputs());
    return users.map((user) => bucketing?.(user, subject) ?? (bucketing?.(user, subject) === null ? 'out' : 'in'));
  };
  const percentage = fc.integer({ min: 0, max: 10_000 }).map((hundredths) => hundredths / 100);
  const percentages = fc.array(percentage, { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(groups, percentages, (start, targets) => {
      let group = start;
      for (const target of targets) {
        const changed = changeRollout(group, target);
        validateFilters({ groups: [changed], multivariate });
        const [before, after] = [valuesOf(group), valuesOf(changed)];
        const isGrowing = target >= Number(group['rollout_percentage']);
        const [fewer, more] = isGrowing ? [before, after] : [after, before];
        for (const [at, value] of fewer.entries()) if (value !== 'out') expect(more[at]).toBe(value);
        group = changed;
      }
    }),
  );
});
