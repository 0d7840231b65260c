import { invalid } from '../errors.ts';
import { convert } from './convert-types.ts';
import { type Call, type Expression, type ExpressionList, expressionError } from './expression.ts';
import { callFunction, isIn, SPLITS, shiftTime, splitPart } from './functions.ts';
import { parseExpression } from './parse-expression.ts';
import { type ExpressionSubject, resolveField } from './resolve-field.ts';
import { constant, type TypedExpression } from './typed-expression.ts';

/** Reads and checks an expression. Throws a `Failure` that names the first part that is not understood. */
function readExpression(text: string, subject: ExpressionSubject): TypedExpression {
  const expression = parseExpression(text);
  const patterns = countPatterns(expression);
  if (patterns > MAX_PATTERNS) {
    throw invalid(undefined, `An expression has at most ${MAX_PATTERNS} patterns; this has ${patterns}.`);
  }
  return checkExpression(expression, subject);
}

/** Each is compiled, which takes time. */
const MAX_PATTERNS = 50;
const PATTERN_FUNCTIONS = new Set(['match', 'like', 'ilike']);

function countPatterns(expression: Expression): number {
  if (expression.kind !== 'call') return 0;
  const own = PATTERN_FUNCTIONS.has(expression.name.toLowerCase()) ? 1 : 0;
  return expression.args.reduce((count, one) => count + countPatterns(one), own);
}

/** A condition: what is neither true nor false is false. */
export const readCondition = (text: string, subject: ExpressionSubject): TypedExpression =>
  convert(readExpression(text, subject), 'boolean', 0);

/** The value of a breakdown. */
export const readText = (text: string, subject: ExpressionSubject): TypedExpression =>
  convert(readExpression(text, subject), 'text', 0);

function checkExpression(expression: Expression, subject: ExpressionSubject): TypedExpression {
  switch (expression.kind) {
    case 'literal':
      return literal(expression.value);
    case 'field':
      return resolveField(expression, subject);
    case 'call':
      return checkCall(expression, subject);
    case 'list':
      throw expressionError(expression.at, '', 'a list is only supported after in.');
    case 'interval':
      throw expressionError(
        expression.at,
        'interval',
        'an interval can only be added to a time, or subtracted from it.',
      );
  }
}

function literal(value: string | number | boolean | null): TypedExpression {
  if (value === null) return constant(null, 'null');
  return constant(value, typeof value === 'string' ? 'text' : typeof value === 'number' ? 'number' : 'boolean');
}

function checkCall(call: Call, subject: ExpressionSubject): TypedExpression {
  const check = (one: Expression): TypedExpression => checkExpression(one, subject);
  const [first, second] = call.args;
  if (first !== undefined && second !== undefined) {
    const special = checkSpecial(call, first, second, check);
    if (special !== undefined) return special;
  }
  const property = jsonProperty(call);
  if (property !== undefined) return convert(check(property.field), property.type, call.at);
  return callFunction(call, call.args.map(check));
}

/** Calls whose arguments are not all values. */
function checkSpecial(
  call: Call,
  first: Expression,
  second: Expression,
  check: (one: Expression) => TypedExpression,
): TypedExpression | undefined {
  switch (call.name.toLowerCase()) {
    case 'in':
      return isIn(check(first), itemsOf(second).map(check), call.at);
    case 'arrayelement':
      return checkElement(call, first, second, check);
    case 'plus':
      if (first.kind === 'interval') return shiftTime(check(second), first.amount, first.unit, first.at);
      if (second.kind === 'interval') return shiftTime(check(first), second.amount, second.unit, second.at);
      return undefined;
    case 'minus':
      if (second.kind === 'interval') return shiftTime(check(first), -second.amount, second.unit, second.at);
      return undefined;
    default:
      return undefined;
  }
}

/** A single value stands for a list of it: its parentheses are gone. */
const itemsOf = (expression: Expression): ExpressionList['items'] =>
  expression.kind === 'list' ? expression.items : [expression];

function checkElement(
  call: Call,
  split: Expression,
  index: Expression,
  check: (one: Expression) => TypedExpression,
): TypedExpression {
  if (split.kind === 'call' && SPLITS.has(split.name.toLowerCase()) && split.args.length === 2) {
    return splitPart({ args: split.args.map(check), call: split }, check(index), call);
  }
  throw expressionError(call.at, '[', "only splitByChar('.', text)[1] and properties.list[1] have elements.");
}

const JSON_FUNCTIONS = {
  jsonextractstring: 'text',
  jsonextractfloat: 'number',
  jsonextractint: 'number',
  jsonextractbool: 'boolean',
} as const;

/** `JSONExtractString(properties, 'a', 'b')` is `properties.a.b`. */
function jsonProperty({ name, args: [json, ...keys] }: Call) {
  const lower = name.toLowerCase();
  if (!Object.hasOwn(JSON_FUNCTIONS, lower) || json?.kind !== 'field' || keys.length === 0) return undefined;
  const path = keys.map((key) => (key.kind === 'literal' ? key.value : null));
  if (!path.every((key) => typeof key === 'string' || typeof key === 'number')) return undefined;
  return {
    field: { ...json, path: [...json.path, ...path] },
    type: JSON_FUNCTIONS[lower as keyof typeof JSON_FUNCTIONS],
  };
}
