/** Why a flag has its value. `failed` is ours: the flag could not be evaluated and belongs in no answer. */
export type EvaluationReason =
  | 'condition_match'
  | 'no_condition_match'
  | 'out_of_rollout_bound'
  | 'no_group_type'
  | 'super_condition_value'
  | 'holdout_condition_value'
  | 'failed';

/** Unchangeable: everybody who gets the same outcome of a flag is handed the same one. */
export interface FlagEvaluation {
  readonly key: string;
  readonly id: number;
  readonly version: number;
  /** A text is the key of a variant. */
  readonly value: boolean | string;
  readonly reason: EvaluationReason;
  readonly conditionIndex: number | null;
  /** Exactly as stored, chosen by the value; undefined where there is none or the flag is off. */
  readonly payload: unknown;
  /** What is wrong with the definition, where the flag could not be evaluated; else null. */
  readonly failure: string | null;
}

const DESCRIPTIONS: Readonly<Record<Exclude<EvaluationReason, 'condition_match'>, string>> = {
  no_condition_match: 'No matching condition set',
  out_of_rollout_bound: 'Out of rollout bound',
  no_group_type: 'No group type',
  super_condition_value: 'Super condition value',
  holdout_condition_value: 'Holdout condition value',
  failed: 'Flag could not be evaluated',
};

/** The sentence that SDKs and consoles show for a reason. */
export const describeReason = (reason: EvaluationReason, conditionIndex: number | null): string =>
  reason === 'condition_match' ? `Matched condition set ${(conditionIndex ?? 0) + 1}` : DESCRIPTIONS[reason];
