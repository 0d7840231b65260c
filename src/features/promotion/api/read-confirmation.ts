import { invalid } from '../../../core/errors.ts';

interface PlanRequest {
  dry_run?: boolean;
  confirm?: string;
}

/** The token of the plan to carry out, or null to plan. */
export function readConfirmation({ dry_run: isDry, confirm }: PlanRequest): string | null {
  if (isDry === true || (isDry === undefined && confirm === undefined)) return null;
  if (confirm !== undefined) return confirm;
  throw invalid('confirm', 'Ask with dry_run first, and send the `confirm` of the answer.', 'required');
}
