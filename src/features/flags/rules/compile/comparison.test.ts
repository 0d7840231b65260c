import { describe, expect, it } from 'vitest';
import { compileComparison, PROPERTY_OPERATORS } from './comparison.ts';

const NOW = Date.parse('2023-05-01T12:00:00Z');
const MISSING = Symbol('missing');

function holds(operator: string, wanted: unknown, value: unknown): boolean | null {
  const comparison = compileComparison(operator, wanted, new Map());
  if (comparison === null) return null;
  return value === MISSING ? comparison.whenMissing : comparison.test(value, NOW);
}

/** Operator, value, and which of these properties match. */
const PROPERTIES: Readonly<Record<string, unknown>> = {
  missing: MISSING,
  null: null,
  true: true,
  false: false,
  zero: 0,
  five: 5,
  half: 0.5,
  empty: '',
  text: 'Hello',
  lower: 'hello',
  number: '5',
  truth: 'TRUE',
  list: ['a', 5],
  object: { b: 1, a: [true] },
  date: '2023-04-30',
  version: '1.2.3',
};

const ALL = Object.keys(PROPERTIES);
const but = (...names: string[]): string[] => ALL.filter((name) => !names.includes(name));

const TABLE: readonly (readonly [operator: string, wanted: unknown, matching: readonly string[]])[] = [
  ['exact', 'hello', ['text', 'lower']],
  ['exact', ['HELLO', 'x'], ['text', 'lower']],
  ['exact', 5, ['five', 'number']],
  ['exact', '5', ['five', 'number']],
  ['exact', '', ['empty']],
  ['exact', 'null', ['null']],
  ['exact', ['a', 5], ['five', 'number']],
  ['exact', [['a', 5]], ['list']],
  ['exact', '{"a":[true],"b":1}', ['object']],
  ['exact', { a: [true], b: 1 }, ['object']],
  ['exact', true, ['true', 'truth']],
  ['exact', 'True', ['true', 'truth']],
  ['exact', ['true'], ['true', 'truth']],
  ['exact', false, but('missing', 'true', 'truth')],
  ['exact', 'false', but('missing', 'true', 'truth')],
  ['exact', ['true', 'false'], but('missing', 'true', 'truth')],
  ['exact', ['true', 'hello'], ['true', 'truth', 'text', 'lower']],
  ['exact', null, []],
  ['exact', undefined, []],
  ['is_not', 'hello', but('text', 'lower')],
  ['is_not', ['hello', 5], but('text', 'lower', 'five', 'number')],
  ['is_not', true, but('true', 'truth')],
  ['is_not', null, []],
  ['is_set', undefined, but('missing')],
  ['is_set', 'anything', but('missing')],
  ['is_not_set', undefined, ['missing']],
  ['icontains', 'ELL', ['text', 'lower']],
  ['icontains', 5, ['five', 'half', 'number', 'list']],
  ['icontains', '', but('missing')],
  ['icontains', 'ull', ['null']],
  ['not_icontains', 'ELL', but('text', 'lower')],
  ['not_icontains', null, []],
  ['starts_with', 'he', ['text', 'lower']],
  ['starts_with', '{"a"', ['object']],
  ['not_starts_with', 'he', but('text', 'lower')],
  ['ends_with', 'LO', ['text', 'lower']],
  ['ends_with', 'e', ['true', 'false', 'truth']],
  ['not_ends_with', 'LO', but('text', 'lower')],
  ['icontains_multi', ['ell', 'ue'], ['text', 'lower', 'true', 'truth', 'object']],
  ['icontains_multi', 'ell', ['text', 'lower']],
  ['icontains_multi', [], []],
  ['not_icontains_multi', ['ell', 'ue'], but('text', 'lower', 'true', 'truth', 'object')],
  ['regex', '^H', ['text']],
  ['regex', '(?i)^H', ['text', 'lower']],
  ['regex', '.+', but('missing', 'empty')],
  ['regex', '^5$', ['five', 'number']],
  ['regex', 5, ['five', 'half', 'number', 'list']],
  ['regex', '?*', []],
  ['regex', '(?=H)', ['text']],
  ['regex', '^(?!H)x?', but('text', 'missing')],
  ['regex', '(l)\\1', []],
  ['not_regex', '^H', but('text')],
  ['not_regex', '?*', []],
  ['not_regex', '(?<!x)H', but('text')],
  ['gt', 0, ['five', 'half', 'number']],
  ['gt', '0', ['five', 'half', 'number']],
  ['gt', 'x', []],
  ['gt', [1], []],
  ['gt', true, []],
  ['gte', 5, ['five', 'number']],
  ['min', 5, ['five', 'number']],
  ['lt', 5, ['zero', 'half']],
  ['lte', 5, ['zero', 'five', 'half', 'number']],
  ['max', '5', ['zero', 'five', 'half', 'number']],
  ['between', [0, 1], ['zero', 'half']],
  ['between', ['0.5', '5'], ['five', 'half', 'number']],
  ['between', [1, 0], []],
  ['between', [1], []],
  ['between', 5, []],
  ['between', ['a', 'b'], []],
  ['not_between', [0, 1], ['missing', 'five', 'number']],
  ['not_between', [1], []],
  ['is_date_before', '2023-05-01', ['zero', 'five', 'half', 'number', 'date']],
  ['is_date_before', '-1y', ['zero', 'five', 'half', 'number']],
  ['is_date_after', '2023-04-29T23:59:59+00:00', ['date']],
  ['is_date_after', '2023-04-30', []],
  ['is_date_after', '2d', ['date']],
  ['is_date_after', '1d', []],
  ['is_date_exact', '2023-04-30', ['date']],
  ['is_date_exact', '2023-04-30T00:00:00Z', ['date']],
  ['is_date_exact', '2023-04-30T00:00:01Z', []],
  ['is_date_after', 0, []],
  ['is_date_after', 'yesterday', []],
  ['semver_eq', '1.2.3', ['version']],
  ['semver_neq', '1.2.4', ['zero', 'five', 'half', 'number', 'version']],
  ['semver_gt', '1.2.2', ['five', 'number', 'version']],
  ['semver_gte', 'v1.2.3', ['five', 'number', 'version']],
  ['semver_lt', '1.2.3', ['zero', 'half']],
  ['semver_lte', '1.2.3', ['zero', 'half', 'version']],
  ['semver_tilde', '1.2.0', ['version']],
  ['semver_caret', '1', ['version']],
  ['semver_wildcard', '1.2.*', ['version']],
  ['semver_wildcard', '*', ['zero', 'five', 'half', 'number', 'version']],
  ['semver_eq', 'one', []],
  ['semver_wildcard', 'one.*', []],
];

