/** The functions of expressions, operators among them. Names are found whatever their case. */
import { MAX_PATTERN_LENGTH } from '../filters/compile-pattern.ts';
import { compileBounded } from '../filters/compile-search.ts';
import type { Span } from '../time/span.ts';
import { DAY_MS } from '../time/units.ts';
import { commonType, comparedType, convert, convertToCommon, type NeededType } from './convert-types.ts';
import { type Call, expressionError } from './expression.ts';
import { likePattern } from './like-pattern.ts';
import {
  constant,
  type OperationName,
  operation,
  type TypedExpression as Typed,
  type ValueType,
} from './typed-expression.ts';

interface FunctionSpec {
  name: string;
  /** How many arguments it takes. */
  min: number;
  max: number;
  build(args: readonly Typed[], call: Call): Typed;
}

type Build = FunctionSpec['build'];

const MANY = 1000;

/** An argument that is there: the number of arguments was checked. */
const arg = (args: readonly Typed[], index: number): Typed => args[index] as Typed;

const fixed = (name: string, needed: readonly NeededType[], type: ValueType, to: OperationName): FunctionSpec => ({
  name,
  min: needed.length,
  max: needed.length,
  build: (args, { at }) =>
    operation(
      to,
      type,
      needed.map((one, index) => convert(arg(args, index), one, at)),
    ),
});

const not = (condition: Typed): Typed => operation('not', 'boolean', [condition]);

function compare(name: 'equals' | 'less' | 'lessOrEquals', left: Typed, right: Typed, at: number): Typed {
  const type = comparedType(left, right, at);
  const args = type === 'property' ? [left, right] : [convert(left, type, at), convert(right, type, at)];
  return operation(name, 'boolean', args);
}

const comparison = (name: string, build: (left: Typed, right: Typed, at: number) => Typed): FunctionSpec => ({
  name,
  min: 2,
  max: 2,
  build: (args, { at }) => build(arg(args, 0), arg(args, 1), at),
});

const COMPARISONS: readonly FunctionSpec[] = [
  comparison('equals', (a, b, at) => compare('equals', a, b, at)),
  comparison('notEquals', (a, b, at) => not(compare('equals', a, b, at))),
  comparison('less', (a, b, at) => compare('less', a, b, at)),
  comparison('lessOrEquals', (a, b, at) => compare('lessOrEquals', a, b, at)),
  comparison('greater', (a, b, at) => compare('less', b, a, at)),
  comparison('greaterOrEquals', (a, b, at) => compare('lessOrEquals', b, a, at)),
  { name: 'between', min: 3, max: 3, build: between },
  { name: 'like', min: 2, max: 2, build: (args, call) => like(args, call, false) },
  { name: 'ilike', min: 2, max: 2, build: (args, call) => like(args, call, true) },
  { name: 'match', min: 2, max: 2, build: (args, call) => matches(args, textConstant(args, 1, call), call) },
];

function between(args: readonly Typed[], { at }: Call): Typed {
  const [value, from, to] = [arg(args, 0), arg(args, 1), arg(args, 2)];
  const types = [comparedType(value, from, at), comparedType(value, to, at)].map((type) =>
    type === 'property' ? 'number' : type,
  );
  const [type] = types;
  if (type === undefined || types[1] !== type) {
    throw expressionError(at, 'between', 'both bounds have to be of the same type.');
  }
  return operation(
    'between',
    'boolean',
    [value, from, to].map((one) => convert(one, type, at)),
  );
}

const like = (args: readonly Typed[], call: Call, ignoresCase: boolean): Typed =>
  matches(args, likePattern(textConstant(args, 1, call), ignoresCase), call);

function matches(args: readonly Typed[], pattern: string, { at }: Call): Typed {
  if (compileBounded(pattern, MAX_PATTERN_LENGTH) === null) {
    throw expressionError(
      at,
      pattern,
      `this is no valid pattern: patterns are RE2, without look-around or large repetitions, of at most ${MAX_PATTERN_LENGTH} characters.`,
    );
  }
  return operation('matches', 'boolean', [convert(arg(args, 0), 'text', at)], pattern);
}

function textConstant(args: readonly Typed[], index: number, { at, name }: Call): string {
  const value = arg(args, index);
  if (value.kind === 'constant' && value.type === 'text' && value.value !== null) return String(value.value);
  throw expressionError(at, name, `argument ${index + 1} of ${name} has to be a text in single quotes.`);
}

