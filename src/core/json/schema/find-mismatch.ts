/**
 * Whether values are as a JSON Schema says. The schema may be hostile: references can multiply the work without end, so its
 * steps are counted, and a check that would take too many is given up.
 */
import { isJsonNumber, isJsonObject, type Json, type JsonObject } from '../json.ts';
import { jsonBytes } from '../json-bytes.ts';
import { jsonEqual } from '../json-equal.ts';
import { type JsonSchema, referencedPlace } from './read-schema.ts';

/** Each takes about a microsecond, most of them less. */
const MAX_STEPS = 300_000;
const SCHEMA_STEPS = 5;
/** A search for a pattern takes longer than anything else. */
const PATTERN_STEPS = 200;
/** Of a text or a value that is read as a whole. */
const BYTES_A_STEP = 8;
const MAX_DEPTH = 500;
const MAX_NAME_LENGTH = 100;

/**
 * The first difference, as a sentence without its end; null if all values are as the schema says. Their names are what they
 * are called in it. The caller limits their depth.
 */
export function findMismatch(schema: JsonSchema, values: ReadonlyMap<string, Json>): string | null {
  const matcher = new Matcher(schema);
  for (const [name, value] of values) {
    try {
      const mismatch = matcher.find(schema.root, value, name);
      if (mismatch !== null) return mismatch;
    } catch (error) {
      if (error instanceof TooCostly) return `${name} cannot be checked: ${error.message}`;
      throw error;
    }
  }
  return null;
}

class TooCostly extends Error {}

/** `given`: the value of the keyword. */
type Check<T> = (given: Json, value: T, at: Place) => string | null;

interface Place {
  path: string;
  schema: JsonObject;
  matcher: Matcher;
}

class Matcher {
  readonly #schema: JsonSchema;
  #steps = 0;
  #depth = 0;

  constructor(schema: JsonSchema) {
    this.#schema = schema;
  }

  find(schema: Json, value: Json, path: string): string | null {
    this.spend(SCHEMA_STEPS);
    if (!isJsonObject(schema)) return schema === false ? `${path} is not allowed` : null;
    if (++this.#depth > MAX_DEPTH) throw new TooCostly('its schema refers to itself too often');
    const at: Place = { path, schema, matcher: this };
    const mismatch = this.#first(ANY_CHECKS, value, at) ?? this.#ofType(value, at);
    this.#depth--;
    return mismatch;
  }

  #ofType(value: Json, at: Place): string | null {
    if (isJsonNumber(value)) return this.#first(NUMBER_CHECKS, value, at);
    if (typeof value === 'string') return this.#first(TEXT_CHECKS, value, at);
    if (Array.isArray(value)) return this.#first(LIST_CHECKS, value, at);
    return isJsonObject(value) ? this.#first(OBJECT_CHECKS, value, at) : null;
  }

  #first<T>(checks: readonly (readonly [string, Check<T>])[], value: T, at: Place): string | null {
    for (const [keyword, check] of checks) {
      const given = Object.hasOwn(at.schema, keyword) ? at.schema[keyword] : undefined;
      if (given === undefined) continue;
      if (isJsonObject(given)) this.spend(Object.keys(given).length);
      else if (Array.isArray(given)) this.spend(given.length);
      const mismatch = check(given, value, at);
      if (mismatch !== null) return mismatch;
    }
    return null;
  }

  isMatch(schema: Json, value: Json): boolean {
    return this.find(schema, value, '') === null;
  }

  spend(steps: number): void {
    this.#steps += steps;
    if (this.#steps > MAX_STEPS) throw new TooCostly('its schema takes too many steps, make it simpler');
  }

  search(pattern: string, text: string): boolean {
    this.spend(PATTERN_STEPS + text.length);
    const isFound = this.#schema.patterns.get(pattern)?.(text) ?? null;
    if (isFound === null)
      throw new TooCostly(`a text is too long for the pattern ${pattern.slice(0, MAX_NAME_LENGTH)}`);
    return isFound;
  }

  referenced(reference: string): Json {
    return this.#schema.places.get(referencedPlace(reference)) ?? false;
  }
}

const ANY_CHECKS: readonly (readonly [string, Check<Json>])[] = [
  ['type', (given, value, { path }) => (hasType(given, value) ? null : `${path} must be ${typeNames(given)}`)],
  ['const', (given, value, at) => (isSame(given, value, at) ? null : `${at.path} must be ${shown(given)}`)],
  [
    'enum',
    (given, value, at) =>
      list(given).some((one) => isSame(one, value, at)) ? null : `${at.path} must be one of ${shown(given)}`,
  ],
  ['$ref', (given, value, { path, matcher }) => matcher.find(matcher.referenced(String(given)), value, path)],
  ['allOf', (given, value, { path, matcher }) => firstOf(list(given), (one) => matcher.find(one, value, path))],
  ['anyOf', matchesAny],
  ['oneOf', matchesOne],
  [
    'not',
    (given, value, { path, matcher }) =>
      matcher.isMatch(given, value) ? `${path} must not be as the schema under "not" says` : null,
  ],
  ['if', matchesBranch],
];

