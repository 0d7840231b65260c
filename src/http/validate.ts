/**
 * Validates a request body by its TypeBox schema: converts ("37" is an integer where one is expected, as forms send it),
 * drops unknown fields, and reports the first error in Django's words.
 */
import { Kind, type TSchema } from '@sinclair/typebox';
import { Failure } from '../core/errors.ts';
import { stringifyExact } from '../core/json/exact-json.ts';
import { isJsonNumber, isJsonObject, type Json } from '../core/json/json.ts';
import { pythonTypeName } from '../core/json/python-type-name.ts';
import { parseJsonBody } from './body-parsers.ts';

/** Throws a `Failure` with the first invalid field. */
export function readValue(schema: TSchema, value: unknown): unknown {
  return read(schema, value, []);
}

type Path = readonly (string | number)[];

function fail(path: Path, code: string, detail: string): never {
  throw new Failure('invalid', detail, path.length > 0 ? { code, attr: path.join('__') } : { code });
}

function read(schema: TSchema, sent: unknown, path: Path): unknown {
  const [expected, nullable] = withoutNull(schema);
  const value = expected.fromText === true ? fromText(sent) : sent;
  if (value === null || value === undefined) {
    return nullable ? null : isAny(expected) ? value : fail(path, 'null', 'This field may not be null.');
  }
  switch (expected[Kind]) {
    case 'Object':
      return readObject(expected, value, path);
    case 'String':
      return readString(expected, value, path);
    case 'Boolean':
      return readBoolean(value, path);
    case 'Integer':
    case 'Number':
      return readNumber(expected, value, path);
    case 'Array':
      return readArray(expected, value, path);
    case 'Record':
      return readRecord(value, path);
    case 'Union':
      return readChoice(expected, value, path);
    case 'Unknown':
    case 'Any':
      return value;
    default:
      throw new Error(`No reader for a schema of kind ${expected[Kind]}`);
  }
}

/** Forms can only send text: where the schema says so, it is parsed as JSON. Invalid JSON stays a text, and is refused. */
function fromText(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return parseJsonBody(Buffer.from(value));
  } catch {
    return value;
  }
}

const isAny = (schema: TSchema): boolean => schema[Kind] === 'Unknown' || schema[Kind] === 'Any';

/** `Union([X, Null])` is 'X, or null'. */
function withoutNull(schema: TSchema): [TSchema, boolean] {
  if (schema[Kind] !== 'Union') return [schema, false];
  const members: TSchema[] = schema.anyOf;
  const rest = members.filter((member) => member[Kind] !== 'Null');
  const [only] = rest;
  if (rest.length === members.length) return [schema, false];
  return [rest.length === 1 && only ? only : { ...schema, anyOf: rest }, true];
}

function readObject(schema: TSchema, value: unknown, path: Path): unknown {
  if (!isJsonObject(value)) {
    return fail(path, 'invalid_input', `Invalid data. Expected a dictionary, but got ${pythonTypeName(value)}.`);
  }
  const required = new Set<string>(schema.required ?? []);
  const result: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(schema.properties as Record<string, TSchema>)) {
    if (!Object.hasOwn(value, name)) {
      if (required.has(name)) fail([...path, name], 'required', 'This field is required.');
      continue;
    }
    result[name] = read(property, value[name], [...path, name]);
  }
  return result;
}

function readString(schema: TSchema, value: unknown, path: Path): string {
  if (typeof value !== 'string' && !isJsonNumber(value)) return fail(path, 'invalid_input', 'Not a valid string.');
  const text = schema.keepSpaces === true ? String(value) : String(value).trim();
  if (text.includes('\0')) fail(path, 'null_characters_not_allowed', 'Null characters are not allowed.');
  if (text === '' && schema.minLength > 0) fail(path, 'blank', 'This field may not be blank.');
  if (isLonger(text, schema.maxLength ?? Infinity)) {
    fail(path, 'max_length', `Ensure this field has no more than ${schema.maxLength} characters.`);
  }
  if (text.length < (schema.minLength ?? 0)) {
    fail(path, 'min_length', `Ensure this field has at least ${schema.minLength} characters.`);
  }
  checkFormat(schema.format, text, path);
  // Half of a surrogate pair is no character; databases would refuse or change it.
  return text.toWellFormed();
}

