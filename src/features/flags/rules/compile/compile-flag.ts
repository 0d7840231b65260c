import { type EncodedKey, encodeKey } from '../bucket.ts';
import type { FlagDefinition } from '../flag.ts';
import { type Check, everyCheck, type Inputs, InvalidDefinition, invalidDefinition, noInputs } from './check.ts';
import { type Bucketing, compileBucketing } from './compile-bucketing.ts';
import { compileEarlyAccess, type EarlyAccess } from './compile-early-access.ts';
import { compileHoldout, type Holdout } from './compile-holdout.ts';
import { type CompileContext, compileProperty } from './compile-property.ts';
import {
  type DefinitionFields,
  expectIndex,
  expectList,
  expectNumber,
  expectObject,
  expectText,
} from './read-definition.ts';
import type { CompileCache } from './shared-checks.ts';

/** A flag by itself: cohorts and flags that it refers to are found during evaluation. */
export interface CompiledFlag {
  definition: FlagDefinition;
  inputs: Inputs;
  /** Why the definition is invalid. */
  failure: string | null;
  /** What is hashed before the identifier. */
  prefix: EncodedKey;
  filters: CompiledFilters;
}

export interface CompiledFilters {
  /** The group type that the flag is for; null for persons. */
  groupIndex: number | null;
  earlyAccess: EarlyAccess | null;
  holdout: Holdout | null;
  firstCondition: Condition | null;
  exitsEarly: boolean;
  variants: readonly Variant[];
  /** By the value that each belongs to, as text. */
  payloads: ReadonlyMap<string, unknown>;
}

/**
 * A linked list, which takes fewer memory accesses to walk than an array. All conditions are created in one place and
 * without spreading, so that they have one hidden class and reading their fields stays fast.
 */
export interface Condition {
  index: number;
  check: Check | null;
  groupIndex: number | null;
  /** Rollout percentage; null: everybody. */
  percentage: number | null;
  /** Decides instead of the percentage, for flags that keep the people of another product. */
  bucketing: Bucketing | null;
  /** Overrides the variant that the bucket gives. */
  variant: string | null;
  next: Condition | null;
}

interface Variant {
  key: string;
  /** Buckets in [from, to). */
  from: number;
  to: number;
}

/** Never throws: an invalid definition becomes a flag that fails. */
export function compileFlag(definition: FlagDefinition, cache: CompileCache): CompiledFlag {
  const inputs = noInputs();
  const prefix = encodeKey(`${definition.key}.`);
  try {
    return {
      definition,
      inputs,
      failure: null,
      prefix,
      filters: compileFilters(definition, { inputs, cache }),
    };
  } catch (error) {
    if (!(error instanceof InvalidDefinition)) throw error;
    return { definition, inputs: noInputs(), failure: error.message, prefix, filters: NO_FILTERS };
  }
}

const NO_FILTERS: CompiledFilters = {
  groupIndex: null,
  earlyAccess: null,
  holdout: null,
  firstCondition: null,
  exitsEarly: false,
  variants: [],
  payloads: new Map(),
};

function compileFilters({ key, filters: stored }: FlagDefinition, context: CompileContext): CompiledFilters {
  const filters = expectObject(stored, 'filters');
  const groupIndex = expectIndex(filters['aggregation_group_type_index'], 'aggregation_group_type_index');
  if (groupIndex !== null) context.inputs.groupTypes.add(groupIndex);
  const variants = compileVariants(filters['multivariate']);
  return {
    groupIndex,
    earlyAccess: compileEarlyAccess(key, filters, context),
    holdout: compileHoldout(filters),
    firstCondition: linkConditions(
      groupsOf(filters).map((group, index) => compileCondition(group, index, groupIndex, variants, context)),
    ),
    exitsEarly: filters['early_exit'] === true,
    variants,
    payloads: new Map(Object.entries(expectObject(filters['payloads'] ?? {}, 'payloads'))),
  };
}

/** Old flags have no groups: the filters themselves are the one condition. */
function groupsOf(filters: DefinitionFields): readonly DefinitionFields[] {
  if (!('groups' in filters)) return [filters];
  if (!Array.isArray(filters['groups'])) throw invalidDefinition('groups is not a list');
  return filters['groups'].map((group, index) => expectObject(group, `condition ${index + 1}`));
}

function compileCondition(
  group: DefinitionFields,
  index: number,
  flagGroupIndex: number | null,
  variants: readonly Variant[],
  context: CompileContext,
): Condition {
  const what = `of condition ${index + 1}`;
  const groupIndex = expectIndex(group['aggregation_group_type_index'], `the group type ${what}`) ?? flagGroupIndex;
  if (groupIndex !== null) context.inputs.groupTypes.add(groupIndex);
  const percentage = expectNumber(group['rollout_percentage'], `the rollout percentage ${what}`);
  const variant = expectText(group['variant'], `the variant ${what}`);
  const properties = expectList(group['properties'], `properties ${what}`);
  return {
    index,
    check: everyCheck(properties.map((property) => compileProperty(property, groupIndex, context))),
    groupIndex,
    percentage: percentage === null || percentage >= 100 ? null : percentage,
    bucketing: compileBucketing(group['bucketing'], what, context.inputs),
    variant: variants.some(({ key }) => key === variant) ? variant : null,
    next: null,
  };
}

function linkConditions(conditions: readonly Condition[]): Condition | null {
  for (const [index, condition] of conditions.entries()) condition.next = conditions[index + 1] ?? null;
  return conditions[0] ?? null;
}

function compileVariants(value: unknown): Variant[] {
  const { variants } = expectObject(value ?? {}, 'multivariate');
  let to = 0;
  return expectList(variants, 'variants').map((one) => {
    const variant = expectObject(one, 'a variant');
    const percentage = expectNumber(variant['rollout_percentage'], 'the rollout percentage of a variant');
    if (typeof variant['key'] !== 'string' || percentage === null || percentage < 0) {
      throw invalidDefinition('a variant has no key or no percentage');
    }
    const from = to;
    to = from + percentage / 100;
    return { key: variant['key'], from, to };
  });
}
