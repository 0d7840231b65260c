import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseExact } from '../exact-json.ts';
import type { Json, JsonObject } from '../json.ts';
import { findMismatch } from './find-mismatch.ts';
import { InvalidSchema, readSchema } from './read-schema.ts';

const mismatch = (schema: JsonObject, value: Json) => findMismatch(readSchema(schema, 's'), new Map([['v', value]]));

/** An object with a literal `then` looks like a promise to linters. */
const branches = (...schemas: [Json, Json, Json]): JsonObject =>
  Object.fromEntries(['if', 'then', 'else'].map((keyword, i) => [keyword, schemas[i] ?? true]));

function problem(schema: JsonObject): string | null {
  try {
    readSchema(schema, 's');
    return null;
  } catch (error) {
    if (error instanceof InvalidSchema) return error.message;
    throw error;
  }
}

describe('a value that is not as its schema says', () => {
  it.each<[JsonObject, Json, string | null]>([
    [{ type: 'integer' }, 1.5, 'v must be a whole number'],
    [{ type: ['string', 'null'] }, 1, 'v must be a text or null'],
    [{ const: { a: [1] } }, { a: [2] }, 'v must be {"a":[1]}'],
    [{ enum: ['s', 'm'] }, 'S', 'v must be one of ["s","m"]'],
    [{ minimum: 1 }, 0, 'v must be at least 1'],
    [{ exclusiveMaximum: 1 }, 1, 'v must be below 1'],
    [{ multipleOf: 0.1 }, 0.3, null],
    [{ multipleOf: 0.1 }, 0.35, 'v must be a multiple of 0.1'],
    [{ multipleOf: 2 }, parseExact('9007199254740993'), 'v must be a multiple of 2'],
    [{ maxLength: 1 }, '😀', null],
    [{ pattern: '^#[0-9a-f]{3}$' }, '#F00', 'v must match the pattern "^#[0-9a-f]{3}$"'],
    [{ items: { type: 'number' } }, [1, 'x'], 'v[1] must be a number'],
    [{ prefixItems: [{ type: 'string' }], items: false }, ['a', 1], 'v[1] is not allowed'],
    [
      { uniqueItems: true },
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      'v must have no item twice',
    ],
    [{ contains: { const: 1 }, maxContains: 1 }, [1, 1], 'v must have at most 1 items as "contains" says, but has 2'],
    [{ required: ['a'] }, {}, 'v must have "a"'],
    [{ properties: { a: { properties: { b: { type: 'boolean' } } } } }, { a: { b: 1 } }, 'v.a.b must be true or false'],
    [{ properties: { a: true }, additionalProperties: false }, { a: 1, c: 2 }, 'v.c is not allowed'],
    [{ propertyNames: { maxLength: 1 } }, { ab: 1 }, 'the name "ab" in v must have at most 1 characters'],
    [{ dependentRequired: { a: ['b'] } }, { a: 1 }, 'v must have "b", since it has "a"'],
    [{ required: ['toString'] }, {}, 'v must have "toString"'],
    [
      { anyOf: [{ type: 'string' }, { type: 'null' }] },
      1,
      'v must match a schema of anyOf; for the first, v must be a text',
    ],
    [{ oneOf: [{ type: 'number' }, { minimum: 0 }] }, 1, 'v must match exactly one schema of oneOf, but matches 2'],
    [{ not: { type: 'null' } }, null, 'v must not be as the schema under "not" says'],
    [branches({ type: 'string' }, { minLength: 2 }, { type: 'null' }), 1, 'v must be null'],
    [branches({ type: 'string' }, { minLength: 2 }, { type: 'null' }), 'a', 'v must have at least 2 characters'],
    [{ $ref: '#/$defs/a~1b%25', $defs: { 'a/b%': { type: 'null' } } }, 1, 'v must be null'],
    [
      { properties: { next: { $ref: '#' } }, required: ['id'] },
      { id: 1, next: { id: 2, next: {} } },
      'v.next.next must have "id"',
    ],
  ])('is explained: %j %j', (schema, value, expected) => {
    expect(mismatch(schema, value)).toBe(expected);
  });
});

