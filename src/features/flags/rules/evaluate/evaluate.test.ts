import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { flagOf, subjectOf } from '../../../../../test/support/flag-definitions.ts';
import { prepareFlags } from '../compile/prepare-flags.ts';
import type { FlagDefinition } from '../flag.ts';
import { describeReason, type FlagEvaluation } from '../flag-evaluation.ts';
import type { Subject } from '../subject.ts';
import { evaluate } from './evaluate.ts';

const prepare = (...flags: FlagDefinition[]) =>
  prepareFlags({ flags, cohorts: [], groupTypes: new Map([[0, 'company']]) });

function evaluateOne(fields: Partial<FlagDefinition>, subject: Partial<Subject> = {}): FlagEvaluation {
  const [result] = evaluate(prepare(flagOf(fields)), subjectOf(subject));
  return result ?? expect.fail('no result');
}

const person = (key: string, value: unknown, operator = 'exact') => ({ key, value, operator, type: 'person' });
const condition = (properties: object[] = [], rollout_percentage: number | null = null, more: object = {}) => ({
  properties,
  rollout_percentage,
  ...more,
});
const variants = (...list: [string, number][]) => ({
  variants: list.map(([key, rollout_percentage]) => ({ key, rollout_percentage })),
});
const company = (key: string, properties = {}) => new Map([[0, { key, properties }]]);

describe('a flag', () => {
  it('is on for everybody if its condition is empty', () => {
    expect(evaluateOne({ id: 7, key: 'k', version: 3, filters: {} })).toEqual({
      key: 'k',
      id: 7,
      version: 3,
      value: true,
      reason: 'condition_match',
      conditionIndex: 0,
      payload: undefined,
      failure: null,
    });
  });

  it('is off for everybody with no conditions at all', () => {
    const result = evaluateOne({ filters: { groups: [] } });
    expect(result).toMatchObject({ value: false, reason: 'no_condition_match', conditionIndex: null, failure: null });
  });

  it('is absent if it is not active', () => {
    expect(evaluate(prepare(flagOf({ active: false })), subjectOf({}))).toEqual([]);
  });

  it('reads properties and rollout of filters without groups', () => {
    const filters = { properties: [{ key: 'plan', value: 'pro' }], rollout_percentage: 100 };
    expect(evaluateOne({ filters }, { properties: { plan: 'pro' } }).value).toBe(true);
    expect(evaluateOne({ filters }, { properties: { plan: 'free' } }).value).toBe(false);
    expect(
      evaluateOne({ filters: { ...filters, rollout_percentage: 0 } }, { properties: { plan: 'pro' } }),
    ).toMatchObject({
      value: false,
      reason: 'out_of_rollout_bound',
    });
  });

  it('matches if all properties of a condition do, and the first such condition counts', () => {
    const filters = {
      groups: [
        condition([person('plan', 'pro'), person('country', 'DE')]),
        condition([person('plan', 'pro')], null, { variant: 'second' }),
        condition([], null, { variant: 'third' }),
      ],
      multivariate: variants(['second', 50], ['third', 50]),
    };
    const value = (properties: Record<string, unknown>) => evaluateOne({ filters }, { properties });
    expect(value({ plan: 'pro' })).toMatchObject({ value: 'second', conditionIndex: 1 });
    expect(value({ country: 'DE' })).toMatchObject({ value: 'third', conditionIndex: 2 });
    expect(value({ plan: 'pro', country: 'DE' }).conditionIndex).toBe(0);
  });

  it('tries conditions in order, even if a later one has a variant', () => {
    const filters = {
      groups: [condition([], null), condition([], null, { variant: 'b' })],
      multivariate: variants(['a', 100], ['b', 0]),
    };
    expect(evaluateOne({ filters })).toMatchObject({ value: 'a', conditionIndex: 0 });
  });

  it('ignores a variant that it does not have', () => {
    const filters = { groups: [condition([], null, { variant: 'gone' })], multivariate: variants(['a', 100]) };
    expect(evaluateOne({ filters }).value).toBe('a');
  });

  it('is true for users whom no variant covers', () => {
    expect(evaluateOne({ filters: { groups: [condition()], multivariate: variants(['a', 0]) } }).value).toBe(true);
  });

  it('has the distinct id as a property, unless the person has one of that name', () => {
    const filters = { groups: [condition([person('distinct_id', 'me')])] };
    expect(evaluateOne({ filters }, { distinctId: 'me' }).value).toBe(true);
    expect(evaluateOne({ filters }, { distinctId: 'me', properties: { distinct_id: 'you' } }).value).toBe(false);
  });

  it.each(['constructor', 'toString', '__proto__', 'hasOwnProperty'])('has no property %s by inheritance', (key) => {
    expect(evaluateOne({ filters: { groups: [condition([person(key, '', 'is_set')])] } }).value).toBe(false);
    const properties = JSON.parse(`{"${key}": 1}`);
    expect(evaluateOne({ filters: { groups: [condition([person(key, 1)])] } }, { properties }).value).toBe(true);
  });

  it('stops at a condition whose rollout excludes, with early exit', () => {
    const groups = [condition([], 0), condition()];
    expect(evaluateOne({ filters: { groups } })).toMatchObject({ value: true, conditionIndex: 1 });
    expect(evaluateOne({ filters: { groups, early_exit: true } })).toMatchObject({
      value: false,
      reason: 'out_of_rollout_bound',
      conditionIndex: 0,
    });
  });

  it.each([
    [[condition([person('x', 1)]), condition([], 0)], 'out_of_rollout_bound', 1],
    [[condition([], 0), condition([person('x', 1)])], 'out_of_rollout_bound', 0],
    [[condition([person('x', 1)]), condition([person('y', 1)])], 'no_condition_match', 1],
    [[condition([], 0), condition([], 0)], 'out_of_rollout_bound', 1],
    [[condition([person('x', 1)]), condition([], null, { aggregation_group_type_index: 0 })], 'no_condition_match', 0],
    [[condition([], null, { aggregation_group_type_index: 0 })], 'no_group_type', 0],
  ])('reports the weightiest reason, of two alike the later: %#', (groups, reason, conditionIndex) => {
    expect(evaluateOne({ filters: { groups } })).toMatchObject({ value: false, reason, conditionIndex });
  });
});

