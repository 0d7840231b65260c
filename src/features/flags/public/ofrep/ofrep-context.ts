/**
 * Reads OpenFeature's evaluation context: the targeting key is the distinct id, the reserved attributes give groups,
 * device and anonymous id, and every other attribute is a person property.
 */
import { Failure } from '../../../../core/errors.ts';
import { isJsonObject, type JsonObject } from '../../../../core/json/json.ts';
import type { DecideRequest } from '../../decide/decide-request.ts';
import type { CallerRuntime } from '../../decide/flag-snapshots.ts';
import { type FieldNames, readFlagRequest } from '../flag-request.ts';

export type OfrepErrorCode = 'PARSE_ERROR' | 'TARGETING_KEY_MISSING' | 'INVALID_CONTEXT' | 'FLAG_NOT_FOUND' | 'GENERAL';

const FIELD_NAMES: FieldNames = {
  distinctId: ['targetingKey'],
  groups: ['groups', '$groups'],
  groupProperties: ['groupProperties', 'group_properties', '$group_properties'],
  deviceId: ['$device_id'],
  // Properties are attributes of the context itself, and the path names the flag.
  personProperties: [],
  flagKeys: [],
};

const RESERVED_ATTRIBUTES = new Set([...Object.values(FIELD_NAMES).flat(), '$anon_distinct_id']);

export function readOfrepContext({ context = {} }: JsonObject, runtime: () => CallerRuntime): DecideRequest {
  if (!isJsonObject(context)) {
    throw invalidContext('INVALID_CONTEXT', 'context must be an object, such as {"targetingKey": "user-1"}.');
  }
  if (context['targetingKey'] === '') throw missingTargetingKey();
  const request = readRequest(context, runtime);
  const attributes = Object.entries(context).filter(([name]) => !RESERVED_ATTRIBUTES.has(name));
  return { ...request, personProperties: Object.fromEntries(attributes) };
}

function readRequest(context: JsonObject, runtime: () => CallerRuntime): DecideRequest {
  try {
    return readFlagRequest(context, { missingDistinctId: missingTargetingKey, runtime, place: null }, FIELD_NAMES);
  } catch (error) {
    if (!(error instanceof Failure) || error.code === 'TARGETING_KEY_MISSING') throw error;
    throw invalidContext('INVALID_CONTEXT', error.message);
  }
}

const invalidContext = (code: OfrepErrorCode, detail: string): Failure => new Failure('invalid', detail, { code });

const missingTargetingKey = (): Failure =>
  invalidContext('TARGETING_KEY_MISSING', 'context.targetingKey is missing: the distinct id of the user.');