describe('a schema that is none', () => {
  it.each<[JsonObject, string]>([
    [
      { type: 'text' },
      's.type must be one of array, boolean, integer, null, number, object, string, or a list of different ones.',
    ],
    [{ type: [] }, 's.type must be one of'],
    [{ properties: { a: 1 } }, 's.properties.a must be a JSON Schema: an object, true or false.'],
    [{ required: 'a' }, 's.required must be a list of texts.'],
    [{ minLength: -1 }, 's.minLength must be a whole number, 0 or more.'],
    [{ multipleOf: 0 }, 's.multipleOf must be a number above 0.'],
    [{ enum: [] }, 's.enum must be a list with at least one value.'],
    [{ anyOf: [] }, 's.anyOf must be a list with at least one schema.'],
    [{ items: [{}] }, 's.items must be a JSON Schema: an object, true or false.'],
    [{ propertis: {} }, 's.propertis is not known. Keywords are $ref, pattern,'],
    [JSON.parse('{"__proto__": {}}'), 's.__proto__ is not known.'],
    [{ pattern: '(' }, 's.pattern is not a pattern that can be evaluated here.'],
    [{ pattern: '(a)\\1' }, 's.pattern is not a pattern that can be evaluated here. Back-references are not supported'],
    [{ patternProperties: { '(': true } }, 's.patternProperties.( is not a pattern'],
    [{ $ref: 'https://example.com/a.json' }, 's.$ref must name a place in this schema, such as #/$defs/size'],
    [{ $ref: 'file:///etc/passwd' }, 'schemas elsewhere are not fetched'],
    [{ $ref: '#/$defs/a' }, 's.$ref names #/$defs/a, but there is no schema at that place.'],
    [{ $ref: '#/default', default: { $ref: 'x' } }, 's.$ref names #/default, but there is no schema at that place.'],
  ])('is refused: %j', (schema, expected) => {
    expect(problem(schema)).toContain(expected);
  });

  it('is nested without end, or has patterns without end', () => {
    let deep: JsonObject = {};
    for (let i = 0; i < 90; i++) deep = { not: deep };
    expect(problem(deep)).toContain('is nested more than 50 levels deep');
    const patterns = Array.from({ length: 51 }, (_, i) => ({ pattern: `a${i}` }));
    expect(problem({ anyOf: patterns })).toBe(
      's.anyOf[50].pattern is one pattern too many: a schema may have 50 different ones.',
    );
  });
});

describe('a schema that would take long', () => {
  const doubling: JsonObject = {};
  for (let i = 0; i < 60; i++)
    doubling[`d${i}`] = { allOf: [{ $ref: `#/$defs/d${i + 1}` }, { $ref: `#/$defs/d${i + 1}` }] };
  const many = Array.from({ length: 20_000 }, (_, i) => i);
  const names = Object.fromEntries(many.slice(0, 5000).map((i) => [`n${i}`, ['x']]));
  it.each<[string, JsonObject, Json, string]>([
    ['references itself', { $ref: '#' }, 1, 'v cannot be checked: its schema refers to itself too often'],
    [
      'doubles its work with every reference',
      { $ref: '#/$defs/d0', $defs: { ...doubling, d60: true } },
      1,
      'v cannot be checked: its schema takes too many steps, make it simpler',
    ],
    [
      'asks often whether items are unique',
      { allOf: Array.from({ length: 500 }, () => ({ uniqueItems: true })) },
      many,
      'v cannot be checked: its schema takes too many steps, make it simpler',
    ],
    [
      'has many fields and many items',
      { items: { dependentRequired: names } },
      many.map(() => ({})),
      'v cannot be checked: its schema takes too many steps, make it simpler',
    ],
    [
      'has a pattern that backtracks elsewhere',
      { pattern: '^(a+)+$' },
      `${'a'.repeat(5000)}b`,
      'v must match the pattern "^(a+)+$"',
    ],
    [
      'has a pattern and a very long text',
      { pattern: '(a|b)+c' },
      'a'.repeat(100_000),
      'v cannot be checked: a text is too long for the pattern (a|b)+c',
    ],
  ])('is given up: it %s', (_name, schema, value, expected) => {
    expect(mismatch(schema, value)).toBe(expected);
  });
});