function wholeConstant(args: readonly Typed[], index: number, { at, name }: Call, min: number, max: number): number {
  const value = arg(args, index);
  const number = value.kind === 'constant' && value.type === 'number' ? Number(value.value) : Number.NaN;
  if (Number.isInteger(number) && number >= min && number <= max) return number;
  throw expressionError(
    at,
    name,
    `argument ${index + 1} of ${name} has to be a whole number from ${min} to ${max}, not calculated.`,
  );
}

const logic = (name: 'and' | 'or'): FunctionSpec => ({
  name,
  min: 1,
  max: MANY,
  build: (args, { at }) =>
    operation(
      name,
      'boolean',
      args.map((one) => convert(one, 'boolean', at)),
    ),
});

const isEmpty: Build = (args, { at }) => {
  const text = operation('coalesce', 'text', [convert(arg(args, 0), 'text', at), constant('', 'text')]);
  return operation('equals', 'boolean', [text, constant('', 'text')]);
};

const LOGIC: readonly FunctionSpec[] = [
  logic('and'),
  logic('or'),
  { name: 'not', min: 1, max: 1, build: (args, { at }) => not(convert(arg(args, 0), 'boolean', at)) },
  { name: 'isNull', min: 1, max: 1, build: (args) => operation('isNull', 'boolean', args) },
  { name: 'isNotNull', min: 1, max: 1, build: (args) => not(operation('isNull', 'boolean', args)) },
  { name: 'empty', min: 1, max: 1, build: isEmpty },
  { name: 'notEmpty', min: 1, max: 1, build: (args, call) => not(isEmpty(args, call)) },
];

const firstGiven: Build = (args, { at }) => {
  const type = commonType(args);
  return operation('coalesce', type, convertToCommon(args, type, at));
};

const choose: Build = (args, call) => {
  const isCondition = (index: number): boolean => index % 2 === 0 && index < args.length - 1;
  if (args.length % 2 === 0) throw expressionError(call.at, call.name, 'the last argument is the value otherwise.');
  const type = commonType(args.filter((_, index) => !isCondition(index)));
  const typed = args.flatMap((one, index) =>
    isCondition(index) ? [convert(one, 'boolean', call.at)] : convertToCommon([one], type, call.at),
  );
  return operation('choose', type, typed);
};

const CHOICES: readonly FunctionSpec[] = [
  { name: 'if', min: 3, max: 3, build: choose },
  { name: 'multiIf', min: 3, max: MANY, build: choose },
  { name: 'coalesce', min: 1, max: MANY, build: firstGiven },
  { name: 'ifNull', min: 2, max: 2, build: firstGiven },
  {
    name: 'nullIf',
    min: 2,
    max: 2,
    build: (args, { at }) => {
      const compared = comparedType(arg(args, 0), arg(args, 1), at);
      const type = compared === 'property' ? 'text' : compared;
      return operation(
        'nullIf',
        type,
        args.map((one) => convert(one, type, at)),
      );
    },
  },
];

/** Only the result of a whole calculation is checked, which keeps statements short. */
const uncheckedNumber = (value: Typed, at: number): Typed => {
  const number = convert(value, 'number', at);
  return number.kind === 'operation' && number.name === 'finite' ? (number.args[0] ?? number) : number;
};

const calculation = (name: 'plus' | 'minus' | 'multiply' | 'divide' | 'modulo'): FunctionSpec => ({
  name,
  min: 2,
  max: 2,
  build: (args, { at }) => {
    const numbers = args.map((one) => uncheckedNumber(one, at));
    return operation('finite', 'number', [operation(name, 'number', numbers)]);
  },
});

const extreme = (name: 'least' | 'greatest'): FunctionSpec => ({
  name,
  min: 1,
  max: MANY,
  build: (args, { at }) =>
    operation(
      name,
      'number',
      args.map((one) => convert(one, 'number', at)),
    ),
});

const MAX_DIGITS = 10;

const NUMBERS: readonly FunctionSpec[] = [
  ...(['plus', 'minus', 'multiply', 'divide', 'modulo'] as const).map(calculation),
  fixed('negate', ['number'], 'number', 'negate'),
  fixed('abs', ['number'], 'number', 'abs'),
  fixed('floor', ['number'], 'number', 'floor'),
  fixed('ceil', ['number'], 'number', 'ceil'),
  {
    name: 'round',
    min: 1,
    max: 2,
    build: (args, call) => {
      const digits = args.length === 1 ? 0 : wholeConstant(args, 1, call, 0, MAX_DIGITS);
      const rounded = operation('round', 'number', [convert(arg(args, 0), 'number', call.at)], digits);
      return operation('finite', 'number', [rounded]);
    },
  },
  extreme('least'),
  extreme('greatest'),
];

const MAX_SPLIT_POSITION = 1000;