describe('payloads', () => {
  const payloads = { true: '{"a": 1}', a: { deep: [1] }, b: 0, false: 'never' };
  const filters = { groups: [condition()], payloads };

  it('belong to the value, exactly as stored', () => {
    expect(evaluateOne({ filters }).payload).toBe('{"a": 1}');
    expect(evaluateOne({ filters: { ...filters, multivariate: variants(['a', 100]) } }).payload).toEqual({ deep: [1] });
    expect(evaluateOne({ filters: { ...filters, multivariate: variants(['b', 100]) } }).payload).toBe(0);
    expect(evaluateOne({ filters: { ...filters, multivariate: variants(['c', 100]) } }).payload).toBeUndefined();
  });

  it('are absent if the flag is off', () => {
    expect(evaluateOne({ filters: { groups: [condition([], 0)], payloads } }).payload).toBeUndefined();
  });

  it('are not found by inheritance', () => {
    const multivariate = variants(['constructor', 100]);
    expect(evaluateOne({ filters: { groups: [condition()], multivariate } }).payload).toBeUndefined();
  });
});

describe('a flag for groups', () => {
  const groups = [{ properties: [{ key: 'size', value: 10, operator: 'gte', type: 'group', group_type_index: 0 }] }];
  const filters = { aggregation_group_type_index: 0, groups };

  it('reads the group and not the person', () => {
    expect(evaluateOne({ filters }, { groups: company('acme', { size: 12 }) }).value).toBe(true);
    expect(evaluateOne({ filters }, { groups: company('acme'), properties: { size: 12 } }).value).toBe(false);
  });

  it('is off without a group, with that reason', () => {
    expect(evaluateOne({ filters })).toMatchObject({ value: false, reason: 'no_group_type', conditionIndex: null });
  });

  it('buckets by the key of the group', () => {
    const half = { aggregation_group_type_index: 0, groups: [condition([], 50)] };
    const values = ['one', 'two', 'three', 'four', 'five', 'six'].map((key) =>
      ['x', 'y', 'z'].map((distinctId) => evaluateOne({ filters: half }, { distinctId, groups: company(key) }).value),
    );
    for (const ofGroup of values) expect(new Set(ofGroup).size).toBe(1);
    expect(new Set(values.flat()).size).toBe(2);
  });

  it('has the group key as a property', () => {
    const byKey = {
      aggregation_group_type_index: 0,
      groups: [condition([{ key: '$group_key', value: 'acme', type: 'group' }])],
    };
    expect(evaluateOne({ filters: byKey }, { groups: company('acme') }).value).toBe(true);
    expect(evaluateOne({ filters: byKey }, { groups: company('other') }).value).toBe(false);
  });

  it('may have conditions for persons and for groups', () => {
    const mixed = {
      groups: [
        condition([{ key: 'size', value: 10, operator: 'gte', type: 'group' }], null, {
          aggregation_group_type_index: 0,
        }),
        condition([person('plan', 'pro')]),
      ],
    };
    expect(evaluateOne({ filters: mixed }, { groups: company('a', { size: 11 }) }).conditionIndex).toBe(0);
    expect(evaluateOne({ filters: mixed }, { properties: { plan: 'pro' } }).conditionIndex).toBe(1);
    expect(evaluateOne({ filters: mixed }, {})).toMatchObject({ reason: 'no_condition_match', conditionIndex: 1 });
  });
});

