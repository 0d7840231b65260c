import { describe, expect, it } from 'vitest';
import { parseFilters } from './parse-filters.ts';
import { type FilterGroup, type PropertyFilter, propertyFiltersIn } from './property-filter.ts';

const one = (over: Partial<PropertyFilter> = {}): PropertyFilter => ({
  kind: 'property',
  owner: 'event',
  key: 'plan',
  operator: 'exact',
  values: ['pro'],
  ...over,
});
const parse = (value: unknown) => parseFilters(JSON.stringify(value));
const detailOf = (text: string): string => {
  try {
    parseFilters(text);
  } catch (error) {
    return (error as Error).message;
  }
  return 'no error';
};

describe('parsing property filters', () => {
  it('reads a list as all of its items, with defaults', () => {
    expect(parse([{ key: 'plan', value: 'pro' }])).toEqual({ kind: 'and', filters: [one()] });
  });

  it('reads values as text, and several as alternatives', () => {
    const filter = { key: 'n', value: [5, 'x', true, { a: 1 }], operator: 'is_not', type: 'person' };
    const values = ['5', 'x', 'true', '{"a":1}'];
    expect(propertyFiltersIn(parse([filter]))).toEqual([
      one({ owner: 'person', key: 'n', operator: 'is_not', values }),
    ]);
  });

  it('reads the old object, whose keys may carry an operator', () => {
    const filters = [one(), one({ key: '$url', operator: 'icontains', values: ['x'] }), one({ key: 'a__b' })];
    expect(parse({ plan: 'pro', $url__icontains: 'x', a__b: 'pro' })).toEqual({ kind: 'and', filters });
    expect(parse({ plan__is_set: null })).toEqual({ kind: 'and', filters: [one({ operator: 'is_set', values: [] })] });
  });

  it('reads groups within groups', () => {
    const item = { key: 'plan', value: 'pro' };
    const group = {
      type: 'OR',
      values: [
        { type: 'AND', values: [item] },
        { type: 'OR', values: [item, item] },
      ],
    };
    expect(parse(group)).toEqual({
      kind: 'or',
      filters: [
        { kind: 'and', filters: [one()] },
        { kind: 'or', filters: [one(), one()] },
      ],
    });
  });

  it.each([
    ['a text', 'x'],
    ['an item without key', { value: 1 }],
    ['an item without value', { key: 'plan' }],
    ['an unknown operator', { key: 'plan', value: 1, operator: 'like' }],
    ['null', null],
  ])('ignores %s in a list', (_name, item) => {
    expect(parse([item, { key: 'plan', value: 'pro' }])).toEqual({ kind: 'and', filters: [one()] });
  });

  it.each([
    ['exact', 'is_not'],
    ['icontains', 'not_icontains'],
    ['regex', 'not_regex'],
    ['gt', 'lte'],
    ['lt', 'gte'],
    ['is_date_after', 'is_date_before'],
  ])('turns %s into %s and back when negated', (operator, opposite) => {
    const operatorOf = (given: string) =>
      propertyFiltersIn(parse([{ key: 'plan', value: 'pro', operator: given, negation: true }]))[0]?.operator;
    expect(operatorOf(operator)).toBe(opposite);
    expect(operatorOf(opposite)).toBe(operator);
  });

  it('uses the default owner for filters without a type', () => {
    const owners = (value: unknown) =>
      propertyFiltersIn(parseFilters(JSON.stringify(value), { owner: 'person' })).map(({ owner }) => owner);
    const item = { key: 'plan', value: 'pro' };
    expect(owners([item, { ...item, type: 'event' }])).toEqual(['person', 'event']);
    expect(owners({ plan: 'pro', n__gt: 5 })).toEqual(['person', 'person']);
    expect(owners({ type: 'OR', values: [{ type: 'AND', values: [item] }] })).toEqual(['person']);
  });

  it.each([[''], ['  '], [[]], [['', ' ']]])('reads %j as no filter', (text) => {
    expect(parseFilters(text)).toEqual({ kind: 'and', filters: [] });
  });

  it.each([
    [[{ key: 'a', value: 'x' }], ['a']],
    [{ key: 'a', value: 'x' }, ['a']],
    [{ key: 'a', operator: 'is_set', type: 'person' }, ['a']],
    // The old object, with properties of these names.
    [{ key: 'x', value: 'y', plan: 'pro' }, ['key', 'value', 'plan']],
    [{ key: 'x' }, ['key']],
    [{ key: 5, value: 'x' }, ['key', 'value']],
  ])('reads %j as filters on %j', (value, keys) => {
    expect(propertyFiltersIn(parse(value)).map(({ key }) => key)).toEqual(keys);
  });

  it('requires every item of a repeated parameter', () => {
    const texts = [
      { key: 'a', value: 'x' },
      [{ key: 'b', value: 'y' }],
      { type: 'OR', values: [{ key: 'c', value: 1 }] },
    ];
    const { kind, filters } = parseFilters(texts.map((one) => JSON.stringify(one))) as FilterGroup;
    expect([kind, filters.map((one) => propertyFiltersIn(one).map(({ key }) => key))]).toEqual([
      'and',
      [['a'], ['b'], ['c']],
    ]);
    expect(() => parseFilters(['[]', '{'])).toThrow('Properties are unparsable!');
  });

  it.each(['{', '"text"', '5', 'null', `${'['.repeat(50)}${']'.repeat(50)}x`, 'plan=pro'])('rejects %j', (text) => {
    expect(detailOf(text)).toBe('Properties are unparsable!');
  });

  it('rejects deep nesting', () => {
    let group: object = { type: 'AND', values: [] };
    for (let i = 0; i < 5000; i++) group = { type: 'AND', values: [group] };
    expect(detailOf(JSON.stringify(group))).toBe('Properties are unparsable!');
  });

  it('says what is wrong with a group', () => {
    const mixed = {
      type: 'AND',
      values: [
        { key: 'a', value: 1 },
        { type: 'OR', values: [] },
      ],
    };
    expect(detailOf(JSON.stringify(mixed))).toBe(
      'Property list cannot contain both PropertyGroup and Property objects',
    );
    expect(detailOf('{"type":"XOR","values":[]}')).toMatch(/^PropertyGroup is unparsable: .*"XOR"/);
    expect(detailOf('{"type":"AND","values":5}')).toMatch(/^PropertyGroup is unparsable: .*5/);
  });

  it.each([
    [{ value: 5 }, { id: 5, negated: false }],
    [
      { value: '5', operator: 'in' },
      { id: 5, negated: false },
    ],
    [
      { value: 5, operator: 'not_in' },
      { id: 5, negated: true },
    ],
    [
      { value: 5, negation: true },
      { id: 5, negated: true },
    ],
    [
      { value: 5, operator: 'not_in', negation: true },
      { id: 5, negated: false },
    ],
    [{ value: 'all' }, { id: 0, negated: false }],
  ])('reads the cohort %j', (item, expected) => {
    expect(parse([{ key: 'id', type: 'cohort', ...item }])).toEqual({
      kind: 'and',
      filters: [{ kind: 'cohort', ...expected }],
    });
  });

  it.each(['static-cohort', 'precalculated-cohort'])('reads a %s as a cohort', (type) => {
    const cohort = { kind: 'cohort', id: 3, negated: false };
    expect(parse([{ key: 'id', type, value: 3 }])).toEqual({ kind: 'and', filters: [cohort] });
  });

  it('reads several cohorts as any of them, or none of them', () => {
    const item = { key: 'id', type: 'cohort', value: [1, 2] };
    const both = (negated: boolean) => [1, 2].map((id) => ({ kind: 'cohort', id, negated }));
    expect(parse([item])).toEqual({ kind: 'and', filters: [{ kind: 'or', filters: both(false) }] });
    const none = { kind: 'and', filters: [{ kind: 'and', filters: both(true) }] };
    expect(parse([{ ...item, negation: true }])).toEqual(none);
  });

  it('rejects unsupported types of filters', () => {
    expect(detailOf('[{"key":"id","value":1,"type":"hogql"}]')).toMatch(/type "hogql" are not supported/);
  });
});
