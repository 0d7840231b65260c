/** What the editor does to a flag, without a browser. */
import { describe, expect, it } from 'vitest';
import { conditionSentence, type Names } from './descriptions.ts';
import { differencesOf } from './differences.ts';
import { changesOf, clashesOf, draftOf, NEW_DRAFT, problemsOf, rebase, sameJson } from './draft.ts';
import {
  addCondition,
  type Condition,
  conditionsOf,
  type Filters,
  lostBy,
  moveCondition,
  putCondition,
  releaseTo,
  removeCondition,
} from './filters.ts';
import { isComplete, valuesFrom, withOperator } from './operators.ts';
import { rollbackWords } from './rollbacks.ts';
import {
  addVariant,
  makeBoolean,
  payloadOf,
  payloadProblem,
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
  it('leave everything that they are not about as it is', () => {
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
  it('add a condition for nobody, so that adding one lets nobody in', () => {
    expect(conditionsOf(addCondition(FILTERS)).at(-1)).toMatchObject({ properties: [], rollout_percentage: 0 });
  });
  it('do not move a condition over the ends', () => {
    expect([moveCondition(FILTERS, 0, -1), moveCondition(FILTERS, 1, 1)]).toEqual([FILTERS, FILTERS]);
  });
  it('drop what makes no sense for another audience, and say how much that is', () => {
    const companies = releaseTo(FILTERS, 0);
    expect(lostBy(FILTERS, 0)).toBe(1);
    expect(companies['aggregation_group_type_index']).toBe(0);
    expect(conditionsOf(companies)[0]).toEqual({ ...conditionsOf(FILTERS)[0], properties: [] });
    expect(lostBy(companies, null)).toBe(0);
  });
});

describe('variants', () => {
  it('are renamed together with their payload and the conditions that hand them out', () => {
    const renamed = renameVariant(FILTERS, 1, 'bold');
    expect(variantsOf(renamed)[1]).toEqual({ key: 'bold', name: 'Bold', rollout_percentage: 50 });
    expect([payloadOf(renamed, 'bold'), payloadOf(renamed, 'b')]).toEqual(['{"size": 2}', '']);
    expect(conditionsOf(renamed)[0]).toMatchObject({ variant: 'bold', sort_key: 'kept' });
    expect(renamed['multivariate']).toMatchObject({ note: 'kept', variants: [{ colour: 'kept' }, {}] });
  });
  it('keep apart what belongs to which while two have one name', () => {
    const twins = renameVariant(FILTERS, 0, 'b');
    expect(conditionsOf(renameVariant(twins, 0, 'c'))[0]?.variant).toBe('b');
    expect(payloadOf(renameVariant(twins, 0, 'c'), 'b')).toBe('{"size": 2}');
  });
  it('go with their payload and their overrides', () => {
    const rest = removeVariant(FILTERS, 1);
    expect([rest['payloads'], conditionsOf(rest)[0]?.variant, variantsOf(rest).length]).toEqual([{}, null, 1]);
  });
  it('take what is left of 100, and can be spread to make 100 exactly', () => {
    const three = addVariant(removeVariant(FILTERS, 1));
    expect(variantsOf(three)[1]).toEqual({ key: 'variant-1', name: '', rollout_percentage: 50 });
    const even = spreadEvenly(addVariant(three));
    expect(variantsOf(even).map((one) => one.rollout_percentage)).toEqual([33.33, 33.33, 33.34]);
    expect(totalOf(variantsOf(even))).toBe(100);
  });
  it('leave nothing behind in a flag that is on or off again', () => {
    const plain = makeBoolean(FILTERS);
    expect([variantsOf(plain), plain['payloads'], conditionsOf(plain)[0]?.variant]).toEqual([[], {}, null]);
    expect(plain['holdout']).toEqual(FILTERS['holdout']);
  });
});

it('payloads are checked as JSON, and shown as JSON whatever way they were kept', () => {
  expect(payloadOf({ payloads: { true: { a: 1 } } }, 'true')).toBe('{\n  "a": 1\n}');
  expect(setPayload({ payloads: { true: '1' }, later: 1 }, 'true', ' ')).toEqual({ payloads: {}, later: 1 });
  expect([payloadProblem(''), payloadProblem('"x"'), payloadProblem('{"a": [1]}')]).toEqual([null, null, null]);
  expect(payloadProblem('{a: 1}')).toContain('not JSON yet');
});

describe('a sentence', () => {
  const say = (condition: Condition, filters: Filters = {}): string => conditionSentence(filters, condition, NAMES);
  const dependency = { key: '4', type: 'flag', operator: 'flag_evaluates_to', value: true };
  it.each([
    [{}, {}, 'All persons get it.'],
    [{ rollout_percentage: 0.5 }, {}, '0.5 % of all persons get it.'],
    [{ properties: [team, beta] }, {}, 'Persons in the cohort Beta where plan is team or 5 get it.'],
    [{ properties: [dependency] }, {}, 'Persons where the flag new-cart is on get it.'],
    [{ properties: [{ ...beta, operator: 'not_in', value: 9 }] }, {}, 'Persons not in the cohort with id 9 get it.'],
    [
      { properties: [{ ...team, operator: 'between', value: [1, 9] }] },
      {},
      'Persons where plan is between 1 and 9 get it.',
    ],
    [{ properties: [{ ...team, operator: 'brand_new' }] }, {}, 'Persons where plan brand_new team or 5 get it.'],
    [{ variant: 'b', rollout_percentage: 25 }, FILTERS, '25 % of all persons get the variant b.'],
    [{}, FILTERS, 'All persons get a variant.'],
    [{}, { aggregation_group_type_index: 0 }, 'All companies get it.'],
  ])('for %j in %j is %j', (condition, filters, sentence) => expect(say(condition, filters)).toBe(sentence));
  it('says when a flag switches itself off', () => {
    const metric = { event: '$exception', window: '1h' };
    expect(rollbackWords({ threshold: 1000, operator: 'gt', threshold_metric: metric })).toBe(
      '$exception is sent more than 1,000 times within the last hour',
    );
  });
});

describe('values', () => {
  it('that were numbers stay numbers beside a new one', () => {
    expect(valuesFrom(['team', '5', 'pro'], team.value)).toEqual(['team', 5, 'pro']);
  });
  it('stay as far as the next comparison can take them', () => {
    expect(withOperator(team, 'icontains').value).toBe('team');
    expect(withOperator({ ...team, operator: 'gt', value: 3 }, 'is_not').value).toEqual([3]);
    expect(withOperator(team, 'between').value).toEqual(['team', '5']);
  });
  it('must be there before anybody can be counted', () => {
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
  const basis = draftOf({ key: 'cart', filters: FILTERS, tags: ['shop'], later: 'unknown' });
  it('sends what has changed and nothing else', () => {
    expect(changesOf(basis, { ...basis, filters: structuredClone(FILTERS) })).toEqual({});
    expect(changesOf(basis, { ...basis, active: false })).toEqual({ active: false });
  });
  it('takes on what others changed, and knows where both changed the same', () => {
    const mine = { ...basis, name: 'mine', active: false };
    const theirs = { ...basis, tags: ['theirs'], active: false };
    expect(clashesOf(basis, mine, theirs)).toEqual([]);
    expect(rebase(basis, mine, theirs)).toEqual({ ...basis, name: 'mine', active: false, tags: ['theirs'] });
    expect(clashesOf(basis, mine, { ...theirs, name: 'theirs' })).toEqual(['name']);
  });
  it('says what must be mended before it can be saved', () => {
    expect(problemsOf({ ...NEW_DRAFT, key: 'a-b_C9' })).toEqual([]);
    const wrong = { ...basis, key: 'no spaces', filters: addVariant({ ...FILTERS, groups: [], payloads: { a: '{' } }) };
    expect(problemsOf(renamed(wrong))).toEqual([
      'Use letters, numbers, - and _ alone: code asks for this name.',
      'There are two variants called a.',
      'There are two variants called a.',
      'The shares of the variants make 130 %, not 100 %.',
      'The payload of a is not JSON.',
      'The payload of a is not JSON.',
      'A flag needs at least one condition. For everybody, add one without filters.',
    ]);
  });
  const renamed = (draft: typeof basis): typeof basis => {
    const [first, second] = variantsOf(draft.filters);
    const variants = [first, second, { key: 'a', rollout_percentage: 30 }];
    return { ...draft, filters: { ...draft.filters, multivariate: { variants } } };
  };
  it('is the same JSON whatever the order of its names', () => {
    expect(sameJson({ a: 1, b: [{ c: null }] }, { b: [{ c: null }], a: 1 })).toBe(true);
    expect([sameJson({ a: undefined }, {}), sameJson([1, 2], [2, 1]), sameJson({}, [])]).toEqual([false, false, false]);
  });
});

describe('two versions', () => {
  const flag = { key: 'cart', active: true, filters: FILTERS, tags: [], rollback_conditions: null };
  const between = (after: object): object[] => differencesOf(flag, { ...flag, ...after }, NAMES);
  it('that are the same have no difference, and fields that one lacks are passed over', () => {
    expect(between({ filters: structuredClone(FILTERS) })).toEqual([]);
    expect(differencesOf({ key: 'cart' }, flag, NAMES)).toEqual([]);
  });
  it('are told apart by what a person would say', () => {
    const filters = putCondition(setPayload(FILTERS, 'a', '1'), 1, { properties: [beta], rollout_percentage: 10 });
    expect(between({ active: false, tags: ['x', 'y'], filters: { ...filters, holdout: null } })).toEqual([
      { what: 'Switched off', before: null, after: null },
      { what: 'Tags', before: 'none', after: 'x, y' },
      {
        what: 'Condition 2',
        before: 'All persons get a variant.',
        after: '10 % of persons in the cohort Beta get a variant.',
      },
      { what: 'Payload of a', before: 'none', after: '1' },
      { what: 'holdout', before: '{"id":3,"exclusion_percentage":10}', after: 'null' },
    ]);
  });
  it('know a condition again wherever it stands', () => {
    const what = (filters: Filters): unknown[] => between({ filters }).map((one) => (one as { what: string }).what);
    expect(what(moveCondition(FILTERS, 0, 1))).toEqual(['Conditions are tried in another order']);
    expect(what(removeCondition(FILTERS, 0))).toEqual(['Condition 1 removed']);
    expect(what(addCondition(FILTERS))).toEqual(['Condition 3 added']);
    expect(what(renameVariant(FILTERS, 1, 'c'))).toEqual(['Condition 1', 'Variants', 'Payload of b', 'Payload of c']);
  });
});