const TEXTS: readonly FunctionSpec[] = [
  {
    name: 'concat',
    min: 1,
    max: MANY,
    build: (args, { at }) =>
      operation(
        'concat',
        'text',
        args.map((one) => convert(one, 'text', at)),
      ),
  },
  fixed('lower', ['text'], 'text', 'lower'),
  fixed('upper', ['text'], 'text', 'upper'),
  fixed('trim', ['text'], 'text', 'trim'),
  fixed('length', ['text'], 'number', 'length'),
  {
    name: 'substring',
    min: 2,
    max: 3,
    build: (args, { at }) =>
      operation('substring', 'text', [
        convert(arg(args, 0), 'text', at),
        ...args.slice(1).map((one) => convert(one, 'number', at)),
      ]),
  },
  fixed('replaceAll', ['text', 'text', 'text'], 'text', 'replaceAll'),
  {
    name: 'replaceOne',
    min: 3,
    max: 3,
    build: (args, call) => {
      const option = JSON.stringify([textConstant(args, 1, call), textConstant(args, 2, call)]);
      return operation('replaceOne', 'text', [convert(arg(args, 0), 'text', call.at)], option);
    },
  },
  fixed('position', ['text', 'text'], 'number', 'position'),
  fixed('startsWith', ['text', 'text'], 'boolean', 'startsWith'),
  fixed('endsWith', ['text', 'text'], 'boolean', 'endsWith'),
];

export const SPLITS: ReadonlySet<string> = new Set(['splitbychar', 'splitbystring']);

/** `splitByChar('.', text)[2]`: there are no lists otherwise. */
export function splitPart(split: { args: readonly Typed[]; call: Call }, index: Typed, call: Call): Typed {
  const separator = textConstant(split.args, 0, split.call);
  if (separator === '') throw expressionError(split.call.at, split.call.name, 'the separator is empty.');
  const option = JSON.stringify([separator, wholeConstant([index], 0, call, 1, MAX_SPLIT_POSITION)]);
  return operation('splitPart', 'text', [convert(arg(split.args, 1), 'text', call.at)], option);
}

const conversion = (name: string, to: NeededType, then?: (value: Typed) => Typed): FunctionSpec => ({
  name,
  min: 1,
  max: 1,
  build: (args, { at }) => {
    const converted = convert(arg(args, 0), to, at);
    return then === undefined ? converted : then(converted);
  },
});

const toDay = (time: Typed): Typed => operation('startOf', 'date', [time], 'day');

const CONVERSIONS: readonly FunctionSpec[] = [
  conversion('toString', 'text'),
  conversion('toInt', 'number', (number) => operation('truncate', 'number', [number])),
  conversion('toFloat', 'number'),
  conversion('toBool', 'boolean'),
  conversion('toDate', 'time', toDay),
  conversion('toDateTime', 'time'),
];

const startOf = (name: string, unit: string): FunctionSpec => ({
  name,
  min: 1,
  max: 1,
  build: (args, { at }) => operation('startOf', 'time', [convert(arg(args, 0), 'time', at)], unit),
});

const calendarPart = (name: string, part: string): FunctionSpec => ({
  name,
  min: 1,
  max: 1,
  build: (args, { at }) => operation('calendarPart', 'number', [convert(arg(args, 0), 'time', at)], part),
});

const DIFFERENCE_UNITS = ['second', 'minute', 'hour', 'day', 'week', 'month', 'year'];

const TIMES: readonly FunctionSpec[] = [
  { name: 'now', min: 0, max: 0, build: () => operation('now', 'time', []) },
  { name: 'today', min: 0, max: 0, build: () => toDay(operation('now', 'time', [])) },
  startOf('toStartOfMinute', 'minute'),
  startOf('toStartOfHour', 'hour'),
  startOf('toStartOfDay', 'day'),
  {
    name: 'toStartOfWeek',
    min: 1,
    max: 2,
    build: (args, call) => {
      // As in ClickHouse: odd modes begin on Monday.
      const mode = args.length === 1 ? 0 : wholeConstant(args, 1, call, 0, 9);
      const time = convert(arg(args, 0), 'time', call.at);
      return operation('startOf', 'date', [time], mode % 2 === 1 ? 'week' : 'sunday week');
    },
  },
  {
    name: 'toStartOfMonth',
    min: 1,
    max: 1,
    build: (args, { at }) => operation('startOf', 'date', [convert(arg(args, 0), 'time', at)], 'month'),
  },
  calendarPart('toYear', 'year'),
  calendarPart('toMonth', 'month'),
  calendarPart('toDayOfMonth', 'day'),
  calendarPart('toDayOfWeek', 'weekday'),
  calendarPart('toHour', 'hour'),
  calendarPart('toMinute', 'minute'),
  {
    name: 'dateDiff',
    min: 3,
    max: 3,
    build: (args, call) => {
      const unit = textConstant(args, 0, call).toLowerCase();
      if (!DIFFERENCE_UNITS.includes(unit)) {
        throw expressionError(call.at, unit, `the unit of dateDiff is one of ${DIFFERENCE_UNITS.join(', ')}.`);
      }
      const times = args.slice(1).map((one) => convert(one, 'time', call.at));
      return operation('dateDiff', 'number', times, unit);
    },
  },
];