describe('a comparison', () => {
  it.each(TABLE)('%s %j matches %j', (operator, wanted, matching) => {
    const matched = ALL.filter((name) => holds(operator, wanted, PROPERTIES[name]));
    expect(matched).toEqual(ALL.filter((name) => matching.includes(name)));
  });

  it('is in the table for every operator', () => {
    expect(new Set(TABLE.map(([operator]) => operator))).toEqual(new Set(PROPERTY_OPERATORS));
  });

  it.each(['', 'EXACT', 'in', 'not_in', 'flag_evaluates_to', 'constructor', '__proto__'])(
    'has no operator %j',
    (operator) => expect(holds(operator, 'x', 'x')).toBeNull(),
  );

  it.each([
    ['exact', 'STRASSE', 'straße', false],
    ['exact', 'ÉCOLE', 'école', true],
    ['icontains', 'É', 'école', false],
    ['icontains', 'COLE', 'École', true],
    ['starts_with', 'é', 'École', false],
  ])('%s %j of %j is %s: what counts as another case', (operator, wanted, value, expected) => {
    expect(holds(operator, wanted, value)).toBe(expected);
  });

  it.each(['NaN', 'Infinity', '0x10', '1_000', '1,5', ' 5', '5 ', '', '--1', '1e', 'e1'])(
    'does not take %j for a number',
    (text) => expect(holds('gte', -1e9, text)).toBe(false),
  );

  it.each(['5', '+5', '-5', '5.', '.5', '5e3', '5E-3', '0005'])('takes %j for a number', (text) =>
    expect(holds('gte', -1e9, text)).toBe(true),
  );

  it('survives values that are nested deeper than the stack', () => {
    const deep = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000));
    for (const operator of PROPERTY_OPERATORS) {
      expect(typeof holds(operator, 'x', deep), operator).toBe('boolean');
      expect(typeof holds(operator, deep, 'x'), operator).toBe('boolean');
    }
  });
});
