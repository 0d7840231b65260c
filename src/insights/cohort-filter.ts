/**
 * Cohorts in questions: first their members are found, then the question names them. To the engine of events that is one
 * bound value for each cohort, whatever the criteria; its events are read through the overrides, so merged persons count
 * as who they are now. Breakdowns ask with the same condition, once for each cohort.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CohortFilter } from '../core/properties/cohort-filter.ts';
import { cohortsIn, type Filter } from '../core/properties/property-filter.ts';
import type { InsightSql } from '../stores/dialect.ts';
import { type CohortDeps, CohortMembers } from './cohort-members.ts';
import { type IdSet, inSlices } from './id-set.ts';

/** By the cohort's id; null where there is no such cohort. */
export type CohortSets = ReadonlyMap<number, IdSet | null>;
export type CohortUuids = ReadonlyMap<number, readonly string[] | null>;

/** The members of every cohort that a filter asks for, by their numbers. */
export async function findCohorts(
  deps: CohortDeps,
  projectId: number,
  filter: Filter,
  now: number,
): Promise<CohortSets> {
  const members = new CohortMembers(deps, projectId, now);
  const sets = new Map<number, IdSet | null>();
  for (const { id } of cohortsIn(filter)) sets.set(id, await members.of(id));
  return sets;
}

const SLICE = 2000;

/** The same by UUID, as events know persons. */
export async function findCohortUuids(
  deps: CohortDeps,
  projectId: number,
  filter: Filter,
  now: number,
): Promise<CohortUuids> {
  const uuids = new Map<number, string[] | null>();
  for (const [id, set] of await findCohorts(deps, projectId, filter, now)) {
    uuids.set(id, set && (await uuidsOf(deps, projectId, set)));
  }
  return uuids;
}

async function uuidsOf({ metadata }: CohortDeps, projectId: number, set: IdSet): Promise<string[]> {
  const uuids: string[] = [];
  for (const ids of inSlices(set, SLICE)) {
    for (const uuid of await metadata.cohortMembers.uuidsOf(projectId, ids)) uuids.push(uuid);
    await nextTurn();
  }
  return uuids;
}

/** The condition on a column that holds current ids of persons. True or false, never null. */
export function cohortSql(
  sql: InsightSql,
  cohorts: CohortUuids,
  { id, negated }: CohortFilter,
  column: string,
): string {
  const uuids = cohorts.get(id) ?? null;
  if (uuids === null) return 'false';
  if (uuids.length === 0) return String(negated);
  const rows = sql.rows(
    ['uuid'],
    uuids.map((uuid) => ({ uuid })),
  );
  return `(${column} ${negated ? 'not in' : 'in'} (select cast(r.uuid as uuid) from ${rows} r))`;
}
