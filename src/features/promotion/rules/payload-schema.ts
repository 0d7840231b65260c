/** JSON Schemas of payloads: given by a flag (`payload_schema` in its filters), or inferred; and schemas as TypeScript. */
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts';
import { parsePayload } from '../../flags/rules/payloads.ts';

/** Of what comes with a flag that is on; null: it has no payload. */
export function payloadSchema({ payloads, payload_schema: given }: JsonObject): JsonObject | null {
  if (isJsonObject(given)) return given;
  const values = isJsonObject(payloads) ? Object.values(payloads) : [];
  return values.length === 0 ? null : anyOf(values.map((value) => inferSchema(parsePayload(value), 0)));
}

const MAX_DEPTH = 12;

function inferSchema(value: Json, depth: number): JsonObject {
  if (depth > MAX_DEPTH) return {};
  if (value === null) return { type: 'null' };
  if (Array.isArray(value)) {
    const items = value.map((item) => inferSchema(item, depth + 1));
    return { type: 'array', ...(items.length === 0 ? {} : { items: anyOf(items) }) };
  }
  if (!isJsonObject(value)) return { type: typeof value === 'bigint' ? 'number' : typeof value };
  const names = Object.keys(value).sort();
  const properties = Object.fromEntries(names.map((name) => [name, inferSchema(value[name] ?? null, depth + 1)]));
  return { type: 'object', properties, required: names };
}

function anyOf(schemas: readonly JsonObject[]): JsonObject {
  const different = [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()];
  return different.length === 1 ? (different[0] ?? {}) : { anyOf: different };
}

/** What it does not know is unknown. */
export function schemaType(schema: unknown, depth = 0): string {
  if (schema === false) return 'never';
  if (!isJsonObject(schema) || depth > MAX_DEPTH) return 'unknown';
  const { const: only, enum: choices, type, anyOf: any = schema['oneOf'], allOf: all } = schema;
  const typeOf = (one: unknown): string => schemaType(one, depth + 1);
  if (only !== undefined) return literalType(only);
  if (Array.isArray(choices)) return union(choices.map(literalType));
  if (Array.isArray(any)) return union(any.map(typeOf));
  if (Array.isArray(all)) return all.map((one) => `(${typeOf(one)})`).join(' & ') || 'unknown';
  if (Array.isArray(type)) return union(type.map((one) => typeOf({ ...schema, type: one })));
  if (type === 'array') return `(${typeOf(schema['items'])})[]`.replace('(unknown)', 'unknown');
  if (type === 'object') return objectType(schema, typeOf);
  if (type === 'integer') return 'number';
  return type === 'null' || type === 'string' || type === 'number' || type === 'boolean' ? type : 'unknown';
}

const literalType = (value: Json): string =>
  typeof value === 'string'
    ? stringLiteral(value)
    : typeof value === 'object' && value !== null
      ? 'unknown'
      : String(value);

const union = (types: readonly string[]): string => [...new Set(types)].sort().join(' | ') || 'never';

function objectType(schema: JsonObject, typeOf: (one: unknown) => string): string {
  const { properties, required, additionalProperties: more } = schema;
  const needed = new Set(Array.isArray(required) ? required : []);
  const fields = Object.entries(isJsonObject(properties) ? properties : {}).sort(([a], [b]) => (a < b ? -1 : 1));
  const known = fields.map(([name, one]) => `${stringLiteral(name)}${needed.has(name) ? '' : '?'}: ${typeOf(one)}`);
  if (known.length > 0) return `{ ${known.join('; ')} }`;
  return more === false ? 'Record<string, never>' : `Record<string, ${isJsonObject(more) ? typeOf(more) : 'unknown'}>`;
}

/** A text in the code that is written. */
export const stringLiteral = (text: string): string =>
  `'${text
    .replaceAll('\\', '\\\\')
    .replaceAll("'", "\\'")
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029')}'`;
