import type { FlagEvaluation } from '../rules/flag-evaluation.ts';
import type { FlagSnapshot } from './flag-snapshots.ts';

export interface Decision {
  /** In the order of the definitions. Flags that could not be evaluated are included, with reason `failed`. */
  evaluations: readonly FlagEvaluation[];
  hasErrors: boolean;
  /** The definitions that were used. */
  snapshot: FlagSnapshot;
}
