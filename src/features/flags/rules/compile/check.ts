import type { FlagEvaluation } from '../flag-evaluation.ts';
import type { Subject } from '../subject.ts';

/** One evaluation of many flags for one subject: what conditions read beside their own definition. */
export interface EvaluationRun {
  readonly subject: Subject;
  readonly cohorts: ReadonlyMap<number, CohortCheck>;
  /** Id of a flag → its index in the results; -1 for inactive flags. */
  readonly slots: ReadonlyMap<number, number>;
  /** Filled in dependency order: a flag comes after those that it depends on. */
  readonly results: (FlagEvaluation | undefined)[];
  /** Set by a condition that cannot be evaluated; the flag then fails. */
  failure: string | null;
}

/** Whether the subject matches a part of a condition. */
export type Check = (run: EvaluationRun) => boolean;

/** One check for all of them; null if there are none. */
export function everyCheck(checks: readonly Check[]): Check | null {
  const [first, second] = checks;
  if (first === undefined || second === undefined) return first ?? null;
  return (run) => {
    for (const check of checks) if (!check(run)) return false;
    return true;
  };
}

/** Whether the subject is in a cohort, or why that cannot be decided. */
export interface CohortCheck {
  failure: string | null;
  check: Check;
}

/** What a condition reads beside its own definition. */
export interface Inputs {
  readonly personProperties: Set<string>;
  readonly groupTypes: Set<number>;
  readonly cohorts: Set<number>;
  readonly flags: Set<number>;
  /** Dates such as `-7d`: the result changes with the time. */
  readonly relativeDates: Set<string>;
}

export const noInputs = (): Inputs => ({
  personProperties: new Set(),
  groupTypes: new Set(),
  cohorts: new Set(),
  flags: new Set(),
  relativeDates: new Set(),
});

export function addInputs(inputs: Inputs, more: Inputs): void {
  for (const key of more.personProperties) inputs.personProperties.add(key);
  for (const index of more.groupTypes) inputs.groupTypes.add(index);
  for (const id of more.cohorts) inputs.cohorts.add(id);
  for (const id of more.flags) inputs.flags.add(id);
  for (const date of more.relativeDates) inputs.relativeDates.add(date);
}

/** Thrown while definitions are compiled, and caught there: evaluation never throws. */
export class InvalidDefinition extends Error {}

export const invalidDefinition = (problem: string): InvalidDefinition => new InvalidDefinition(problem);

/** Deeper definitions are invalid, so that recursion cannot exhaust the stack. */
export const MAX_DEFINITION_DEPTH = 50;
