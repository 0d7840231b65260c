import { type Seed, seedOf } from './bucket.ts';
import { type Asks, BrokenDefinition, broken, type Check, noAsks } from './check.ts';
import { compileEarlyAccess, type EarlyAccess } from './compile-early-access.ts';
import { compileHoldout, type Holdout } from './compile-holdout.ts';
import { type Compilation, compileProperty } from './compile-property.ts';
import type { FlagDefinition } from './flag.ts';
import type { PatternCache } from './pattern.ts';
import { type Fields, readIndex, readList, readNumber, readObject, readText } from './read-definition.ts';

/** A flag by itself, ready to run: the cohorts and flags it names are found when it is evaluated. */
export interface CompiledFlag {
  definition: FlagDefinition;
  asks: Asks;
  /** What is wrong with the definition as a whole. */
  failure: string | null;
  seed: Seed;
  /** Of the group type that the flag as a whole is about; null for persons. */
  groupIndex: number | null;
  earlyAccess: EarlyAccess | null;
  holdout: Holdout | null;
  conditions: readonly Condition[];
  endsEarly: boolean;
  variants: readonly Variant[];
  /** By the text of the value that each belongs to. */
  payloads: ReadonlyMap<string, unknown>;
}

export interface Condition {
  checks: readonly Check[];
  groupIndex: number | null;
  /** Buckets up to here are in; null for everybody. */
  threshold: number | null;
  /** The variant that those who match get, instead of the one they fall into. */
  variant: string | null;
}

export interface Variant {
  key: string;
  /** The buckets from `from` on, up to but without `to`. */
  from: number;
  to: number;
}

/** Never throws: a definition that cannot be read becomes a flag that fails. */
export function compileFlag(definition: FlagDefinition, patterns: PatternCache): CompiledFlag {
  const asks = noAsks();
  const base = { definition, asks, failure: null, seed: seedOf(`${definition.key}.`) };
  try {
    return { ...base, ...compileFilters(definition, { asks, patterns }) };
  } catch (error) {
    if (!(error instanceof BrokenDefinition)) throw error;
    return { ...base, ...NOTHING, asks: noAsks(), failure: error.message };
  }
}

type Filters = Omit<CompiledFlag, 'definition' | 'asks' | 'failure' | 'seed'>;

const NOTHING: Filters = {
  groupIndex: null,
  earlyAccess: null,
  holdout: null,
  conditions: [],
  endsEarly: false,
  variants: [],
  payloads: new Map(),
};

function compileFilters({ key, filters: stored }: FlagDefinition, into: Compilation): Filters {
  const filters = readObject(stored, 'filters');
  const groupIndex = readIndex(filters['aggregation_group_type_index'], 'aggregation_group_type_index');
  if (groupIndex !== null) into.asks.groupTypes.add(groupIndex);
  const variants = compileVariants(filters['multivariate']);
  return {
    groupIndex,
    earlyAccess: compileEarlyAccess(key, filters, into),
    holdout: compileHoldout(filters),
    conditions: groupsOf(filters).map((group, index) => compileCondition(group, index, groupIndex, variants, into)),
    endsEarly: filters['early_exit'] === true,
    variants,
    payloads: new Map(Object.entries(readObject(filters['payloads'] ?? {}, 'payloads'))),
  };
}

/** Before there were groups, a flag was one condition, spread over the filters themselves. */
function groupsOf(filters: Fields): readonly Fields[] {
  if (!('groups' in filters)) return [filters];
  if (!Array.isArray(filters['groups'])) throw broken('groups is not a list');
  return filters['groups'].map((group, index) => readObject(group, `condition ${index + 1}`));
}

function compileCondition(
  group: Fields,
  index: number,
  flagGroupIndex: number | null,
  variants: readonly Variant[],
  into: Compilation,
): Condition {
  const what = `of condition ${index + 1}`;
  const groupIndex = readIndex(group['aggregation_group_type_index'], `the group type ${what}`) ?? flagGroupIndex;
  if (groupIndex !== null) into.asks.groupTypes.add(groupIndex);
  const percentage = readNumber(group['rollout_percentage'], `the rollout percentage ${what}`);
  const variant = readText(group['variant'], `the variant ${what}`);
  return {
    checks: readList(group['properties'], `properties ${what}`).map((one) => compileProperty(one, groupIndex, into)),
    groupIndex,
    threshold: percentage === null || percentage >= 100 ? null : percentage / 100,
    variant: variants.some(({ key }) => key === variant) ? variant : null,
  };
}

function compileVariants(value: unknown): Variant[] {
  const { variants } = readObject(value ?? {}, 'multivariate');
  let to = 0;
  return readList(variants, 'variants').map((one) => {
    const variant = readObject(one, 'a variant');
    const percentage = readNumber(variant['rollout_percentage'], 'the rollout percentage of a variant');
    if (typeof variant['key'] !== 'string' || percentage === null || percentage < 0) {
      throw broken('a variant has no key or no percentage');
    }
    const from = to;
    to = from + percentage / 100;
    return { key: variant['key'], from, to };
  });
}
