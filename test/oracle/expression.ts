/**
 * Parsed expressions, evaluated in plain code by the rules of `docs/guides/expressions.md`: neither the check nor the SQL
 * is used.
 */
import { Temporal } from 'temporal-polyfill';
import type { Expression } from '../../src/core/expressions/expression.ts';
import type { Json } from '../../src/core/json/json.ts';

export interface ExpressionEvent {
  event: string;
  distinctId: string;
  timestamp: number;
  properties: Readonly<Record<string, Json>>;
}

type Value = string | number | boolean | null;
/** Times are numbers, in ms. */
type Type = 'text' | 'number' | 'boolean' | 'time' | 'date' | 'property' | 'null';

interface Compiled {
  type: Type;
  run(event: ExpressionEvent): Value;
  /** The value of a calculation before it is checked to be finite. */
  raw?(event: ExpressionEvent): Value;
}

interface Context {
  now: number;
  timezone: string;
}

/** The text of an expression for an event. */
export function expressionText(expression: Expression, context: Context): (event: ExpressionEvent) => string | null {
  const { run } = to('text', compile(expression, context), context);
  return (event) => run(event) as string | null;
}

function compile(node: Expression, context: Context): Compiled {
  switch (node.kind) {
    case 'literal': {
      const { value } = node;
      const types = { string: 'text', number: 'number', boolean: 'boolean', object: 'null' } as const;
      return { type: types[typeof value as keyof typeof types], run: () => value };
    }
    case 'field':
      return compileField(node.path);
    case 'call':
      return compileCall(node, context);
    default:
      throw new Error(`Not in the oracle: ${node.kind}`);
  }
}

function compileField(path: readonly (string | number)[]): Compiled {
  const [first, ...rest] = path;
  if (first === 'properties')
    return { type: 'property', run: (event) => jsonText(dig(event.properties as Json, rest)) };
  if (first === 'timestamp') return { type: 'time', run: ({ timestamp }) => timestamp };
  if (first === 'event') return { type: 'text', run: ({ event }) => event };
  if (first === 'distinct_id') return { type: 'text', run: ({ distinctId }) => distinctId };
  throw new Error(`Not in the oracle: ${path.join('.')}`);
}

function dig(json: Json, path: readonly (string | number)[]): Json {
  return path.reduce<Json>((value, part) => {
    if (typeof part === 'number') return Array.isArray(value) ? (value[part - 1] ?? null) : null;
    const isMap = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isMap && Object.hasOwn(value, part) ? ((value as Record<string, Json>)[part] ?? null) : null;
  }, json);
}

const jsonText = (value: Json): string | null => {
  if (value === null || typeof value === 'string') return value;
  return typeof value === 'object' ? JSON.stringify(value) : numberText(value);
};

const numberText = (value: number | bigint | boolean): string =>
  typeof value === 'boolean' ? String(value) : String(value).replace('e+', 'e');

const isTextual = (type: Type): boolean => type === 'text' || type === 'property';

/** As another type. */
function to(type: Type, from: Compiled, context: Context): Compiled {
  if (from.type === type || from.type === 'null') return { ...from, type };
  const change = conversion(from.type, type, context);
  return {
    type,
    run(event) {
      const value = from.run(event);
      return value === null ? null : change(value);
    },
  };
}

function conversion(from: Type, type: Type, { timezone }: Context): (value: string | number | boolean) => Value {
  if (isTextual(type)) {
    if (from === 'time') return (ms) => clock(ms, timezone).replace('T', ' ').slice(0, 19);
    if (from === 'date') return (ms) => clock(ms, timezone).slice(0, 10);
    return (value) => (typeof value === 'string' ? value : numberText(value));
  }
  if (type === 'number') return (value) => (isTextual(from) ? readNumber(String(value)) : Number(value));
  if (type === 'boolean') {
    return (value) => (isTextual(from) ? (value === 'true' ? true : value === 'false' ? false : null) : value !== 0);
  }
  if (from === 'date' || from === 'time') return (value) => value;
  return (value) => readTime(String(value), timezone);
}

