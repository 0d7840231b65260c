import { isJsonObject, type Json, type JsonObject } from '../json/json.ts';
import type { Event } from './event.ts';
import { groupIdentify } from './groups.ts';
import { initialName, updatesPerson } from './implicit-updates.ts';

export type PropertyType = 'DateTime' | 'String' | 'Numeric' | 'Boolean';
export type PropertyKind = 'event' | 'person' | 'group';

const MAX_PROPERTY_NAME_LENGTH = 200;
const NOT_DEFINED: ReadonlySet<string> = new Set([
  ...['$set', '$set_once', '$unset', '$groups'],
  ...['$group_0', '$group_1', '$group_2', '$group_3', '$group_4'],
]);

/** Properties that only contain others, and names that are too long, get no definition. */
export const isDefinable = (name: string): boolean =>
  name.length <= MAX_PROPERTY_NAME_LENGTH && name !== '' && !NOT_DEFINED.has(name);

export interface PropertyBag {
  kind: PropertyKind;
  groupType: string | null;
  values: JsonObject;
}

/** The properties of an event and its person, or, for `$groupidentify`, of its group alone. */
export function propertyBags(event: Event): PropertyBag[] {
  const group = groupIdentify(event);
  if (group !== undefined) return [{ kind: 'group', groupType: group.type, values: group.set }];
  const bags: PropertyBag[] = [{ kind: 'event', groupType: null, values: event.properties }];
  for (const key of ['$set', '$set_once']) {
    const values = event.properties[key];
    if (isJsonObject(values)) bags.push({ kind: 'person', groupType: null, values });
  }
  return bags;
}

/** The person properties that an event property is copied to. */
export function impliedNames(event: Event, name: string): string[] {
  const initial = event.person === 'full' && updatesPerson(event.event) ? initialName(name) : undefined;
  return initial === undefined ? [] : [name, initial];
}

/** The type that a value suggests; null for lists, objects and null. */
export function propertyType(name: string, value: Json): PropertyType | null {
  if (isTextByName(name)) return 'String';
  switch (typeof value) {
    case 'boolean':
      return 'Boolean';
    case 'number':
      return isTimeName(name) && isEpoch(value) ? 'DateTime' : 'Numeric';
    case 'bigint':
      return 'Numeric';
    case 'string':
      return textType(value);
    default:
      return null;
  }
}

/** Campaign names, flag values and survey answers are text even where they look like numbers. */
function isTextByName(name: string): boolean {
  return (
    name === '$feature_flag_response' ||
    name.startsWith('$feature/') ||
    name.startsWith('$survey_response') ||
    name.startsWith('$initial_utm_') ||
    name.slice(0, 4).toLowerCase() === 'utm_'
  );
}

const isTimeName = (name: string): boolean => /time|date|createdat|[_-]at$/i.test(name);

/** Ten digits of seconds (decimals allowed) or thirteen of milliseconds. */
function isEpoch(value: number): boolean {
  const whole = Math.floor(Math.abs(value));
  const isSeconds = whole >= 1e9 && whole < 1e10;
  return isSeconds || (Number.isInteger(value) && whole >= 1e12 && whole < 1e13);
}

function textType(text: string): PropertyType {
  // Longer texts are neither a boolean nor a date, and slow to match.
  if (text.length > 64) return 'String';
  if (/^\s*(?:true|false)\s*$/i.test(text)) return 'Boolean';
  return DATE_FORMS.some((form) => form.test(text)) ? 'DateTime' : 'String';
}

const CLOCK = '(?:[01]\\d|2[0-4]):[0-5]\\d:[0-6]\\d';
const DATE_FORMS: readonly RegExp[] = [
  /^\d{4}-(?:0\d|1[0-2])-[0-3]\d$/,
  /^\d{4}-[01]\d-[0-3]\dT[0-2]\d:[0-5]\d(?::[0-6]\d(?:[.,]\d+)?)?(?:Z|[+-][0-2]\d:?[0-5]\d)$/i,
  new RegExp(`^\\d{4}([-/])[01]\\d\\1[0-3]\\d ${CLOCK}(?:\\.\\d+)?$`),
  new RegExp(`^[0-3]\\d([-/])[01]\\d\\1\\d{4} ${CLOCK}$`),
  new RegExp(`^(?:[A-Z][a-z]{2}, )?[0-3]?\\d [A-Z][a-z]{2} \\d{2,4} ${CLOCK}(?: (?:[+-]\\d{4}|[A-Z]{1,5}))?$`),
];