function matchesAny(given: Json, value: Json, { path, matcher }: Place): string | null {
  let first: string | null = null;
  for (const one of list(given)) {
    const mismatch = matcher.find(one, value, path);
    if (mismatch === null) return null;
    first ??= mismatch;
  }
  return `${path} must match a schema of anyOf; for the first, ${first}`;
}

function matchesOne(given: Json, value: Json, { path, matcher }: Place): string | null {
  const count = list(given).filter((one) => matcher.isMatch(one, value)).length;
  return count === 1 ? null : `${path} must match exactly one schema of oneOf, but matches ${count}`;
}

function matchesBranch(given: Json, value: Json, { path, schema, matcher }: Place): string | null {
  const branch = matcher.isMatch(given, value) ? 'then' : 'else';
  return matcher.find(schema[branch] ?? true, value, path);
}

const NUMBER_CHECKS: readonly (readonly [string, Check<number | bigint>])[] = [
  ['minimum', (given, value, { path }) => (value >= number(given) ? null : `${path} must be at least ${given}`)],
  ['maximum', (given, value, { path }) => (value <= number(given) ? null : `${path} must be at most ${given}`)],
  ['exclusiveMinimum', (given, value, { path }) => (value > number(given) ? null : `${path} must be above ${given}`)],
  ['exclusiveMaximum', (given, value, { path }) => (value < number(given) ? null : `${path} must be below ${given}`)],
  [
    'multipleOf',
    (given, value, { path }) => (isMultiple(value, number(given)) ? null : `${path} must be a multiple of ${given}`),
  ],
];

/** 0.3 is a multiple of 0.1, although floating-point numbers disagree. */
function isMultiple(value: number | bigint, of: number | bigint): boolean {
  if (typeof value === 'bigint' && typeof of === 'number' && Number.isInteger(of)) return value % BigInt(of) === 0n;
  const quotient = Number(value) / Number(of);
  return Math.abs(quotient - Math.round(quotient)) <= 1e-9 * Math.max(1, Math.abs(quotient));
}

const TEXT_CHECKS: readonly (readonly [string, Check<string>])[] = [
  [
    'minLength',
    (given, value, at) =>
      characters(value, at) >= Number(given) ? null : `${at.path} must have at least ${given} characters`,
  ],
  [
    'maxLength',
    (given, value, at) =>
      characters(value, at) <= Number(given) ? null : `${at.path} must have at most ${given} characters`,
  ],
  [
    'pattern',
    (given, value, { path, matcher }) =>
      matcher.search(String(given), value) ? null : `${path} must match the pattern ${shown(given)}`,
  ],
];

function characters(text: string, { matcher }: Place): number {
  matcher.spend(text.length / BYTES_A_STEP);
  return [...text].length;
}

const LIST_CHECKS: readonly (readonly [string, Check<Json[]>])[] = [
  [
    'minItems',
    (given, value, { path }) => (value.length >= Number(given) ? null : `${path} must have at least ${given} items`),
  ],
  [
    'maxItems',
    (given, value, { path }) => (value.length <= Number(given) ? null : `${path} must have at most ${given} items`),
  ],
  [
    'prefixItems',
    (given, value, at) =>
      firstOf(list(given).slice(0, value.length), (one, i) =>
        at.matcher.find(one, value[i] ?? null, `${at.path}[${i}]`),
      ),
  ],
  [
    'items',
    (given, value, { path, schema, matcher }) => {
      const from = list(schema['prefixItems'] ?? []).length;
      return firstOf(value.slice(from), (item, i) => matcher.find(given, item, `${path}[${from + i}]`));
    },
  ],
  ['contains', containsEnough],
  [
    'uniqueItems',
    (given, value, at) => (given === false || areUnique(value, at) ? null : `${at.path} must have no item twice`),
  ],
];

function containsEnough(given: Json, value: Json[], { path, schema, matcher }: Place): string | null {
  const { minContains: least = 1, maxContains: most = Infinity } = schema;
  const count = value.filter((item) => matcher.isMatch(given, item)).length;
  if (count < Number(least)) return `${path} must have at least ${least} items as "contains" says, but has ${count}`;
  return count <= Number(most) ? null : `${path} must have at most ${most} items as "contains" says, but has ${count}`;
}

function areUnique(items: readonly Json[], { matcher }: Place): boolean {
  matcher.spend((3 * jsonBytes(items)) / BYTES_A_STEP);
  return new Set(items.map((item) => JSON.stringify(comparable(item)))).size === items.length;
}

