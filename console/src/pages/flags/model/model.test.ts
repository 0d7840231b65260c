import { describe, expect, it } from 'vitest';
import { describeCondition, type Names } from './descriptions.ts';
import { differencesOf } from './differences.ts';
import { changesOf, conflictsOf, draftOf, keyAdvice, NEW_DRAFT, problemsOf, rebase, sameJson } from './draft.ts';
import {
  addCondition,
  audienceOfCondition,
  audiencesOf,
  type Condition,
  conditionsOf,
  countIncompatible,
  type Filters,
  hasOwnAudiences,
  moveCondition,
  putCondition,
  removeCondition,
  setAudience,
  setConditionAudience,
} from './filters.ts';
import { isComplete, valuesFrom, withOperator } from './operators.ts';
import { labelOfPath } from './path-labels.ts';
import { describeRollback, rollbackEntries } from './rollbacks.ts';
import {
  addVariant,
  makeBoolean,
  payloadAdvice,
  payloadOf,
  removeVariant,
  renameVariant,
  setPayload,
  spreadEvenly,
  totalOf,
  variantsOf,
} from './variants.ts';

const team = { key: 'plan', type: 'person', operator: 'exact', value: ['team', 5] };
const beta = { key: 'id', type: 'cohort', operator: 'in', value: 7 };
const FILTERS: Filters = {
  groups: [
    { properties: [team], rollout_percentage: 25, variant: 'b', sort_key: 'kept' },
    { properties: [], rollout_percentage: null },
  ],
  multivariate: {
    variants: [
      { key: 'a', rollout_percentage: 50, colour: 'kept' },
      { key: 'b', name: 'Bold', rollout_percentage: 50 },
    ],
    note: 'kept',
  },
  payloads: { b: '{"size": 2}' },
  holdout: { id: 3, exclusion_percentage: 10 },
  later: ['unknown', 'to us'],
};
const NAMES: Names = {
  cohorts: new Map([[7, 'Beta']]),
  groups: new Map([[0, 'companies']]),
  flags: new Map([[4, 'new-cart']]),
};

describe('changes to filters', () => {
  it('keep everything else unchanged', () => {
    const { groups: _, ...rest } = FILTERS;
    const steps = [
      addCondition(FILTERS),
      removeCondition(FILTERS, 1),
      moveCondition(FILTERS, 0, 1),
      putCondition(FILTERS, 1, { properties: [beta] }),
    ];
    for (const step of steps) expect(step).toMatchObject(rest);
    expect(steps.map((step) => conditionsOf(step).length)).toEqual([3, 1, 2, 2]);
    expect(conditionsOf(steps[2] ?? {})[1]).toEqual(conditionsOf(FILTERS)[0]);
  });
  it('add conditions at 0%', () => {
    expect(conditionsOf(addCondition(FILTERS)).at(-1)).toMatchObject({ properties: [], rollout_percentage: 0 });
  });
  it('do not move a condition past the ends', () => {
    expect([moveCondition(FILTERS, 0, -1), moveCondition(FILTERS, 1, 1)]).toEqual([FILTERS, FILTERS]);
  });
  it('let each condition match by something else', () => {
    const companies = setAudience(FILTERS, 0);
    expect([audiencesOf(companies), hasOwnAudiences(companies)]).toEqual([[0], false]);
    const mixed = setConditionAudience(companies, 1, null);
    expect(mixed['aggregation_group_type_index']).toBeNull();
    expect(conditionsOf(mixed).map((condition) => audienceOfCondition(mixed, condition))).toEqual([0, null]);
    expect([audiencesOf(mixed), hasOwnAudiences(mixed)]).toEqual([[0, null], true]);
    const again = setConditionAudience(mixed, 1, 2);
    expect(audiencesOf(again)).toEqual([0, 2]);
    expect(hasOwnAudiences(setAudience(again, null))).toBe(false);
  });
  it('remove and count filters that do not suit another audience', () => {
    const companies = setAudience(FILTERS, 0);
    expect(countIncompatible(FILTERS, 0)).toBe(1);
    expect(companies['aggregation_group_type_index']).toBe(0);
    expect(conditionsOf(companies)[0]).toEqual({ ...conditionsOf(FILTERS)[0], properties: [] });
    expect(countIncompatible(companies, null)).toBe(0);
  });
});