const clock = (ms: string | number | boolean, timezone: string): string =>
  Temporal.Instant.fromEpochMilliseconds(Number(ms)).toZonedDateTimeISO(timezone).toPlainDateTime().toString();

function readNumber(text: string): number | null {
  const digits = text.split(' ').join('');
  const found = /^[+-]?(?:(\d+)\.?\d*|\.\d+)(?:e([+-]?\d+))?$/i.exec(digits);
  if (found === null) return null;
  const [, whole = '', exponent = '0'] = found;
  return whole.length <= 100 && Math.abs(Number(exponent)) < 200 ? Number(digits) : null;
}

/** Only what the tests have: days and times as constants, in the project's zone. */
const readTime = (text: string, timezone: string): number | null => {
  const [, day, time = '00:00:00'] = /^(\d{4}-\d\d-\d\d)(?: (\d\d:\d\d:\d\d))?$/.exec(text) ?? [];
  if (day === undefined) return null;
  return Temporal.PlainDateTime.from(`${day}T${time}`).toZonedDateTime(timezone).epochMilliseconds;
};

/** How two values are compared. */
function comparedAs(a: Type, b: Type): Type {
  const [left, right] = [a, b].map((type) => (type === 'date' ? 'time' : type)) as [Type, Type];
  if (left === 'null') return right === 'null' ? 'text' : right;
  if (right === 'null' || left === right) return left;
  if (isTextual(left)) return isTextual(right) ? 'text' : right;
  return isTextual(right) ? left : 'number';
}

/** The type of a choice between values. */
function together(types: readonly Type[]): Type {
  const own = [...new Set(types.filter((type) => type !== 'null'))];
  if (own.length <= 1) return own[0] ?? 'null';
  return own.every((type) => type === 'time' || type === 'date') ? 'time' : 'text';
}

const bytes = (text: string): Buffer => Buffer.from(text);

function order(a: Value, b: Value): number {
  if (typeof a === 'string' && typeof b === 'string') return Buffer.compare(bytes(a), bytes(b));
  return Number(a) - Number(b);
}

/** Negative, 0 or positive; undefined where one of them is null. */
function compareValues(left: Compiled, right: Compiled, context: Context): (event: ExpressionEvent) => number | null {
  const type = comparedAs(left.type, right.type);
  const [a, b] = [to(type, left, context), to(type, right, context)];
  return (event) => {
    const [x, y] = [a.run(event), b.run(event)];
    if (x === null || y === null) return null;
    const [n, m] = type === 'property' ? [readNumber(String(x)), readNumber(String(y))] : [null, null];
    return n !== null && m !== null ? n - m : order(x, y);
  };
}

const isEqual = (left: Compiled, right: Compiled, context: Context): ((event: ExpressionEvent) => boolean) => {
  const compared = compareValues(left, right, context);
  const type = comparedAs(left.type, right.type);
  const [a, b] = [to(type, left, context), to(type, right, context)];
  return (event) => {
    const order = compared(event);
    return order === null ? a.run(event) === null && b.run(event) === null : order === 0;
  };
};

const isZero =
  (compared: (event: ExpressionEvent) => number | null) =>
  (event: ExpressionEvent): boolean =>
    compared(event) === 0;

const condition = (run: (event: ExpressionEvent) => boolean): Compiled => ({ type: 'boolean', run });

