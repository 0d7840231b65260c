import { isJsonObject, type Json, type JsonObject } from '../events/json.ts';
import { jsonEqual } from './json-equal.ts';
import type { PropertyChange } from './person.ts';

/** What an event asks of its person's properties. */
export interface PropertyUpdate {
  set?: JsonObject | undefined;
  setOnce?: JsonObject | undefined;
  /** A list of names, or an object whose keys are names. */
  unset?: Json | undefined;
}

export interface AppliedProperties {
  /** The very object that came in where nothing changed. */
  properties: JsonObject;
  /** Net effect, one entry per key. */
  changes: PropertyChange[];
}

/**
 * set_once, then set, then unset. set_once fills gaps, and null is no gap. A key that a later step decides is left to
 * it, so each key changes at most once. Equal values are no change, containers compared by content.
 */
export function applyProperties(current: JsonObject, update: PropertyUpdate): AppliedProperties {
  const draft = new Draft(current);
  const { set, setOnce } = update;
  const unset = unsetNames(update.unset);
  for (const key of setOnce ? Object.keys(setOnce) : []) {
    const isLeftToOthers = Object.hasOwn(current, key) || (set !== undefined && Object.hasOwn(set, key));
    if (!isLeftToOthers && !unset?.has(key)) draft.put(key, setOnce?.[key] ?? null);
  }
  for (const key of set ? Object.keys(set) : []) {
    if (!unset?.has(key)) draft.put(key, set?.[key] ?? null);
  }
  for (const key of unset ?? []) draft.remove(key);
  return { properties: draft.properties, changes: draft.changes };
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
    const before = Object.hasOwn(this.#current, key) ? this.#current[key] : undefined;
    if (before === after || jsonEqual(before, after)) return;
    this.#own()[key] = after;
    this.changes.push({ key, before, after });
  }

  remove(key: string): void {
    if (!Object.hasOwn(this.#current, key)) return;
    delete this.#own()[key];
    this.changes.push({ key, before: this.#current[key], after: undefined });
  }

  #own(): JsonObject {
    if (this.properties === this.#current) this.properties = { ...this.#current };
    return this.properties;
  }
}

function unsetNames(unset: Json | undefined): ReadonlySet<string> | undefined {
  if (Array.isArray(unset)) return new Set(unset.filter((name) => typeof name === 'string'));
  return isJsonObject(unset) ? new Set(Object.keys(unset)) : undefined;
}
