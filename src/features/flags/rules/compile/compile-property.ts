import { parseId } from '../../../../core/parse-id.ts';
import type { SubjectProperties } from '../subject.ts';
import { type Check, type Inputs, invalidDefinition } from './check.ts';
import { compileComparison, type PropertyComparison } from './comparison.ts';
import { isRelativeDate } from './flag-dates.ts';
import { type DefinitionFields, expectIndex, expectObject, expectText } from './read-definition.ts';
import { type CompileCache, shareCheck } from './shared-checks.ts';

/** What a compilation adds to: `inputs` collects what the compiled conditions read. */
export interface CompileContext {
  inputs: Inputs;
  cache: CompileCache;
}

/**
 * Compiles one property of a condition. `groupIndex` says whose property it is: that group's, or the person's (null). The
 * property's own `type` matters only if it is a cohort, a flag or a group.
 */
export function compileProperty(value: unknown, groupIndex: number | null, context: CompileContext): Check {
  const property = expectObject(value, 'a property');
  const given = expectText(property['operator'], 'an operator');
  const operator = given ?? 'exact';
  switch (expectText(property['type'], 'the type of a property') ?? 'person') {
    case 'cohort':
      return compileMembership(property, operator, context);
    case 'flag':
      return compileDependency(property, given ?? 'flag_evaluates_to', context);
    case 'person':
      return compileComparisonOf(property, operator, groupIndex, context);
    case 'group':
      return compileComparisonOf(
        property,
        operator,
        expectIndex(property['group_type_index'], 'group_type_index') ?? groupIndex,
        context,
      );
    default:
      throw invalidDefinition(`properties of type '${String(property['type'])}' cannot be used`);
  }
}

function compileMembership({ value }: DefinitionFields, operator: string, { inputs }: CompileContext): Check {
  const id = parseId(value);
  if (id === null) throw invalidDefinition('a cohort is not named by its id');
  if (!['in', 'not_in', 'exact'].includes(operator)) throw invalidDefinition(`cohorts have no operator '${operator}'`);
  inputs.cohorts.add(id);
  const isPositive = operator !== 'not_in';
  return (run) => {
    const cohort = run.cohorts.get(id);
    const failure = cohort === undefined ? `cohort ${id} does not exist` : cohort.failure;
    if (failure !== null) run.failure = failure;
    return cohort?.check(run) === isPositive;
  };
}

function compileDependency({ key, value }: DefinitionFields, operator: string, { inputs }: CompileContext): Check {
  const id = parseId(key);
  // A reference to no flag never matches.
  if (id === null || operator !== 'flag_evaluates_to') return () => false;
  inputs.flags.add(id);
  return (run) => {
    const slot = run.slots.get(id);
    if (slot === undefined) return false;
    const result = run.results[slot];
    if (result?.failure) run.failure = `it depends on the flag '${result.key}', which failed: ${result.failure}`;
    const actual = result?.value ?? false;
    return typeof value === 'boolean' ? (actual !== false) === value : actual === value;
  };
}

function compileComparisonOf(
  { key, value }: DefinitionFields,
  operator: string,
  groupIndex: number | null,
  { inputs, cache }: CompileContext,
): Check {
  if (typeof key !== 'string') throw invalidDefinition('the key of a property is not a text');
  const comparison = compileComparison(operator, value, cache.patterns);
  if (comparison === null) throw invalidDefinition(`properties have no operator '${operator}'`);
  if (isRelativeDate(value)) inputs.relativeDates.add(value);
  if (groupIndex !== null) {
    inputs.groupTypes.add(groupIndex);
    return checkGroup(groupIndex, key, comparison);
  }
  if (key === 'distinct_id') return checkDistinctId(comparison);
  inputs.personProperties.add(key);
  return shareCheck(cache, JSON.stringify([key, operator, value]), () => checkPerson(key, comparison));
}

/** Undefined if absent, also for names that every object inherits. */
export const ownProperty = (properties: SubjectProperties, key: string): unknown =>
  Object.hasOwn(properties, key) ? properties[key] : undefined;

/** `Object.hasOwn` is slower than reading the property, so it is used only for names that objects inherit. */
function checkPerson(key: string, { test, whenMissing }: PropertyComparison): Check {
  const isInherited = key in Object.prototype;
  return ({ subject }) => {
    const value = isInherited ? ownProperty(subject.properties, key) : subject.properties[key];
    return value === undefined ? whenMissing : test(value, subject.now);
  };
}

function checkDistinctId({ test }: PropertyComparison): Check {
  return ({ subject }) => test(ownProperty(subject.properties, 'distinct_id') ?? subject.distinctId, subject.now);
}

function checkGroup(index: number, key: string, { test, whenMissing }: PropertyComparison): Check {
  return ({ subject }) => {
    const group = subject.groups.get(index);
    if (group === undefined) return whenMissing;
    const value = ownProperty(group.properties, key) ?? (key === '$group_key' ? group.key : undefined);
    return value === undefined ? whenMissing : test(value, subject.now);
  };
}
