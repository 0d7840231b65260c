import type { CohortDefinition } from '../flag.ts';
import {
  type Check,
  everyCheck,
  InvalidDefinition,
  invalidDefinition,
  MAX_DEFINITION_DEPTH,
  noInputs,
} from './check.ts';
import { type CompileContext, compileProperty } from './compile-property.ts';
import { type DefinitionFields, expectList, expectObject } from './read-definition.ts';
import type { CompileCache } from './shared-checks.ts';

/** A cohort by itself: cohorts and flags that it refers to are found during evaluation. */
export interface CompiledCohort extends CompileContext {
  definition: CohortDefinition;
  failure: string | null;
  check: Check;
}

/** Never throws. */
export function compileCohort(definition: CohortDefinition, cache: CompileCache): CompiledCohort {
  const { id } = definition;
  const context = { inputs: noInputs(), cache };
  const staticCheck: Check = ({ subject }) => subject.staticCohorts.has(id);
  if (definition.isStatic) return { definition, ...context, failure: null, check: staticCheck };
  try {
    return { definition, ...context, failure: null, check: compileCriteria(definition, context) };
  } catch (error) {
    if (!(error instanceof InvalidDefinition)) throw error;
    return { definition, ...context, failure: `cohort ${id}: ${error.message}`, check: () => false };
  }
}

function compileCriteria({ filters, groups }: CohortDefinition, context: CompileContext): Check {
  const { properties } = isObject(filters) ? filters : {};
  if (properties !== undefined && properties !== null) return compileGroup(properties, context, 0);
  const old = expectList(groups, 'groups');
  if (old.length === 0) throw invalidDefinition('it has no criteria');
  return anyCheck(old.map((group) => compileLegacyGroup(expectObject(group, 'a group'), context)));
}

/** `{properties: […]}`: all must match. In this form person properties have the type `event`. */
function compileLegacyGroup(group: DefinitionFields, context: CompileContext): Check {
  if (!Array.isArray(group['properties'])) throw invalidDefinition('criteria on events cannot be used in flags');
  const properties = group['properties'].map((property) => {
    const fields = expectObject(property, 'a property');
    return fields['type'] === 'event' ? { ...fields, type: 'person' } : fields;
  });
  return everyCheck(properties.map((property) => compileLeaf(property, context))) ?? matchesEverybody;
}

const matchesEverybody: Check = () => true;

const isObject = (value: unknown): value is DefinitionFields => typeof value === 'object' && value !== null;

/** `{type: 'AND' | 'OR', values: […]}`; without values it matches everybody. */
function compileGroup(value: unknown, context: CompileContext, depth: number): Check {
  if (depth > MAX_DEFINITION_DEPTH) throw invalidDefinition('criteria are nested too deeply');
  const { type, values } = expectObject(value, 'a group of criteria');
  if (type === undefined && values === undefined) return matchesEverybody;
  if (type !== 'AND' && type !== 'OR') throw invalidDefinition("a group of criteria is neither 'AND' nor 'OR'");
  const parts = expectList(values, 'values').map((part) =>
    isGroup(part) ? compileGroup(part, context, depth + 1) : compileLeaf(expectObject(part, 'a criterion'), context),
  );
  if (parts.length === 0) return matchesEverybody;
  return type === 'AND' ? (everyCheck(parts) ?? matchesEverybody) : anyCheck(parts);
}

const isGroup = (value: unknown): boolean =>
  isObject(value) && ('values' in value || value['type'] === 'AND' || value['type'] === 'OR' || isEmpty(value));

const isEmpty = (value: object): boolean => Object.keys(value).length === 0;

function compileLeaf(leaf: DefinitionFields, context: CompileContext): Check {
  if (leaf['type'] === 'behavioral') throw invalidDefinition('criteria on events cannot be used in flags');
  const check = compileProperty(leaf, null, context);
  return leaf['negation'] === true ? (run) => !check(run) : check;
}

const anyCheck =
  (checks: readonly Check[]): Check =>
  (run) =>
    checks.some((check) => check(run));
