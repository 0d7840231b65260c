import type { FormulaNode, FormulaOperator } from './formula.ts';

/** May give NaN or an infinity: who shows the number decides what that looks like. */
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

/** Point by point, to two decimals; what is no number (such as x / 0) shows as 0. */
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

/** Half away from zero is what people expect of a displayed number; `-0` is shown to nobody. */
export const round2 = (value: number): number => {
  const rounded = (Math.sign(value) * Math.round(Math.abs(value) * 100)) / 100;
  return Number.isFinite(rounded) ? rounded + 0 : value;
};
