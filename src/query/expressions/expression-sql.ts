/**
 * Checked expressions as SQL, for both engines. `test/oracle/expression.ts` evaluates them in plain code.
 *
 * Arguments that are written twice make a statement grow with every level of nesting, hence the limit on its length.
 */

import { invalid } from '../../core/errors.ts';
import { parseTimeConstant } from '../../core/expressions/convert-types.ts';
import {
  type EventField,
  isNullable,
  type OperationName,
  type Property,
  type TypedExpression,
  type TypedOperation,
} from '../../core/expressions/typed-expression.ts';
import type { Span } from '../../core/time/span.ts';
import type { BucketInterval, SqlBuilder } from '../../stores/events/dialect.ts';
import type { CalendarPart, DifferenceUnit } from '../../stores/events/expression-functions.ts';

export interface ExpressionScope {
  now: number;
  timezone: string;
  /** Patterns that the engine accepts (see `validPatterns`); others match nothing. */
  patterns: ReadonlySet<string>;
  column(name: EventField): string;
  property(property: Property): string;
}

const MAX_SQL_LENGTH = 100_000;

/** Null where it has no value. */
export const expressionSql = (sql: SqlBuilder, expression: TypedExpression, scope: ExpressionScope): string =>
  write({ sql, scope }, expression);

/** A condition that is true or false, never null. */
export const conditionSql = (sql: SqlBuilder, condition: TypedExpression, scope: ExpressionScope): string =>
  truth({ sql, scope }, condition);

interface Writer {
  sql: SqlBuilder;
  scope: ExpressionScope;
}

function write(writer: Writer, expression: TypedExpression): string {
  const { sql, scope } = writer;
  switch (expression.kind) {
    case 'constant':
      return constantSql(sql, expression);
    case 'column':
      return scope.column(expression.name);
    case 'property':
      return scope.property(expression);
    case 'operation': {
      const text = WRITERS[expression.name](writer, expression);
      if (text.length > MAX_SQL_LENGTH)
        throw invalid(undefined, 'The expression is too complicated: use a simpler one.');
      return text;
    }
  }
}

function constantSql(sql: SqlBuilder, { type, value }: TypedExpression & { kind: 'constant' }): string {
  if (value === null) return nullSql(sql, type);
  if (typeof value === 'boolean') return String(value);
  return typeof value === 'number' ? sql.double(value) : `cast(${sql.param(value)} as varchar)`;
}

function nullSql(sql: SqlBuilder, type: TypedExpression['type']): string {
  if (type === 'time' || type === 'date') return sql.functions.nullTime();
  if (type === 'number') return 'cast(null as double)';
  return type === 'boolean' ? 'cast(null as boolean)' : 'cast(null as varchar)';
}

type Write = (writer: Writer, operation: TypedOperation) => string;

/** An operation on its arguments, as SQL. */
const of =
  (make: (sql: SqlBuilder, args: [string, string, string], option: string | number) => string): Write =>
  (writer, { args, option }) =>
    make(writer.sql, args.map((one) => write(writer, one)) as [string, string, string], option);

const truth = (writer: Writer, condition: TypedExpression): string => {
  const text = write(writer, condition);
  return isNullable(condition) ? `coalesce(${text}, false)` : text;
};

const joined =
  (word: 'and' | 'or'): Write =>
  (writer, { args }) =>
    `(${args.map((one) => truth(writer, one)).join(` ${word} `)})`;

/**
 * What a text has to be to count as a number, without its spaces. Larger ones could become infinite. ClickHouse extracts
 * the first group instead of the whole, so there are none.
 */
const NUMBER_PATTERN = '[+-]?(?:\\d{1,100}(?:\\.\\d*)?|\\.\\d+)(?:[eE][+-]?0*1?\\d{1,2})?';

const numberIn = (sql: SqlBuilder, text: string): string =>
  sql.functions.textToNumber(`replace(${text}, ' ', '')`, NUMBER_PATTERN);

/** Two properties are compared as numbers where both are numbers. */
const isBetweenProperties = ({ args }: TypedOperation): boolean => args.every(({ type }) => type === 'property');

