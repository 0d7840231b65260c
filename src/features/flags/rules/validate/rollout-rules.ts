import { isJsonObject, type Json, type JsonObject } from '../../../../core/json/json.ts';
import { pythonTypeName } from '../../../../core/json/python-type-name.ts';
import { invalidFlagFilters } from './filter-errors.ts';

const typeName = (value: Json | undefined): string =>
  value === null || value === undefined ? 'null' : pythonTypeName(value);

/** Fractions are allowed. */
export function checkRollout(path: string, value: Json | undefined, nullable: boolean): void {
  if (nullable && (value === null || value === undefined)) return;
  if (typeof value !== 'number') {
    throw invalidFlagFilters(`${path} must be a number${nullable ? ' or null' : ''}, got ${typeName(value)}`);
  }
  if (!(value >= 0 && value <= 100)) throw invalidFlagFilters(`${path} must be between 0 and 100, got ${value}`);
}

/** Requires a list of objects. */
export function listOfObjects(path: string, value: Json | undefined): JsonObject[] {
  if (!Array.isArray(value)) throw invalidFlagFilters(`${path} must be a list, got ${typeName(value)}`);
  return value.map((item, i) => {
    if (!isJsonObject(item)) throw invalidFlagFilters(`${path}[${i}] must be an object, got ${typeName(item)}`);
    return item;
  });
}

/** Group types have indexes from 0 to 4; null means persons. */
export function groupTypeIndex(path: string, value: Json | undefined): number | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 4) return value;
  throw invalidFlagFilters(`${path} must be a whole number from 0 to 4, or null`);
}
