import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { flagOf, subjectOf } from '../../../../../test/support/flag-definitions.ts';
import { evaluate } from '../evaluate/evaluate.ts';
import type { CohortDefinition, FlagDefinition } from '../flag.ts';
import type { FlagEvaluation } from '../flag-evaluation.ts';
import type { Subject } from '../subject.ts';
import { PROPERTY_OPERATORS } from './comparison.ts';
import { prepareFlag, prepareFlags } from './prepare-flags.ts';

const groupTypes = new Map([[0, 'company']]);
const prepare = (flags: FlagDefinition[], cohorts: CohortDefinition[] = []) =>
  prepareFlags({ flags, cohorts, groupTypes });

const cohort = (id: number, properties: unknown, more: Partial<CohortDefinition> = {}): CohortDefinition => ({
  id,
  isStatic: false,
  filters: { properties },
  groups: [],
  ...more,
});
const leaf = (key: string, value: unknown, more: object = {}) => ({ key, value, type: 'person', ...more });
const inCohort = (id: unknown, operator?: string) => ({ key: 'id', type: 'cohort', value: id, operator });
const dependsOn = (id: number, value: unknown) => ({
  type: 'flag',
  key: String(id),
  operator: 'flag_evaluates_to',
  value,
});
const withProperties = (...properties: unknown[]) => ({ groups: [{ properties }] });

function valuesOf(flags: FlagDefinition[], cohorts: CohortDefinition[] = [], subject: Partial<Subject> = {}) {
  const results = evaluate(prepare(flags, cohorts), subjectOf(subject));
  return Object.fromEntries(results.map(({ key, value, failure }) => [key, failure === null ? value : 'failed']));
}

