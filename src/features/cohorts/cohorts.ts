/** Creates and changes cohorts. Their members are found by `query/cohorts`. */

import type { Caller } from '../../access/callers.ts';
import { type ActivityEntry, changesBetween, recordActivity } from '../../access/record-activity.ts';
import { cohortsUsingAction, dependentCohorts } from '../../core/cohorts/cohort-criteria.ts';
import { Failure, notFound } from '../../core/errors.ts';
import type { Json } from '../../core/json/json.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import type { Project } from '../../stores/metadata/accounts.ts';
import type { Cohort } from '../../stores/metadata/cohorts.ts';
import type { MetadataStore } from '../../stores/metadata/metadata-store.ts';
import { checkCohort, validateCriteria } from './check-cohort.ts';
import { requireEditableFlags } from './targeting-flags.ts';

export interface CohortDeps {
  metadata: MetadataStore;
  clock: Clock;
  ids: Ids;
  /** Invalidated by every change, because flags refer to cohorts. */
  flagSnapshots: { invalidate(projectId: number): void };
  /** Calculates the cohorts that are marked as waiting. */
  calculations: { wake(): void };
}

export type CohortChanges = Partial<
  Pick<Cohort, 'name' | 'description' | 'groups' | 'filters' | 'isStatic' | 'deleted'>
>;

export const COHORT = 'Cohort';

export async function createCohort(
  deps: CohortDeps,
  caller: Caller,
  project: Project,
  changes: CohortChanges,
  persons: readonly number[] | null,
): Promise<Cohort> {
  validateCriteria(changes);
  return withCohortChange(deps, project.id, async (store) => {
    const fresh: Omit<Cohort, 'id'> = {
      projectId: project.id,
      name: '',
      description: '',
      groups: [],
      filters: {},
      isStatic: false,
      deleted: false,
      ...changes,
      ...calculationState(changes.isStatic !== true && changes.deleted !== true),
      lastCalculation: null,
      count: null,
      version: 1,
      createdAt: deps.clock.now(),
      createdBy: caller.user.id,
    };
    const cohort = await store.cohorts.create(fresh);
    await checkCohort(store, cohort);
    await addMembers(store, cohort, persons);
    await recordActivity(deps, store, { ...about(caller, project, cohort), activity: 'created', changes: null });
    return cohort;
  });
}

/** Only what is given changes. Persons are added to the members. */
export async function updateCohort(
  deps: CohortDeps,
  caller: Caller,
  project: Project,
  id: number,
  changes: CohortChanges,
  persons: readonly number[] | null,
): Promise<Cohort> {
  validateCriteria(changes);
  return withCohortChange(deps, project.id, async (store) => {
    const before = await getCohort(store, project.id, id);
    await requireEditableFlags(store, caller, project, id);
    const after = withChanges(before, changes);
    await store.cohorts.update(after);
    await checkCohort(store, after);
    const count = await store.cohortMembers.count(id);
    const added = await addMembers(store, after, persons);
    if (after.version !== before.version || after.deleted !== before.deleted || added > 0) {
      await markDependents(store, after);
    }
    const differences = [
      ...changesBetween(COHORT, visible(before), visible(after)),
      ...changesBetween(COHORT, { persons: count }, { persons: count + added }),
    ];
    await recordActivity(deps, store, { ...about(caller, project, after), activity: 'updated', changes: differences });
    return after;
  });
}

/** Removes persons from a static cohort. */
export async function removeMembers(
  deps: CohortDeps,
  caller: Caller,
  project: Project,
  id: number,
  personIds: readonly number[],
): Promise<void> {
  await withCohortChange(deps, project.id, async (store) => {
    const cohort = await getCohort(store, project.id, id);
    await requireEditableFlags(store, caller, project, id);
    requireStatic(cohort);
    const count = await store.cohortMembers.count(id);
    const removed = await store.cohortMembers.remove(id, personIds);
    if (removed === 0) throw notFound('Person is not part of the cohort.');
    await markDependents(store, cohort);
    const changes = changesBetween(COHORT, { persons: count }, { persons: count - removed });
    await recordActivity(deps, store, { ...about(caller, project, cohort), activity: 'updated', changes });
  });
}

