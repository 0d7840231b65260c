import type { Evaluation } from '../../api/flags.ts';

/** Why a flag has its value for somebody, as a sentence. */

const REASONS: Readonly<Record<string, string>> = {
  no_condition_match: 'None of its conditions fits the person.',
  out_of_rollout_bound: 'A condition fits, but the person is outside of the share that it is rolled out to.',
  no_group_type: 'It is about groups, and no group was named.',
  super_condition_value: 'The early access setting of the person decides.',
  holdout_condition_value: 'The person is held out of experiments.',
  disabled: 'It is switched off for everybody.',
};

export function sentenceOfReason({ value, evaluation }: Evaluation): string {
  const { reason, condition_index: index, description } = evaluation;
  if (reason === 'condition_match') {
    const which = `Condition ${(index ?? 0) + 1} fits`;
    return typeof value === 'string' ? `${which}, and the person falls into the share of this variant.` : `${which}.`;
  }
  return REASONS[reason] ?? description;
}
