/**
 * Calculates the members of a dynamic cohort and saves the difference in one transaction: until then, and after a crash,
 * the old members stay.
 */
import { criteriaOf } from '../../core/cohorts/cohort-criteria.ts';
import { type IdSet, inChunks } from '../../lib/id-set.ts';
import { CohortMembers, storedMembers } from '../../query/cohorts/cohort-members.ts';
import type { QueryDeps } from '../../query/query-deps.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';

/** Rows in one statement. */
const BATCH_SIZE = 2000;

export async function calculateCohort(deps: QueryDeps, projectId: number, cohortId: number): Promise<void> {
  const { metadata, clock } = deps;
  const cohort = await metadata.cohorts.get(projectId, cohortId);
  if (!cohort || cohort.deleted || cohort.isStatic) return;
  const now = clock.now();
  const members = await new CohortMembers(deps, projectId, now).calculate(criteriaOf(cohort));
  await metadata.transaction(async (store) => {
    const current = await store.cohorts.get(projectId, cohortId);
    // Changed in the meantime: the change has started a calculation of its own.
    if (!current || current.version !== cohort.version || current.deleted || current.isStatic) return;
    await replaceMembers(store, projectId, cohortId, members);
    const count = await store.cohortMembers.count(cohortId);
    await store.cohorts.update({ ...current, count, lastCalculation: now, isCalculating: false, errorsCalculating: 0 });
  });
}

async function replaceMembers(
  store: MetadataStore,
  projectId: number,
  cohortId: number,
  members: IdSet,
): Promise<void> {
  const before = await storedMembers(store, cohortId);
  for (const removed of inChunks(before.without(members), BATCH_SIZE)) {
    await store.cohortMembers.remove(cohortId, removed);
  }
  for (const added of inChunks(members.without(before), BATCH_SIZE)) {
    await store.cohortMembers.add(projectId, cohortId, added);
  }
}