function compileCall({ name, args }: Expression & { kind: 'call' }, context: Context): Compiled {
  if (name === 'in') return compileIn(args, context);
  const all = args.map((one) => compile(one, context));
  const [a, b, c] = all as [Compiled, Compiled, Compiled];
  const as = (type: Type, value: Compiled): Compiled => to(type, value, context);
  const isTrue = (value: Compiled) => {
    const { run } = as('boolean', value);
    return (event: ExpressionEvent) => run(event) === true;
  };
  const strict = (type: Type, needed: Type[], work: (...values: never[]) => Value): Compiled => {
    const ready = all.map((one, at) => as(needed[at] ?? 'text', one));
    return {
      type,
      run(event) {
        const values = ready.map((one) => one.run(event));
        return values.includes(null) ? null : work(...(values as never[]));
      },
    };
  };
  const compared = () => compareValues(a, b, context);
  switch (name) {
    case 'and':
      return condition((event) => all.every((one) => isTrue(one)(event)));
    case 'or':
      return condition((event) => all.some((one) => isTrue(one)(event)));
    case 'not':
      return condition((event) => !isTrue(a)(event));
    case 'equals':
      return condition(isEqual(a, b, context));
    case 'notEquals':
      return condition((event) => !isEqual(a, b, context)(event));
    case 'less':
      return condition((event) => (compared()(event) ?? 1) < 0);
    case 'lessOrEquals':
      return condition((event) => (compared()(event) ?? 1) <= 0);
    case 'greater':
      return condition((event) => (compared()(event) ?? -1) > 0);
    case 'greaterOrEquals':
      return condition((event) => (compared()(event) ?? -1) >= 0);
    case 'isNull':
      return condition((event) => a.run(event) === null);
    case 'isNotNull':
      return condition((event) => a.run(event) !== null);
    case 'empty':
      return condition((event) => (as('text', a).run(event) ?? '') === '');
    case 'like':
    case 'ilike':
      return condition((event) => isLike(as('text', a).run(event), String(b.run(event)), name === 'ilike'));
    case 'startsWith':
      return condition(
        (event) => strict('boolean', ['text', 'text'], (t: string, s: string) => t.startsWith(s)).run(event) === true,
      );
    case 'endsWith':
      return condition(
        (event) => strict('boolean', ['text', 'text'], (t: string, s: string) => t.endsWith(s)).run(event) === true,
      );
    case 'if':
    case 'multiIf': {
      const isTest = (at: number): boolean => at % 2 === 0 && at < all.length - 1;
      const type = together(all.filter((_, at) => !isTest(at)).map((one) => one.type));
      return {
        type,
        run(event) {
          let at = 0;
          while (isTest(at) && !isTrue(all[at] as Compiled)(event)) at += 2;
          return as(type, all[isTest(at) ? at + 1 : at] as Compiled).run(event);
        },
      };
    }
    case 'coalesce':
    case 'ifNull': {
      const type = together(all.map((one) => one.type));
      const ready = all.map((one) => as(type, one));
      return { type, run: (event) => ready.map((one) => one.run(event)).find((one) => one !== null) ?? null };
    }
    case 'plus':
    case 'minus':
    case 'multiply':
    case 'divide':
    case 'modulo':
      return calculation(name, as('number', a), as('number', b));
    case 'negate':
      return strict('number', ['number'], (n: number) => 0 - n);
    case 'abs':
      return strict('number', ['number'], (n: number) => Math.abs(n));
    case 'floor':
      return strict('number', ['number'], (n: number) => Math.floor(n) + 0);
    case 'ceil':
      return strict('number', ['number'], (n: number) => Math.ceil(n) + 0);
    case 'round':
      return strict('number', ['number'], (n: number) => Math.sign(n) * Math.floor(Math.abs(n) + 0.5) + 0);
    case 'toInt':
      return strict('number', ['number'], (n: number) => Math.trunc(n) + 0);
    case 'toFloat':
      return as('number', a);
    case 'toString':
      return as('text', a);
    case 'least':
    case 'greatest':
      return {
        type: 'number',
        run: (event) =>
          extreme(
            name,
            all.map((one) => as('number', one).run(event)),
          ),
      };
    case 'concat':
      return { type: 'text', run: (event) => all.map((one) => as('text', one).run(event) ?? '').join('') };
    case 'lower':
      return strict('text', ['text'], (text: string) => text.toLowerCase());
    case 'upper':
      return strict('text', ['text'], (text: string) => text.toUpperCase());
    case 'trim':
      return strict('text', ['text'], (text: string) => text.replace(/^ +| +$/g, ''));
    case 'length':
      return strict('number', ['text'], (text: string) => [...text].length);
    case 'substring':
      return strict('text', ['text', 'number', 'number'], (text: string, from: number, count = 1e9) => {
        const start = Math.max(Math.floor(from), 1) - 1;
        return [...text].slice(start, start + Math.max(Math.floor(count), 0)).join('');
      });
    case 'position':
      return strict('number', ['text', 'text'], (text: string, part: string) => {
        const at = text.indexOf(part);
        return at < 0 ? 0 : [...text.slice(0, at)].length + 1;
      });
    case 'replaceAll':
      return strict('text', ['text', 'text', 'text'], (text: string, part: string, by: string) =>
        part === '' ? text : text.split(part).join(by),
      );
    case 'toDate':
      return { ...startOf(as('time', a), 'day', context), type: 'date' };
    case 'toStartOfHour':
      return startOf(as('time', a), 'hour', context);
    case 'toStartOfDay':
      return startOf(as('time', a), 'day', context);
    case 'toHour':
      return strict('number', ['time'], (ms: number) => Number(clock(ms, context.timezone).slice(11, 13)));
    case 'toDayOfWeek':
      return strict(
        'number',
        ['time'],
        (ms: number) => Temporal.PlainDate.from(clock(ms, context.timezone).slice(0, 10)).dayOfWeek,
      );
    default:
      throw new Error(`Not in the oracle: ${name} ${c?.type ?? ''}`);
  }
}

