/** From the body of a request for flags to what the decide room understands. Says which field is wrong, and how. */
import { type Failure, invalid } from '../../core/errors.ts';
import { toDistinctId } from '../../core/events/distinct-id.ts';
import { isJsonObject, type Json, type JsonObject } from '../../core/events/json.ts';
import { cleanText } from '../../core/events/text.ts';
import type { Properties } from '../../core/flags/subject.ts';
import type { DecideRequest } from '../../decide/decide-request.ts';
import type { Runtime } from '../../decide/definitions.ts';

export interface FlagRequestContext {
  /** What to answer when nobody is named. */
  missingDistinctId(): Failure;
  runtime(): Runtime;
}

/** The names that SDKs of several ages use: the first that is there counts. */
const NAMES = {
  distinctId: ['distinct_id', '$distinct_id'],
  anonDistinctId: ['$anon_distinct_id'],
  groups: ['groups', '$groups'],
  personProperties: ['person_properties', '$properties'],
  groupProperties: ['group_properties', '$group_properties'],
  deviceId: ['device_id', '$device_id'],
  flagKeys: ['flag_keys', 'flag_keys_to_evaluate'],
} as const;

/** Fields are asked for one by one, in plain words: names that come out of a list take the engine five times as long. */
export function readFlagRequest(body: JsonObject, { missingDistinctId, runtime }: FlagRequestContext): DecideRequest {
  const distinctId = readId(body, body['distinct_id'] ?? body['$distinct_id'], NAMES.distinctId);
  if (distinctId === null) throw missingDistinctId();
  const given = body['person_properties'] ?? body['$properties'];
  const personProperties = readObject(body, given, NAMES.personProperties);
  return {
    distinctId,
    anonDistinctId: readId(body, body['$anon_distinct_id'], NAMES.anonDistinctId) || null,
    deviceId: readId(body, body['device_id'] ?? body['$device_id'], NAMES.deviceId) || deviceOf(personProperties),
    personProperties,
    groups: readGroups(body),
    groupProperties: readGroupProperties(body),
    flagKeys: readFlagKeys(body),
    runtime,
  };
}

/** `disable_flags` as JSON or form SDKs write it. */
export const hasFlagsDisabled = ({ disable_flags: value }: JsonObject): boolean =>
  value === true || value === 1 || value === 'true' || value === '1';

/** Null is 'not given'. */
type Given = Json | undefined;

/** The name under which something was given. */
const nameIn = (body: JsonObject, names: readonly string[]): string =>
  names.find((name) => (body[name] ?? null) !== null) ?? '';

/** Cut and cleaned as ids of events are, so that both mean the same person. An empty text is an id, if an odd one. */
function readId(body: JsonObject, value: Given, names: readonly string[]): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string' || typeof value === 'number') return toDistinctId(value) ?? null;
  const name = nameIn(body, names);
  throw invalid(name, `${name} must be a text or a number.`);
}

const deviceOf = ({ $device_id: id }: Properties): string | null =>
  typeof id === 'string' && id !== '' ? (toDistinctId(id) ?? null) : null;

const NO_PROPERTIES: JsonObject = {};

function readObject(body: JsonObject, value: Given, names: readonly string[]): JsonObject {
  if (value === undefined || value === null) return NO_PROPERTIES;
  if (isJsonObject(value)) return value;
  const name = nameIn(body, names);
  throw invalid(name, `${name} must be an object.`);
}

const NO_GROUPS: ReadonlyMap<string, string> = new Map();
const NO_GROUP_PROPERTIES: ReadonlyMap<string, Properties> = new Map();

function readGroups(body: JsonObject): ReadonlyMap<string, string> {
  const given = readObject(body, body['groups'] ?? body['$groups'], NAMES.groups);
  if (given === NO_PROPERTIES) return NO_GROUPS;
  const groups = new Map<string, string>();
  for (const type of Object.keys(given)) {
    const key = given[type];
    if (key === null || key === undefined || key === '') continue;
    if (typeof key !== 'string' && typeof key !== 'number') {
      throw invalid('groups', `groups must map each kind of group to a key: a text or a number, not ${nameOf(key)}.`);
    }
    groups.set(type, cleanText(String(key)));
  }
  return groups;
}

const nameOf = (value: Json): string =>
  Array.isArray(value) ? 'a list' : typeof value === 'object' ? 'an object' : `a ${typeof value}`;

function readGroupProperties(body: JsonObject): ReadonlyMap<string, Properties> {
  const found = body['group_properties'] ?? body['$group_properties'];
  const given = readObject(body, found, NAMES.groupProperties);
  if (given === NO_PROPERTIES) return NO_GROUP_PROPERTIES;
  const properties = new Map<string, Properties>();
  for (const type of Object.keys(given)) {
    const value = given[type];
    if (value === null || value === undefined) continue;
    if (!isJsonObject(value)) throw invalid('group_properties', 'group_properties must map each kind to an object.');
    properties.set(type, value);
  }
  return properties;
}

function readFlagKeys(body: JsonObject): ReadonlySet<string> | null {
  const value = body['flag_keys'] ?? body['flag_keys_to_evaluate'] ?? null;
  if (value === null) return null;
  const name = nameIn(body, NAMES.flagKeys);
  if (!Array.isArray(value) || !value.every((key) => typeof key === 'string')) {
    throw invalid(name, `${name} must be a list of flag keys.`);
  }
  return new Set(value);
}