const SPANS: Readonly<Record<string, Span>> = {
  second: { months: 0, ms: 1000 },
  minute: { months: 0, ms: 60_000 },
  hour: { months: 0, ms: 3_600_000 },
  day: { months: 0, ms: DAY_MS },
  week: { months: 0, ms: 7 * DAY_MS },
  month: { months: 1, ms: 0 },
  quarter: { months: 3, ms: 0 },
  year: { months: 12, ms: 0 },
};

const MAX_SPAN_MONTHS = 12 * 1000;

/** `timestamp - interval 7 day` */
export function shiftTime(time: Typed, amount: number, unit: string, at: number): Typed {
  const name = unit.toLowerCase().replace(/s$/, '');
  const span = Object.hasOwn(SPANS, name) ? SPANS[name] : undefined;
  if (span === undefined) throw expressionError(at, unit, `units of time are ${Object.keys(SPANS).join(', ')}.`);
  const shift = { months: amount * span.months, ms: amount * span.ms };
  if (Math.abs(shift.months) > MAX_SPAN_MONTHS || Math.abs(shift.ms) > MAX_SPAN_MONTHS * 30 * DAY_MS) {
    throw expressionError(at, String(amount), 'an interval has at most a thousand years.');
  }
  return operation('addSpan', 'time', [convert(time, 'time', at)], JSON.stringify(shift));
}

/** Any of the items; null is found too. */
export function isIn(value: Typed, items: readonly Typed[], at: number): Typed {
  const given = items.filter(({ type }) => type !== 'null');
  if (given.length === 0) {
    return items.length > 0 ? operation('isNull', 'boolean', [value]) : constant(false, 'boolean');
  }
  const type = comparedType(value, operation('coalesce', commonType(given), given), at);
  const needed = type === 'property' ? 'text' : type;
  const args = [value, ...given].map((one) => convert(one, needed, at));
  return operation('in', 'boolean', args, given.length < items.length ? 'or null' : '');
}

const ALL = [...LOGIC, ...COMPARISONS, ...CHOICES, ...TEXTS, ...NUMBERS, ...CONVERSIONS, ...TIMES];

const BY_NAME = new Map(ALL.map((spec) => [spec.name.toLowerCase(), spec]));

const AGGREGATES = new Set(['count', 'countif', 'sum', 'sumif', 'avg', 'min', 'max', 'uniq', 'uniqexact', 'quantile']);

export function callFunction(call: Call, args: readonly Typed[]): Typed {
  const { name, at } = call;
  const spec = BY_NAME.get(name.toLowerCase());
  if (spec === undefined) throw expressionError(at, name, unknownReason(name));
  if (args.length < spec.min || args.length > spec.max) {
    throw expressionError(at, name, `${spec.name} takes ${countText(spec)}, not ${args.length}.`);
  }
  return spec.build(args, call);
}

function countText({ min, max }: FunctionSpec): string {
  if (min === max) return `${min} argument${min === 1 ? '' : 's'}`;
  return max === MANY ? `at least ${min} argument${min === 1 ? '' : 's'}` : `${min} to ${max} arguments`;
}

function unknownReason(name: string): string {
  const lower = name.toLowerCase();
  if (AGGREGATES.has(lower)) return 'aggregates are not supported in filters and breakdowns.';
  if (SPLITS.has(lower)) return "there are no lists: take one part of it, as in splitByChar('.', text)[1].";
  return `there is no function ${name.slice(0, 40)}. Functions are ${FUNCTION_NAMES.join(', ')}.`;
}

/** Without the names of operators. */
const OPERATORS = new Set([
  ...['plus', 'minus', 'multiply', 'divide', 'modulo', 'negate', 'and', 'or', 'not', 'between', 'like', 'ilike'],
  ...['equals', 'notEquals', 'less', 'lessOrEquals', 'greater', 'greaterOrEquals'],
]);

export const FUNCTION_NAMES: readonly string[] = [
  ...ALL.map(({ name }) => name).filter((name) => !OPERATORS.has(name)),
  'splitByChar',
  'arrayElement',
];
