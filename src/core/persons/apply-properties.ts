import { isJsonObject, type Json, type JsonObject } from '../json/json.ts';
import { jsonEqual } from '../json/json-equal.ts';
import type { PropertyChange } from './person.ts';
import { growsTooLarge } from './properties-size.ts';

/** An update of a person's properties. */
export interface PropertyUpdate {
  set?: JsonObject | undefined;
  setOnce?: JsonObject | undefined;
  /** A list of names, or an object whose keys are names. */
  unset?: Json | undefined;
}

interface AppliedProperties {
  /** The same object where nothing changed. */
  properties: JsonObject;
  /** At most one for each key. */
  changes: PropertyChange[];
  /** The person would have been too large, so nothing changed. */
  isTooLarge: boolean;
}

/**
 * Applies set_once, then set, then unset. set_once applies to absent properties; null is not absent. Each key changes at
 * most once, by the last step that mentions it. Equal values, compared deeply, are no change. An update that would make
 * the properties too large has no effect.
 */
export function applyProperties(current: JsonObject, update: PropertyUpdate): AppliedProperties {
  const draft = new Draft(current);
  const { set, setOnce } = update;
  const unset = unsetNames(update.unset);
  for (const key in setOnce) {
    if (ownValue(current, key) !== undefined) continue;
    const isSetLater = set !== undefined && ownValue(set, key) !== undefined;
    if (!isSetLater && !unset?.has(key)) draft.put(key, setOnce[key] ?? null);
  }
  for (const key in set) {
    if (!unset?.has(key)) draft.put(key, set[key] ?? null);
  }
  for (const key of unset ?? []) draft.remove(key);
  const { properties, changes } = draft;
  if (changes.length > 0 && growsTooLarge(current, properties)) {
    return { properties: current, changes: [], isTooLarge: true };
  }
  return { properties, changes, isTooLarge: false };
}

/** Copies on the first change only: most events change nothing. */
class Draft {
  properties: JsonObject;
  readonly changes: PropertyChange[] = [];
  readonly #current: JsonObject;

  constructor(current: JsonObject) {
    this.#current = current;
    this.properties = current;
  }

  put(key: string, after: Json): void {
    const before = ownValue(this.#current, key);
    if (before === after || jsonEqual(before, after)) return;
    this.#own()[key] = after;
    this.changes.push({ key, before, after });
  }

  remove(key: string): void {
    const before = ownValue(this.#current, key);
    if (before === undefined) return;
    delete this.#own()[key];
    this.changes.push({ key, before, after: undefined });
  }

  #own(): JsonObject {
    if (this.properties === this.#current) this.properties = { ...this.#current };
    return this.properties;
  }
}

/**
 * An own property. Inherited ones such as `toString` are functions, which JSON has not: testing the type is several times
 * faster than `Object.hasOwn` on objects of many shapes. `__proto__` was removed before.
 */
function ownValue(object: JsonObject, key: string): Json | undefined {
  const value: unknown = object[key];
  return typeof value === 'function' || key === '__proto__' ? undefined : object[key];
}

function unsetNames(unset: Json | undefined): ReadonlySet<string> | undefined {
  if (Array.isArray(unset)) return new Set(unset.filter((name) => typeof name === 'string'));
  return isJsonObject(unset) ? new Set(Object.keys(unset)) : undefined;
}
