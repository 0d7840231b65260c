import { isJsonObject, type Json, type JsonObject } from '../json/json.ts';
import { distinctIdOf, toDistinctId } from './distinct-id.ts';
import { eventName } from './event-name.ts';
import { groupText } from './groups.ts';

/**
 * Whose flags may change because of these events: distinct ids that are identified, merged or given properties, and
 * groups that are given properties. Called for every request, so it reads few fields: one subject too many costs a few
 * milliseconds, one too few an outdated flag.
 */
export function changedSubjects(events: readonly JsonObject[], engage: boolean): string[] {
  const subjects: string[] = [];
  for (const raw of events) addSubjects(subjects, raw, engage);
  return subjects;
}

/** Pairs of distinct ids that these events merge into one person. */
export const mergedSubjects = (events: readonly JsonObject[]): [string, string][] =>
  events.flatMap((raw): [string, string][] => {
    const properties = isJsonObject(raw['properties']) ? raw['properties'] : NO_PROPERTIES;
    const other = secondId(eventName(raw, false), properties);
    const id = other === undefined ? undefined : distinctIdOf(raw, properties);
    return id === undefined || other === undefined || id === other ? [] : [[id, other]];
  });

/** No distinct id contains a NUL (`cleanText`), so groups can be in the same list. */
export const groupSubject = (type: string, key: string): string => `\u0000${type}\u0000${key}`;

/** Event name → the property with a second distinct id. */
const SECOND_ID: ReadonlyMap<string, string> = new Map([
  ['$identify', '$anon_distinct_id'],
  ['$create_alias', 'alias'],
  ['$merge_dangerously', 'alias'],
]);

const NO_PROPERTIES: JsonObject = {};

function addSubjects(subjects: string[], raw: JsonObject, engage: boolean): void {
  const properties = isJsonObject(raw['properties']) ? raw['properties'] : NO_PROPERTIES;
  const name = eventName(raw, engage);
  if (name === undefined) return;
  if (name === '$groupidentify') {
    const type = groupText(properties['$group_type']);
    const key = groupText(properties['$group_key']);
    if (type !== undefined && key !== undefined) subjects.push(groupSubject(type, key));
    return;
  }
  if (!SECOND_ID.has(name) && !changesPerson(name, raw, properties)) return;
  const id = distinctIdOf(raw, properties);
  if (id !== undefined) subjects.push(id);
  const other = secondId(name, properties);
  if (other !== undefined) subjects.push(other);
}

function secondId(name: string | undefined, properties: JsonObject): string | undefined {
  const second = SECOND_ID.get(name ?? '');
  const other = second === undefined ? undefined : properties[second];
  return other === undefined || other === null ? undefined : toDistinctId(other);
}

const changesPerson = (name: string, raw: JsonObject, properties: JsonObject): boolean =>
  name === '$set' ||
  name === '$set_once' ||
  raw['$set'] !== undefined ||
  properties['$set'] !== undefined ||
  properties['$unset'] !== undefined ||
  setsMoreThanInitials(raw['$set_once']) ||
  setsMoreThanInitials(properties['$set_once']);

/** Browsers send `$initial_…` with every event; only the first changes something. */
function setsMoreThanInitials(value: Json | undefined): boolean {
  if (value === undefined || !isJsonObject(value)) return false;
  for (const key in value) if (!key.startsWith('$initial_')) return true;
  return false;
}
