import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Failure } from '../../../../core/errors.ts';
import type { JsonObject } from '../../../../core/json/json.ts';
import { compileFlag } from '../compile/compile-flag.ts';
import { newCompileCache } from '../compile/shared-checks.ts';
import { isFullyRolledOut, isSimple, simpleRollout, withExplicitGroups } from '../filters-shape.ts';
import { pythonText } from './filter-errors.ts';
import { checkCohorts, checkDependencies, dependentFlags } from './references.ts';
import { readRollbackConditions } from './rollback-conditions.ts';
import { validateFilters } from './validate-filters.ts';

const anything = fc.jsonValue({ maxDepth: 3 });
const nearly = (likely: fc.Arbitrary<unknown>) => fc.oneof({ weight: 5, arbitrary: likely }, anything);
const property = fc.record(
  {
    key: nearly(fc.constantFrom('email', '1', '2', 'id')),
    type: nearly(fc.constantFrom('person', 'cohort', 'flag', 'group')),
    value: nearly(fc.constantFrom('x', 1, true, ['a'], [1, 2], '-7d', '(')),
    operator: nearly(fc.constantFrom('exact', 'regex', 'between', 'in', 'flag_evaluates_to', 'is_date_after', 'min')),
    group_type_index: nearly(fc.constantFrom(0, 1)),
  },
  { requiredKeys: [] },
);
const group = fc.record(
  {
    properties: nearly(fc.array(nearly(property), { maxLength: 3 })),
    rollout_percentage: nearly(fc.constantFrom(null, 0, 50, 100)),
    variant: nearly(fc.constantFrom(null, 'a', '')),
    aggregation_group_type_index: nearly(fc.constantFrom(null, 0)),
  },
  { requiredKeys: [] },
);
const filters = fc.record(
  {
    groups: nearly(fc.array(nearly(group), { maxLength: 3 })),
    multivariate: nearly(fc.record({ variants: nearly(fc.constantFrom([], [{ key: 'a', rollout_percentage: 100 }])) })),
    payloads: nearly(fc.constantFrom({}, { true: 1 }, { a: '2' })),
    aggregation_group_type_index: nearly(fc.constantFrom(null, 0)),
    super_groups: nearly(fc.array(nearly(group), { maxLength: 2 })),
    holdout_groups: nearly(fc.constantFrom(null, [])),
    holdout: nearly(fc.constantFrom(null, { id: 1, exclusion_percentage: 5 })),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<JsonObject>;

const FLAG = {
  id: 1,
  key: 'flag',
  active: true,
  version: 1,
  ensureExperienceContinuity: false,
  evaluationRuntime: 'all' as const,
  bucketingIdentifier: 'distinct_id' as const,
};

const cohort = (id: number, properties: unknown) => ({
  id,
  name: `cohort ${id}`,
  isStatic: false,
  filters: { properties } as JsonObject,
  groups: [],
});

/** True when it was taken, false when it was refused in words; anything else is a fault. */
function isTaken(work: () => unknown): boolean {
  try {
    work();
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(Failure);
    return false;
  }
}

describe('whatever is sent as filters', () => {
  it('is taken or refused in words; what is taken can be evaluated, and what is stored can always be shown', () => {
    let taken = 0;
    fc.assert(
      fc.property(filters, anything, (sent, criteria) => {
        if (isTaken(() => validateFilters(sent))) {
          taken++;
          expect(compileFlag({ ...FLAG, filters: sent }, newCompileCache()).failure).toBeNull();
        }
        const others = [{ id: 1, key: 'other', active: true, filters: sent }];
        isTaken(() => checkCohorts(sent, [cohort(1, criteria), cohort(2, { type: 'AND', values: [] })]));
        isTaken(() => checkDependencies({ id: 2, key: 'this', filters: sent }, others));
        expect(dependentFlags(2, others).length).toBeLessThan(2);
        expect(Object.keys(withExplicitGroups(sent))).toContain('groups');
        expect(isSimple(sent) || simpleRollout(sent) === null).toBe(true);
        expect(typeof isFullyRolledOut(sent)).toBe('boolean');
      }),
      { numRuns: 3000, seed: 4 },
    );
    expect(taken).toBeGreaterThan(50);
  });

  it('survives cohorts that name each other', () => {
    const into = (id: number) => ({ type: 'OR', values: [{ type: 'cohort', value: id }] });
    const sent = { groups: [{ properties: [{ type: 'cohort', value: 1 }] }] };
    expect(isTaken(() => checkCohorts(sent, [cohort(1, into(2)), cohort(2, into(1))]))).toBe(true);
    expect(isTaken(() => checkCohorts(sent, [cohort(1, into(3))]))).toBe(false);
  });
});

it('takes or refuses whatever is sent as rollback conditions', () => {
  const metric = fc.record(
    {
      event: nearly(fc.constantFrom('a', null)),
      events: nearly(fc.constantFrom([{ id: 'a' }], [{ id: null, math: 'dau' }])),
      math: nearly(fc.constantFrom('total', 'unique_persons')),
      window: nearly(fc.constantFrom('1h', '90m')),
      properties: nearly(fc.array(nearly(property), { maxLength: 2 })),
    },
    { requiredKeys: [] },
  );
  const condition = fc.record(
    {
      threshold: nearly(fc.constantFrom(1, '2.5')),
      operator: nearly(fc.constantFrom('gt', 'lte')),
      threshold_type: nearly(fc.constantFrom('insight', 'sentry')),
      threshold_metric: nearly(metric),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(nearly(fc.oneof(condition, fc.array(condition, { maxLength: 2 }))), (sent) => {
      isTaken(() => readRollbackConditions(sent as JsonObject));
    }),
    { numRuns: 3000, seed: 5 },
  );
});

describe('filters without groups', () => {
  it.each<[string, JsonObject, JsonObject]>([
    ['none', {}, { groups: [{ properties: [], rollout_percentage: null }] }],
    [
      'the oldest form',
      { properties: [{ key: 'a' }], payloads: {} },
      { payloads: {}, groups: [{ properties: [{ key: 'a' }], rollout_percentage: null }] },
    ],
    ['no groups on purpose', { groups: [] }, { groups: [] }],
  ])('read as one group: %s', (_name, stored, shown) => {
    expect(withExplicitGroups(stored)).toEqual(shown);
  });
});

describe('a flag that everybody has', () => {
  const all = { rollout_percentage: 100 };
  const some = { properties: [{ key: 'a', type: 'person', value: 1 }], rollout_percentage: 100 };
  const variants = (...shares: number[]) => ({
    multivariate: { variants: shares.map((rollout_percentage, i) => ({ key: `v${i}`, rollout_percentage })) },
  });
  it.each<[boolean, JsonObject]>([
    [true, {}],
    [true, { groups: [some, {}] }],
    [false, { groups: [{ rollout_percentage: 99.9 }] }],
    [false, { groups: [some] }],
    [false, { groups: [] }],
    [true, { groups: [all], ...variants(100, 0) }],
    [false, { groups: [all], ...variants(50, 50) }],
    [true, { groups: [{ ...all, variant: 'v1' }], ...variants(50, 50) }],
    [false, { groups: [some, { ...all, variant: 'v1' }], ...variants(50, 50) }],
    [false, { groups: [all], super_groups: [some] }],
    [false, { groups: [all], holdout: { id: 1 } }],
  ])('differs from a flag that not everybody gets: %s %j', (expected, filters) => {
    expect(isFullyRolledOut(filters)).toBe(expected);
  });
});

it.each([
  ['x', 'x'],
  [['a', "it's", 1.5], "['a', 'it\\'s', 1.5]"],
  [{ a: [true, null] }, "{'a': [True, None]}"],
  ['x'.repeat(500), 'x'.repeat(200)],
])('shows values as the wire does: %j', (value, shown) => {
  expect(pythonText(value)).toBe(shown);
});
