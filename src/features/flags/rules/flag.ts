/** A flag as it is stored, without what only the console shows. Deleted flags are not among the definitions. */
export interface FlagDefinition {
  id: number;
  key: string;
  active: boolean;
  version: number;
  /** As stored: whatever somebody once wrote. Broken ones make the flag fail, never the request. */
  filters: unknown;
  ensureExperienceContinuity: boolean;
  evaluationRuntime: EvaluationRuntime;
  bucketingIdentifier: BucketingIdentifier;
}

export type EvaluationRuntime = 'all' | 'client' | 'server';
type BucketingIdentifier = 'distinct_id' | 'device_id';

/** A deleted cohort is not among the definitions; a flag that asks for it fails. */
export interface CohortDefinition {
  id: number;
  /** Static cohorts are lists of persons: the subject says which ones it is in. */
  isStatic: boolean;
  /** `{properties: group}`. */
  filters: unknown;
  /** The old stored form, `[{properties: […]}]`: looked at where `filters` has no properties. */
  groups: unknown;
}

export interface FlagDefinitions {
  flags: readonly FlagDefinition[];
  cohorts: readonly CohortDefinition[];
  groupTypes: ReadonlyMap<number, string>;
}
