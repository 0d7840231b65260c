import { invalid } from '../errors.ts';
import {
  type Call,
  type Expression,
  expressionError,
  type Field,
  MAX_EXPRESSION_DEPTH,
  MAX_EXPRESSION_LENGTH,
  MAX_EXPRESSION_NODES,
} from './expression.ts';
import { readTokens, type Token } from './read-tokens.ts';

/** Throws a `Failure` that names the first part that is not understood. */
export function parseExpression(text: string): Expression {
  if (text.length > MAX_EXPRESSION_LENGTH) {
    throw invalid(undefined, `An expression has at most ${MAX_EXPRESSION_LENGTH} characters; this has ${text.length}.`);
  }
  return new Parser(readTokens(text)).parse();
}

const COMPARISONS: Readonly<Record<string, string>> = {
  '=': 'equals',
  '==': 'equals',
  '!=': 'notEquals',
  '<>': 'notEquals',
  '<': 'less',
  '<=': 'lessOrEquals',
  '>': 'greater',
  '>=': 'greaterOrEquals',
  '=~': 'match',
  '!~': 'notMatch',
};
const SUMS: Readonly<Record<string, string>> = { '+': 'plus', '-': 'minus', '||': 'concat' };
const PRODUCTS: Readonly<Record<string, string>> = { '*': 'multiply', '/': 'divide', '%': 'modulo' };

const KEYWORDS = new Set([
  ...['and', 'or', 'not', 'in', 'like', 'ilike', 'is', 'null', 'true', 'false', 'between'],
  ...['case', 'when', 'then', 'else', 'end', 'interval'],
]);

/** `and(a, b)` is the same as `a and b`. */
const CALLABLE_KEYWORDS = new Set(['and', 'or', 'in', 'like', 'ilike']);

class Parser {
  readonly #tokens: readonly Token[];
  #position = 0;
  #nodes = 0;
  #depth = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  parse(): Expression {
    const expression = this.#any();
    if (this.#token.kind !== 'end') throw this.#unexpected('an operator or the end was expected.');
    checkDepth(expression);
    return expression;
  }