const equals: Write = (writer, operation) => {
  const [left, right] = operation.args as [TypedExpression, TypedExpression];
  const [a, b] = [write(writer, left), write(writer, right)];
  const asNumbers = isBetweenProperties(operation) ? [`${numberIn(writer.sql, a)} = ${numberIn(writer.sql, b)}`] : [];
  const bothNull = isNullable(left) && isNullable(right) ? `${a} is null and ${b} is null` : 'false';
  return `coalesce(${[...asNumbers, `${a} = ${b}`, bothNull].join(', ')})`;
};

const ordered =
  (sign: '<' | '<='): Write =>
  (writer, operation) => {
    const [a, b] = operation.args.map((one) => write(writer, one)) as [string, string];
    const asNumbers = isBetweenProperties(operation)
      ? [`${numberIn(writer.sql, a)} ${sign} ${numberIn(writer.sql, b)}`]
      : [];
    return `coalesce(${[...asNumbers, `${a} ${sign} ${b}`, 'false'].join(', ')})`;
  };

const isConstant = (expression: TypedExpression): boolean =>
  expression.kind === 'constant' || (expression.kind === 'operation' && expression.args.every(isConstant));

/** ClickHouse knows lists of constants only. */
const among: Write = (writer, { args: [value, ...items], option }) => {
  const own = write(writer, value as TypedExpression);
  const texts = items.map((item) => write(writer, item));
  const found = items.every(isConstant)
    ? `${own} in (${texts.join(', ')})`
    : texts.map((text) => `coalesce(${own} = ${text}, false)`).join(' or ');
  if (option === '') return `coalesce(${found}, false)`;
  return `(${own} is null or coalesce(${found}, false))`;
};

const choose: Write = (writer, { args }) => {
  const texts = args.map((one) => write(writer, one));
  const cases = texts.slice(0, -1).map((text, at) => (at % 2 === 0 ? `when ${text}` : `then ${text}`));
  return `(case ${cases.join(' ')} else ${texts.at(-1)} end)`;
};

/** Nulls do not count. */
const extreme =
  (name: 'least' | 'greatest', none: number): Write =>
  (writer, { args }) => {
    const numbers = args.map((one) => `coalesce(${write(writer, one)}, ${writer.sql.double(none)})`);
    const found = numbers.length === 1 ? numbers.join() : `${name}(${numbers.join(', ')})`;
    return writer.sql.functions.nullIf(found, writer.sql.double(none));
  };

const MAX_TEXT_POSITION = 1e9;

/** A number as a position from `least`; null stays null. */
const position = (number: string, least: number): string =>
  `cast(floor(greatest(least(coalesce(${number}, 0), ${MAX_TEXT_POSITION}), ${least}) + ${number} * 0) as bigint)`;

const textToTime: Write = (writer, { args: [value] }) => {
  if (value?.kind !== 'constant') return writer.sql.date(write(writer, value as TypedExpression));
  const at = parseTimeConstant(String(value.value), writer.scope.timezone);
  return at === undefined ? writer.sql.functions.nullTime() : writer.sql.time(at);
};

const matches: Write = (writer, { args: [text], option }) =>
  writer.scope.patterns.has(String(option))
    ? `coalesce(${writer.sql.matches(write(writer, text as TypedExpression), String(option))}, false)`
    : 'false';

const startOf: Write = (writer, { args: [value], option }) => {
  const time = write(writer, value as TypedExpression);
  const { timezone } = writer.scope;
  if (option === 'sunday week') return writer.sql.functions.startOfSundayWeek(time, timezone);
  return writer.sql.bucket(time, option as BucketInterval, timezone);
};

