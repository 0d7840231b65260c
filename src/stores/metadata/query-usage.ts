/** How often insights ask for events and properties: counts for each project, day and name. */

import type { UsedName } from '../../core/events/asked-name.ts';

export interface UsageCount extends UsedName {
  projectId: number;
  /** Days since 1970. */
  day: number;
  count: number;
}

export interface QueryUsageStore {
  /** Adds to what is counted. Names that the project has never seen are left out: nobody could look them up. */
  addCounts(counts: readonly UsageCount[]): Promise<void>;
  /** Name → how often it was asked for on that day or later. */
  countSince(
    projectId: number,
    of: Pick<UsedName, 'kind' | 'groupTypeIndex'>,
    day: number,
  ): Promise<Map<string, number>>;
  /** Forgets earlier days. */
  deleteBefore(day: number): Promise<void>;
}
