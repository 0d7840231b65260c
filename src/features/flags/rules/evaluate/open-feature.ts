/** The reasons and values of OpenFeature, where the value of a flag always has the same type. */
import { parseExact } from '../../../../core/json/exact-json.ts';
import type { Condition } from '../compile/compile-flag.ts';
import type { PreparedFlag } from '../compile/prepared-flags.ts';
import type { FlagEvaluation } from '../flag-evaluation.ts';

type OpenFeatureReason =
  /** The same value for everybody. */
  | 'STATIC'
  /** By properties of the user. */
  | 'TARGETING_MATCH'
  /** By rollout percentage, variant or holdout. */
  | 'SPLIT'
  /** No condition matched. */
  | 'DEFAULT'
  /** The flag is off. */
  | 'DISABLED'
  | 'ERROR';

export function openFeatureReason(
  { reason, conditionIndex }: Pick<FlagEvaluation, 'reason' | 'conditionIndex'>,
  flag: PreparedFlag,
): OpenFeatureReason {
  switch (reason) {
    case 'condition_match':
      return reasonOfMatch(flag, conditionIndex);
    case 'super_condition_value':
      return 'TARGETING_MATCH';
    case 'holdout_condition_value':
    case 'out_of_rollout_bound':
      return 'SPLIT';
    case 'no_condition_match':
    case 'no_group_type':
      return 'DEFAULT';
    case 'failed':
      return 'ERROR';
  }
}

/** SPLIT wins over TARGETING_MATCH: bucketing is what surprises people. */
function reasonOfMatch(flag: PreparedFlag, index: number | null): OpenFeatureReason {
  const condition = conditionAt(flag, index);
  if (condition === null) return 'TARGETING_MATCH';
  const isSplit = condition.percentage !== null || (flag.variants.length > 0 && condition.variant === null);
  if (isSplit) return 'SPLIT';
  return isForEverybody(flag, condition) ? 'STATIC' : 'TARGETING_MATCH';
}

const isForEverybody = (flag: PreparedFlag, condition: Condition): boolean =>
  condition === flag.firstCondition &&
  condition.check === null &&
  condition.groupIndex === null &&
  flag.earlyAccess === null &&
  flag.holdout === null &&
  !flag.bucketsByDevice;

function conditionAt({ firstCondition }: PreparedFlag, index: number | null): Condition | null {
  for (let condition = firstCondition; condition !== null; condition = condition.next) {
    if (condition.index === index) return condition;
  }
  return null;
}

/** The type of a flag's value: a boolean, a variant key, or the payload. */
export type ValueKind = 'boolean' | 'variant' | 'payload';

/** Undefined where a flag with variants or payloads is off: the caller's default applies, which has the right type. */
export function openFeatureValue(
  { value, payload }: Pick<FlagEvaluation, 'value' | 'payload'>,
  kind: ValueKind,
): unknown {
  if (kind === 'boolean') return value;
  if (value === false) return undefined;
  return kind === 'variant' ? value : parsePayload(payload);
}

/** A payload may be stored as JSON in a string; a string that is not JSON is the value itself. */
function parsePayload(payload: unknown): unknown {
  if (typeof payload !== 'string') return payload ?? undefined;
  try {
    return parseExact(payload) ?? undefined;
  } catch {
    return payload;
  }
}
