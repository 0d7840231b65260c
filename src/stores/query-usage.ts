/** How often insights ask for events and properties: counts for each project, day and name. */

export type UsedKind = 'event' | 'event_property' | 'person_property' | 'group_property';

export interface UsedName {
  projectId: number;
  kind: UsedKind;
  /** −1 where it is no property of a group. */
  groupTypeIndex: number;
  name: string;
}

export interface UsageCount extends UsedName {
  /** Days since 1970. */
  day: number;
  count: number;
}

export interface QueryUsageStore {
  /** Adds to what is counted. Names that the project has never seen are left out: nobody could look them up. */
  add(counts: readonly UsageCount[]): Promise<void>;
  /** Name → how often it was asked for on that day or later. */
  since(projectId: number, of: Pick<UsedName, 'kind' | 'groupTypeIndex'>, day: number): Promise<Map<string, number>>;
  /** Forgets earlier days. */
  prune(day: number): Promise<void>;
}
