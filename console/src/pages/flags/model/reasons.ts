import type { Evaluation } from '../../../api/flags.ts';

const REASONS: Readonly<Record<string, string>> = {
  no_condition_match: "Doesn't match any release condition.",
  no_group_type: 'The flag is for groups, and no group was given.',
  super_condition_value: 'Set by early access enrollment.',
  holdout_condition_value: 'In a holdout group.',
  disabled: 'The flag is disabled.',
};

/** Why a flag has its value; the server's own text for a reason that is unknown here. */
export function describeReason({ reason, condition_index: index, description }: Evaluation['evaluation']): string {
  const condition = index === null ? 'a condition' : `condition ${index + 1}`;
  if (reason === 'condition_match') return `Matches ${condition} and is within its rollout.`;
  if (reason === 'out_of_rollout_bound') return `Matches ${condition}, but is not within its rollout.`;
  return REASONS[reason] ?? description;
}
