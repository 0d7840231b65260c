import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Failure } from '../errors.ts';
import { readCondition, readText } from './check-expression.ts';
import { MAX_EXPRESSION_DEPTH, MAX_EXPRESSION_LENGTH, MAX_EXPRESSION_NODES } from './expression.ts';
import { FUNCTION_NAMES } from './functions.ts';
import { parseExpression } from './parse-expression.ts';

describe('expressions', () => {
  const literal = (value: unknown, at: number) => ({ kind: 'literal', value, at });
  const field = (path: unknown[], at: number) => ({ kind: 'field', path, at });
  const call = (name: string, args: unknown[], at: number) => ({ kind: 'call', name, args, at });

  it.each<[string, unknown]>([
    ['properties.a.b', field(['properties', 'a', 'b'], 0)],
    ["properties['a'].b[2]", field(['properties', 'a', 'b', 2], 0)],
    ['"properties"."a b"', field(['properties', 'a b'], 0)],
    ['a = 1', call('equals', [field(['a'], 0), literal(1, 4)], 0)],
    ['NOT a', call('not', [field(['a'], 4)], 0)],
    ['not (a)', call('not', [field(['a'], 5)], 0)],
    ['a or b and c', call('or', [field(['a'], 0), call('and', [field(['b'], 5), field(['c'], 11)], 5)], 0)],
    ['a not in (1)', call('not', [call('in', [field(['a'], 0), literal(1, 10)], 0)], 0)],
    ['a is not null', call('isNotNull', [field(['a'], 0)], 0)],
    ['1 - 2 - 3', call('minus', [call('minus', [literal(1, 0), literal(2, 4)], 0), literal(3, 8)], 0)],
    ['-1', literal(-1, 0)],
    ['- a', call('negate', [field(['a'], 2)], 0)],
    ['f()', call('f', [], 0)],
    ['interval 7 day', { kind: 'interval', amount: 7, unit: 'day', at: 0 }],
    ['(1, 2)', { kind: 'list', items: [literal(1, 1), literal(2, 4)], at: 0 }],
  ])('%s is read as a tree', (text, expected) => {
    expect(parseExpression(text)).toEqual(expected);
  });

  const detailOf = (text: string): string => {
    try {
      readCondition(text, 'events');
    } catch (error) {
      if (error instanceof Failure) return error.message;
      throw error;
    }
    return 'no error';
  };

  it.each([
    ['properties.a =', /at character 15, its end: a value was expected/],
    ['properties.a = "b" c', /at character 20, "c": an operator or the end was expected/],
    ['foo(1) = 2', /at character 1, "foo": there is no function foo\. Functions are .*\bconcat\b.*splitByChar/],
    [
      'properties.a = 1 and nope > 2',
      /at character 22, "nope": there is no such field\. Fields are properties\.<name>/,
    ],
    ['person.nope = 2', /"person\.nope": there is no such field/],
    ['properties > 2', /"properties": name the property, as in properties\.plan/],
    ["properties.a = 'b", /at character 16, "'": this quote is never closed/],
    ['properties.a = 1 /* x', /at character 18, "\/\*": this comment has no end/],
    ['properties.a ; drop table events', /at character 14, ";": no such character is used here/],
    ['properties.a = {x}', /"\{": no such character/],
    ['(properties.a = 1', /its end: \) was expected/],
    ['case properties.a end', /"end": when was expected/],
    ['lower()', /"lower": lower takes 1 argument, not 0/],
    ["round(1, 'x')", /argument 2 of round has to be a whole number from 0 to 10/],
    ['if(1, 2)', /"if": if takes 3 arguments, not 2/],
    ['count() > 1', /"count": aggregates are not supported in filters and breakdowns/],
    ["match(properties.a, '(?!x)')", /this is no valid pattern: patterns are RE2/],
    ['properties.a like properties.b', /argument 2 of like has to be a text/],
    ["timestamp > 'yesterday'", /"yesterday": this is no date: write '2024-01-31'/],
    ['timestamp > 5', /"number and time": a number and a time cannot be compared/],
    ['timestamp', /"time": a time cannot be used as a boolean/],
    ['timestamp - interval 7 fortnight > 1', /"fortnight": units of time are second, minute/],
    ['interval 7 day', /an interval can only be added to a time/],
    ['(1, 2)', /a list is only supported after in/],
    ['select 1', /at character 8, "1": an operator or the end was expected/],
    ["properties['a\\0b'] = 1", /texts cannot contain the null character/],
    ['1e999 > 1', /"1e999": this number is too large/],
    ['properties.a[0] = 1', /positions in lists are whole numbers from 1/],
    ["dateDiff('eon', timestamp, now()) > 1", /"eon": the unit of dateDiff is one of second/],
    ["splitByChar('.', properties.a) = 'x'", /there are no lists: take one part of it/],
  ])('%s is refused with what was not understood', (text, expected) => {
    expect(detailOf(text)).toMatch(expected);
  });

  it('of persons have no fields of events', () => {
    expect(() => readCondition("event = 'a'", 'persons')).toThrow(/there is no such field\. Fields are properties/);
    expect(readCondition("properties.plan = 'pro' and person.properties.a = 1 and id != ''", 'persons')).toBeDefined();
  });

  it.each([
    ['length', `'${'x'.repeat(MAX_EXPRESSION_LENGTH)}'`, /at most 10000 characters/],
    ['parts', Array.from({ length: MAX_EXPRESSION_NODES }, () => '1').join(' or '), /at most 2000 parts/],
    ['items', `1 in (${Array.from({ length: MAX_EXPRESSION_NODES }, () => '1').join(',')})`, /at most 2000 parts/],
    ['depth', `${'('.repeat(MAX_EXPRESSION_DEPTH)}1${')'.repeat(MAX_EXPRESSION_DEPTH)}`, /nested more than 40 levels/],
    ['negation', `${'not '.repeat(100)}true`, /nested more than 40 levels/],
    ['signs', `${'-'.repeat(1)}${' -'.repeat(100)}1`, /nested more than 40 levels/],
    ['chains', Array.from({ length: 200 }, () => '1').join('+'), /nested more than 40 levels/],
    ['path', `properties${'.a'.repeat(30)} = 1`, /at most 20 levels deep/],
    ['patterns', Array.from({ length: 60 }, () => "event like 'a'").join(' or '), /at most 50 patterns; this has 60/],
    ['case', `case ${'case 1 '.repeat(30)}${'when 1 then 1 end '.repeat(31)}`, /.+/],
  ])('have a limit: %s', (_, text, expected) => {
    expect(detailOf(text)).toMatch(expected);
  });

  it('give an error for any other text, never a crash', () => {
    const word = fc.constantFrom(
      ...[
        'properties',
        '.',
        'a',
        "'x'",
        '1',
        '(',
        ')',
        '[',
        ']',
        ',',
        'and',
        'or',
        'not',
        'in',
        'like',
        '=',
        '!=',
        '<',
      ],
      ...[
        'is',
        'null',
        'between',
        'case',
        'when',
        'then',
        'else',
        'end',
        '-',
        '+',
        '*',
        '/',
        '%',
        '||',
        '??',
        '--',
        '/*',
      ],
      ...[
        'interval',
        'day',
        'true',
        'person',
        'timestamp',
        '\\',
        '"',
        '`',
        "'",
        '\0',
        ';',
        '$',
        '{',
        '}',
        'é',
        '\ud800',
      ],
      ...FUNCTION_NAMES,
    );
    const soup = fc.array(word, { maxLength: 40 }).map((words) => words.join(' '));
    fc.assert(
      fc.property(fc.oneof(soup, fc.string({ unit: 'binary', maxLength: 60 })), (text) => {
        try {
          readText(text, 'events');
        } catch (error) {
          expect(error).toBeInstanceOf(Failure);
        }
      }),
      { numRuns: 5000 },
    );
  });
});
