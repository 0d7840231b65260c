export type SubjectProperties = Readonly<Record<string, unknown>>;

/** The person and groups that flags are evaluated for. Built once per request. */
export interface Subject {
  distinctId: string;
  /** For flags that are bucketed by device. */
  deviceId: string | null;
  /** Stored person properties, overridden by those of the request. Without a `distinct_id`, `distinctId` is used. */
  properties: SubjectProperties;
  /** By group type index. Without a property `$group_key`, `key` is used. */
  groups: ReadonlyMap<number, SubjectGroup>;
  /** Ids of the static cohorts that the person is in, of those in `needs.staticCohorts`. */
  staticCohorts: ReadonlySet<number>;
  /** Experience continuity: flag key → the identifier to bucket by instead of `distinctId`. */
  overrides: ReadonlyMap<string, string>;
  /** For dates relative to now; ms UTC. */
  now: number;
}

export interface SubjectGroup {
  key: string;
  properties: SubjectProperties;
}
