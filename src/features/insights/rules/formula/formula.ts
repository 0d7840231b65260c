/** Arithmetic on series: A is the first, B the second, and so on. */
export interface Formula {
  /** As shown: what is not part of any formula is left out. */
  text: string;
  tree: Term;
}

export type Term =
  | { kind: 'number'; value: number }
  | { kind: 'series'; index: number }
  | { kind: 'negative'; of: Term }
  | { kind: 'binary'; operator: Operator; left: Term; right: Term };

export type Operator = '+' | '-' | '*' | '/' | '^';
