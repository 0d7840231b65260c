import { stringifyExact } from './exact-json.ts';
import type { Json, JsonObject } from './json.ts';
import { cleanText } from './text.ts';

/** Deeper values are rejected, because `JSON.stringify` and most stores recurse. */
export const MAX_DEPTH = 200;

/** Whether arrays and objects are nested deeper than `levels`. Stops at the limit, so the stack cannot overflow. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels <= 0) return true;
  const children = Array.isArray(value) ? value : Object.values(value);
  return children.some((child) => isDeeperThan(child, levels - 1));
}

/**
 * The value with clean text, clean keys and finite numbers (`1e999` parses to Infinity), and without `__proto__` keys,
 * which a careless assignment could turn into a prototype. Returns the value itself where nothing is wrong, which is
 * nearly always. The caller has checked the depth.
 */
export function cleanJson(value: Json): Json {
  if (typeof value === 'string') return cleanText(value);
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'object' || value === null) return value;
  return Array.isArray(value) ? cleanArray(value) : cleanObject(value);
}

function cleanArray(list: Json[]): Json[] {
  let copy: Json[] | undefined;
  for (const [index, item] of list.entries()) {
    const clean = cleanJson(item);
    if (clean === item) continue;
    copy ??= [...list];
    copy[index] = clean;
  }
  return copy ?? list;
}

export function cleanObject(object: JsonObject): JsonObject {
  let copy: JsonObject | undefined;
  // for-in takes a quarter of the time of Object.keys here; parsed JSON inherits nothing enumerable.
  for (const key in object) {
    const value = object[key] ?? null;
    // Cleaned exactly once: checking first and cleaning later would double the work with each level of nesting.
    const clean = cleanJson(value);
    const cleanKey = cleanText(key);
    if (copy === undefined && clean === value && cleanKey === key && key !== '__proto__') continue;
    copy ??= copyBefore(object, key);
    if (key !== '__proto__') copy[cleanKey] = clean;
  }
  return copy ?? object;
}

/** The keys before `end`, all of them clean. */
function copyBefore(object: JsonObject, end: string): JsonObject {
  const copy: JsonObject = {};
  for (const key in object) {
    if (key === end) break;
    copy[key] = object[key] ?? null;
  }
  return copy;
}

/**
 * Whether everything parsed from this JSON has clean text: NUL and half of a surrogate pair can only be written as escapes.
 * One look at the bytes of a request instead of one at each of its texts.
 */
export const hasCleanText = (json: Buffer): boolean => !json.includes('\\u');

/** Whether `cleanJson` would change a value with clean text. The caller has checked the depth. */
export function needsCleaning(value: Json | undefined): boolean {
  if (typeof value === 'number') return !Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(needsCleaning);
  for (const key in value) if (key === '__proto__' || needsCleaning(value[key])) return true;
  return false;
}

/** JSON text of any value; undefined where it is nested too deeply. */
export const toJsonText = (value: unknown): string | undefined =>
  isDeeperThan(value, MAX_DEPTH) ? undefined : stringifyExact(value);
