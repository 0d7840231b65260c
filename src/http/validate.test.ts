import { type TSchema, Type } from '@sinclair/typebox';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Failure } from '../core/errors.ts';
import { readValue } from './validate.ts';

/** What was wrong, in one line: attr | code | detail. */
function complaint(schema: TSchema, value: unknown): string {
  try {
    readValue(schema, value);
  } catch (error) {
    if (error instanceof Failure) return `${error.kind} | ${error.attr ?? '-'} | ${error.code} | ${error.message}`;
    throw error;
  }
  return 'taken';
}

const of = (field: TSchema) => Type.Object({ field });
const Name = Type.String({ minLength: 1, maxLength: 5 });
const Whole = Type.Integer({ minimum: 1, maximum: 10 });
const Choice = Type.Union([Type.Literal(21), Type.Literal(37)]);
const FromText = Type.Record(Type.String(), Type.Unknown(), { fromText: true });
const OrNull = Type.Union([Name, Type.Null()]);

describe('what is taken, and as what', () => {
  it.each<[string, TSchema, unknown, unknown]>([
    ['text', Name, 'ada', 'ada'],
    ['text with spaces around it', Name, '  ada ', 'ada'],
    ['a password with spaces around it', Type.String({ keepSpaces: true }), ' x ', ' x '],
    ['a number where text is wanted', Name, 37, '37'],
    ['half a surrogate pair', Name, 'a\ud800b', 'a\ufffdb'],
    ['a whole number', Whole, 7, 7],
    ['a whole number as text', Whole, '7', 7],
    ['a fraction', Type.Number(), '0.5', 0.5],
    ['true', Type.Boolean(), true, true],
    ['true as a form writes it', Type.Boolean(), 'True', true],
    ['false as a form writes it', Type.Boolean(), '0', false],
    ['a list', Type.Array(Whole), ['1', 2], [1, 2]],
    ['a choice', Choice, 37, 37],
    ['a choice as text', Choice, '21', 21],
    ['null where it is allowed', OrNull, null, null],
    ['a value where null is allowed too', OrNull, 'ada', 'ada'],
    ['a free map', Type.Record(Type.String(), Type.Unknown()), { a: [1] }, { a: [1] }],
    ['JSON in a text, where forms may send it', FromText, '{"a":[1]}', { a: [1] }],
    ['null in a text', Type.Union([FromText, Type.Null()]), 'null', null],
    ['anything', Type.Unknown(), { deep: [null] }, { deep: [null] }],
    ['null as anything', Type.Unknown(), null, null],
    ['the first shape that fits', Type.Union([Whole, Name]), 'ada', 'ada'],
    [
      'a UUID',
      Type.String({ format: 'uuid' }),
      '018f0000-0000-7000-8000-000000000000',
      '018f0000-0000-7000-8000-000000000000',
    ],
    ['a web address', Type.String({ format: 'uri' }), 'https://example.org/a', 'https://example.org/a'],
    ['an e-mail address', Type.String({ format: 'email' }), 'ada@example.org', 'ada@example.org'],
  ])('%s', (_name, schema, given, expected) => {
    expect(readValue(of(schema), { field: given })).toEqual({ field: expected });
  });

  it('drops fields that the schema does not have', () => {
    const body = JSON.parse('{"field": "ada", "other": 1, "__proto__": {"polluted": true}}');
    expect(readValue(of(Name), body)).toEqual({ field: 'ada' });
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it('leaves optional fields out when they were not sent', () => {
    expect(readValue(Type.Partial(of(Name)), {})).toEqual({});
  });

  it('ignores inherited properties', () => {
    expect(complaint(Type.Object({ toString: Name }), {})).toBe(
      'invalid | toString | required | This field is required.',
    );
  });
});

describe('JSON in a text', () => {
  it.each([['{broken'], ['[1]'], ['['.repeat(500) + ']'.repeat(500)]])('is refused where it is none: %.10s', (text) => {
    const type = text === '[1]' ? 'list' : 'str';
    expect(complaint(of(FromText), { field: text })).toBe(
      `invalid | field | not_a_dict | Expected a dictionary of items but got type "${type}".`,
    );
  });
});

describe('what is refused, and in which words', () => {
  it.each<[TSchema, unknown, string]>([
    [Name, undefined, 'null | This field may not be null.'],
    [Name, null, 'null | This field may not be null.'],
    [Name, '', 'blank | This field may not be blank.'],
    [Name, '   ', 'blank | This field may not be blank.'],
    [Name, 'abcdef', 'max_length | Ensure this field has no more than 5 characters.'],
    [Type.String({ minLength: 3 }), 'ab', 'min_length | Ensure this field has at least 3 characters.'],
    [Name, 'a\0b', 'null_characters_not_allowed | Null characters are not allowed.'],
    [Name, true, 'invalid_input | Not a valid string.'],
    [Name, ['a'], 'invalid_input | Not a valid string.'],
    [Name, { a: 1 }, 'invalid_input | Not a valid string.'],
    [Whole, 'x', 'invalid_input | A valid integer is required.'],
    [Whole, '', 'invalid_input | A valid integer is required.'],
    [Whole, 1.5, 'invalid_input | A valid integer is required.'],
    [Whole, 1e300, 'invalid_input | A valid integer is required.'],
    [Whole, true, 'invalid_input | A valid integer is required.'],
    [Whole, [1], 'invalid_input | A valid integer is required.'],
    [Whole, 0, 'min_value | Ensure this value is greater than or equal to 1.'],
    [Whole, 11, 'max_value | Ensure this value is less than or equal to 10.'],
    [Type.Number(), 'Infinity', 'invalid_input | A valid number is required.'],
    [Type.Boolean(), 'maybe', 'invalid_input | Must be a valid boolean.'],
    [Type.Boolean(), 2, 'invalid_input | Must be a valid boolean.'],
    [Type.Array(Whole), 'x', 'not_a_list | Expected a list of items but got type "str".'],
    [Type.Array(Whole), { a: 1 }, 'not_a_list | Expected a list of items but got type "dict".'],
    [Type.Array(Whole), 1.5, 'not_a_list | Expected a list of items but got type "float".'],
    [Type.Array(Whole), false, 'not_a_list | Expected a list of items but got type "bool".'],
    [Type.Array(Whole, { maxItems: 1 }), [1, 2], 'max_length | Ensure this field has no more than 1 elements.'],
    [
      Type.Record(Type.String(), Type.Unknown()),
      [1],
      'not_a_dict | Expected a dictionary of items but got type "list".',
    ],
    [Type.Record(Type.String(), Type.Unknown()), 1, 'not_a_dict | Expected a dictionary of items but got type "int".'],
    [of(Name), 'x', 'invalid_input | Invalid data. Expected a dictionary, but got str.'],
    [Choice, 38, 'invalid_choice | "38" is not a valid choice.'],
    [Choice, 'x', 'invalid_choice | "x" is not a valid choice.'],
    [Choice, { toString: 1 }, 'invalid_choice | "{"toString":1}" is not a valid choice.'],
    [Choice, [], 'invalid_choice | "[]" is not a valid choice.'],
    [Choice, null, 'null | This field may not be null.'],
    [Type.String({ format: 'uuid' }), 'x', 'invalid_input | Must be a valid UUID.'],
    [Type.String({ format: 'email' }), 'ada@localhost', 'invalid_input | Enter a valid email address.'],
    [Type.String({ format: 'uri' }), 'javascript:alert(1)', 'invalid_input | Enter a valid URL.'],
    [Type.String({ format: 'uri' }), 'example.org', 'invalid_input | Enter a valid URL.'],
  ])('%#: %j', (schema, given, expected) => {
    expect(complaint(of(schema), { field: given })).toBe(`invalid | field | ${expected}`);
  });

  it('names a missing field', () => {
    expect(complaint(of(Name), {})).toBe('invalid | field | required | This field is required.');
  });

  it('names no field when the whole body has the wrong type', () => {
    expect(complaint(of(Name), [])).toBe(
      'invalid | - | invalid_input | Invalid data. Expected a dictionary, but got list.',
    );
    expect(complaint(of(Name), null)).toBe('invalid | - | null | This field may not be null.');
  });

  it('joins the names of nested fields and the places in lists by two underscores', () => {
    const schema = Type.Object({ groups: Type.Array(Type.Object({ rollout: Whole })) });
    const body = { groups: [{ rollout: 1 }, { rollout: 'x' }] };
    expect(complaint(schema, body)).toBe('invalid | groups__1__rollout | invalid_input | A valid integer is required.');
  });

  it('reports only the first error, in the order of the schema', () => {
    const schema = Type.Object({ first: Name, second: Name });
    expect(complaint(schema, { second: '' })).toBe('invalid | first | required | This field is required.');
  });

  it('repeats at most a hundred characters of a wrong choice', () => {
    expect(complaint(of(Choice), { field: 'x'.repeat(10_000) }).length).toBeLessThan(200);
  });
});

const leaf: fc.Arbitrary<TSchema> = fc.constantFrom<TSchema>(
  Name,
  Whole,
  Type.Number(),
  Type.Boolean(),
  Choice,
  OrNull,
  Type.Unknown(),
  Type.Record(Type.String(), Type.Unknown()),
  Type.String({ format: 'uuid' }),
  Type.String({ format: 'uri' }),
  Type.String({ format: 'email' }),
  Type.Union([Choice, Type.Array(Name), Type.Null()]),
);
const { schema } = fc.letrec<{ schema: TSchema }>((tie) => ({
  schema: fc.oneof(
    { depthSize: 'small' },
    leaf,
    tie('schema').map((items) => Type.Array(items)),
    fc
      .dictionary(fc.constantFrom('a', 'b', '__proto__', 'constructor'), tie('schema'))
      .map((fields) => Type.Object(fields)),
  ),
}));
/** As `JSON.parse` gives it: own `__proto__`, odd strings, numbers at the edge. */
const body = fc
  .jsonValue({ maxDepth: 4, stringUnit: 'binary' })
  .chain((value) => fc.constantFrom<unknown>(value, { field: value }, { toString: value, valueOf: value }, [value]))
  .map((value) => JSON.parse(JSON.stringify({ a: value, b: value }).replaceAll('"b"', '"__proto__"')));

describe('whatever is sent', () => {
  it('is decoded or refused with a Failure, never anything else', () => {
    fc.assert(
      fc.property(schema, body, (wanted, sent) => {
        for (const value of [sent, (sent as { a: unknown }).a]) {
          try {
            readValue(wanted, value);
          } catch (error) {
            expect(error).toBeInstanceOf(Failure);
          }
        }
      }),
      { numRuns: 1000, seed: 2 },
    );
  });

  it('reads what it has read to the same value', () => {
    fc.assert(
      fc.property(leaf, fc.jsonValue(), (wanted, sent) => {
        let once: unknown;
        try {
          once = readValue(of(wanted), { field: sent });
        } catch {
          return;
        }
        expect(readValue(of(wanted), once)).toEqual(once);
      }),
      { numRuns: 1000, seed: 3 },
    );
  });
});
