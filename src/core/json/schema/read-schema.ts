/**
 * JSON Schemas (draft 2020-12) that users give, checked before they are kept. The keywords are a closed list, so that a
 * misspelt one is noticed. Nothing is fetched: `$ref` names a place in the schema itself.
 */
import { type BoundedSearch, compileSearch } from '../../filters/compile-search.ts';
import { explainPattern } from '../../filters/explain-pattern.ts';
import { isJsonNumber, isJsonObject, type Json, type JsonObject } from '../json.ts';

export interface JsonSchema {
  root: JsonObject;
  /** All schemas in it by their JSON pointers: what `$ref` can name. */
  places: ReadonlyMap<string, Json>;
  patterns: ReadonlyMap<string, BoundedSearch>;
}

/** Its message says where, what is wrong, and what would be right. */
export class InvalidSchema extends Error {}

const JSON_TYPES = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'] as const;

const isTexts = (value: Json): boolean => Array.isArray(value) && value.every((one) => typeof one === 'string');

const isTypeName = (value: Json): boolean => JSON_TYPES.some((type) => type === value);

const isType = (value: Json): boolean =>
  Array.isArray(value)
    ? value.length > 0 && value.every(isTypeName) && new Set(value).size === value.length
    : isTypeName(value);

const isCount = (value: Json): boolean => typeof value === 'number' && Number.isInteger(value) && value >= 0;

/** Keywords with plain values. */
const PLAIN: readonly { names: readonly string[]; isRight: (value: Json) => boolean; expected: string }[] = [
  {
    names: ['$schema', '$comment', 'title', 'description', 'format', 'contentEncoding', 'contentMediaType'],
    isRight: (value) => typeof value === 'string',
    expected: 'a text',
  },
  { names: ['const', 'default'], isRight: () => true, expected: 'any value' },
  { names: ['examples'], isRight: Array.isArray, expected: 'a list' },
  {
    names: ['uniqueItems', 'deprecated', 'readOnly', 'writeOnly'],
    isRight: (value) => typeof value === 'boolean',
    expected: 'true or false',
  },
  {
    names: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'],
    isRight: isJsonNumber,
    expected: 'a number',
  },
  { names: ['multipleOf'], isRight: (value) => isJsonNumber(value) && value > 0, expected: 'a number above 0' },
  {
    names: [
      ...['minLength', 'maxLength', 'minItems', 'maxItems', 'minContains', 'maxContains'],
      ...['minProperties', 'maxProperties'],
    ],
    isRight: isCount,
    expected: 'a whole number, 0 or more',
  },
  { names: ['required'], isRight: isTexts, expected: 'a list of texts' },
  {
    names: ['dependentRequired'],
    isRight: (value) => isJsonObject(value) && Object.values(value).every(isTexts),
    expected: 'an object with lists of texts',
  },
  {
    names: ['enum'],
    isRight: (value) => Array.isArray(value) && value.length > 0,
    expected: 'a list with at least one value',
  },
  { names: ['type'], isRight: isType, expected: `one of ${JSON_TYPES.join(', ')}, or a list of different ones` },
];
const ONE_SCHEMA = ['not', 'if', 'then', 'else', 'items', 'contains', 'additionalProperties', 'propertyNames'];
const LISTS_OF_SCHEMAS = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const NAMED_SCHEMAS = ['properties', 'dependentSchemas', '$defs', 'definitions', 'patternProperties'];
const KEYWORDS = [
  ...['$ref', 'pattern', ...ONE_SCHEMA, ...LISTS_OF_SCHEMAS, ...NAMED_SCHEMAS],
  ...PLAIN.flatMap(({ names }) => names),
];

const MAX_DEPTH = 50;
const MAX_PATTERNS = 50;
const MAX_PATTERN_LENGTH = 1000;
const MAX_NAME_LENGTH = 100;

/** `name`: what the schema is called in messages. Throws `InvalidSchema` for the first problem. */
export function readSchema(root: JsonObject, name: string): JsonSchema {
  const reader = new SchemaReader();
  reader.read(root, name, '', 0);
  reader.checkReferences();
  return { root, places: reader.places, patterns: reader.patterns };
}

