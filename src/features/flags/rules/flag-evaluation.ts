/** Why a flag has its value. `failed`: it could not be evaluated. */
export type EvaluationReason =
  | 'condition_match'
  | 'no_condition_match'
  | 'out_of_rollout_bound'
  | 'no_group_type'
  | 'super_condition_value'
  | 'holdout_condition_value'
  | 'failed';

/** Immutable, since equal outcomes of a flag are one shared object. */
export interface FlagEvaluation {
  readonly key: string;
  readonly id: number;
  readonly version: number;
  /** A string is the key of a variant. */
  readonly value: boolean | string;
  readonly reason: EvaluationReason;
  readonly conditionIndex: number | null;
  /** The payload of the value, as stored; undefined if there is none or the flag is off. */
  readonly payload: unknown;
  /** Why the flag could not be evaluated; else null. */
  readonly failure: string | null;
  /** Whether an experiment runs on the flag. */
  readonly hasExperiment?: boolean | undefined;
}

const DESCRIPTIONS: Readonly<Record<Exclude<EvaluationReason, 'condition_match'>, string>> = {
  no_condition_match: 'No matching condition set',
  out_of_rollout_bound: 'Out of rollout bound',
  no_group_type: 'No group type',
  super_condition_value: 'Super condition value',
  holdout_condition_value: 'Holdout condition value',
  failed: 'Flag could not be evaluated',
};

/** The description that SDKs and consoles show for a reason. */
export const describeReason = (reason: EvaluationReason, conditionIndex: number | null): string =>
  reason === 'condition_match' ? `Matched condition set ${(conditionIndex ?? 0) + 1}` : DESCRIPTIONS[reason];