function compileIn([value, list]: readonly Expression[], context: Context): Compiled {
  const own = compile(value as Expression, context);
  const items = (list?.kind === 'list' ? list.items : [list as Expression]).map((item) => compile(item, context));
  const kind = comparedAs(own.type, together(items.map(({ type }) => type)));
  const type = kind === 'property' ? 'text' : kind;
  const ready = to(type, own, context);
  // Null is only found by `null` itself, not by an item that can't be read as the value's type.
  const found = items.map((item) =>
    item.type === 'null'
      ? (event: ExpressionEvent) => ready.run(event) === null
      : isZero(compareValues(ready, to(type, item, context), context)),
  );
  return condition((event) => found.some((is) => is(event)));
}

/** Only the whole of a calculation is checked. */
function calculation(name: string, a: Compiled, b: Compiled): Compiled {
  const raw = (event: ExpressionEvent): Value => {
    const [x, y] = [(a.raw ?? a.run)(event), (b.raw ?? b.run)(event)];
    if (x === null || y === null) return null;
    return calculate(name, Number(x), Number(y));
  };
  const run = (event: ExpressionEvent): Value => {
    const result = raw(event);
    return result === null || !Number.isFinite(result) ? null : Number(result) + 0;
  };
  return { type: 'number', raw, run };
}

function calculate(name: string, x: number, y: number): number | null {
  if (name === 'plus') return x + y;
  if (name === 'minus') return x - y;
  if (name === 'multiply') return x * y;
  if (y === 0) return null;
  return name === 'divide' ? x / y : x % y;
}

function extreme(name: string, values: readonly Value[]): number | null {
  const numbers = values.filter((value) => value !== null).map(Number);
  if (numbers.length === 0) return null;
  return name === 'least' ? Math.min(...numbers) : Math.max(...numbers);
}

/** Tries every length for `%`. */
function isLike(text: Value, pattern: string, ignoresCase: boolean): boolean {
  if (typeof text !== 'string') return false;
  const fold = (one: string): string => (ignoresCase ? one.toLowerCase() : one);
  const matches = (letters: readonly string[], signs: readonly string[]): boolean => {
    const [sign, ...rest] = signs;
    if (sign === undefined) return letters.length === 0;
    if (sign === '%') return letters.some((_, at) => matches(letters.slice(at), rest)) || matches([], rest);
    return letters.length > 0 && (sign === '_' || sign === letters[0]) && matches(letters.slice(1), rest);
  };
  return matches([...fold(text)], [...fold(pattern)]);
}

const startOf = (time: Compiled, unit: 'hour' | 'day', { timezone }: Context): Compiled => ({
  type: 'time',
  run(event) {
    const ms = time.run(event);
    if (ms === null) return null;
    const local = Temporal.Instant.fromEpochMilliseconds(Number(ms)).toZonedDateTimeISO(timezone);
    if (unit === 'day') return local.startOfDay().epochMilliseconds;
    return local.round({ smallestUnit: 'hour', roundingMode: 'floor' }).epochMilliseconds;
  },
});
