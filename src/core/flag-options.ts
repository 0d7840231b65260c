/** Where a flag is evaluated. */
export type EvaluationRuntime = 'all' | 'client' | 'server';
/** Which id decides a person's place in a rollout. */
export type BucketingIdentifier = 'distinct_id' | 'device_id';
