/** How often insights use events and properties: counts by project, day and name. */

import type { UsedName } from '../../core/events/used-name.ts';

export interface UsageCount extends UsedName {
  projectId: number;
  /** Days since 1970. */
  day: number;
  count: number;
}

export interface QueryUsageStore {
  /** Adds to the stored counts. Names without a definition are ignored. */
  addCounts(counts: readonly UsageCount[]): Promise<void>;
  /** Name → number of uses on that day or later. */
  countSince(
    projectId: number,
    of: Pick<UsedName, 'kind' | 'groupTypeIndex'>,
    day: number,
  ): Promise<Map<string, number>>;
  deleteBefore(day: number): Promise<void>;
}
