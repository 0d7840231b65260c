import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Failure } from '../../../../core/errors.ts';
import { round2 } from '../../rules/statistics.ts';
import type { FormulaNode } from './formula.ts';
import { evaluateFormula, formulaPoints, formulaTotal } from './formula.ts';
import { parseFormula } from './parse-formula.ts';

const value = (text: string, ...series: number[]): number =>
  evaluateFormula(parseFormula(text, series.length).tree, series);

describe('a formula', () => {
  it.each<[string, number[], number]>([
    ['A + B', [1, 2], 3],
    ['a+b', [1, 2], 3],
    ['A - B - 1', [9, 2], 6],
    ['A / B / 2', [12, 3], 2],
    ['A + B * 2', [1, 2], 5],
    ['(A + B) * 2', [1, 2], 6],
    ['2 ^ 3 ^ 2', [], 512],
    ['-A ^ 2', [3], -9],
    ['2 ^ -1', [], 0.5],
    ['--A', [3], 3],
    ['+A', [3], 3],
    ['.5 * A', [3], 1.5],
    ['1. * A', [3], 3],
    ['(A/3600)/B', [7200, 4], 0.5],
    ['A + $B;', [1, 2], 3],
  ])('%s of %j is %d', (text, series, wanted) => {
    expect(value(text, ...series)).toBe(wanted);
  });

  it.each([
    ['', /empty/],
    ['A +', /ends too early/],
    ['(A', /not closed/],
    ['A)', /"\)" is not expected/],
    ['A B', /"B" is not expected/],
    ['A + C', /no series "C"/],
    ['AB', /no series "AB"/],
    ['constructor', /no series "constructor"/],
    ['1..2', /"\.2" is not expected|not part/],
    ['*A', /"\*" is not expected/],
    [`${'('.repeat(100)}A${')'.repeat(100)}`, /too deeply/],
    ['-'.repeat(100).concat('A'), /too deeply/],
    ['1^'.repeat(100).concat('1'), /too deeply/],
    ['A+'.repeat(300).concat('A'), /more than 500/],
  ])('%s is refused', (text, sentence) => {
    expect(() => parseFormula(text, 2)).toThrow(sentence);
    expect(() => parseFormula(text, 2)).toThrow(expect.objectContaining({ attr: 'formula', kind: 'invalid' }));
  });

  it('shows NaN as 0 in points and as null in totals', () => {
    const { tree } = parseFormula('A / B', 2);
    expect(
      formulaPoints(tree, [
        [1, 0, 2],
        [0, 0, 3],
      ]),
    ).toEqual([0, 0, 0.67]);
    expect(formulaPoints(tree, [[1], []])).toEqual([0]);
    expect(formulaTotal(tree, [1, 0])).toBeNull();
    expect(formulaTotal(tree, [2, 3])).toBe(2 / 3);
  });

  it('rounds to two decimals without losing large numbers or making a negative zero', () => {
    expect([round2(1.005), round2(-2.345), round2(1e300), Object.is(round2(-0.001), 0)]).toEqual([
      1,
      -2.35,
      1e300,
      true,
    ]);
  });

  it('is the same after printing and parsing', () => {
    const { term } = fc.letrec<{ term: FormulaNode }>((tie) => ({
      term: fc.oneof(
        { maxDepth: 4, withCrossShrink: true },
        fc.record({ kind: fc.constant('series' as const), index: fc.nat(2) }),
        fc.record({ kind: fc.constant('number' as const), value: fc.nat(99) }),
        fc.record({ kind: fc.constant('negative' as const), of: tie('term') }),
        fc.record({
          kind: fc.constant('binary' as const),
          operator: fc.constantFrom('+' as const, '-' as const, '*' as const, '/' as const, '^' as const),
          left: tie('term'),
          right: tie('term'),
        }),
      ),
    }));
    fc.assert(
      fc.property(term, (tree) => {
        const text = printed(tree);
        if (text.length > 400) return;
        expect(evaluateFormula(parseFormula(text, 3).tree, [2, 3, 5])).toBe(evaluateFormula(tree, [2, 3, 5]));
      }),
    );
  });

  it('only fails with a message', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'AB1.+-*/^() x'), maxLength: 30 }), (text) => {
        try {
          parseFormula(text, 2);
        } catch (error) {
          expect(error).toBeInstanceOf(Failure);
        }
      }),
    );
  });
});

function printed(term: FormulaNode): string {
  if (term.kind === 'number') return String(term.value);
  if (term.kind === 'series') return 'ABC'[term.index] ?? '';
  return term.kind === 'negative'
    ? `(-${printed(term.of)})`
    : `(${printed(term.left)}${term.operator}${printed(term.right)})`;
}
