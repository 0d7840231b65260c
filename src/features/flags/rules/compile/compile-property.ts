import type { Properties } from '../subject.ts';
import { type Asks, broken, type Check } from './check.ts';
import { type Comparison, compileComparison } from './comparison.ts';
import { type Fields, readId, readIndex, readObject, readText } from './read-definition.ts';
import { type Shared, shareCheck } from './shared-checks.ts';

/** What is being compiled into: what it asks for is noted. */
export interface Compilation {
  asks: Asks;
  shared: Shared;
}

/**
 * One property of a condition. `groupIndex` says whose it is: of the group of that type, or of the person (null). What
 * a property says of its own type decides only where it names a cohort, a flag, or a group.
 */
export function compileProperty(value: unknown, groupIndex: number | null, into: Compilation): Check {
  const property = readObject(value, 'a property');
  const given = readText(property['operator'], 'an operator');
  const operator = given ?? 'exact';
  switch (readText(property['type'], 'the type of a property') ?? 'person') {
    case 'cohort':
      return compileMembership(property, operator, into);
    case 'flag':
      return compileDependency(property, given ?? 'flag_evaluates_to', into);
    case 'person':
      return compileComparisonOf(property, operator, groupIndex, into);
    case 'group':
      return compileComparisonOf(
        property,
        operator,
        readIndex(property['group_type_index'], 'group_type_index') ?? groupIndex,
        into,
      );
    default:
      throw broken(`properties of type '${String(property['type'])}' cannot be used`);
  }
}

function compileMembership({ value }: Fields, operator: string, { asks }: Compilation): Check {
  const id = readId(value);
  if (id === null) throw broken('a cohort is not named by its id');
  if (!['in', 'not_in', 'exact'].includes(operator)) throw broken(`cohorts have no operator '${operator}'`);
  asks.cohorts.add(id);
  const isIn = operator !== 'not_in';
  return (run) => {
    const cohort = run.cohorts.get(id);
    const failure = cohort === undefined ? `cohort ${id} does not exist` : cohort.failure;
    if (failure !== null) run.failure = failure;
    return cohort?.check(run) === isIn;
  };
}

function compileDependency({ key, value }: Fields, operator: string, { asks }: Compilation): Check {
  const id = readId(key);
  // A flag that was deleted since, or never was, has no value to compare with.
  if (id === null || operator !== 'flag_evaluates_to') return () => false;
  asks.flags.add(id);
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
  { key, value }: Fields,
  operator: string,
  groupIndex: number | null,
  { asks, shared }: Compilation,
): Check {
  if (typeof key !== 'string') throw broken('the key of a property is not a text');
  const comparison = compileComparison(operator, value, shared.patterns);
  if (comparison === null) throw broken(`properties have no operator '${operator}'`);
  if (groupIndex !== null) {
    asks.groupTypes.add(groupIndex);
    return checkGroup(groupIndex, key, comparison);
  }
  if (key === 'distinct_id') return checkDistinctId(comparison);
  asks.personProperties.add(key);
  return shareCheck(shared, JSON.stringify([key, operator, value]), () => checkPerson(key, comparison));
}

/** Undefined where there is none. What every object inherits is no property of a person. */
export const propertyOf = (properties: Properties, key: string): unknown =>
  Object.hasOwn(properties, key) ? properties[key] : undefined;

/** To ask whose a property is takes longer than to read it: only names that objects inherit are worth the question. */
function checkPerson(key: string, { test, whenMissing }: Comparison): Check {
  const isInherited = key in Object.prototype;
  return ({ subject }) => {
    const value = isInherited ? propertyOf(subject.properties, key) : subject.properties[key];
    return value === undefined ? whenMissing : test(value, subject.now);
  };
}

function checkDistinctId({ test }: Comparison): Check {
  return ({ subject }) => test(propertyOf(subject.properties, 'distinct_id') ?? subject.distinctId, subject.now);
}

function checkGroup(index: number, key: string, { test, whenMissing }: Comparison): Check {
  return ({ subject }) => {
    const group = subject.groups.get(index);
    if (group === undefined) return whenMissing;
    const value = propertyOf(group.properties, key) ?? (key === '$group_key' ? group.key : undefined);
    return value === undefined ? whenMissing : test(value, subject.now);
  };
}