describe('cohorts', () => {
  const isIn = (cohorts: CohortDefinition[], subject: Partial<Subject>, property: object = inCohort(1)) =>
    valuesOf([flagOf({ filters: withProperties(property) })], cohorts, subject)['flag'];

  it.each([
    [inCohort(1), true],
    [inCohort('1'), true],
    [inCohort(1, 'in'), true],
    [inCohort(1, 'exact'), true],
    [inCohort(1, 'not_in'), false],
    [inCohort(1, 'gt'), 'failed'],
    [inCohort('one'), 'failed'],
    [inCohort(null), 'failed'],
    [inCohort(2), 'failed'],
    [inCohort(2, 'not_in'), 'failed'],
  ])('are asked for as %j: %s', (property, expected) => {
    expect(isIn([cohort(1, { type: 'AND', values: [leaf('a', 1)] })], { properties: { a: 1 } }, property)).toBe(
      expected,
    );
  });

  it('that are static are lists of persons', () => {
    const list = [cohort(1, undefined, { isStatic: true, filters: null })];
    expect(isIn(list, { staticCohorts: new Set([1]) })).toBe(true);
    expect(isIn(list, {})).toBe(false);
    expect(isIn(list, {}, inCohort(1, 'not_in'))).toBe(true);
  });

  it.each<[unknown, boolean | string]>([
    [{}, true],
    [{ type: 'AND', values: [] }, true],
    [{ type: 'OR', values: [] }, true],
    [{ type: 'OR', values: [leaf('a', 2), leaf('b', 2)] }, true],
    [{ type: 'AND', values: [leaf('a', 1), leaf('b', 1)] }, false],
    [{ type: 'AND', values: [leaf('a', 1, { negation: true })] }, false],
    [{ type: 'AND', values: [leaf('c', 1, { negation: true })] }, true],
    [{ type: 'AND', values: [{ type: 'OR', values: [leaf('a', 9), leaf('b', 2)] }, leaf('a', 1)] }, true],
    [{ type: 'AND', values: [{}, leaf('a', 1)] }, true],
    [{ type: 'XOR', values: [leaf('a', 1)] }, 'failed'],
    [{ values: [leaf('a', 1)] }, 'failed'],
    [{ type: 'AND', values: ['a'] }, 'failed'],
    [{ type: 'AND', values: [{ key: 'x', type: 'behavioral', value: 'performed_event' }] }, 'failed'],
    [{ type: 'OR', values: [leaf('a', 1), { key: 'x', type: 'behavioral' }] }, 'failed'],
    [{ type: 'AND', values: [leaf('a', 1, { type: 'event' })] }, 'failed'],
    ['everybody', 'failed'],
    [[leaf('a', 1)], 'failed'],
    [undefined, 'failed'],
  ])('with the criteria %j: %s', (properties, expected) => {
    expect(isIn([cohort(1, properties)], { properties: { a: 1, b: 2 } })).toBe(expected);
  });

  it.each<[unknown, boolean | string]>([
    [[{ properties: [leaf('a', 1), leaf('b', 1)] }, { properties: [leaf('b', 2)] }], true],
    [[{ properties: [leaf('a', 1, { type: 'event' })] }], true],
    [[{ properties: [{ key: 'a', value: 2 }] }], false],
    [[{ properties: [] }], true],
    [[{ action_id: 5, days: 7 }], 'failed'],
    [['a'], 'failed'],
    [{}, 'failed'],
    [[], 'failed'],
  ])('in their old form %j: %s', (groups, expected) => {
    const old = cohort(1, undefined, { filters: {}, groups });
    expect(isIn([old], { properties: { a: 1, b: 2 } })).toBe(expected);
  });

  it('may be nested', () => {
    const nested = [
      cohort(1, { type: 'AND', values: [inCohort(2), { ...inCohort(3), negation: true }] }),
      cohort(2, { type: 'AND', values: [leaf('a', 1)] }),
      cohort(3, null, { isStatic: true }),
    ];
    expect(isIn(nested, { properties: { a: 1 } })).toBe(true);
    expect(isIn(nested, { properties: { a: 1 }, staticCohorts: new Set([3]) })).toBe(false);
  });

  it('that refer to each other in a cycle, or to a deleted one, fail', () => {
    const refer = (id: number, to: number) => cohort(id, { type: 'OR', values: [leaf('a', 1), inCohort(to)] });
    const subject = { properties: { a: 1 } };
    expect(isIn([refer(1, 1)], subject)).toBe('failed');
    expect(isIn([refer(1, 2), refer(2, 1)], subject)).toBe('failed');
    expect(isIn([refer(1, 2), refer(2, 3), refer(3, 2)], subject)).toBe('failed');
    expect(isIn([refer(1, 2), refer(2, 9)], subject)).toBe('failed');
    expect(isIn([refer(1, 2), cohort(2, {})], subject)).toBe(true);
  });

  it('that are nested too deeply fail and do not exhaust the stack', () => {
    const chain = Array.from({ length: 20_000 }, (_, id) => cohort(id, { type: 'AND', values: [inCohort(id + 1)] }));
    expect(isIn([...chain, cohort(20_000, {})], {})).toBe('failed');
    const deep = JSON.parse('{"type":"AND","values":['.repeat(5000) + ']}'.repeat(5000));
    expect(isIn([cohort(1, deep)], {})).toBe('failed');
  });

  it('may have any number of criteria', () => {
    const values = Array.from({ length: 50_000 }, () => leaf('a', 1));
    expect(isIn([cohort(1, { type: 'AND', values })], { properties: { a: 1 } })).toBe(true);
    expect(valuesOf([flagOf({ filters: withProperties(...values) })], [], { properties: { a: 1 } })).toEqual({
      flag: true,
    });
  });

  it('fail only the flags whose evaluation reaches them', () => {
    const filters = { groups: [{ properties: [leaf('a', 1)] }, { properties: [inCohort(404)] }] };
    const flags = [flagOf({ id: 1, key: 'one', filters }), flagOf({ id: 2, key: 'two' })];
    expect(valuesOf(flags, [], { properties: { a: 1 } })).toEqual({ one: true, two: true });
    expect(valuesOf(flags, [], {})).toEqual({ one: 'failed', two: true });
    const [failed] = evaluate(prepare(flags), subjectOf({}));
    expect(failed).toMatchObject({ value: false, reason: 'failed', failure: 'condition 2: cohort 404 does not exist' });
  });
});

