import type { FlagDefinition, FlagDefinitions } from '../flag.ts';
import { addInputs, type Inputs, noInputs } from './check.ts';
import { type CompiledFlag, compileFlag } from './compile-flag.ts';
import { orderByDependency } from './order-by-dependency.ts';
import { FlagOutcomes } from './outcomes.ts';
import { prepareCohorts } from './prepare-cohorts.ts';
import type { Needs, PreparedFlag, PreparedFlags } from './prepared-flags.ts';
import { isSameJson } from './read-definition.ts';
import { newCompileCache } from './shared-checks.ts';

type Context = Pick<PreparedFlags, 'cohorts' | 'groupTypes'>;

/**
 * Compiles all definitions, once per change. Never throws: an invalid flag fails when it is evaluated. Flags that have
 * not changed since `previous` are reused.
 */
export function prepareFlags(definitions: FlagDefinitions, previous?: PreparedFlags): PreparedFlags {
  const cache = newCompileCache();
  const before = new Map(previous?.flags.map(({ compiled }) => [compiled.definition.id, compiled]));
  const compiled = definitions.flags
    .filter(({ active }) => active)
    .map((flag) => reuseCompiled(before.get(flag.id), flag) ?? compileFlag(flag, cache));
  const inactive = definitions.flags.filter(({ active }) => !active).map(({ id }) => id);
  const cohorts = prepareCohorts(definitions.cohorts, cache, previous?.cohorts);
  return link(compiled, inactive, { cohorts, groupTypes: definitions.groupTypes });
}

/**
 * For previews: one flag as if it were active, `among` the others and in place of the one with its id. Evaluate it with
 * its key as `only`. `needs` are those of this flag and of the flags that it depends on.
 */
export function prepareFlag(flag: FlagDefinition, among: PreparedFlags): PreparedFlags {
  const compiled = compileFlag(flag, newCompileCache());
  const others = among.flags.map((other) => other.compiled).filter(({ definition }) => definition.id !== flag.id);
  const inactive = [...among.slots].filter(([id, slot]) => slot === -1 && id !== flag.id).map(([id]) => id);
  const linked = link([...others, compiled], inactive, among);
  return { ...linked, needs: needsOf(withDependencies(linked, others.length), among) };
}

function reuseCompiled(before: CompiledFlag | undefined, flag: FlagDefinition): CompiledFlag | undefined {
  if (before === undefined || before.definition.key !== flag.key) return undefined;
  if (!isSameJson(before.definition.filters, flag.filters)) return undefined;
  const { inputs, failure, prefix, filters } = before;
  return { definition: flag, inputs, failure, prefix, filters };
}

/** Resolves the dependencies between flags. */
function link(compiled: readonly CompiledFlag[], inactive: readonly number[], context: Context): PreparedFlags {
  const slots = new Map(inactive.map((id) => [id, -1]));
  for (const [slot, { definition }] of compiled.entries()) slots.set(definition.id, slot);
  const dependsOn = compiled.map(({ inputs }) => dependenciesOf(inputs, slots, context));
  const { order, inCycle } = orderByDependency(dependsOn);
  const flags = compiled.map((flag, slot): PreparedFlag => {
    const loop = inCycle.has(slot) ? 'it depends on itself, or on a flag that does' : null;
    return prepareCompiled(
      flag,
      flag.failure ?? loop,
      slot,
      loop === null ? (dependsOn[slot] ?? NO_DEPENDENCIES) : NO_DEPENDENCIES,
    );
  });
  return {
    flags,
    byKey: new Map(flags.map((flag) => [flag.key, flag])),
    order: [...order, ...inCycle].flatMap((slot) => flags[slot] ?? []),
    slots,
    cohorts: context.cohorts,
    groupTypes: context.groupTypes,
    needs: needsOf(compiled, context),
  };
}

/** Field by field, so that all have one hidden class: see `Condition`. */
function prepareCompiled(
  compiled: CompiledFlag,
  failure: string | null,
  slot: number,
  dependsOn: readonly number[],
): PreparedFlag {
  const { definition, prefix, filters } = compiled;
  return {
    key: definition.key,
    outcomes: new FlagOutcomes(definition, filters.payloads),
    bucketsByDevice: definition.bucketingIdentifier === 'device_id',
    hasContinuity: definition.ensureExperienceContinuity,
    failure,
    prefix,
    groupIndex: filters.groupIndex,
    earlyAccess: filters.earlyAccess,
    holdout: filters.holdout,
    firstCondition: filters.firstCondition,
    exitsEarly: filters.exitsEarly,
    variants: filters.variants,
    slot,
    dependsOn,
    compiled,
  };
}

function dependenciesOf(inputs: Inputs, slots: ReadonlyMap<number, number>, { cohorts }: Context): number[] {
  if (inputs.flags.size === 0 && inputs.cohorts.size === 0) return NO_DEPENDENCIES;
  const ids = new Set(inputs.flags);
  for (const cohort of inputs.cohorts) for (const id of cohorts.get(cohort)?.inputs.flags ?? []) ids.add(id);
  return [...ids].map((id) => slots.get(id) ?? -1).filter((slot) => slot >= 0);
}

const NO_DEPENDENCIES: number[] = [];

function withDependencies({ flags }: PreparedFlags, slot: number): CompiledFlag[] {
  const slots = new Set([slot]);
  // The set grows during iteration.
  for (const one of slots) for (const other of flags[one]?.dependsOn ?? []) slots.add(other);
  return [...slots].flatMap((one) => flags[one]?.compiled ?? []);
}

function needsOf(flags: readonly CompiledFlag[], { cohorts }: Context): Needs {
  const inputs = noInputs();
  for (const flag of flags) addInputs(inputs, flag.inputs);
  for (const id of [...inputs.cohorts]) addInputs(inputs, cohorts.get(id)?.inputs ?? noInputs());
  return {
    personProperties: inputs.personProperties,
    groupTypes: inputs.groupTypes,
    staticCohorts: new Set([...inputs.cohorts].filter((id) => cohorts.get(id)?.compiled.definition.isStatic)),
    hasContinuity: flags.some(({ definition }) => definition.ensureExperienceContinuity),
    hasPlace: [...inputs.personProperties].some((key) => key.startsWith('$geoip_')),
    hasRelativeDates: inputs.relativeDates.size > 0,
  };
}