describe('the bucketing identifier', () => {
  const half: Partial<FlagDefinition> = { filters: { groups: [condition([], 50)] } };
  const valueFor = (distinctId: string) => evaluateOne(half, { distinctId }).value;
  const [inside, outside] = [true, false].map((value) =>
    ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].find((id) => valueFor(id) === value),
  );

  it('is the first identifier of the person, only for flags with continuity', () => {
    const subject = { distinctId: String(outside), overrides: new Map([['flag', String(inside)]]) };
    expect(evaluateOne({ ...half, ensureExperienceContinuity: true }, subject).value).toBe(true);
    expect(evaluateOne(half, subject).value).toBe(false);
  });

  it('is the device for flags by device', () => {
    const byDevice: Partial<FlagDefinition> = { ...half, bucketingIdentifier: 'device_id' };
    expect(evaluateOne(byDevice, { distinctId: String(outside), deviceId: String(inside) }).value).toBe(true);
    expect(evaluateOne(byDevice, { distinctId: String(inside), deviceId: String(outside) }).value).toBe(false);
  });

  it.each([null, ''])('is absent for flags by device if the device is %j', (deviceId) => {
    const flag: Partial<FlagDefinition> = { filters: {}, bucketingIdentifier: 'device_id' };
    expect(evaluateOne(flag, { deviceId })).toMatchObject({
      value: false,
      reason: 'no_condition_match',
      failure: null,
    });
  });
});

describe('early access', () => {
  const byEnrollment = { feature_enrollment: true, groups: [condition([], 0)] };
  const bySuperGroup = {
    super_groups: [condition([person('$feature_enrollment/flag', ['true'])], 100)],
    groups: [condition([], 0)],
  };

  it.each([
    ['feature_enrollment', byEnrollment],
    ['feature_enrollment as text', { ...byEnrollment, feature_enrollment: 'true' }],
    ['super_groups', bySuperGroup],
  ])('by %s lets the person decide, either way', (_name, filters) => {
    const choose = (word: unknown, groups: object[]) =>
      evaluateOne({ filters: { ...filters, groups } }, { properties: { '$feature_enrollment/flag': word } });
    expect(choose(true, [condition([], 0)])).toMatchObject({
      value: true,
      reason: 'super_condition_value',
      conditionIndex: 0,
    });
    expect(choose('true', [condition([], 0)]).value).toBe(true);
    expect(choose(false, [condition()])).toMatchObject({
      value: false,
      reason: 'super_condition_value',
      conditionIndex: 0,
    });
    expect(choose(null, [condition()]).value).toBe(false);
    expect(evaluateOne({ filters: { ...filters, groups: [condition()] } })).toMatchObject({
      reason: 'condition_match',
    });
  });

  it('reads the person also on flags for groups', () => {
    const filters = { ...byEnrollment, aggregation_group_type_index: 0 };
    const properties = { '$feature_enrollment/flag': true };
    expect(evaluateOne({ filters }, { properties, groups: company('a') }).value).toBe(true);
    expect(evaluateOne({ filters }, { properties }).reason).toBe('no_group_type');
  });

  it('gives no variant', () => {
    const filters = { ...byEnrollment, multivariate: variants(['a', 100]), payloads: { true: 1, a: 2 } };
    const result = evaluateOne({ filters }, { properties: { '$feature_enrollment/flag': true } });
    expect(result).toMatchObject({ value: true, payload: 1 });
  });
});

