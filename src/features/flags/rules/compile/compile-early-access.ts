import { allOf, type Check } from './check.ts';
import { type Compilation, compileProperty } from './compile-property.ts';
import { type Fields, readList, readNumber, readObject } from './read-definition.ts';

/** Persons who said yes or no themselves. Their word counts, either way, before any condition. */
export interface EarlyAccess {
  /** Properties of the person: with one of them there is a word to be heard. */
  keys: readonly string[];
  check: Check | null;
  percentage: number | null;
}

/** `super_groups`, of which the first counts, or the newer `feature_enrollment`. */
export function compileEarlyAccess(flagKey: string, filters: Fields, into: Compilation): EarlyAccess | null {
  const [first] = readList(filters['super_groups'], 'super_groups');
  if (first !== undefined) return compileSuperGroup(readObject(first, 'the super group'), into);
  if (filters['feature_enrollment'] !== true && filters['feature_enrollment'] !== 'true') return null;
  const key = `$feature_enrollment/${flagKey}`;
  return { keys: [key], check: compileProperty({ key, value: ['true'] }, null, into), percentage: null };
}

function compileSuperGroup(group: Fields, into: Compilation): EarlyAccess {
  const properties = readList(group['properties'], 'properties of the super group');
  const percentage = readNumber(group['rollout_percentage'], 'the rollout percentage of the super group');
  const checks = properties.map((property) => compileProperty(property, null, into));
  const keys = properties.map((property) => readObject(property, 'a property')['key']);
  return {
    keys: keys.filter((key) => typeof key === 'string'),
    check: allOf(checks),
    percentage,
  };
}
