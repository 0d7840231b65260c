/** The `payload_schema` of a flag, a JSON Schema: what its payloads have to be. */
import { isDeeperThan } from '../../../../core/json/clean-json.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../../core/json/json.ts';
import { jsonBytes } from '../../../../core/json/json-bytes.ts';
import { findMismatch } from '../../../../core/json/schema/find-mismatch.ts';
import { InvalidSchema, type JsonSchema, readSchema } from '../../../../core/json/schema/read-schema.ts';
import { parsePayload } from '../payloads.ts';
import { invalidFlagFilters } from './filter-errors.ts';

const MAX_SCHEMA_BYTES = 64 * 1024;
const MAX_PAYLOAD_DEPTH = 100;
const MAX_DETAIL_LENGTH = 1500;

export function checkPayloadSchema({ payload_schema: given = null, payloads }: JsonObject): void {
  if (given === null) return;
  const schema = requireSchema(given);
  const values = Object.entries(isJsonObject(payloads) ? payloads : {}).map(([key, payload]): [string, Json] => [
    `payloads.${key}`,
    parsePayload(payload),
  ]);
  const tooDeep = values.find(([, value]) => isDeeperThan(value, MAX_PAYLOAD_DEPTH));
  if (tooDeep !== undefined) throw mismatched(`${tooDeep[0]} is nested more than ${MAX_PAYLOAD_DEPTH} levels deep`);
  const mismatch = findMismatch(schema, new Map(values));
  if (mismatch !== null) throw mismatched(mismatch);
}

function requireSchema(given: Json): JsonSchema {
  if (!isJsonObject(given)) throw invalidSchema('payload_schema must be a JSON Schema (an object), or null for none.');
  if (jsonBytes(given) > MAX_SCHEMA_BYTES) {
    throw invalidFlagFilters(`payload_schema may have up to ${MAX_SCHEMA_BYTES} bytes as JSON.`, 'too_large');
  }
  try {
    return readSchema(given, 'payload_schema');
  } catch (error) {
    if (error instanceof InvalidSchema) throw invalidSchema(error.message);
    throw error;
  }
}

const invalidSchema = (detail: string) =>
  invalidFlagFilters(detail.slice(0, MAX_DETAIL_LENGTH).toWellFormed(), 'invalid_payload_schema');

const mismatched = (mismatch: string) =>
  invalidFlagFilters(
    `The payload does not match the payload_schema of the flag: ${mismatch.slice(0, MAX_DETAIL_LENGTH).toWellFormed()}. Change the payload or the schema.`,
    'payload_mismatch',
  );