  get #token(): Token {
    return this.#tokens[this.#position] as Token;
  }

  get #following(): Token {
    return this.#tokens[this.#position + 1] ?? this.#token;
  }

  #next(): Token {
    const token = this.#token;
    if (token.kind !== 'end') this.#position++;
    return token;
  }

  #isSymbol(symbol: string): boolean {
    return this.#token.kind === 'symbol' && this.#token.value === symbol;
  }

  #isWord(word: string, token = this.#token): boolean {
    return token.kind === 'name' && token.value.toLowerCase() === word;
  }

  #take(symbol: string): boolean {
    const found = this.#isSymbol(symbol);
    if (found) this.#position++;
    return found;
  }

  #takeWord(word: string): boolean {
    const found = this.#isWord(word);
    if (found) this.#position++;
    return found;
  }

  #expect(symbol: string): void {
    if (!this.#take(symbol)) throw this.#unexpected(`${symbol} was expected.`);
  }

  #expectWord(word: string): void {
    if (!this.#takeWord(word)) throw this.#unexpected(`${word} was expected.`);
  }

  #unexpected(reason: string): Error {
    return expressionError(this.#token.at, this.#token.source, reason);
  }

  /** Counts nodes and nesting, which bounds the size of everything made from the tree. */
  #made<E extends Expression>(node: E): E {
    this.#count(1);
    return node;
  }

  #count(nodes: number): void {
    this.#nodes += nodes;
    if (this.#nodes > MAX_EXPRESSION_NODES) {
      throw this.#unexpected(`an expression has at most ${MAX_EXPRESSION_NODES} parts.`);
    }
  }

  #call(name: string, args: readonly Expression[], at: number): Call {
    return this.#made({ kind: 'call', name, args, at });
  }

  #nested<T>(read: () => T): T {
    if (++this.#depth > MAX_EXPRESSION_DEPTH) {
      throw this.#unexpected(`it is nested more than ${MAX_EXPRESSION_DEPTH} levels deep.`);
    }
    const result = read();
    this.#depth--;
    return result;
  }

  #any(): Expression {
    return this.#nested(() => this.#joined('or', () => this.#joined('and', () => this.#negation())));
  }

  /** `a and b and c` is one call. */
  #joined(word: 'and' | 'or', read: () => Expression): Expression {
    const { at } = this.#token;
    const first = read();
    if (!this.#isWord(word)) return first;
    const args = [first];
    while (this.#takeWord(word)) args.push(read());
    return this.#call(word, args, at);
  }

  #negation(): Expression {
    const { at } = this.#token;
    // `not(…)` is the same as `not (…)`.
    if (!this.#takeWord('not')) return this.#comparison();
    return this.#call('not', [this.#nested(() => this.#negation())], at);
  }

  #comparison(): Expression {
    const { at } = this.#token;
    let left = this.#sum();
    for (;;) {
      const compared = this.#comparedWith(left, at);
      if (compared === undefined) return left;
      left = compared;
    }
  }

  #comparedWith(left: Expression, at: number): Expression | undefined {
    const token = this.#token;
    const name = token.kind === 'symbol' ? COMPARISONS[token.value] : undefined;
    if (name !== undefined) {
      this.#next();
      const right = this.#sum();
      return name === 'notMatch'
        ? this.#call('not', [this.#call('match', [left, right], at)], at)
        : this.#call(name, [left, right], at);
    }
    if (this.#takeWord('is')) return this.#nullTest(left, at);
    const isNegated = this.#isWord('not') && RELATIONS.some((word) => this.#isWord(word, this.#following));
    if (isNegated) this.#next();
    const related = this.#related(left, at);
    return isNegated && related ? this.#call('not', [related], at) : related;
  }

  #nullTest(left: Expression, at: number): Expression {
    const isNegated = this.#takeWord('not');
    this.#expectWord('null');
    return this.#call(isNegated ? 'isNotNull' : 'isNull', [left], at);
  }

  #related(left: Expression, at: number): Expression | undefined {
    if (this.#takeWord('in')) return this.#call('in', [left, this.#sum()], at);
    if (this.#takeWord('like')) return this.#call('like', [left, this.#sum()], at);
    if (this.#takeWord('ilike')) return this.#call('ilike', [left, this.#sum()], at);
    if (!this.#takeWord('between')) return undefined;
    const from = this.#sum();
    this.#expectWord('and');
    return this.#call('between', [left, from, this.#sum()], at);
  }

  #sum(): Expression {
    return this.#chain(SUMS, () => this.#chain(PRODUCTS, () => this.#chain({ '??': 'ifNull' }, () => this.#sign())));
  }

  /** Operators of the same rank, from left to right. */
  #chain(names: Readonly<Record<string, string>>, read: () => Expression): Expression {
    const { at } = this.#token;
    let left = read();
    for (;;) {
      const name = this.#token.kind === 'symbol' ? names[this.#token.value] : undefined;
      if (name === undefined) return left;
      this.#next();
      const right = read();
      left =
        name === 'concat' && left.kind === 'call' && left.name === name && left.at === at
          ? { ...left, args: [...left.args, right] }
          : this.#call(name, [left, right], at);
    }
  }

  #sign(): Expression {
    const { at } = this.#token;
    if (this.#take('+')) return this.#nested(() => this.#sign());
    if (!this.#take('-')) return this.#access();
    const operand = this.#nested(() => this.#sign());
    if (operand.kind === 'literal' && typeof operand.value === 'number')
      return { ...operand, value: -operand.value, at };
    return this.#call('negate', [operand], at);
  }

  /** `a.b`, `a['b']`, `f(x)[1]` */
  #access(): Expression {
    let operand = this.#primary();
    for (;;) {
      if (operand.kind === 'field' && this.#take('.')) operand = extend(operand, this.#fieldName());
      else if (this.#isSymbol('[')) operand = this.#element(operand);
      else return operand;
    }
  }

  #fieldName(): string {
    if (this.#token.kind === 'name' || this.#token.kind === 'quoted') return this.#next().value;
    throw this.#unexpected('the name of a field or property was expected.');
  }

  #element(operand: Expression): Expression {
    this.#expect('[');
    const index = this.#any();
    this.#expect(']');
    const isKey = index.kind === 'literal' && (typeof index.value === 'string' || typeof index.value === 'number');
    if (operand.kind === 'field' && isKey) return extend(operand, index.value as string | number);
    return this.#call('arrayElement', [operand, index], operand.at);
  }

  #primary(): Expression {
    const token = this.#token;
    switch (token.kind) {
      case 'number':
        return this.#number();
      case 'text':
        return this.#made({ kind: 'literal', value: this.#next().value, at: token.at });
      case 'quoted':
        return this.#made({ kind: 'field', path: [this.#next().value], at: token.at });
      case 'name':
        return this.#named();
      case 'symbol':
        if (token.value === '(') return this.#parenthesized();
        if (token.value === '[') return this.#list(']');
        break;
      case 'end':
        break;
    }
    throw this.#unexpected(
      'a value was expected: a property, a field, a text in single quotes, a number or a function.',
    );
  }

  #number(): Expression {
    const { source, at } = this.#token;
    const value = Number(this.#next().value);
    if (!Number.isFinite(value)) throw expressionError(at, source, 'this number is too large.');
    return this.#made({ kind: 'literal', value, at });
  }

  #named(): Expression {
    const { value, at } = this.#token;
    const word = value.toLowerCase();
    const isCalled = this.#following.kind === 'symbol' && this.#following.value === '(';
    if (isCalled && (!KEYWORDS.has(word) || CALLABLE_KEYWORDS.has(word))) return this.#function();
    if (word === 'true' || word === 'false' || word === 'null') {
      this.#next();
      return this.#made({ kind: 'literal', value: word === 'null' ? null : word === 'true', at });
    }
    if (word === 'case') return this.#case();
    if (word === 'interval') return this.#interval();
    if (KEYWORDS.has(word)) throw this.#unexpected('a value was expected.');
    this.#next();
    return this.#made({ kind: 'field', path: [value], at });
  }

  #function(): Expression {
    const { value, at } = this.#next();
    this.#expect('(');
    const isDistinct = this.#isWord('distinct') && !this.#isEndOfArgument(this.#following);
    if (isDistinct) throw this.#unexpected('distinct is not supported.');
    return this.#call(value, this.#items(')'), at);
  }

  #isEndOfArgument = ({ kind, value }: Token): boolean => kind === 'symbol' && value !== '(' && value !== '[';

  /** Up to the closing bracket; a comma before it is allowed. */
  #items(close: ')' | ']'): Expression[] {
    const items: Expression[] = [];
    while (!this.#take(close)) {
      items.push(this.#any());
      if (this.#take(',')) continue;
      this.#expect(close);
      break;
    }
    return items;
  }

  #list(close: ')' | ']'): Expression {
    const { at } = this.#next();
    return this.#made({ kind: 'list', items: this.#items(close), at });
  }

  /** One value in parentheses is that value; several are a list. */
  #parenthesized(): Expression {
    const { at } = this.#next();
    const items = this.#items(')');
    const [only] = items;
    const { kind, value } = this.#tokens[this.#position - 2] ?? this.#token;
    const hasComma = kind === 'symbol' && value === ',';
    if (only !== undefined && items.length === 1 && !hasComma) return only;
    return this.#made({ kind: 'list', items, at });
  }

  /** `case when c then x else y end`, or `case v when a then x end`: as calls of `multiIf`. */
  #case(): Expression {
    const { at } = this.#next();
    const before = this.#nodes;
    const subject = this.#isWord('when') ? undefined : this.#any();
    const size = this.#nodes - before;
    const args: Expression[] = [];
    while (this.#takeWord('when')) {
      const when = this.#any();
      // The subject is compared again in each branch.
      this.#count(size);
      args.push(subject === undefined ? when : this.#call('equals', [subject, when], when.at));
      this.#expectWord('then');
      args.push(this.#any());
    }
    if (args.length === 0) throw this.#unexpected('when was expected.');
    args.push(this.#takeWord('else') ? this.#any() : this.#made({ kind: 'literal', value: null, at: this.#token.at }));
    this.#expectWord('end');
    return this.#call('multiIf', args, at);
  }

  #interval(): Expression {
    const { at } = this.#next();
    const amount = this.#token.kind === 'number' ? Number(this.#token.value) : Number.NaN;
    if (!Number.isInteger(amount)) throw this.#unexpected('a whole number was expected, as in "interval 7 day".');
    this.#next();
    return this.#made({ kind: 'interval', amount, unit: this.#fieldName(), at });
  }
}

const RELATIONS = ['in', 'like', 'ilike', 'between'];

const extend = (field: Field, name: string | number): Field => ({ ...field, path: [...field.path, name] });

/** Chains of operators are nested too. Engines take long to plan what is nested deeply. */
function checkDepth(expression: Expression, depth = 1): void {
  if (depth > MAX_EXPRESSION_DEPTH) {
    throw expressionError(expression.at, '', `it is nested more than ${MAX_EXPRESSION_DEPTH} levels deep.`);
  }
  const inner = expression.kind === 'call' ? expression.args : expression.kind === 'list' ? expression.items : [];
  for (const one of inner) checkDepth(one, depth + 1);
}