class SchemaReader {
  readonly places = new Map<string, Json>();
  readonly patterns = new Map<string, BoundedSearch>();
  readonly #references: { path: string; to: string }[] = [];

  read(schema: Json, path: string, pointer: string, depth: number): void {
    if (depth > MAX_DEPTH) throw new InvalidSchema(`${path} is nested more than ${MAX_DEPTH} levels deep.`);
    if (typeof schema !== 'boolean' && !isJsonObject(schema)) {
      throw new InvalidSchema(`${path} must be a JSON Schema: an object, true or false.`);
    }
    this.places.set(pointer, schema);
    if (!isJsonObject(schema)) return;
    for (const [keyword, value] of Object.entries(schema)) {
      this.#readKeyword(keyword, value, `${path}.${short(keyword)}`, `${pointer}/${keyword}`, depth + 1);
    }
  }

  #readKeyword(keyword: string, value: Json, path: string, pointer: string, depth: number): void {
    if (keyword === '$ref') this.#readReference(value, path);
    else if (keyword === 'pattern') this.#readPattern(value, path);
    else if (ONE_SCHEMA.includes(keyword)) this.read(value, path, pointer, depth);
    else if (LISTS_OF_SCHEMAS.includes(keyword)) this.#readList(value, path, pointer, depth);
    else if (NAMED_SCHEMAS.includes(keyword)) this.#readNamed(keyword, value, path, pointer, depth);
    else checkPlain(keyword, value, path);
  }

  #readList(value: Json, path: string, pointer: string, depth: number): void {
    if (!Array.isArray(value) || value.length === 0) {
      throw new InvalidSchema(`${path} must be a list with at least one schema.`);
    }
    for (const [i, one] of value.entries()) this.read(one, `${path}[${i}]`, `${pointer}/${i}`, depth);
  }

  #readNamed(keyword: string, value: Json, path: string, pointer: string, depth: number): void {
    if (!isJsonObject(value)) throw new InvalidSchema(`${path} must be an object with schemas.`);
    for (const [name, one] of Object.entries(value)) {
      const inner = `${path}.${short(name)}`;
      if (keyword === 'patternProperties') this.#readPattern(name, inner);
      this.read(one, inner, `${pointer}/${escapePointer(name)}`, depth);
    }
  }

  #readPattern(value: Json, path: string): void {
    if (typeof value !== 'string') throw new InvalidSchema(`${path} must be a pattern: a text.`);
    const search = this.patterns.get(value) ?? compileSearch(value, MAX_PATTERN_LENGTH);
    if (search === null) {
      throw new InvalidSchema(
        `${path} is not a pattern that can be evaluated here. ${explainPattern(value, MAX_PATTERN_LENGTH)}`,
      );
    }
    this.patterns.set(value, search);
    if (this.patterns.size > MAX_PATTERNS) {
      throw new InvalidSchema(`${path} is one pattern too many: a schema may have ${MAX_PATTERNS} different ones.`);
    }
  }

  #readReference(value: Json, path: string): void {
    if (typeof value !== 'string' || !(value === '#' || value.startsWith('#/'))) {
      throw new InvalidSchema(
        `${path} must name a place in this schema, such as #/$defs/size: schemas elsewhere are not fetched. Copy them into $defs.`,
      );
    }
    this.#references.push({ path, to: value });
  }

  checkReferences(): void {
    const unknown = this.#references.find(({ to }) => !this.places.has(referencedPlace(to)));
    if (unknown === undefined) return;
    throw new InvalidSchema(`${unknown.path} names ${short(unknown.to)}, but there is no schema at that place.`);
  }
}

/** The JSON pointer in a `$ref`, where it may be percent-encoded. */
export function referencedPlace(reference: string): string {
  try {
    return decodeURIComponent(reference.slice(1));
  } catch {
    return reference.slice(1);
  }
}

function checkPlain(keyword: string, value: Json, path: string): void {
  const found = PLAIN.find(({ names }) => names.includes(keyword));
  if (found === undefined) throw new InvalidSchema(`${path} is not known. Keywords are ${KEYWORDS.join(', ')}.`);
  if (!found.isRight(value)) throw new InvalidSchema(`${path} must be ${found.expected}.`);
}

const escapePointer = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

const short = (name: string): string => name.slice(0, MAX_NAME_LENGTH).toWellFormed();
