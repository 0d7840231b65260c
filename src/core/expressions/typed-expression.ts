/** Expressions whose names and types are known: what is written as SQL. */

/**
 * - `property`: a JSON value as text. What it is compared with decides how it is read.
 * - `date`: a time at the start of a day, shown without its time of day.
 * - `null`: only the constant; it becomes of the type that is needed.
 */
export type ValueType = 'text' | 'number' | 'boolean' | 'time' | 'date' | 'property' | 'null';

export type TypedExpression = Constant | Column | Property | TypedOperation;

interface Constant {
  kind: 'constant';
  type: ValueType;
  value: string | number | boolean | null;
}

export const EVENT_FIELDS = [
  'event',
  'timestamp',
  'created_at',
  'distinct_id',
  'uuid',
  'elements_chain',
  'person_id',
  'person_created_at',
  'group_0',
  'group_1',
  'group_2',
  'group_3',
  'group_4',
] as const;
export type EventField = (typeof EVENT_FIELDS)[number];

interface Column {
  kind: 'column';
  type: 'text' | 'time';
  name: EventField;
}

/** Keys of objects, and positions in lists, counted from 1. */
export type PropertyPath = readonly [string, ...(string | number)[]];

export interface Property {
  kind: 'property';
  type: 'property';
  owner: 'event' | 'person' | 'group';
  /** Of groups; 0 otherwise. */
  groupIndex: number;
  path: PropertyPath;
}

export interface TypedOperation {
  kind: 'operation';
  type: ValueType;
  name: OperationName;
  args: readonly TypedExpression[];
  /** A unit of time, a pattern, a number of digits, … */
  option: string | number;
}

/** Conditions are true or false, never null. The others are null where an argument is null, unless they say otherwise. */
const CONDITIONS = [
  'and',
  'or',
  'not',
  /** Null equals null. */
  'equals',
  'less',
  'lessOrEquals',
  /** Both bounds included; all of one type. */
  'between',
  /** The first argument among the others, all of one type. Option: 'or null' where null is one of them. */
  'in',
  'isNull',
  /** Option: the pattern. */
  'matches',
  'startsWith',
  'endsWith',
] as const;

const OPERATIONS = [
  ...CONDITIONS,
  /** Condition, value, condition, value, …, value. */
  'choose',
  'coalesce',
  'nullIf',
  // Numbers. Division by zero is null.
  'plus',
  'minus',
  'multiply',
  'divide',
  'modulo',
  'negate',
  /** Null where a calculation left the range of numbers. */
  'finite',
  'abs',
  'floor',
  'ceil',
  'truncate',
  /** Option: digits. */
  'round',
  /** Without nulls. */
  'least',
  'greatest',
  // Texts. Lengths and positions count characters, from 1.
  /** Null is empty. */
  'concat',
  'lower',
  'upper',
  'trim',
  'length',
  'substring',
  'replaceAll',
  /** Arguments: the text; option: JSON of what to replace and by what. */
  'replaceOne',
  'position',
  /** Option: JSON of the separator and the position. */
  'splitPart',
  // Times. Option: the unit.
  'now',
  'startOf',
  'calendarPart',
  'dateDiff',
  /** Option: JSON of a `Span`. */
  'addSpan',
  // Conversions.
  'textToNumber',
  'textToBoolean',
  'textToTime',
  'numberToText',
  'numberToBoolean',
  'booleanToText',
  'booleanToNumber',
  'timeToText',
  'dateToText',
] as const;
export type OperationName = (typeof OPERATIONS)[number];

export const operation = (
  name: OperationName,
  type: ValueType,
  args: readonly TypedExpression[],
  option: string | number = '',
): TypedOperation => ({ kind: 'operation', type, name, args, option });

export const constant = (value: string | number | boolean | null, type: ValueType): Constant => ({
  kind: 'constant',
  type,
  value,
});

const CONDITION_NAMES: ReadonlySet<OperationName> = new Set(CONDITIONS);
const MAYBE_NULL: ReadonlySet<OperationName> = new Set([
  ...(['nullIf', 'divide', 'modulo', 'finite', 'round', 'least', 'greatest', 'splitPart'] as const),
  ...(['textToNumber', 'textToBoolean', 'textToTime', 'calendarPart', 'startOf', 'dateDiff', 'addSpan'] as const),
]);
const REQUIRED_COLUMNS: ReadonlySet<EventField> = new Set([
  ...(['event', 'timestamp', 'created_at', 'distinct_id', 'uuid', 'elements_chain'] as const),
]);

/** Whether it may be null; true where that is not known. */
export function isNullable(expression: TypedExpression): boolean {
  switch (expression.kind) {
    case 'constant':
      return expression.value === null;
    case 'column':
      return !REQUIRED_COLUMNS.has(expression.name);
    case 'property':
      return true;
    case 'operation':
      return isNullableOperation(expression);
  }
}

function isNullableOperation({ name, args }: TypedOperation): boolean {
  if (CONDITION_NAMES.has(name) || name === 'concat' || name === 'now') return false;
  if (MAYBE_NULL.has(name)) return true;
  return name === 'coalesce' ? args.every(isNullable) : args.some(isNullable);
}

/** Itself and everything in it. */
export const partsOf = (expression: TypedExpression): TypedExpression[] =>
  expression.kind === 'operation' ? [expression, ...expression.args.flatMap(partsOf)] : [expression];
