import { invalid } from '../../../../core/errors.ts';
import type { Formula, FormulaNode, FormulaOperator } from './formula.ts';

const MAX_FORMULA_LENGTH = 500;
const MAX_FORMULA_DEPTH = 50;
const formulaError = (why: string) => invalid('formula', `The formula cannot be read: ${why}.`);

/** Everything but letters, digits and arithmetic signs is ignored. */
const UNKNOWN_CHARACTERS = /[^a-zA-Z0-9 \-*^+/().]/g;
const TOKEN = /\s*(?:(\d+\.?\d*|\.\d+)|([a-zA-Z]+)|([-+*/^()]))/y;

/** `series` is the number of series. The formula is never evaluated as code. */
export function parseFormula(given: string, series: number): Formula {
  if (given.length > MAX_FORMULA_LENGTH) throw formulaError(`it has more than ${MAX_FORMULA_LENGTH} characters`);
  const text = given.replace(UNKNOWN_CHARACTERS, '').trim();
  const reader = new FormulaReader(tokensOf(text), series);
  return { text, tree: reader.read() };
}

function tokensOf(text: string): string[] {
  const tokens: string[] = [];
  const pattern = new RegExp(TOKEN);
  while (pattern.lastIndex < text.trimEnd().length) {
    const at = pattern.lastIndex;
    const found = pattern.exec(text);
    if (found === null) throw formulaError(`"${text.slice(at, at + 10)}" is not part of one`);
    tokens.push((found[1] ?? found[2] ?? found[3]) as string);
  }
  return tokens;
}

/** Sums of products of powers, by recursive descent. */
class FormulaReader {
  private readonly tokens: readonly string[];
  private readonly series: number;
  private at = 0;
  private depth = 0;

  constructor(tokens: readonly string[], series: number) {
    this.tokens = tokens;
    this.series = series;
  }

  read(): FormulaNode {
    if (this.tokens.length === 0) throw formulaError('it is empty');
    const tree = this.sum();
    const rest = this.tokens[this.at];
    if (rest !== undefined) throw formulaError(`"${rest}" is not expected there`);
    return tree;
  }

  private sum(): FormulaNode {
    return this.chain(['+', '-'], () => this.product());
  }

  private product(): FormulaNode {
    return this.chain(['*', '/'], () => this.signed());
  }

  private chain(operators: readonly FormulaOperator[], operand: () => FormulaNode): FormulaNode {
    let left = operand();
    for (;;) {
      const operator = operators.find((one) => one === this.tokens[this.at]);
      if (operator === undefined) return left;
      this.at++;
      left = { kind: 'binary', operator, left, right: operand() };
    }
  }

  private signed(): FormulaNode {
    const sign = this.tokens[this.at];
    if (sign !== '-' && sign !== '+') return this.power();
    return this.deeper(() => {
      this.at++;
      const of = this.signed();
      return sign === '-' ? { kind: 'negative', of } : of;
    });
  }

  /** Binds tighter than a sign before it and groups from the right: `-2^2` is -4, `2^3^2` is 512. */
  private power(): FormulaNode {
    const left = this.atom();
    if (this.tokens[this.at] !== '^') return left;
    this.at++;
    const right = this.deeper(() => this.signed());
    return { kind: 'binary', operator: '^', left, right };
  }

  private atom(): FormulaNode {
    const token = this.tokens[this.at++];
    if (token === undefined) throw formulaError('it ends too early');
    if (/^[\d.]/.test(token)) return { kind: 'number', value: Number(token) };
    if (/^[a-zA-Z]/.test(token)) return this.letter(token);
    if (token !== '(') throw formulaError(`"${token}" is not expected there`);
    const inner = this.deeper(() => this.sum());
    if (this.tokens[this.at++] !== ')') throw formulaError('a bracket is not closed');
    return inner;
  }

  private letter(token: string): FormulaNode {
    const index = token.length === 1 ? token.toUpperCase().charCodeAt(0) - 65 : -1;
    if (index < 0 || index >= this.series) throw formulaError(`there is no series "${token}"`);
    return { kind: 'series', index };
  }

  private deeper(read: () => FormulaNode): FormulaNode {
    if (++this.depth > MAX_FORMULA_DEPTH) throw formulaError('it is nested too deeply');
    const term = read();
    this.depth--;
    return term;
  }
}
