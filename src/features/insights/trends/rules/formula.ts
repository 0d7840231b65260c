import { round2 } from '../../rules/statistics.ts';

/** Arithmetic on series: A is the first, B the second, and so on. */
export interface Formula {
  /** As shown, without characters that no formula has. */
  text: string;
  tree: FormulaNode;
}

export type FormulaNode =
  | { kind: 'number'; value: number }
  | { kind: 'series'; index: number }
  | { kind: 'negative'; of: FormulaNode }
  | { kind: 'binary'; operator: FormulaOperator; left: FormulaNode; right: FormulaNode };

export type FormulaOperator = '+' | '-' | '*' | '/' | '^';

/** May return NaN or an infinity. */
export function evaluateFormula(term: FormulaNode, values: readonly number[]): number {
  switch (term.kind) {
    case 'number':
      return term.value;
    case 'series':
      return values[term.index] ?? 0;
    case 'negative':
      return -evaluateFormula(term.of, values);
    case 'binary':
      return calculate(term.operator, evaluateFormula(term.left, values), evaluateFormula(term.right, values));
  }
}

function calculate(operator: FormulaOperator, left: number, right: number): number {
  switch (operator) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      return left / right;
    case '^':
      return left ** right;
  }
}

/** Point by point, to two decimals; NaN and infinities (such as x / 0) become 0. */
export const formulaPoints = (term: FormulaNode, series: readonly (readonly number[])[]): number[] =>
  Array.from({ length: Math.max(0, ...series.map((points) => points.length)) }, (_, at) => {
    const value = evaluateFormula(
      term,
      series.map((points) => points[at] ?? 0),
    );
    return Number.isFinite(value) ? round2(value) : 0;
  });

export const formulaTotal = (term: FormulaNode, values: readonly number[]): number | null => {
  const value = evaluateFormula(term, values);
  return Number.isFinite(value) ? value : null;
};