const WRITERS: Readonly<Record<OperationName, Write>> = {
  and: joined('and'),
  or: joined('or'),
  not: (writer, { args: [condition] }) => `(not ${truth(writer, condition as TypedExpression)})`,
  equals,
  less: ordered('<'),
  lessOrEquals: ordered('<='),
  between: of((_, [value, from, to]) => `coalesce(${value} between ${from} and ${to}, false)`),
  in: among,
  isNull: of((_, [value]) => `(${value} is null)`),
  matches,
  startsWith: of(({ functions }, [text, start]) => `coalesce(${functions.startsWith(text, start)}, false)`),
  endsWith: of(({ functions }, [text, end]) => `coalesce(${functions.endsWith(text, end)}, false)`),
  choose,
  coalesce: (writer, { args }) => {
    const texts = args.map((one) => write(writer, one));
    return texts.length === 1 ? texts.join() : `coalesce(${texts.join(', ')})`;
  },
  nullIf: of(({ functions }, [value, other]) => functions.nullIf(value, other)),
  plus: of((_, [a, b]) => `(${a} + ${b})`),
  minus: of((_, [a, b]) => `(${a} - ${b})`),
  multiply: of((_, [a, b]) => `(${a} * ${b})`),
  divide: of(({ functions }, [a, b]) => `(${a} / ${functions.nullIf(b, '0')})`),
  modulo: of(({ functions }, [a, b]) => `(${a} % ${functions.nullIf(b, '0')})`),
  negate: of((_, [a]) => `(0 - ${a})`),
  finite: of(({ functions }, [number]) => functions.finite(number)),
  abs: of((_, [number]) => `abs(${number})`),
  floor: of((_, [number]) => `floor(${number})`),
  ceil: of((_, [number]) => `ceil(${number})`),
  truncate: of((_, [number]) => `trunc(${number})`),
  // Halves are rounded away from zero; ClickHouse's own function rounds them to even numbers.
  round: of((_, [number], digits) => {
    const factor = 10 ** Number(digits);
    return `(sign(${number}) * floor(abs(${number}) * ${factor} + 0.5) / ${factor})`;
  }),
  least: extreme('least', Number.POSITIVE_INFINITY),
  greatest: extreme('greatest', Number.NEGATIVE_INFINITY),
  // One call: the engines take long to plan hundreds of `||`.
  concat: (writer, { args }) => {
    const texts = args.map((one) => `coalesce(${write(writer, one)}, '')`);
    return texts.length === 1 ? texts.join() : `concat(${texts.join(', ')})`;
  },
  lower: of(({ functions }, [text]) => functions.lower(text)),
  upper: of(({ functions }, [text]) => functions.upper(text)),
  trim: of(({ functions }, [text]) => functions.trim(text)),
  length: of((sql, [text]) => sql.toDouble(sql.functions.length(text))),
  substring: (writer, { args }) => {
    const [text = '', from = '', count] = args.map((one) => write(writer, one));
    return writer.sql.functions.substring(text, position(from, 1), count && position(count, 0));
  },
  replaceAll: of(({ functions }, [text, part, by]) => functions.replaceAll(text, part, by)),
  replaceOne: of(({ functions }, [text], option) => {
    const [part, by] = JSON.parse(String(option)) as [string, string];
    return functions.replaceOne(text, part, by);
  }),
  position: of((sql, [text, part]) => sql.toDouble(sql.functions.position(text, part))),
  splitPart: of(({ functions }, [text], option) => {
    const [separator, index] = JSON.parse(String(option)) as [string, number];
    return functions.splitPart(text, separator, index);
  }),
  now: ({ sql, scope }) => sql.time(scope.now),
  startOf,
  calendarPart: (writer, { args: [time], option }) => {
    const { sql, scope } = writer;
    const part = sql.functions.calendarPart(
      option as CalendarPart,
      write(writer, time as TypedExpression),
      scope.timezone,
    );
    return sql.toDouble(part);
  },
  dateDiff: (writer, { args, option }) => {
    const { sql, scope } = writer;
    const [from = '', to = ''] = args.map((one) => write(writer, one));
    return sql.toDouble(sql.functions.timeDifference(option as DifferenceUnit, from, to, scope.timezone));
  },
  addSpan: of((sql, [time], option) => sql.addSpan(time, JSON.parse(String(option)) as Span)),
  textToNumber: of((sql, [text]) => numberIn(sql, text)),
  textToBoolean: of((_, [text]) => `(case when ${text} = 'true' then true when ${text} = 'false' then false end)`),
  textToTime,
  numberToText: of(({ functions }, [number]) => functions.numberToText(number)),
  numberToBoolean: of((_, [number]) => `(${number} <> 0)`),
  booleanToText: of((_, [value]) => `(case when ${value} then 'true' when not ${value} then 'false' end)`),
  booleanToNumber: of((sql, [value]) => sql.toDouble(`(case when ${value} then 1 when not ${value} then 0 end)`)),
  timeToText: ({ sql, scope }, { args: [time] }) =>
    sql.functions.timeToText(write({ sql, scope }, time as TypedExpression), scope.timezone, 'time'),
  dateToText: ({ sql, scope }, { args: [time] }) =>
    sql.functions.timeToText(write({ sql, scope }, time as TypedExpression), scope.timezone, 'date'),
};
