import type { CohortDefinition } from '../flag.ts';
import { allOf, BrokenDefinition, broken, type Check, DEEPEST, noAsks } from './check.ts';
import { type Compilation, compileProperty } from './compile-property.ts';
import { type Fields, readList, readObject } from './read-definition.ts';
import type { Shared } from './shared-checks.ts';

/** A cohort by itself: the cohorts and flags it names are found when it is asked. */
export interface CompiledCohort extends Compilation {
  definition: CohortDefinition;
  failure: string | null;
  check: Check;
}

/** Never throws. */
export function compileCohort(definition: CohortDefinition, shared: Shared): CompiledCohort {
  const { id } = definition;
  const into = { asks: noAsks(), shared };
  const staticCheck: Check = ({ subject }) => subject.staticCohorts.has(id);
  if (definition.isStatic) return { definition, ...into, failure: null, check: staticCheck };
  try {
    return { definition, ...into, failure: null, check: compileCriteria(definition, into) };
  } catch (error) {
    if (!(error instanceof BrokenDefinition)) throw error;
    return { definition, ...into, failure: `cohort ${id}: ${error.message}`, check: () => false };
  }
}

function compileCriteria({ filters, groups }: CohortDefinition, into: Compilation): Check {
  const { properties } = isObject(filters) ? filters : {};
  if (properties !== undefined && properties !== null) return compileGroup(properties, into, 0);
  const old = readList(groups, 'groups');
  if (old.length === 0) throw broken('it has no criteria');
  return anyOf(old.map((group) => compileOldGroup(readObject(group, 'a group'), into)));
}

/** `{properties: […]}`: all of them must fit. In this form properties of persons call themselves those of events. */
function compileOldGroup(group: Fields, into: Compilation): Check {
  if (!Array.isArray(group['properties'])) throw broken('criteria on events cannot be used in flags');
  const properties = group['properties'].map((property) => {
    const fields = readObject(property, 'a property');
    return fields['type'] === 'event' ? { ...fields, type: 'person' } : fields;
  });
  return allOf(properties.map((property) => compileLeaf(property, into))) ?? everybody;
}

const everybody: Check = () => true;

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

/** `{type: 'AND' | 'OR', values: […]}`; one without values matches everybody. */
function compileGroup(value: unknown, into: Compilation, depth: number): Check {
  if (depth > DEEPEST) throw broken('criteria are nested too deeply');
  const { type, values } = readObject(value, 'a group of criteria');
  if (type === undefined && values === undefined) return everybody;
  if (type !== 'AND' && type !== 'OR') throw broken("a group of criteria is neither 'AND' nor 'OR'");
  const parts = readList(values, 'values').map((part) =>
    isGroup(part) ? compileGroup(part, into, depth + 1) : compileLeaf(readObject(part, 'a criterion'), into),
  );
  if (parts.length === 0) return everybody;
  return type === 'AND' ? (allOf(parts) ?? everybody) : anyOf(parts);
}

const isGroup = (value: unknown): boolean =>
  isObject(value) && ('values' in value || value['type'] === 'AND' || value['type'] === 'OR' || isEmpty(value));

const isEmpty = (value: object): boolean => Object.keys(value).length === 0;

function compileLeaf(leaf: Fields, into: Compilation): Check {
  if (leaf['type'] === 'behavioral') throw broken('criteria on events cannot be used in flags');
  const check = compileProperty(leaf, null, into);
  return leaf['negation'] === true ? (run) => !check(run) : check;
}

const anyOf =
  (checks: readonly Check[]): Check =>
  (run) =>
    checks.some((check) => check(run));