/** A form that is the same text for equal values only. */
function comparable(value: Json): Json {
  if (typeof value === 'bigint') return { bigint: String(value) };
  if (Array.isArray(value)) return value.map(comparable);
  if (!isJsonObject(value)) return value;
  const names = Object.keys(value).sort();
  return { object: names.map((name) => [name, comparable(value[name] ?? null)]) };
}

const OBJECT_CHECKS: readonly (readonly [string, Check<JsonObject>])[] = [
  [
    'required',
    (given, value, { path }) =>
      firstOf(list(given), (name) => (hasField(value, name) ? null : `${path} must have ${shown(name)}`)),
  ],
  [
    'dependentRequired',
    (given, value, { path }) =>
      firstOf(
        fieldsBoth(given, value).flatMap(([name, needed]) => list(needed).map((one) => [name, one] as const)),
        ([name, one]) => (hasField(value, one) ? null : `${path} must have ${shown(one)}, since it has ${shown(name)}`),
      ),
  ],
  [
    'dependentSchemas',
    (given, value, { path, matcher }) =>
      firstOf(fieldsBoth(given, value), ([, schema]) => matcher.find(schema, value, path)),
  ],
  [
    'minProperties',
    (given, value, { path }) =>
      Object.keys(value).length >= Number(given) ? null : `${path} must have at least ${given} fields`,
  ],
  [
    'maxProperties',
    (given, value, { path }) =>
      Object.keys(value).length <= Number(given) ? null : `${path} must have at most ${given} fields`,
  ],
  [
    'propertyNames',
    (given, value, { path, matcher }) =>
      firstOf(Object.keys(value), (name) => matcher.find(given, name, `the name ${shown(name)} in ${path}`)),
  ],
  [
    'properties',
    (given, value, { path, matcher }) =>
      firstOf(fieldsBoth(given, value), ([name, schema]) =>
        matcher.find(schema, value[name] ?? null, inside(path, name)),
      ),
  ],
  [
    'patternProperties',
    (given, value, { path, matcher }) =>
      firstOf(Object.entries(given as JsonObject), ([pattern, schema]) =>
        firstOf(Object.entries(value), ([name, inner]) =>
          matcher.search(pattern, name) ? matcher.find(schema, inner, inside(path, name)) : null,
        ),
      ),
  ],
  [
    'additionalProperties',
    (given, value, { path, schema, matcher }) => {
      const { properties = {}, patternProperties = {} } = schema;
      const patterns = Object.keys(patternProperties as JsonObject);
      return firstOf(Object.entries(value), ([name, inner]) => {
        matcher.spend(1);
        const isKnown =
          hasField(properties as JsonObject, name) || patterns.some((pattern) => matcher.search(pattern, name));
        return isKnown ? null : matcher.find(given, inner, inside(path, name));
      });
    },
  ],
];

/** The fields of the first that the second has, too. */
const fieldsBoth = (given: Json, value: JsonObject): [string, Json][] =>
  Object.entries(given as JsonObject).filter(([name]) => hasField(value, name));

const hasField = (value: JsonObject, name: Json): boolean => Object.hasOwn(value, String(name));

const inside = (path: string, name: string): string => `${path}.${name.slice(0, MAX_NAME_LENGTH)}`;

function firstOf<T>(items: readonly T[], problemOf: (item: T, at: number) => string | null): string | null {
  for (const [at, item] of items.entries()) {
    const problem = problemOf(item, at);
    if (problem !== null) return problem;
  }
  return null;
}

const list = (given: Json): Json[] => given as Json[];
const number = (given: Json): number | bigint => given as number | bigint;

function isSame(given: Json, value: Json, { matcher }: Place): boolean {
  matcher.spend(typeof given === 'object' && given !== null ? 1 + jsonBytes(given) / BYTES_A_STEP : 1);
  return jsonEqual(given, value);
}

const hasType = (given: Json, value: Json): boolean =>
  Array.isArray(given) ? given.some((one) => isOfType(one, value)) : isOfType(given, value);

function isOfType(type: Json, value: Json): boolean {
  switch (type) {
    case 'integer':
      return typeof value === 'bigint' || Number.isInteger(value);
    case 'number':
      return isJsonNumber(value);
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isJsonObject(value);
    case 'null':
      return value === null;
    default:
      return typeof value === type;
  }
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  integer: 'a whole number',
  null: 'null',
  number: 'a number',
  object: 'an object',
  string: 'a text',
};

const typeNames = (given: Json): string =>
  (Array.isArray(given) ? given : [given]).map((type) => TYPE_NAMES[String(type)]).join(' or ');

const MAX_SHOWN_LENGTH = 200;

function shown(value: Json): string {
  const text = JSON.stringify(value);
  return text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH)}…` : text;
}
