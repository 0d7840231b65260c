import { type Check, everyCheck } from './check.ts';
import { type CompileContext, compileProperty } from './compile-property.ts';
import { type DefinitionFields, expectList, expectNumber, expectObject } from './read-definition.ts';

/** Early access: persons who opted in or out, which overrides all conditions. */
export interface EarlyAccess {
  /** Person properties that hold the choice; without any of them the conditions decide. */
  keys: readonly string[];
  check: Check | null;
  percentage: number | null;
}

/** From `super_groups`, of which only the first counts, or the newer `feature_enrollment`. */
export function compileEarlyAccess(
  flagKey: string,
  filters: DefinitionFields,
  context: CompileContext,
): EarlyAccess | null {
  const [first] = expectList(filters['super_groups'], 'super_groups');
  if (first !== undefined) return compileSuperGroup(expectObject(first, 'the super group'), context);
  if (filters['feature_enrollment'] !== true && filters['feature_enrollment'] !== 'true') return null;
  const key = `$feature_enrollment/${flagKey}`;
  return { keys: [key], check: compileProperty({ key, value: ['true'] }, null, context), percentage: null };
}

function compileSuperGroup(group: DefinitionFields, context: CompileContext): EarlyAccess {
  const properties = expectList(group['properties'], 'properties of the super group');
  const percentage = expectNumber(group['rollout_percentage'], 'the rollout percentage of the super group');
  const checks = properties.map((property) => compileProperty(property, null, context));
  const keys = properties.map((property) => expectObject(property, 'a property')['key']);
  return {
    keys: keys.filter((key) => typeof key === 'string'),
    check: everyCheck(checks),
    percentage,
  };
}
