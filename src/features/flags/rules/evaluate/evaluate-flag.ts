import { bucket, type EncodedKey } from '../bucket.ts';
import type { EvaluationRun } from '../compile/check.ts';
import type { Condition } from '../compile/compile-flag.ts';
import { HOLDOUT_PREFIX } from '../compile/compile-holdout.ts';
import { ownProperty } from '../compile/compile-property.ts';
import type { PreparedFlag } from '../compile/prepared-flags.ts';
import type { FlagEvaluation } from '../flag-evaluation.ts';
import type { Subject } from '../subject.ts';

/** The order is part of the public contract: group, early access, holdout, then the conditions as listed. */
export function evaluateFlag(flag: PreparedFlag, run: EvaluationRun): FlagEvaluation {
  if (flag.failure !== null) return flag.outcomes.failed(flag.failure);
  if (flag.groupIndex !== null && !run.subject.groups.has(flag.groupIndex)) {
    return flag.outcomes.get(false, 'no_group_type', null);
  }
  run.failure = null;
  if (flag.earlyAccess !== null) {
    const choice = earlyAccessChoice(flag, run);
    if (run.failure !== null) return flag.outcomes.failed(run.failure);
    if (choice !== null) return flag.outcomes.get(choice, 'super_condition_value', 0);
  }
  if (flag.holdout !== null && isHeldOut(flag, run.subject)) {
    return flag.outcomes.get(flag.holdout.value, 'holdout_condition_value', null);
  }
  return tryConditions(flag, run);
}

function tryConditions(flag: PreparedFlag, run: EvaluationRun): FlagEvaluation {
  let reason: MissReason = 'no_condition_match';
  let reasonIndex: number | null = null;
  for (let condition = flag.firstCondition; condition !== null; condition = condition.next) {
    const identifier = bucketingIdentifier(flag, condition.groupIndex, run.subject);
    const outcome = tryCondition(flag, condition, identifier, run);
    if (run.failure !== null) return flag.outcomes.failed(`condition ${condition.index + 1}: ${run.failure}`);
    if (outcome === 'condition_match') {
      const value = valueFor(flag, condition, identifier ?? '', run.subject);
      return flag.outcomes.get(value, value === false ? 'out_of_rollout_bound' : outcome, condition.index);
    }
    if (reasonIndex === null || priorityOf(outcome) >= priorityOf(reason)) {
      reason = outcome;
      reasonIndex = condition.index;
    }
    if (flag.exitsEarly && condition.bucketing === null && outcome === 'out_of_rollout_bound') break;
  }
  return flag.outcomes.get(false, reason, reasonIndex);
}

type MissReason = 'no_group_type' | 'no_condition_match' | 'out_of_rollout_bound';

/** If nothing matches, the reason with the highest priority is reported, of equal ones the last. */
const priorityOf = (reason: MissReason): number =>
  reason === 'out_of_rollout_bound' ? 3 : reason === 'no_condition_match' ? 2 : 1;

function tryCondition(
  flag: PreparedFlag,
  condition: Condition,
  identifier: string | null,
  run: EvaluationRun,
): MissReason | 'condition_match' {
  if (identifier === null) return condition.groupIndex === null ? 'no_condition_match' : 'no_group_type';
  if (condition.check !== null && !condition.check(run)) return 'no_condition_match';
  const isIn =
    condition.bucketing === null
      ? isInRollout(flag.prefix, identifier, condition.percentage)
      : condition.bucketing(identifier, run.subject) !== null;
  return isIn ? 'condition_match' : 'out_of_rollout_bound';
}

/** Null: everybody. */
const isInRollout = (prefix: EncodedKey, identifier: string, percentage: number | null): boolean =>
  percentage === null || bucket(prefix, identifier, '') <= percentage / 100;

/**
 * What is hashed into a bucket. Null if the subject has no such group, or no device id for a flag by device: bucketing by
 * person instead would change the value once the device is known.
 */
function bucketingIdentifier(flag: PreparedFlag, groupIndex: number | null, subject: Subject): string | null {
  if (groupIndex !== null) return subject.groups.get(groupIndex)?.key ?? null;
  if (flag.bucketsByDevice) return subject.deviceId || null;
  return (flag.hasContinuity ? subject.overrides.get(flag.key) : undefined) ?? subject.distinctId;
}

function valueFor(flag: PreparedFlag, condition: Condition, identifier: string, subject: Subject): boolean | string {
  const ranged = condition.bucketing?.(identifier, subject);
  if (ranged !== undefined && ranged !== null) return ranged;
  if (condition.variant !== null) return condition.variant;
  if (flag.variants.length === 0) return true;
  const position = bucket(flag.prefix, identifier, 'variant');
  for (const { key, from, to } of flag.variants) if (position >= from && position < to) return key;
  return true;
}

/** Null if the person has made no choice. */
function earlyAccessChoice(flag: PreparedFlag, run: EvaluationRun): boolean | null {
  const { earlyAccess } = flag;
  const { properties } = run.subject;
  if (!earlyAccess?.keys.some((key) => ownProperty(properties, key) !== undefined)) return null;
  if (earlyAccess.check !== null && !earlyAccess.check(run)) return false;
  const identifier = bucketingIdentifier(flag, flag.groupIndex, run.subject) ?? '';
  return isInRollout(flag.prefix, identifier, earlyAccess.percentage);
}

function isHeldOut(flag: PreparedFlag, subject: Subject): boolean {
  const identifier = bucketingIdentifier(flag, flag.groupIndex, subject);
  return identifier !== null && isInRollout(HOLDOUT_PREFIX, identifier, flag.holdout?.percentage ?? -1);
}