describe('flags that depend on flags', () => {
  const on = flagOf({ id: 1, key: 'on' });
  const off = flagOf({ id: 2, key: 'off', filters: { groups: [{ rollout_percentage: 0 }] } });
  const variant = flagOf({
    id: 3,
    key: 'variant',
    filters: { groups: [{}], multivariate: { variants: [{ key: 'Red', rollout_percentage: 100 }] } },
  });
  const inactive = flagOf({ id: 4, key: 'inactive', active: false });

  it.each<[number, unknown, boolean]>([
    [1, true, true],
    [1, false, false],
    [1, 'Red', false],
    [1, null, false],
    [2, true, false],
    [2, false, true],
    [3, true, true],
    [3, false, false],
    [3, 'Red', true],
    [3, 'red', false],
    [4, true, false],
    [4, false, true],
    [5, true, false],
    [5, false, false],
  ])('on flag %i being %j: %s', (id, value, expected) => {
    const flag = flagOf({ id: 9, key: 'asks', filters: withProperties(dependsOn(id, value)) });
    expect(valuesOf([flag, on, off, variant, inactive])['asks']).toBe(expected);
  });

  it('through a cohort', () => {
    const asks = flagOf({ id: 9, key: 'asks', filters: withProperties(inCohort(1)) });
    const members = (value: boolean) => [cohort(1, { type: 'AND', values: [dependsOn(1, value)] })];
    expect(valuesOf([asks, on], members(true))).toEqual({ asks: true, on: true });
    expect(valuesOf([asks, on], members(false))).toEqual({ asks: false, on: true });
  });

  it('in a cycle fail, with those that depend on them', () => {
    const asks = (id: number, other: number) =>
      flagOf({ id, key: `${id}`, filters: withProperties(dependsOn(other, true)) });
    expect(valuesOf([asks(5, 5), on])).toEqual({ 5: 'failed', on: true });
    expect(valuesOf([asks(5, 6), asks(6, 5), asks(7, 5), asks(8, 1), on])).toEqual({
      5: 'failed',
      6: 'failed',
      7: 'failed',
      8: true,
      on: true,
    });
    // An inactive flag counts as off, whatever it depends on: there is no cycle through it.
    expect(valuesOf([asks(5, 6), { ...asks(6, 5), active: false }])).toEqual({ 5: false });
  });

  it('on one that failed fail too, if evaluation reaches it', () => {
    const failing = flagOf({ id: 5, key: 'failing', filters: withProperties(inCohort(404)) });
    const asks = flagOf({
      id: 6,
      key: 'asks',
      filters: { groups: [{ properties: [leaf('a', 1)] }, ...withProperties(dependsOn(5, false)).groups] },
    });
    expect(valuesOf([asks, failing])).toEqual({ asks: 'failed', failing: 'failed' });
    expect(valuesOf([asks, failing], [], { properties: { a: 1 } })).toEqual({ asks: true, failing: 'failed' });
  });

  it('in a long chain do not exhaust the stack', () => {
    const chain = Array.from({ length: 20_000 }, (_, index) =>
      flagOf({
        id: index + 10,
        key: `${index}`,
        filters: withProperties(dependsOn(index === 19_999 ? 1 : index + 11, true)),
      }),
    );
    const prepared = prepare([...chain, on]);
    expect(evaluate(prepared, subjectOf({}), new Set(['0']))).toMatchObject([{ key: '0', value: true }]);
    expect(evaluate(prepared, subjectOf({})).every(({ value }) => value === true)).toBe(true);
  });
});