/** Schemas of most keywords, and values that often match them. */
const { schema: generated } = fc.letrec<{ schema: Json }>((tie) => {
  const name = fc.constantFrom('a', 'b', 'ab');
  const inner = tie('schema');
  const type = fc.constantFrom('array', 'boolean', 'integer', 'null', 'number', 'object', 'string');
  const scalar = fc.constantFrom<Json>(0, 1, 2, 1.5, 'a', 'ab', '', true, null);
  const count = fc.integer({ min: 0, max: 3 });
  const optional = (model: Record<string, fc.Arbitrary<unknown>>) => fc.record(model, { requiredKeys: [] });
  const named = fc.dictionary(name, inner, { maxKeys: 2 });
  const some = fc.array(inner, { minLength: 1, maxLength: 2 });
  return {
    schema: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      fc.oneof(fc.boolean(), optional({ type }), optional({ const: scalar }), fc.constant({ $ref: '#/$defs/x' })),
      optional({
        type: fc.uniqueArray(type, { minLength: 1, maxLength: 3 }),
        enum: fc.uniqueArray(scalar, { minLength: 1, maxLength: 3 }),
      }),
      optional({
        minimum: count,
        maximum: count,
        exclusiveMinimum: count,
        exclusiveMaximum: count,
        multipleOf: fc.constantFrom(1, 2),
      }),
      optional({ minLength: count, maxLength: count, pattern: fc.constantFrom('a', '^a$', 'b$') }),
      optional({ items: inner, prefixItems: some, minItems: count, maxItems: count, uniqueItems: fc.boolean() }),
      fc.record({ contains: inner, minContains: count, maxContains: count }, { requiredKeys: ['contains'] }),
      optional({
        properties: named,
        required: fc.uniqueArray(name),
        additionalProperties: inner,
        minProperties: count,
        maxProperties: count,
      }),
      optional({
        patternProperties: fc.dictionary(fc.constantFrom('^a', 'b'), inner),
        additionalProperties: inner,
        propertyNames: inner,
      }),
      optional({ dependentRequired: fc.dictionary(name, fc.uniqueArray(name)), dependentSchemas: named }),
      optional({ allOf: some, anyOf: some, oneOf: some, not: inner }),
      fc.tuple(inner, inner, inner).map(([one, two, three]) => branches(one, two, three)),
    ) as fc.Arbitrary<Json>,
  };
});
const { value: generatedValue } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<Json>(0, 1, 2, 1.5, 'a', 'ab', '', true, null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'ab'), tie('value'), { maxKeys: 3 }),
  ) as fc.Arbitrary<Json>,
}));

/** Null: the code that it generates for a few schemas cannot be run. */
function verdict(validate: (value: Json) => boolean, value: Json): boolean | null {
  try {
    return validate(value);
  } catch (error) {
    if (error instanceof ReferenceError) return null;
    throw error;
  }
}

it('agrees with a published validator', () => {
  const ajv = new Ajv2020({ strict: false, validateSchema: false });
  let matching = 0;
  fc.assert(
    fc.property(generated, generated, generatedValue, (one, x, value) => {
      const root = { allOf: [one], $defs: { x: x === true ? {} : x } } as JsonObject;
      // A schema that refers to itself without end is a stack overflow there.
      fc.pre(!JSON.stringify(x).includes('$ref'));
      const isValid = verdict(ajv.compile(root), value);
      fc.pre(isValid !== null);
      if (isValid) matching++;
      expect(mismatch(root, value) === null).toBe(isValid);
    }),
    { numRuns: 1000, seed: 11 },
  );
  expect(matching).toBeGreaterThan(200);
});