describe('a holdout', () => {
  const older = (rollout_percentage: number | null, more: object = {}) => ({
    groups: [condition()],
    holdout_groups: [{ properties: [], rollout_percentage, variant: 'holdout-3', ...more }],
  });
  const newer = (exclusion_percentage: unknown) => ({
    groups: [condition()],
    holdout: { id: 3, exclusion_percentage },
  });

  it.each([older(100), newer(100), newer('100')])('holds everybody out: %#', (filters) => {
    const held = { value: 'holdout-3', reason: 'holdout_condition_value', conditionIndex: null, failure: null };
    expect(evaluateOne({ filters })).toMatchObject(held);
  });

  it.each([
    older(0),
    newer(0),
    older(null),
    newer(null),
    newer('many'),
    older(100, { properties: [person('x', 1)] }),
    { groups: [condition()], holdout: { id: null, exclusion_percentage: 100 } },
  ])('keeps nobody out: %#', (filters) => {
    expect(evaluateOne({ filters })).toMatchObject({ value: true, reason: 'condition_match' });
  });

  it('holds the same persons out of every flag', () => {
    const heldOut = (key: string) =>
      Array.from(
        { length: 300 },
        (_, index) => evaluateOne({ key, filters: newer(30) }, { distinctId: `id-${index}` }).value,
      );
    expect(heldOut('one')).toEqual(heldOut('two'));
    expect(heldOut('one').filter((value) => value === 'holdout-3').length).toBeGreaterThan(60);
  });
});

describe('rollouts and variants', () => {
  const PEOPLE = Array.from({ length: 4000 }, (_, index) => `person-${index}`);
  const share = (filters: unknown, value: unknown): number => {
    const prepared = prepare(flagOf({ key: 'share', filters }));
    const hits = PEOPLE.filter((distinctId) => evaluate(prepared, subjectOf({ distinctId }))[0]?.value === value);
    return (100 * hits.length) / PEOPLE.length;
  };

  it.each([0, 0.1, 1, 12.5, 50, 99, 100, null])('reaches about %s %% of all', (percentage) => {
    expect(Math.abs(share({ groups: [condition([], percentage)] }, true) - (percentage ?? 100))).toBeLessThan(2.5);
  });

  it('splits among the variants by their percentages, whoever is rolled out', () => {
    const multivariate = variants(['a', 50], ['b', 30], ['c', 15]);
    const of = (value: unknown) => share({ groups: [condition([], 80)], multivariate }, value);
    expect(Math.abs(of('a') - 40)).toBeLessThan(2.5);
    expect(Math.abs(of('b') - 24)).toBeLessThan(2.5);
    expect(Math.abs(of('c') - 12)).toBeLessThan(2.5);
    expect(Math.abs(of(true) - 4)).toBeLessThan(2.5);
    expect(Math.abs(of(false) - 20)).toBeLessThan(2.5);
  });

  it('keeps those who are in when the percentage grows, with their variant', () => {
    const percentage = fc.double({ min: 0, max: 100, noNaN: true });
    fc.assert(
      fc.property(fc.string(), fc.string({ minLength: 1 }), percentage, percentage, (distinctId, key, one, other) => {
        const [less, more] = [Math.min(one, other), Math.max(one, other)].map(
          (part) =>
            evaluateOne(
              { key, filters: { groups: [condition([], part)], multivariate: variants(['a', 50], ['b', 50]) } },
              { distinctId },
            ).value,
        );
        if (less !== false) expect(more).toBe(less);
      }),
    );
  });
});

/** The rules once more, in the simplest and slowest way. */
function slowValue(
  key: string,
  filters: Filters,
  properties: Record<string, string>,
  distinctId: string,
): boolean | string {
  const place = (salt: string): number => {
    const digest = createHash('sha1').update(`${key}.${distinctId}${salt}`).digest('hex');
    return Number.parseInt(digest.slice(0, 15), 16) / 2 ** 60;
  };
  for (const group of filters.groups) {
    const fits = group.properties.every((one) =>
      one.operator === 'exact' ? properties[one.key] === one.value : properties[one.key] !== one.value,
    );
    if (!fits || place('') > (group.rollout_percentage ?? 100) / 100) continue;
    let from = 0;
    for (const variant of filters.multivariate.variants) {
      const to = from + variant.rollout_percentage / 100;
      if (group.variant === undefined && place('variant') >= from && place('variant') < to) return variant.key;
      from = to;
    }
    return group.variant ?? true;
  }
  return false;
}

