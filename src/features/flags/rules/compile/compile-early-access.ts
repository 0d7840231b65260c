import { type Check, everyCheck } from './check.ts';
import { type CompileContext, compileProperty } from './compile-property.ts';
import { type DefinitionFields, expectList, expectNumber, expectObject } from './read-definition.ts';

/** Persons who said yes or no themselves. Their word counts, either way, before any condition. */
export interface EarlyAccess {
  /** Properties of the person: with one of them there is a word to be heard. */
  keys: readonly string[];
  check: Check | null;
  percentage: number | null;
}

/** `super_groups`, of which the first counts, or the newer `feature_enrollment`. */
export function compileEarlyAccess(
  flagKey: string,
  filters: DefinitionFields,
  into: CompileContext,
): EarlyAccess | null {
  const [first] = expectList(filters['super_groups'], 'super_groups');
  if (first !== undefined) return compileSuperGroup(expectObject(first, 'the super group'), into);
  if (filters['feature_enrollment'] !== true && filters['feature_enrollment'] !== 'true') return null;
  const key = `$feature_enrollment/${flagKey}`;
  return { keys: [key], check: compileProperty({ key, value: ['true'] }, null, into), percentage: null };
}

function compileSuperGroup(group: DefinitionFields, into: CompileContext): EarlyAccess {
  const properties = expectList(group['properties'], 'properties of the super group');
  const percentage = expectNumber(group['rollout_percentage'], 'the rollout percentage of the super group');
  const checks = properties.map((property) => compileProperty(property, null, into));
  const keys = properties.map((property) => expectObject(property, 'a property')['key']);
  return {
    keys: keys.filter((key) => typeof key === 'string'),
    check: everyCheck(checks),
    percentage,
  };
}
