import type { FlagEvaluation } from './flag-evaluation.ts';
import type { PreparedFlags } from './prepared-flags.ts';
import type { Subject } from './subject.ts';

/** The values of all active flags, or of those in `only`, in the order of their definitions. Never throws. */
export declare function evaluate(
  prepared: PreparedFlags,
  subject: Subject,
  only?: ReadonlySet<string>,
): FlagEvaluation[];
