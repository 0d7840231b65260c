import type { Json } from '../../../../core/json/json.ts';
import { jsonEqual } from '../../../../core/json/json-equal.ts';
import { invalidDefinition } from './check.ts';

/** Stored JSON, read field by field. Null counts as absent. */
export type DefinitionFields = Readonly<Record<string, unknown>>;

export function expectObject(value: unknown, what: string): DefinitionFields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalidDefinition(`${what} is not an object`);
  return value as DefinitionFields;
}

export function expectList(value: unknown, what: string): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw invalidDefinition(`${what} is not a list`);
  return value;
}

/** Null if absent. */
export function expectText(value: unknown, what: string): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string') throw invalidDefinition(`${what} is not a text`);
  return value;
}

export function expectNumber(value: unknown, what: string): number | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'number' || !Number.isFinite(value)) throw invalidDefinition(`${what} is not a number`);
  return value;
}

export function expectIndex(value: unknown, what: string): number | null {
  const index = expectNumber(value, what);
  if (index !== null && !(Number.isInteger(index) && index >= 0)) throw invalidDefinition(`${what} is not an index`);
  return index;
}

/** Whether two stored definitions are equal. False if they are nested too deeply to compare: they are compiled again. */
export function isSameJson(left: unknown, right: unknown): boolean {
  try {
    return jsonEqual(left as Json | undefined, right as Json | undefined);
  } catch {
    return false;
  }
}
