import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../core/json/json.ts';
import { prepareFlags } from './compile/prepare-flags.ts';
import { evaluate } from './evaluate/evaluate.ts';
import { NotRehashable, rehash } from './rehash.ts';
import { validateFilters } from './validate/validate-filters.ts';

const step = (ranges: JsonObject[], more: JsonObject = {}): JsonObject => ({
  hash: 'unleash',
  salt: 'g',
  by: 'distinct_id',
  of: 100,
  ranges,
  ...more,
});
const thirty = { properties: [], rollout_percentage: 30, bucketing: [step([{ from: 0, to: 30 }])] };

function valuesOf(filters: JsonObject, properties: JsonObject = {}, count = 5000): (string | boolean | undefined)[] {
  const flag = {
    id: 1,
    key: 'f',
    active: true,
    version: 1,
    filters,
    ensureExperienceContinuity: false,
    evaluationRuntime: 'all' as const,
    bucketingIdentifier: 'distinct_id' as const,
  };
  const prepared = prepareFlags({ flags: [flag], cohorts: [], groupTypes: new Map() });
  return Array.from({ length: count }, (_, i) => {
    const [result] = evaluate(prepared, {
      distinctId: `user-${i}`,
      deviceId: null,
      properties,
      groups: new Map(),
      staticCohorts: new Set(),
      overrides: new Map(),
      now: 0,
    });
    expect(result?.failure).toBeNull();
    return result?.value;
  });
}

const share = (values: readonly unknown[], value: unknown): number =>
  (100 * values.filter((one) => one === value).length) / values.length;

describe('a condition with bucketing', () => {
  it('gives users the values of the ranges that they are in, and goes on with those in none', () => {
    const filters = {
      groups: [
        {
          rollout_percentage: 40,
          bucketing: [
            step([
              { from: 0, to: 20, value: 'a' },
              { from: 50, to: 70, value: 'b' },
            ]),
          ],
        },
        { rollout_percentage: 100, variant: 'c' },
      ],
      multivariate: {
        variants: [
          { key: 'a', rollout_percentage: 50 },
          { key: 'b', rollout_percentage: 50 },
          { key: 'c', rollout_percentage: 0 },
        ],
      },
    };
    validateFilters(filters);
    const values = valuesOf(filters);
    expect(['a', 'b', 'c'].map((key) => Math.round(share(values, key) / 5) * 5)).toEqual([20, 20, 60]);
  });

  it('requires a range of every step, and a false of a range ends the search', () => {
    const filters = {
      groups: [
        {
          rollout_percentage: 10,
          bucketing: [
            step([{ from: 0, to: 50 }]),
            step(
              [
                { from: 0, to: 20, value: true },
                { from: 20, to: 100, value: false },
              ],
              { salt: 'h' },
            ),
          ],
        },
        { rollout_percentage: 100 },
      ],
    };
    validateFilters(filters);
    const on = share(valuesOf(filters), true);
    // A fifth of the first half, and all of the second.
    expect(Math.round(on / 5) * 5).toBe(60);
  });

  it('hashes a property; without it nobody is in, but for LaunchDarkly, where everybody is first', () => {
    const by = (hash: string) => ({
      groups: [{ rollout_percentage: 30, bucketing: [step([{ from: 0, to: 30 }], { hash, by: 'company' })] }],
    });
    expect(share(valuesOf(by('unleash'), {}, 10), true)).toBe(0);
    expect(share(valuesOf(by('growthbook_1'), {}, 10), true)).toBe(0);
    expect(share(valuesOf(by('launchdarkly'), {}, 10), true)).toBe(100);
    // Everybody of a company gets the same.
    for (const company of ['a', 'b', 'c', 7])
      expect([0, 100]).toContain(share(valuesOf(by('unleash'), { company }, 10), true));
  });

  it.each<[string, JsonObject, string]>([
    ['another hash', { bucketing: [step([], { hash: 'md5' })] }, 'groups[0].bucketing[0].hash must be one of'],
    ['no steps', { bucketing: [] }, 'must have 1 to 10 steps'],
    [
      'a range beyond the parts',
      { bucketing: [step([{ from: 0, to: 101 }])] },
      'groups[0].bucketing[0].ranges[0] must be',
    ],
    ['a range backwards', { bucketing: [step([{ from: 5, to: 4 }])] }, 'groups[0].bucketing[0].ranges[0] must be'],
    [
      'an unknown variant',
      { bucketing: [step([{ from: 0, to: 4, value: 'x' }])] },
      'true, false or the key of a variant',
    ],
    ['no salt', { bucketing: [step([], { salt: 5 })] }, 'groups[0].bucketing[0].salt must be a text'],
    ['half a part', { bucketing: [step([], { of: 0.5 })] }, 'groups[0].bucketing[0].of must be a whole number'],
    ['another percentage', { ...thirty, rollout_percentage: 50 }, 'ranges that cover 30 %'],
    ['a text', { bucketing: 'unleash' }, 'groups[0].bucketing must be a list'],
  ])('is refused with %s', (_name, group, problem) => {
    expect(() => validateFilters({ groups: [group] })).toThrow(problem);
  });
});

describe('rehash', () => {
  it('keeps the percentage and changes the people', () => {
    const rehashed = rehash({ groups: [thirty] });
    expect(rehashed).toEqual({ groups: [{ properties: [], rollout_percentage: 30 }] });
    const [before, after] = [valuesOf({ groups: [thirty] }), valuesOf(rehashed)];
    expect([share(before, true), share(after, true)].map((one) => Math.round(one / 5) * 5)).toEqual([30, 30]);
    // 0.3 × 0.7 of all, twice.
    const changed = before.filter((value, at) => value !== after[at]).length / before.length;
    expect(changed).toBeGreaterThan(0.38);
    expect(changed).toBeLessThan(0.46);
  });

  it('writes the shares of ranges as variants', () => {
    const bucketing = [
      step([
        { from: 0, to: 15, value: 'a' },
        { from: 50, to: 65, value: 'b' },
      ]),
    ];
    const variants = [
      { key: 'a', rollout_percentage: 100 },
      { key: 'b', rollout_percentage: 0 },
    ];
    const rehashed = rehash({ groups: [{ rollout_percentage: 30, bucketing }], multivariate: { variants } });
    expect(rehashed).toEqual({
      groups: [{ rollout_percentage: 30 }],
      multivariate: {
        variants: [
          { key: 'a', rollout_percentage: 50 },
          { key: 'b', rollout_percentage: 50 },
        ],
      },
    });
  });

  const ranged = (value: string | boolean, rest: string | boolean): JsonObject => ({
    rollout_percentage: rest === false ? 50 : 100,
    bucketing: [
      step([
        { from: 0, to: 50, value },
        { from: 50, to: 100, value: rest },
      ]),
    ],
  });

  it.each<[string, JsonObject]>([
    ['a condition that gives false comes before a percentage', { groups: [thirty], early_exit: true }],
    ['a condition that gives false to some users comes before others', { groups: [ranged(true, false), thirty] }],
    ['a condition gives variants to some users and none to others', { groups: [ranged('a', true)] }],
    ['its conditions split users in different ways', { groups: [ranged('a', 'b'), ranged('a', 'c')] }],
    ['its conditions split users in different ways', { groups: [ranged('a', 'b'), { rollout_percentage: 5 }] }],
  ])('says why it cannot: %s', (why, filters) => {
    expect(() => rehash(filters)).toThrow(new NotRehashable(why));
  });
});