/** Counts characters, of which some have two code units. */
const isLonger = (text: string, max: number): boolean =>
  text.length > max && (text.length > 2 * max || [...text].length > max);

const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;

function checkFormat(format: string | undefined, text: string, path: Path): void {
  if (format === 'uuid' && !UUID.test(text)) fail(path, 'invalid_input', 'Must be a valid UUID.');
  if (format === 'email' && !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text)) {
    fail(path, 'invalid_input', 'Enter a valid email address.');
  }
  if (format === 'uri' && !isWebUrl(text)) fail(path, 'invalid_input', 'Enter a valid URL.');
}

const isWebUrl = (text: string): boolean => URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol);

const TRUE = new Set<unknown>([true, 1, '1', 'true', 'True', 'TRUE', 't', 'T', 'on', 'yes']);
const FALSE = new Set<unknown>([false, 0, '0', 'false', 'False', 'FALSE', 'f', 'F', 'off', 'no']);

function readBoolean(value: unknown, path: Path): boolean {
  if (TRUE.has(value)) return true;
  if (FALSE.has(value)) return false;
  return fail(path, 'invalid_input', 'Must be a valid boolean.');
}

function readNumber(schema: TSchema, value: unknown, path: Path): number {
  const whole = schema[Kind] === 'Integer';
  const isText = typeof value === 'string' && value.trim() !== '';
  const number = isText || typeof value === 'bigint' ? Number(value) : value;
  if (typeof number !== 'number' || !(whole ? Number.isSafeInteger(number) : Number.isFinite(number))) {
    return fail(path, 'invalid_input', `A valid ${whole ? 'integer' : 'number'} is required.`);
  }
  if (number < (schema.minimum ?? -Infinity)) {
    fail(path, 'min_value', `Ensure this value is greater than or equal to ${schema.minimum}.`);
  }
  if (number > (schema.maximum ?? Infinity)) {
    fail(path, 'max_value', `Ensure this value is less than or equal to ${schema.maximum}.`);
  }
  return number;
}

function readArray(schema: TSchema, value: unknown, path: Path): unknown[] {
  if (!Array.isArray(value)) {
    return fail(path, 'not_a_list', `Expected a list of items but got type "${pythonTypeName(value)}".`);
  }
  if (value.length > (schema.maxItems ?? Infinity)) {
    fail(path, 'max_length', `Ensure this field has no more than ${schema.maxItems} elements.`);
  }
  return value.map((item, index) => read(schema.items, item, [...path, index]));
}

/** A free-form map: any values. */
function readRecord(value: unknown, path: Path): unknown {
  if (!isJsonObject(value))
    return fail(path, 'not_a_dict', `Expected a dictionary of items but got type "${pythonTypeName(value)}".`);
  return value;
}

/** A union of literals, or of schemas of which the first that matches is taken. */
function readChoice(schema: TSchema, value: unknown, path: Path): unknown {
  const members: TSchema[] = schema.anyOf;
  const literals = members.filter((member) => member[Kind] === 'Literal');
  const same = literals.find((literal) => literal.const === value || String(literal.const) === value);
  if (same) return same.const as Json;
  for (const member of members.filter((other) => other[Kind] !== 'Literal')) {
    try {
      return read(member, value, path);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
    }
  }
  return fail(path, 'invalid_choice', `"${preview(value)}" is not a valid choice.`);
}

/** The beginning of a value. Not `String(value)`: an object may have a `toString` that is no function. */
const preview = (value: unknown): string =>
  (typeof value === 'string' ? value : stringifyExact(value)).slice(0, 100).toWellFormed();
