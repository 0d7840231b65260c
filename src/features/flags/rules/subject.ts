export type SubjectProperties = Readonly<Record<string, unknown>>;

/** Whom flags are evaluated for. Built once per request, read by every flag. */
export interface Subject {
  distinctId: string;
  /** For flags that bucket by device. */
  deviceId: string | null;
  /**
   * The stored properties of the person, overlaid by those of the request. A property `distinct_id` need not be there:
   * it reads as `distinctId`.
   */
  properties: SubjectProperties;
  /** By group type index. `$group_key` need not be among the properties: it reads as `key`. */
  groups: ReadonlyMap<number, SubjectGroup>;
  /** Ids of the static cohorts that the person is in; only those in `needs.staticCohorts` are asked for. */
  staticCohorts: ReadonlySet<number>;
  /** Flag key → the identifier to bucket by instead of `distinctId`: experience continuity. */
  overrides: ReadonlyMap<string, string>;
  /** For dates relative to now; ms UTC. */
  now: number;
}

export interface SubjectGroup {
  key: string;
  properties: SubjectProperties;
}
