/** Reads the body of a request for flags. Errors name the field that is wrong. */
import { COOKIELESS_ID } from '../../../core/cookieless/cookieless-id.ts';
import { type Failure, invalid } from '../../../core/errors.ts';
import { toDistinctId } from '../../../core/events/distinct-id.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts';
import { cleanText } from '../../../core/json/text.ts';
import type { DecideRequest } from '../decide/decide-request.ts';
import type { CallerRuntime } from '../decide/flag-snapshots.ts';
import type { SubjectProperties } from '../rules/subject.ts';

interface FlagRequestContext {
  /** The error for a body without a distinct id. */
  missingDistinctId(): Failure;
  runtime(): CallerRuntime;
  place: DecideRequest['place'];
}

type Field = 'distinctId' | 'groups' | 'personProperties' | 'groupProperties' | 'deviceId' | 'flagKeys';
/** The names of each field in a body; the first that is present counts. */
export type FieldNames = Readonly<Record<Field, readonly string[]>>;

/** SDKs of different ages use different names. */
const FIELD_NAMES: FieldNames = {
  distinctId: ['distinct_id', '$distinct_id'],
  groups: ['groups', '$groups'],
  personProperties: ['person_properties', '$properties'],
  groupProperties: ['group_properties', '$group_properties'],
  deviceId: ['device_id', '$device_id'],
  flagKeys: ['flag_keys', 'flag_keys_to_evaluate'],
};

export function readFlagRequest(
  body: JsonObject,
  { missingDistinctId, runtime, place }: FlagRequestContext,
  names: FieldNames = FIELD_NAMES,
): DecideRequest {
  const distinctId = readId(body, names.distinctId);
  if (distinctId === null) throw missingDistinctId();
  const personProperties = readObject(body, names.personProperties);
  return {
    distinctId,
    anonDistinctId: anonymousId(readId(body, ['$anon_distinct_id'])),
    deviceId: readId(body, names.deviceId) || deviceIdIn(personProperties),
    personProperties,
    groups: readGroups(body, names.groups),
    groupProperties: readGroupProperties(body, names.groupProperties),
    flagKeys: readFlagKeys(body, names.flagKeys),
    place,
    runtime,
  };
}

/** The id that all visitors without cookies have says nothing about who it was before the login. */
const anonymousId = (id: string | null): string | null => (id === COOKIELESS_ID ? null : id || null);

/** `disable_flags` as sent in JSON or in a form. */
export const hasFlagsDisabled = ({ disable_flags: value }: JsonObject): boolean =>
  value === true || value === 1 || value === 'true' || value === '1';

type Found = [value: Json, name: string] | undefined;

/** Null counts as absent. */
function findField(body: JsonObject, names: readonly string[]): Found {
  for (const name of names) {
    const value = body[name];
    if (value !== undefined && value !== null) return [value, name];
  }
  return undefined;
}

/** Cleaned like the ids of events, so that both mean the same person. An empty text is a valid id. */
function readId(body: JsonObject, names: readonly string[]): string | null {
  const found = findField(body, names);
  if (found === undefined) return null;
  const [value, name] = found;
  if (!isTextOrNumber(value)) throw invalid(name, `${name} must be a text or a number.`);
  return toDistinctId(value) ?? null;
}

/** Not `1e400`, which no text stands for. */
const isTextOrNumber = (value: Json): value is string | number | bigint =>
  typeof value === 'string' || typeof value === 'bigint' || Number.isFinite(value);

const deviceIdIn = ({ $device_id: id }: SubjectProperties): string | null =>
  typeof id === 'string' && id !== '' ? (toDistinctId(id) ?? null) : null;

const NO_PROPERTIES: JsonObject = {};

function readObject(body: JsonObject, names: readonly string[]): JsonObject {
  const found = findField(body, names);
  if (found === undefined) return NO_PROPERTIES;
  const [value, name] = found;
  if (isEmptyList(value)) return NO_PROPERTIES;
  if (!isJsonObject(value)) throw invalid(name, `${name} must be an object.`);
  return value;
}

/** PHP encodes an empty map as an empty list. */
const isEmptyList = (value: Json): boolean => Array.isArray(value) && value.length === 0;

const NO_GROUPS: ReadonlyMap<string, string> = new Map();
const NO_GROUP_PROPERTIES: ReadonlyMap<string, SubjectProperties> = new Map();

function readGroups(body: JsonObject, names: readonly string[]): ReadonlyMap<string, string> {
  const given = readObject(body, names);
  if (given === NO_PROPERTIES) return NO_GROUPS;
  const groups = new Map<string, string>();
  for (const type of Object.keys(given)) {
    const key = given[type];
    if (key === null || key === undefined || key === '') continue;
    if (!isTextOrNumber(key)) {
      throw invalid('groups', `groups must map each kind of group to a key: a text or a number, not ${typeName(key)}.`);
    }
    groups.set(type, cleanText(String(key)));
  }
  return groups;
}

const typeName = (value: Json): string =>
  Array.isArray(value) ? 'a list' : typeof value === 'object' ? 'an object' : `a ${typeof value}`;

function readGroupProperties(body: JsonObject, names: readonly string[]): ReadonlyMap<string, SubjectProperties> {
  const given = readObject(body, names);
  if (given === NO_PROPERTIES) return NO_GROUP_PROPERTIES;
  const properties = new Map<string, SubjectProperties>();
  for (const type of Object.keys(given)) {
    const value = given[type];
    if (value === null || value === undefined || isEmptyList(value)) continue;
    if (!isJsonObject(value)) {
      const name = names[0] ?? '';
      throw invalid(name, `${name} must map each kind to an object.`);
    }
    properties.set(type, value);
  }
  return properties;
}

function readFlagKeys(body: JsonObject, names: readonly string[]): ReadonlySet<string> | null {
  const found = findField(body, names);
  if (found === undefined) return null;
  const [value, name] = found;
  if (!Array.isArray(value) || !value.every((key) => typeof key === 'string')) {
    throw invalid(name, `${name} must be a list of flag keys.`);
  }
  return new Set(value);
}
