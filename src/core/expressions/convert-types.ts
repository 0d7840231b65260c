/** How values of one type become another. `docs/guides/expressions.md` has the rules as a table. */
import { parseDate } from '../time/parse-date.ts';
import { expressionError } from './expression.ts';
import { constant, type OperationName, operation, type TypedExpression, type ValueType } from './typed-expression.ts';

/** What an argument has to be. */
export type NeededType = 'text' | 'number' | 'boolean' | 'time';

const CONVERSIONS: Readonly<Partial<Record<`${ValueType} ${NeededType}`, OperationName>>> = {
  'text number': 'textToNumber',
  'text boolean': 'textToBoolean',
  'text time': 'textToTime',
  'property text': 'coalesce',
  'property number': 'textToNumber',
  'property boolean': 'textToBoolean',
  'property time': 'textToTime',
  'number text': 'numberToText',
  'number boolean': 'numberToBoolean',
  'boolean text': 'booleanToText',
  'boolean number': 'booleanToNumber',
  'time text': 'timeToText',
  'date text': 'dateToText',
  'date time': 'coalesce',
};

/** `at` is the place that an error names. */
export function convert(value: TypedExpression, to: NeededType, at: number): TypedExpression {
  if (value.type === to) return value;
  if (value.type === 'null') return constant(null, to);
  const name = CONVERSIONS[`${value.type} ${to}`];
  if (name === undefined) throw expressionError(at, value.type, `a ${value.type} cannot be used as a ${to}.`);
  if (to === 'time' && value.kind === 'constant') checkTime(String(value.value), at);
  return operation(name, to, [value]);
}

function checkTime(text: string, at: number): void {
  if (parseTimeConstant(text, 'UTC') !== undefined) return;
  throw expressionError(at, text, "this is no date: write '2024-01-31' or '2024-01-31 10:00:00'.");
}

/** In the time zone of the project, unless it names another. */
export const parseTimeConstant = (text: string, timezone: string): number | undefined =>
  /^\d{4}-/.test(text) ? parseDate(text, 0, timezone) : undefined;

/** `property`: as numbers where both are numbers, else as texts. */
export function comparedType(left: TypedExpression, right: TypedExpression, at: number): NeededType | 'property' {
  const [a, b] = [baseType(left), baseType(right)];
  if (a === 'null' || b === 'null') return a === 'null' ? (b === 'null' ? 'text' : b) : a;
  if (a === b) return a;
  if (isTextual(a) && isTextual(b)) return 'text';
  if (isTextual(a)) return b as NeededType;
  if (isTextual(b)) return a as NeededType;
  if (a !== 'time' && b !== 'time') return 'number';
  throw expressionError(at, `${left.type} and ${right.type}`, `a ${left.type} and a ${right.type} cannot be compared.`);
}

const baseType = ({ type }: TypedExpression) => (type === 'date' ? 'time' : type);
const isTextual = (type: ValueType): boolean => type === 'text' || type === 'property';

/** The type of a value that is one of these. */
export function commonType(values: readonly TypedExpression[]): ValueType {
  const types = new Set(values.map(({ type }) => type).filter((type) => type !== 'null'));
  const [first] = types;
  if (first === undefined || types.size === 1) return first ?? 'null';
  return [...types].every((type) => type === 'time' || type === 'date') ? 'time' : 'text';
}

export const convertToCommon = (
  values: readonly TypedExpression[],
  type: ValueType,
  at: number,
): readonly TypedExpression[] =>
  values.map((value) => {
    if (value.type === type) return value;
    if (value.type === 'null') return constant(null, type);
    return convert(value, type as NeededType, at);
  });
