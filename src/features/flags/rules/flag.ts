import type { BucketingIdentifier, EvaluationRuntime } from '../../../core/flag-options.ts';

/** What evaluation needs of a stored flag that is not deleted. */
export interface FlagDefinition {
  id: number;
  key: string;
  active: boolean;
  version: number;
  /** As stored, which may be invalid: then the flag fails, never the request. */
  filters: unknown;
  ensureExperienceContinuity: boolean;
  evaluationRuntime: EvaluationRuntime;
  bucketingIdentifier: BucketingIdentifier;
  /** Whether an experiment runs on it; SDKs are told. */
  hasExperiment?: boolean;
}

/** Deleted cohorts are not among the definitions; a flag that refers to one fails. */
export interface CohortDefinition {
  id: number;
  /** A static cohort is a list of persons; the subject has the ones that it is in. */
  isStatic: boolean;
  /** `{properties: group}`. */
  filters: unknown;
  /** The old form, `[{properties: […]}]`, used where `filters` has no properties. */
  groups: unknown;
}

export interface FlagDefinitions {
  flags: readonly FlagDefinition[];
  cohorts: readonly CohortDefinition[];
  groupTypes: ReadonlyMap<number, string>;
}