describe('variants', () => {
  it('are renamed with their payload and overrides', () => {
    const renamed = renameVariant(FILTERS, 1, 'bold');
    expect(variantsOf(renamed)[1]).toEqual({ key: 'bold', name: 'Bold', rollout_percentage: 50 });
    expect([payloadOf(renamed, 'bold'), payloadOf(renamed, 'b')]).toEqual(['{"size": 2}', '']);
    expect(conditionsOf(renamed)[0]).toMatchObject({ variant: 'bold', sort_key: 'kept' });
    expect(renamed['multivariate']).toMatchObject({ note: 'kept', variants: [{ colour: 'kept' }, {}] });
  });
  it('keep payloads and overrides while two have the same key', () => {
    const twins = renameVariant(FILTERS, 0, 'b');
    expect(conditionsOf(renameVariant(twins, 0, 'c'))[0]?.variant).toBe('b');
    expect(payloadOf(renameVariant(twins, 0, 'c'), 'b')).toBe('{"size": 2}');
  });
  it('are removed with their payload and overrides', () => {
    const rest = removeVariant(FILTERS, 1);
    expect([rest['payloads'], conditionsOf(rest)[0]?.variant, variantsOf(rest).length]).toEqual([{}, null, 1]);
  });
  it('get the rest of 100%, and can be distributed to exactly 100%', () => {
    const three = addVariant(removeVariant(FILTERS, 1));
    expect(variantsOf(three)[1]).toEqual({ key: 'variant-1', name: '', rollout_percentage: 50 });
    const even = spreadEvenly(addVariant(three));
    expect(variantsOf(even).map((one) => one.rollout_percentage)).toEqual([33.33, 33.33, 33.34]);
    expect(totalOf(variantsOf(even))).toBe(100);
  });
  it('leave nothing in a flag that becomes boolean', () => {
    const plain = makeBoolean(FILTERS);
    expect([variantsOf(plain), plain['payloads'], conditionsOf(plain)[0]?.variant]).toEqual([[], {}, null]);
    expect(plain['holdout']).toEqual(FILTERS['holdout']);
  });
});

it('payloads are shown as JSON, however they are stored, and plain text is advised on', () => {
  expect(payloadOf({ payloads: { true: { a: 1 } } }, 'true')).toBe('{\n  "a": 1\n}');
  expect(setPayload({ payloads: { true: '1' }, later: 1 }, 'true', ' ')).toEqual({ payloads: {}, later: 1 });
  expect([payloadAdvice(''), payloadAdvice('"x"'), payloadAdvice('{"a": [1]}')]).toEqual([null, null, null]);
  expect(payloadAdvice('{a: 1}')).toContain('Not JSON');
  expect(payloadOf(setPayload({}, 'true', 'plain text'), 'true')).toBe('plain text');
});

describe('a description', () => {
  const describeIt = (condition: Condition, filters: Filters = {}): string =>
    describeCondition(filters, condition, NAMES);
  const dependency = { key: '4', type: 'flag', operator: 'flag_evaluates_to', value: true };
  it.each([
    [{}, {}, 'All persons get the flag.'],
    [{ rollout_percentage: 0.5 }, {}, '0.5% of all persons get the flag.'],
    [{ properties: [team, beta] }, {}, 'Persons in cohort Beta where plan equals team or 5 get the flag.'],
    [{ properties: [dependency] }, {}, 'Persons where flag new-cart is on get the flag.'],
    [{ properties: [{ ...beta, operator: 'not_in', value: 9 }] }, {}, 'Persons not in cohort with ID 9 get the flag.'],
    [
      { properties: [{ ...team, operator: 'between', value: [1, 9] }] },
      {},
      'Persons where plan is between 1 and 9 get the flag.',
    ],
    [{ properties: [{ ...team, operator: 'brand_new' }] }, {}, 'Persons where plan brand_new team or 5 get the flag.'],
    [{ variant: 'b', rollout_percentage: 25 }, FILTERS, '25% of all persons get variant b.'],
    [{}, FILTERS, 'All persons get a variant.'],
    [{}, { aggregation_group_type_index: 0 }, 'All companies get the flag.'],
  ])('for %j in %j is %j', (condition, filters, sentence) => expect(describeIt(condition, filters)).toBe(sentence));
  it('says when a flag is rolled back', () => {
    const metric = { event: '$exception', window: '1h' };
    expect(describeRollback({ threshold: 1000, operator: 'gt', threshold_metric: metric })).toBe(
      'Exception happens more than 1,000 times within 1 hour',
    );
  });
});

describe('values', () => {
  it('keep their type', () => {
    expect(valuesFrom(['team', '5', 'pro'], team.value)).toEqual(['team', 5, 'pro']);
  });
  it('are kept as far as the new operator can take them', () => {
    expect(withOperator(team, 'icontains').value).toBe('team');
    expect(withOperator({ ...team, operator: 'gt', value: 3 }, 'is_not').value).toEqual([3]);
    expect(withOperator(team, 'between').value).toEqual(['team', '5']);
  });
  it('must be complete', () => {
    const halves = [
      { ...team, value: [] },
      { ...team, key: '' },
      { ...beta, value: '' },
      { ...team, operator: 'between', value: [1, ''] },
    ];
    expect(halves.map(isComplete)).toEqual([false, false, false, false]);
    expect([team, beta, { ...team, operator: 'is_set' }].map(isComplete)).toEqual([true, true, true]);
  });
});

