/**
 * Reads the fields of a request, from its address or its body. Lists and objects may come as JSON text, numbers and
 * booleans as text. Null and empty text count as absent.
 */
import { Failure, invalid } from '../../../core/errors.ts';
import { isJsonNumber, isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts';
import { parseJson } from '../../../core/json/parse-json.ts';

export type QuestionFields = Readonly<Record<string, unknown>>;

const MAX_DEPTH = 40;
const MAX_LIST_LENGTH = 1000;

export const fieldOf = (fields: QuestionFields, name: string): unknown => {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
  return value === null || value === '' ? undefined : value;
};

/** The first of several names that is given: some fields have an old and a new one. */
export const firstGivenName = (fields: QuestionFields, ...names: [string, ...string[]]): string =>
  names.find((name) => fieldOf(fields, name) !== undefined) ?? names[0];

/** Deep nesting would exhaust the stack of recursive functions. */
function checkDepth(value: unknown, attr: string): void {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) throw invalid(attr, `${attr} is nested too deeply.`);
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []));
  }
}

export function readTextField(fields: QuestionFields, name: string): string | undefined {
  const value = fieldOf(fields, name);
  if (value === undefined) return undefined;
  if (typeof value === 'string') return value;
  if (isJsonNumber(value)) return String(value);
  throw invalid(name, `${name} has to be a text.`);
}

const TRUE_WORDS = new Set(['y', 'yes', 't', 'true', 'on', '1']);

export const readBooleanField = (fields: QuestionFields, name: string): boolean => {
  const value = fieldOf(fields, name);
  return typeof value === 'object' ? false : TRUE_WORDS.has(String(value).toLowerCase());
};

interface Bounds {
  min: number;
  max: number;
}

export function readIntegerField(fields: QuestionFields, name: string, { min, max }: Bounds): number | undefined {
  const value = fieldOf(fields, name);
  if (value === undefined) return undefined;
  const number = typeof value === 'string' && /^\s*[+-]?\d{1,15}\s*$/.test(value) ? Number(value) : value;
  if (typeof number === 'number' && Number.isInteger(number) && number >= min && number <= max) return number;
  throw invalid(name, `${name} has to be a whole number from ${min} to ${max}.`);
}

export function readChoiceField<T extends string>(
  fields: QuestionFields,
  name: string,
  choices: readonly T[],
): T | undefined {
  const value = readTextField(fields, name);
  if (value === undefined) return undefined;
  const choice = choices.find((one) => one === value);
  if (choice !== undefined) return choice;
  throw invalid(name, `${name} cannot be ${quote(value)}: choose one of ${choices.join(', ')}.`);
}

export const quote = (text: string): string => JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);

/** A value that may come as JSON text; other text is returned as it is. */
export function readJsonField(fields: QuestionFields, name: string): Json | undefined {
  const value = fieldOf(fields, name);
  if (typeof value !== 'string' || !/^\s*[[{"]/.test(value)) return jsonOf(value, name);
  try {
    return jsonOf(parseJson(value), name);
  } catch (error) {
    if (error instanceof Failure && error.attr === name) throw error;
    return value;
  }
}

function jsonOf(value: unknown, name: string): Json | undefined {
  checkDepth(value, name);
  return value as Json | undefined;
}

export function readListField(fields: QuestionFields, name: string): Json[] | undefined {
  const value = readJsonField(fields, name);
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value)) throw invalid(name, `${name} has to be a list.`);
  if (value.length > MAX_LIST_LENGTH) throw invalid(name, `${name} has more than ${MAX_LIST_LENGTH} items.`);
  return value;
}

export function readTextListField(fields: QuestionFields, name: string): string[] | undefined {
  return readListField(fields, name)?.map((item) => {
    if (typeof item === 'string' || isJsonNumber(item)) return String(item);
    throw invalid(name, `${name} has to be a list of texts.`);
  });
}

export function readObjectField(fields: QuestionFields, name: string): JsonObject | undefined {
  const value = readJsonField(fields, name);
  if (value === undefined || value === null) return undefined;
  if (!isJsonObject(value)) throw invalid(name, `${name} has to be an object.`);
  return value;
}

/** The given fields of these names, with JSON parsed: the same question, to be sent again. */
export function knownFields(fields: QuestionFields, names: readonly string[]): JsonObject {
  const known: JsonObject = {};
  for (const name of names) {
    const value = readJsonField(fields, name);
    if (value !== undefined) known[name] = value;
  }
  return known;
}
