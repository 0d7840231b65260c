/** What a flag has decided, in the words of OpenFeature: its reasons, and values that always have the type of the flag. */
import type { Condition } from '../compile/compile-flag.ts';
import type { PreparedFlag } from '../compile/prepared-flags.ts';
import type { FlagEvaluation } from '../flag-evaluation.ts';

type OpenFeatureReason =
  /** For everybody, whoever asks. */
  | 'STATIC'
  /** By what is known of the user. */
  | 'TARGETING_MATCH'
  /** By the user's place among all, for or against. */
  | 'SPLIT'
  /** No condition was about the user. */
  | 'DEFAULT'
  /** The flag is switched off. */
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

/** Where chance had a part in it, that is what surprises people: so it is said first. */
function reasonOfMatch(flag: PreparedFlag, index: number | null): OpenFeatureReason {
  const condition = conditionAt(flag, index);
  if (condition === null) return 'TARGETING_MATCH';
  const isDealt = condition.percentage !== null || (flag.variants.length > 0 && condition.variant === null);
  if (isDealt) return 'SPLIT';
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

/** `boolean`: on or off. `variant`: the key of a variant. `payload`: whatever is written as the payload. */
export type ValueKind = 'boolean' | 'variant' | 'payload';

/**
 * A flag of variants has texts for values, and one of payloads what they hold: 'off' is neither. There is no value then,
 * and the caller's own default holds.
 */
export function openFeatureValue(
  { value, payload }: Pick<FlagEvaluation, 'value' | 'payload'>,
  kind: ValueKind,
): unknown {
  if (kind === 'boolean') return value;
  if (value === false) return undefined;
  return kind === 'variant' ? value : parsePayload(payload);
}

/** Payloads are kept as JSON in a text, or as they are; a text that is no JSON stands for itself. */
function parsePayload(payload: unknown): unknown {
  if (typeof payload !== 'string') return payload ?? undefined;
  try {
    return JSON.parse(payload) ?? undefined;
  } catch {
    return payload;
  }
}
