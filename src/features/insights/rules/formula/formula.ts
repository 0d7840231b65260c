/** Arithmetic on series: A is the first, B the second, and so on. */
export interface Formula {
  /** As shown: what is not part of any formula is left out. */
  text: string;
  tree: FormulaNode;
}

export type FormulaNode =
  | { kind: 'number'; value: number }
  | { kind: 'series'; index: number }
  | { kind: 'negative'; of: FormulaNode }
  | { kind: 'binary'; operator: FormulaOperator; left: FormulaNode; right: FormulaNode };

export type FormulaOperator = '+' | '-' | '*' | '/' | '^';
