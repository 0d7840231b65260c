import type { EvaluationRun } from '../compile/check.ts';
import type { PreparedFlag, PreparedFlags } from '../compile/prepared-flags.ts';
import type { FlagEvaluation } from '../flag-evaluation.ts';
import type { Subject } from '../subject.ts';
import { evaluateFlag } from './evaluate-flag.ts';

/**
 * Evaluates all active flags, or those in `only`, and returns them in the order of their definitions. Never throws: a
 * flag that cannot be evaluated has a `failure` and does not affect the others.
 */
export function evaluate(prepared: PreparedFlags, subject: Subject, only?: ReadonlySet<string>): FlagEvaluation[] {
  const { cohorts, slots } = prepared;
  const results = new Array<FlagEvaluation>(only === undefined ? prepared.flags.length : 0);
  const run: EvaluationRun = { subject, cohorts, slots, results, failure: null };
  if (only === undefined) {
    for (const flag of prepared.order) results[flag.slot] = evaluateFlag(flag, run);
    return results;
  }
  const chosen = [...only].flatMap((key) => prepared.byKey.get(key) ?? []).sort((a, b) => a.slot - b.slot);
  const needed = chosen.every(isIndependent) ? chosen : withDependencies(prepared, chosen);
  for (const flag of needed) results[flag.slot] = evaluateFlag(flag, run);
  return chosen.flatMap(({ slot }) => results[slot] ?? []);
}

const isIndependent = ({ dependsOn }: PreparedFlag): boolean => dependsOn.length === 0;

/** The chosen flags and their dependencies, in dependency order. */
function withDependencies({ order }: PreparedFlags, chosen: readonly PreparedFlag[]): PreparedFlag[] {
  const slots = new Set(chosen.map(({ slot }) => slot));
  // Backwards, so that a flag comes up after all that depend on it.
  const needed = order.toReversed().filter((flag) => {
    if (!slots.has(flag.slot)) return false;
    for (const slot of flag.dependsOn) slots.add(slot);
    return true;
  });
  return needed.reverse();
}