interface Filters {
  groups: {
    properties: { key: string; value: string; operator: string; type: string }[];
    rollout_percentage: number | null;
    variant?: string;
  }[];
  multivariate: { variants: { key: string; rollout_percentage: number }[] };
}

const word = fc.constantFrom('a', 'b', 'c');
const anyFilters: fc.Arbitrary<Filters> = fc.record({
  groups: fc.array(
    fc.record(
      {
        properties: fc.array(
          fc.record({
            key: word,
            value: word,
            operator: fc.constantFrom('exact', 'is_not'),
            type: fc.constant('person'),
          }),
          { maxLength: 2 },
        ),
        rollout_percentage: fc.option(fc.integer({ min: 0, max: 100 })),
        variant: word,
      },
      { requiredKeys: ['properties', 'rollout_percentage'] },
    ),
    { maxLength: 4 },
  ),
  multivariate: fc.constant(variants(['a', 20], ['b', 30], ['c', 40])),
});

describe('many flags', () => {
  it('have the values that the simple version gives', () => {
    const properties = fc.dictionary(word, word);
    fc.assert(
      fc.property(fc.string(), anyFilters, properties, fc.string(), (key, filters, person, distinctId) => {
        const { value } = evaluateOne({ key, filters }, { properties: person, distinctId });
        expect(value).toBe(slowValue(key, filters, person, distinctId));
      }),
      { numRuns: 1000 },
    );
  });

  it('do not depend on their order, nor on which of them are asked for', () => {
    const flags = fc.uniqueArray(fc.record({ id: fc.integer({ min: 1, max: 8 }), filters: anyFilters }), {
      selector: ({ id }) => id,
    });
    fc.assert(
      fc.property(flags, fc.infiniteStream(fc.boolean()), (list, chance) => {
        const definitions = list.map(({ id, filters }, index) => {
          const [first, ...rest] = filters.groups;
          const dependency = {
            type: 'flag',
            key: String(list[index - 1]?.id ?? 99),
            operator: 'flag_evaluates_to',
            value: true,
          };
          const groups = first ? [{ ...first, properties: [...first.properties, dependency] }, ...rest] : [];
          return flagOf({ id, key: `flag-${id}`, filters: { ...filters, groups } });
        });
        const straight = evaluate(prepare(...definitions), subjectOf({}));
        const reversed = evaluate(prepare(...definitions.toReversed()), subjectOf({}));
        expect(reversed).toEqual(straight.toReversed());
        const keys = new Set(definitions.map(({ key }) => key).filter(() => chance.next().value));
        const some = evaluate(prepare(...definitions), subjectOf({}), keys);
        expect(some).toEqual(straight.filter(({ key }) => keys.has(key)));
      }),
    );
  });

  it('come in the order of their definitions, and only those that are asked for', () => {
    const prepared = prepare(flagOf({ id: 1, key: 'b' }), flagOf({ id: 2, key: 'a' }), flagOf({ id: 3, key: 'c' }));
    const keys = (only?: Set<string>) => evaluate(prepared, subjectOf({}), only).map(({ key }) => key);
    expect(keys()).toEqual(['b', 'a', 'c']);
    expect(keys(new Set(['c', 'b', 'unknown']))).toEqual(['b', 'c']);
    expect(keys(new Set())).toEqual([]);
  });
});

describe('reasons', () => {
  it.each([
    ['condition_match', 0, 'Matched condition set 1'],
    ['condition_match', 4, 'Matched condition set 5'],
    ['no_condition_match', 1, 'No matching condition set'],
    ['out_of_rollout_bound', 0, 'Out of rollout bound'],
    ['no_group_type', null, 'No group type'],
    ['super_condition_value', 0, 'Super condition value'],
    ['holdout_condition_value', null, 'Holdout condition value'],
    ['failed', null, 'Flag could not be evaluated'],
  ] as const)('%s of condition %s reads: %s', (reason, index, text) => {
    expect(describeReason(reason, index)).toBe(text);
  });
});
