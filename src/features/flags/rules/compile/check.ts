import type { FlagEvaluation } from '../flag-evaluation.ts';
import type { Subject } from '../subject.ts';

/** One evaluation of many flags for one subject. Conditions find here what is not their own. */
export interface EvaluationRun {
  readonly subject: Subject;
  readonly cohorts: ReadonlyMap<number, CohortCheck>;
  /** Id of a flag → its place among the results; inactive ones have -1. */
  readonly slots: ReadonlyMap<number, number>;
  /** Flags that others depend on are evaluated before them. */
  readonly results: (FlagEvaluation | undefined)[];
  /** Set where a condition turned out to be impossible to answer; the flag then fails. */
  failure: string | null;
}

/** Whether the subject fits a part of a condition. */
export type Check = (run: EvaluationRun) => boolean;

/** One check for all of them; null where there is nothing to check. */
export function everyCheck(checks: readonly Check[]): Check | null {
  const [first, second] = checks;
  if (first === undefined || second === undefined) return first ?? null;
  return (run) => {
    for (const check of checks) if (!check(run)) return false;
    return true;
  };
}

/** Whether the subject is in a cohort, or why nobody can tell. */
export interface CohortCheck {
  failure: string | null;
  check: Check;
}

/** What a condition needs to know beside its own definition. */
export interface Inputs {
  readonly personProperties: Set<string>;
  readonly groupTypes: Set<number>;
  readonly cohorts: Set<number>;
  readonly flags: Set<number>;
}

export const noInputs = (): Inputs => ({
  personProperties: new Set(),
  groupTypes: new Set(),
  cohorts: new Set(),
  flags: new Set(),
});

export function addInputs(asks: Inputs, more: Inputs): void {
  for (const key of more.personProperties) asks.personProperties.add(key);
  for (const index of more.groupTypes) asks.groupTypes.add(index);
  for (const id of more.cohorts) asks.cohorts.add(id);
  for (const id of more.flags) asks.flags.add(id);
}

/** A definition that nobody can make sense of. Caught where definitions are prepared: evaluating never throws. */
export class InvalidDefinition extends Error {}

export const invalidDefinition = (problem: string): InvalidDefinition => new InvalidDefinition(problem);

/** The same for definitions that nest deeper than anybody writes by hand, before the stack ends. */
export const MAX_DEPTH = 50;
