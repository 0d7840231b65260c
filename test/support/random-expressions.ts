/** Random expressions and events for tests against the oracle. */
import fc from 'fast-check';
import { Failure } from '../../src/core/errors.ts';
import { readText } from '../../src/core/expressions/check-expression.ts';
import type { Json } from '../../src/core/json/json.ts';
import type { ExpressionEvent } from '../oracle/expression.ts';

const TEXTS = [
  '',
  'a',
  'Ab',
  'b%',
  'a_b',
  '5',
  ' 7 ',
  '5.0',
  '-2.5',
  '1e2',
  'true',
  'false',
  'null',
  "it's",
  'é😀',
  '\\',
  '$1',
];
const PROPERTIES = [
  'properties.a',
  'properties.b',
  "properties['c d']",
  'properties.n.x',
  'properties.l[1]',
  'properties.$os',
];

const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

const call = (name: string, ...args: fc.Arbitrary<string>[]): fc.Arbitrary<string> =>
  fc.tuple(...args).map((values) => `${name}(${values.join(', ')})`);

const join = (left: fc.Arbitrary<string>, signs: string[], right: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.tuple(left, fc.constantFrom(...signs), right).map(([a, sign, b]) => `(${a} ${sign} ${b})`);

const COMPARISONS = ['=', '!=', '<', '<=', '>', '>='];
const property = fc.constantFrom(...PROPERTIES);
const textLiteral = fc.constantFrom(...TEXTS).map(quoted);
const numberLiteral = fc.constantFrom('0', '1', '5', '7', '2.5', '-2.5', '100', '1e300');
const time = fc.constantFrom('timestamp', 'toStartOfHour(timestamp)', 'toDate(timestamp)', 'toStartOfDay(timestamp)');

const grammar = fc.letrec<Record<'any' | 'text' | 'number' | 'condition', string>>((tie) => {
  const [any, text, number, condition] = [tie('any'), tie('text'), tie('number'), tie('condition')];
  const list = fc.array(fc.oneof(textLiteral, numberLiteral, fc.constant('null')), { minLength: 1, maxLength: 3 });
  return {
    any: fc.oneof({ depthSize: 'small', withCrossShrink: true }, property, text, number, condition),
    text: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      textLiteral,
      fc.constantFrom('event', 'distinct_id'),
      property,
      call('lower', text),
      call('trim', any),
      call('concat', any, any),
      call('substring', text, number, number),
      call('replaceAll', text, textLiteral, textLiteral),
      call('toString', any),
      call('if', condition, any, any),
      call('coalesce', any, any),
      call('multiIf', condition, text, condition, any, text),
    ),
    number: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      numberLiteral,
      property,
      join(number, ['+', '-', '*', '/', '%'], number),
      call('length', text),
      call('position', text, text),
      call('round', number),
      call('floor', number),
      call('abs', number),
      call('toInt', any),
      call('least', number, number),
      call('greatest', number, any),
      call('toHour', time),
      call('toDayOfWeek', time),
      call('if', condition, number, fc.constant('null')),
    ),
    condition: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom('true', 'false'),
      property,
      join(any, COMPARISONS, any),
      join(property, COMPARISONS, fc.oneof(property, numberLiteral, textLiteral)),
      join(time, COMPARISONS, fc.constantFrom("'2024-03-10'", "'2024-03-31 02:30:00'", 'timestamp')),
      join(condition, ['and', 'or'], condition),
      condition.map((one) => `not ${one}`),
      fc.tuple(any, fc.constantFrom('is null', 'is not null')).map((parts) => `(${parts.join(' ')})`),
      fc
        .tuple(any, fc.constantFrom('in', 'not in'), list)
        .map(([a, word, items]) => `(${a} ${word} (${items.join(', ')},))`),
      join(any, ['like', 'ilike', 'not like'], fc.constantFrom("'a%'", "'%b'", "'_b'", "'%'", "'%é_'", "'A_b'")),
      call('startsWith', text, textLiteral),
      call('empty', any),
    ),
  };
});

export const anExpression = grammar.any;

const value: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json>(...TEXTS, null, true, false, 0, 5, 7, 2.5, -2.5, 100, 1e21),
  fc.constantFrom<Json>([], ['a', 5], { x: 5 }),
);

export const anExpressionEvent: fc.Arbitrary<ExpressionEvent> = fc.record({
  event: fc.constantFrom('a', 'visit', '5'),
  distinctId: fc.constantFrom('a', 'b', '7'),
  // Two days around a change of clocks.
  timestamp: fc.integer({ min: Date.UTC(2024, 2, 30), max: Date.UTC(2024, 3, 1) }),
  properties: fc.record<Record<string, Json>>(
    {
      a: value,
      b: value,
      'c d': value,
      n: fc.oneof(
        value,
        value.map((x): Json => ({ x })),
      ),
      l: fc.oneof(value, fc.array(value, { maxLength: 2 })),
      $os: value,
    },
    { requiredKeys: [] },
  ),
});

/** Random arguments may have types that do not fit. */
export const isValid = (expression: string): boolean => {
  try {
    readText(expression, 'events');
    return true;
  } catch (error) {
    if (error instanceof Failure) return false;
    throw error;
  }
};