describe('a draft', () => {
  const base = draftOf({ key: 'cart', filters: FILTERS, tags: ['shop'], later: 'unknown' });
  it('sends only what has changed', () => {
    expect(changesOf(base, { ...base, filters: structuredClone(FILTERS) })).toEqual({});
    expect(changesOf(base, { ...base, active: false })).toEqual({ active: false });
  });
  it('is rebased on the changes of others, and finds conflicts', () => {
    const mine = { ...base, name: 'mine', active: false };
    const theirs = { ...base, tags: ['theirs'], active: false };
    expect(conflictsOf(base, mine, theirs)).toEqual([]);
    expect(rebase(base, mine, theirs)).toEqual({ ...base, name: 'mine', active: false, tags: ['theirs'] });
    expect(conflictsOf(base, mine, { ...theirs, name: 'theirs' })).toEqual(['name']);
  });
  it('lists what must be fixed before saving', () => {
    expect(problemsOf({ ...NEW_DRAFT, key: 'a-b_C9' })).toEqual([]);
    const wrong = { ...base, key: 'a\nb', filters: addVariant({ ...FILTERS, groups: [], payloads: { a: '{' } }) };
    expect(problemsOf(renamed(wrong))).toEqual([
      'Remove line breaks and other control characters.',
      'Duplicate variant key a.',
      'Duplicate variant key a.',
      'The variant rollouts must add up to 100%, not 130%.',
    ]);
  });
  it('takes any text as key, and advises on it', () => {
    for (const key of ['new.checkout', 'New checkout', 'a/b', 'été']) {
      expect([problemsOf({ ...NEW_DRAFT, key }), keyAdvice(key)]).toEqual([[], expect.stringContaining('Letters')]);
    }
    expect(keyAdvice('new-checkout_2')).toBeNull();
  });
  it('keeps what is no rollback condition', () => {
    const value = ['text', { any: 'thing' }, { threshold: 1, operator: 'gt', threshold_metric: { event: '' } }];
    expect(rollbackEntries(value)).toEqual(value);
    expect(rollbackEntries({ any: 'thing' })).toEqual([{ any: 'thing' }]);
    expect(problemsOf({ ...NEW_DRAFT, key: 'a', rollback_conditions: value })).toEqual([
      'Automatic rollback: select an event.',
    ]);
  });
  const renamed = (draft: typeof base): typeof base => {
    const [first, second] = variantsOf(draft.filters);
    const variants = [first, second, { key: 'a', rollout_percentage: 30 }];
    return { ...draft, filters: { ...draft.filters, multivariate: { variants } } };
  };
  it('is equal JSON, whatever the order of keys', () => {
    expect(sameJson({ a: 1, b: [{ c: null }] }, { b: [{ c: null }], a: 1 })).toBe(true);
    expect([sameJson({ a: undefined }, {}), sameJson([1, 2], [2, 1]), sameJson({}, [])]).toEqual([false, false, false]);
  });
});

describe('two versions', () => {
  const flag = { key: 'cart', active: true, filters: FILTERS, tags: [], rollback_conditions: null };
  const between = (after: object): object[] => differencesOf(flag, { ...flag, ...after }, NAMES);
  it('without changes have no differences, and missing fields are ignored', () => {
    expect(between({ filters: structuredClone(FILTERS) })).toEqual([]);
    expect(differencesOf({ key: 'cart' }, flag, NAMES)).toEqual([]);
  });
  it('are compared by what changed', () => {
    const filters = putCondition(setPayload(FILTERS, 'a', '1'), 1, { properties: [beta], rollout_percentage: 10 });
    expect(between({ active: false, tags: ['x', 'y'], filters: { ...filters, holdout: null } })).toEqual([
      { what: 'Disabled', before: null, after: null },
      { what: 'Tags', before: 'None', after: 'x, y' },
      {
        what: 'Condition 2',
        before: 'All persons get a variant.',
        after: '10% of persons in cohort Beta get a variant.',
      },
      { what: 'Payload of a', before: 'None', after: '1' },
      { what: 'Held out', before: '10% of persons (holdout 3)', after: 'No one' },
    ]);
  });
  it('recognize a condition at another position', () => {
    const what = (filters: Filters): unknown[] => between({ filters }).map((one) => (one as { what: string }).what);
    expect(what(moveCondition(FILTERS, 0, 1))).toEqual(['Order of conditions changed']);
    expect(what(removeCondition(FILTERS, 0))).toEqual(['Condition 1 removed']);
    expect(what(addCondition(FILTERS))).toEqual(['Condition 3 added']);
    expect(what(renameVariant(FILTERS, 1, 'c'))).toEqual(['Condition 1', 'Variants', 'Payload of b', 'Payload of c']);
  });
});

it.each([
  ['filters.groups[0].rollout_percentage', 'Rollout of condition 1 (%)'],
  ['filters.groups[2]', 'Condition 3'],
  ['filters.payloads.true', 'Payload of true'],
  ['active', 'Enabled'],
  ['filters.unknown', 'filters.unknown'],
])('names %s', (path, label) => {
  expect(labelOfPath(path)).toBe(label);
});
