import { bucket } from './bucket.ts';
import type { Check, Run } from './check.ts';
import type { CompiledFlag, Condition } from './compile-flag.ts';
import { HOLDOUT_SEED } from './compile-holdout.ts';
import { propertyOf } from './compile-property.ts';
import type { FlagEvaluation, Reason } from './flag-evaluation.ts';
import type { PreparedFlag } from './prepared-flags.ts';
import type { Subject } from './subject.ts';

/** The order is part of the wire: the group, a person's own word, the holdout, then the conditions as they are listed. */
export function evaluateFlag({ compiled, failure }: PreparedFlag, run: Run): FlagEvaluation {
  if (failure !== null) return failed(compiled, failure);
  const { subject } = run;
  if (compiled.groupIndex !== null && !subject.groups.has(compiled.groupIndex)) {
    return decided(compiled, false, 'no_group_type', null);
  }
  run.failure = null;
  const early = compiled.earlyAccess === null ? null : hearPerson(compiled, run);
  if (run.failure !== null) return failed(compiled, run.failure);
  if (early !== null) return decided(compiled, early, 'super_condition_value', 0);
  if (compiled.holdout !== null && isHeldOut(compiled, subject)) {
    return decided(compiled, compiled.holdout.value, 'holdout_condition_value', null);
  }
  return tryConditions(compiled, run);
}

/**
 * What is reported where nothing matches, in this order; of two alike the later condition is named. Before there is any
 * condition to name, nothing matched.
 */
const RANKS = { no_group_type: 1, no_condition_match: 2, out_of_rollout_bound: 3 } as const;

function tryConditions(flag: CompiledFlag, run: Run): FlagEvaluation {
  let reason: keyof typeof RANKS = 'no_condition_match';
  let named: number | null = null;
  for (let index = 0; index < flag.conditions.length; index++) {
    const condition = flag.conditions[index] as Condition;
    const outcome = tryCondition(flag, condition, run);
    if (run.failure !== null) return failed(flag, `condition ${index + 1}: ${run.failure}`);
    if (outcome === 'condition_match') return decided(flag, valueFor(flag, condition, run.subject), outcome, index);
    if (named === null || RANKS[outcome] >= RANKS[reason]) {
      reason = outcome;
      named = index;
    }
    if (flag.endsEarly && outcome === 'out_of_rollout_bound') break;
  }
  return decided(flag, false, reason, named);
}

function tryCondition(flag: CompiledFlag, condition: Condition, run: Run): keyof typeof RANKS | 'condition_match' {
  const identifier = identifierFor(flag, condition.groupIndex, run.subject);
  if (identifier === null) return condition.groupIndex === null ? 'no_condition_match' : 'no_group_type';
  if (!holdAll(condition.checks, run)) return 'no_condition_match';
  if (condition.threshold === null) return 'condition_match';
  return bucket(flag.seed, identifier, '') <= condition.threshold ? 'condition_match' : 'out_of_rollout_bound';
}

function holdAll(checks: readonly Check[], run: Run): boolean {
  for (let index = 0; index < checks.length; index++) {
    if (!(checks[index] as Check)(run)) return false;
  }
  return true;
}

/**
 * Whom the buckets are for. Null where there is no such group, and for a flag by device where nobody said which device:
 * to bucket by person instead would give the device another value once it is known.
 */
function identifierFor({ definition }: CompiledFlag, groupIndex: number | null, subject: Subject): string | null {
  if (groupIndex !== null) return subject.groups.get(groupIndex)?.key ?? null;
  if (definition.bucketingIdentifier === 'device_id') return subject.deviceId || null;
  const override = definition.ensureExperienceContinuity ? subject.overrides.get(definition.key) : undefined;
  return override ?? subject.distinctId;
}

function valueFor(flag: CompiledFlag, condition: Condition, subject: Subject): boolean | string {
  if (condition.variant !== null) return condition.variant;
  if (flag.variants.length === 0) return true;
  const place = bucket(flag.seed, identifierFor(flag, condition.groupIndex, subject) ?? '', 'variant');
  for (const { key, from, to } of flag.variants) if (place >= from && place < to) return key;
  return true;
}

/** Null where the person said nothing. */
function hearPerson(flag: CompiledFlag, run: Run): boolean | null {
  const { earlyAccess } = flag;
  const { properties } = run.subject;
  if (!earlyAccess?.keys.some((key) => propertyOf(properties, key) !== undefined)) return null;
  if (!holdAll(earlyAccess.checks, run)) return false;
  const identifier = identifierFor(flag, flag.groupIndex, run.subject) ?? '';
  return earlyAccess.threshold === null || bucket(flag.seed, identifier, '') <= earlyAccess.threshold;
}

function isHeldOut(flag: CompiledFlag, subject: Subject): boolean {
  const identifier = identifierFor(flag, flag.groupIndex, subject);
  return identifier !== null && bucket(HOLDOUT_SEED, identifier, '') <= (flag.holdout?.threshold ?? -1);
}

function decided(
  { definition, payloads }: CompiledFlag,
  value: boolean | string,
  reason: Reason,
  conditionIndex: number | null,
): FlagEvaluation {
  const { key, id, version } = definition;
  const payload = value === false || payloads.size === 0 ? undefined : payloads.get(String(value));
  return { key, id, version, value, reason, conditionIndex, payload, failure: null };
}

function failed({ definition: { key, id, version } }: CompiledFlag, failure: string): FlagEvaluation {
  return { key, id, version, value: false, reason: 'failed', conditionIndex: null, payload: undefined, failure };
}