describe('invalid definitions', () => {
  it.each<[unknown]>([
    [null],
    [undefined],
    ['{}'],
    [[]],
    [{ groups: null }],
    [{ groups: {} }],
    [{ groups: [null] }],
    [{ groups: ['x'] }],
    [{ groups: [{ properties: 'x' }] }],
    [{ groups: [{ properties: [null] }] }],
    [{ groups: [{ properties: [{ value: 1 }] }] }],
    [{ groups: [{ properties: [{ key: 5, value: 1 }] }] }],
    [{ groups: [{ properties: [leaf('a', 1, { operator: 'like' })] }] }],
    [{ groups: [{ properties: [leaf('a', 1, { operator: 5 })] }] }],
    [{ groups: [{ properties: [leaf('a', 1, { operator: 'in' })] }] }],
    [{ groups: [{ properties: [leaf('a', 1, { type: 'hogql' })] }] }],
    [{ groups: [{ rollout_percentage: '50' }] }],
    [{ groups: [{ rollout_percentage: Number.NaN }] }],
    [{ groups: [{ variant: 5 }] }],
    [{ groups: [{ aggregation_group_type_index: 'company' }] }],
    [{ aggregation_group_type_index: -1, groups: [{}] }],
    [{ groups: [{}], multivariate: [] }],
    [{ groups: [{}], multivariate: { variants: {} } }],
    [{ groups: [{}], multivariate: { variants: [{ key: 'a' }] } }],
    [{ groups: [{}], multivariate: { variants: [{ rollout_percentage: 100 }] } }],
    [{ groups: [{}], payloads: [] }],
    [{ groups: [{}], super_groups: [null] }],
    [{ groups: [{}], holdout_groups: [{ properties: 5 }] }],
  ])('fail by themselves: %j', (filters) => {
    const results = evaluate(prepare([flagOf({ id: 1, filters }), flagOf({ id: 2, key: 'fine' })]), subjectOf({}));
    expect(results).toMatchObject([
      {
        value: false,
        reason: 'failed',
        conditionIndex: null,
        payload: undefined,
        failure: expect.stringMatching(/\w/),
      },
      { value: true, failure: null },
    ]);
  });

  const operators = fc.constantFrom(...PROPERTY_OPERATORS, 'in', 'not_in', 'flag_evaluates_to', 'nonsense');
  const anything = fc.oneof(fc.jsonValue(), fc.constantFrom('-1d', '1.2.*', '(a+)+$', '2023-01-01', 1, 2, '1'));
  const property = fc.record(
    {
      key: fc.oneof(fc.constantFrom('a', 'distinct_id', '1', '__proto__'), anything),
      value: anything,
      operator: fc.oneof(operators, anything),
      type: fc.oneof(fc.constantFrom('person', 'group', 'cohort', 'flag'), anything),
      negation: anything,
      group_type_index: anything,
    },
    { requiredKeys: [] },
  );
  const part = fc.oneof(anything, fc.array(fc.oneof(property, anything), { maxLength: 3 }));
  const group = fc.record(
    { properties: part, rollout_percentage: anything, variant: anything, aggregation_group_type_index: anything },
    { requiredKeys: [] },
  );
  const groups = fc.oneof(anything, fc.array(fc.oneof(group, anything), { maxLength: 3 }));
  const anyFilters = fc.oneof(
    anything,
    fc.record(
      {
        groups,
        multivariate: anything,
        payloads: anything,
        super_groups: groups,
        holdout_groups: groups,
        holdout: anything,
        feature_enrollment: anything,
        early_exit: anything,
        aggregation_group_type_index: anything,
        properties: part,
        rollout_percentage: anything,
      },
      { requiredKeys: [] },
    ),
  );
  const criteria = fc.oneof(anything, fc.record({ type: fc.constantFrom('AND', 'OR'), values: part }));

  it('never throw, whatever is stored and whatever is sent', () => {
    fc.assert(
      fc.property(
        anyFilters,
        anyFilters,
        criteria,
        groups,
        fc.dictionary(fc.string(), anything),
        (one, two, tree, old, properties) => {
          const prepared = prepare(
            [
              flagOf({ id: 1, key: 'one', filters: one }),
              flagOf({ id: 2, key: 'two', filters: two }),
              flagOf({ id: 3, key: 'fine' }),
            ],
            [cohort(1, tree), cohort(2, undefined, { filters: tree, groups: old })],
          );
          const subject = subjectOf({ properties, groups: new Map([[0, { key: 'acme', properties }]]) });
          const results = evaluate(prepared, subject);
          expect(results.map(({ key }) => key)).toEqual(['one', 'two', 'fine']);
          expect(results[2]).toMatchObject({ value: true, failure: null });
          for (const result of results) expect(result.failure === null).toBe(result.reason !== 'failed');
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('needs', () => {
  it('are what the active flags read, cohorts included', () => {
    const { needs } = prepare(
      [
        flagOf({ id: 1, key: 'one', filters: withProperties(leaf('plan', 1), leaf('distinct_id', 1), inCohort(1)) }),
        flagOf({
          id: 2,
          key: 'two',
          active: false,
          filters: withProperties(leaf('unasked', 1), inCohort(4)),
          ensureExperienceContinuity: true,
        }),
        flagOf({
          id: 3,
          key: 'three',
          filters: { feature_enrollment: true, groups: [{ aggregation_group_type_index: 2 }] },
        }),
      ],
      [
        cohort(1, { type: 'AND', values: [leaf('country', 1), inCohort(2)] }),
        cohort(2, null, { isStatic: true }),
        cohort(3, null, { isStatic: true }),
        cohort(4, { type: 'AND', values: [leaf('nobody', 1)] }),
      ],
    );
    expect(needs).toEqual({
      personProperties: new Set(['plan', 'country', '$feature_enrollment/three']),
      groupTypes: new Set([2]),
      staticCohorts: new Set([2]),
      hasContinuity: false,
      hasPlace: false,
      hasRelativeDates: false,
    });
  });

  it('know of dates relative to now, also in cohorts', () => {
    const withDate = (value: string) =>
      cohort(1, { type: 'AND', values: [{ ...leaf('at', value), operator: 'is_date_after' }] });
    const inOne = flagOf({ filters: { groups: [{ properties: [inCohort(1)] }] } });
    expect(prepare([inOne], [withDate('-7d')]).needs.hasRelativeDates).toBe(true);
    expect(prepare([inOne], [withDate('2026-01-15')]).needs.hasRelativeDates).toBe(false);
  });

  it('are empty for flags that read nothing', () => {
    const { needs } = prepare([flagOf({ ensureExperienceContinuity: true })]);
    expect(needs).toEqual({
      personProperties: new Set(),
      groupTypes: new Set(),
      staticCohorts: new Set(),
      hasContinuity: true,
      hasPlace: false,
      hasRelativeDates: false,
    });
  });
});

describe('preparing again', () => {
  const filters = (value: unknown) => withProperties(leaf('a', value, { operator: 'regex' }));
  const definitions = (value: unknown) => ({
    flags: [
      flagOf({ id: 1, key: 'one', filters: filters('x') }),
      flagOf({ id: 2, key: 'two', filters: filters(value) }),
    ],
    cohorts: [cohort(1, { type: 'AND', values: [leaf('a', value)] })],
    groupTypes,
  });

  it('compiles only what changed', () => {
    const before = prepareFlags(definitions('x'));
    const after = prepareFlags(structuredClone(definitions('y')), before);
    expect(after.flags[0]?.firstCondition).toBe(before.flags[0]?.firstCondition);
    expect(after.flags[1]?.firstCondition).not.toBe(before.flags[1]?.firstCondition);
    expect(after.cohorts.get(1)?.compiled).not.toBe(before.cohorts.get(1)?.compiled);
    const same = prepareFlags(structuredClone(definitions('y')), after);
    expect(same.cohorts.get(1)?.compiled).toBe(after.cohorts.get(1)?.compiled);
  });

  it('applies every change', () => {
    const before = prepareFlags({ flags: [flagOf({ key: 'old' })], cohorts: [], groupTypes });
    const changed = flagOf({ key: 'new', version: 2, bucketingIdentifier: 'device_id' });
    const after = prepareFlags({ flags: [changed], cohorts: [], groupTypes }, before);
    expect(evaluate(after, subjectOf({}))).toMatchObject([{ key: 'new', version: 2, value: false }]);
    const renamed = prepareFlags(
      { flags: [{ ...changed, bucketingIdentifier: 'distinct_id' }], cohorts: [], groupTypes },
      after,
    );
    expect(evaluate(renamed, subjectOf({}))).toMatchObject([{ key: 'new', value: true }]);
    expect(evaluate(prepareFlags({ flags: [], cohorts: [], groupTypes }, after), subjectOf({}))).toEqual([]);
  });

  it('applies a change of a cohort to a flag that did not change', () => {
    const flags = [flagOf({ filters: withProperties(inCohort(1)) })];
    const before = prepareFlags({ flags, cohorts: [], groupTypes });
    const after = prepareFlags({ flags, cohorts: [cohort(1, {})], groupTypes }, before);
    const value = (prepared: typeof before): FlagEvaluation | undefined => evaluate(prepared, subjectOf({}))[0];
    expect(value(before)?.failure).not.toBeNull();
    expect(value(after)).toMatchObject({ value: true, failure: null });
  });
});

describe('a preview', () => {
  const stored = prepare(
    [
      flagOf({ id: 1, key: 'base', filters: withProperties(leaf('plan', 'pro')) }),
      flagOf({ id: 2, key: 'edited', active: false, filters: { groups: [] } }),
      flagOf({ id: 3, key: 'other', filters: withProperties(leaf('unasked', 1)) }),
    ],
    [cohort(1, { type: 'AND', values: [leaf('country', 'DE')] })],
  );
  const draft = flagOf({
    id: 2,
    key: 'edited',
    active: false,
    filters: withProperties(dependsOn(1, true), inCohort(1)),
  });
  const preview = prepareFlag(draft, stored);

  it('is evaluated as if it were active, among the stored flags and cohorts', () => {
    const value = (properties: Record<string, unknown>) =>
      evaluate(preview, subjectOf({ properties }), new Set(['edited'])).map((result) => result.value);
    expect(value({ plan: 'pro', country: 'DE' })).toEqual([true]);
    expect(value({ plan: 'pro' })).toEqual([false]);
  });

  it('needs only its own data', () => {
    expect(preview.needs.personProperties).toEqual(new Set(['plan', 'country']));
  });

  it('may be of a flag that is not stored, or invalid', () => {
    const fresh = prepareFlag(flagOf({ id: 0, key: 'fresh' }), stored);
    expect(evaluate(fresh, subjectOf({}), new Set(['fresh']))).toMatchObject([{ value: true }]);
    const broken = prepareFlag(flagOf({ id: 2, key: 'edited', filters: 5 }), stored);
    expect(evaluate(broken, subjectOf({}), new Set(['edited']))).toMatchObject([
      { failure: 'filters is not an object' },
    ]);
  });

  it('does not change the stored flags', () => {
    expect(evaluate(stored, subjectOf({})).map(({ key }) => key)).toEqual(['base', 'other']);
  });
});