export async function getCohort(store: MetadataStore, projectId: number, id: number): Promise<Cohort> {
  const cohort = await store.cohorts.get(projectId, id);
  if (!cohort) throw notFound();
  return cohort;
}

export function requireStatic(cohort: Pick<Cohort, 'isStatic'>): void {
  if (cohort.isStatic) return;
  throw new Failure(
    'invalid',
    'Persons can only be added to or removed from static cohorts; the members of others follow from their criteria.',
  );
}

const calculationState = (isWaiting: boolean) => ({ isCalculating: isWaiting, errorsCalculating: 0 });

function withChanges(before: Cohort, changes: CohortChanges): Cohort {
  const after = { ...before, ...changes };
  // `groups` only counts without `filters`, so sending it alone removes them.
  if (changes.groups !== undefined && changes.filters === undefined && changes.groups.length > 0) after.filters = {};
  const isSame = JSON.stringify(memberCriteria(before)) === JSON.stringify(memberCriteria(after));
  return {
    ...after,
    ...calculationState(!after.isStatic && !after.deleted),
    ...(isSame ? {} : nextVersion(before)),
  };
}

const memberCriteria = ({ filters, groups, isStatic }: Cohort): Json => [filters, groups, isStatic];

const BATCH_SIZE = 2000;

/** Null: no list was given, which also a dynamic cohort accepts. */
async function addMembers(store: MetadataStore, cohort: Cohort, personIds: readonly number[] | null): Promise<number> {
  if (personIds === null) return 0;
  requireStatic(cohort);
  let added = 0;
  for (let start = 0; start < personIds.length; start += BATCH_SIZE) {
    added += await store.cohortMembers.add(cohort.projectId, cohort.id, personIds.slice(start, start + BATCH_SIZE));
  }
  return added;
}

/** Cohorts that refer to this one are calculated again; a calculation that is running now is discarded. */
async function markDependents(store: MetadataStore, cohort: Cohort): Promise<void> {
  await markChanged(store, dependentCohorts(await store.cohorts.listByProject(cohort.projectId), cohort.id));
}

/** The same for cohorts that refer to an action. */
export async function markCohortsUsingAction(store: MetadataStore, projectId: number, actionId: number): Promise<void> {
  await markChanged(store, cohortsUsingAction(await store.cohorts.listByProject(projectId), actionId));
}

async function markChanged({ cohorts }: MetadataStore, marked: readonly Cohort[]): Promise<void> {
  for (const cohort of marked) await cohorts.update({ ...cohort, ...nextVersion(cohort), isCalculating: true });
}

/** The next version, not calculated yet. */
const nextVersion = ({ version }: Cohort) => ({ version: version + 1, lastCalculation: null, count: null });

const visible = (cohort: Cohort): Record<string, Json> => ({
  name: cohort.name,
  description: cohort.description,
  groups: cohort.groups,
  filters: cohort.filters,
  is_static: cohort.isStatic,
  deleted: cohort.deleted,
});

const about = (caller: Caller, project: Project, cohort: Cohort) =>
  ({
    organizationId: project.organizationId,
    projectId: project.id,
    userId: caller.user.id,
    scope: COHORT,
    itemId: String(cohort.id),
    name: cohort.name,
  }) satisfies Partial<ActivityEntry>;

/** Caches are invalidated after the change is committed, and before the response is sent. */
async function withCohortChange<T>(
  { metadata, flagSnapshots, calculations }: CohortDeps,
  projectId: number,
  work: (store: MetadataStore) => Promise<T>,
): Promise<T> {
  try {
    return await metadata.transaction(work);
  } finally {
    flagSnapshots.invalidate(projectId);
    calculations.wake();
  }
}
