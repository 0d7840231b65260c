/** Shared by the routes of cohorts. */

import { usersById } from '../../../http/api/activity-list.ts';
import type { Cohort } from '../../../stores/metadata/cohorts.ts';
import type { MetadataStore } from '../../../stores/metadata/metadata-store.ts';
import { presentCohort } from './cohort-schemas.ts';

export const ALL_COHORTS = {
  url: '/api/projects/:project_id/cohorts/',
  legacy: 'cohort',
  tag: 'cohorts',
  scope: 'cohort',
} as const;
export const ONE_COHORT = { ...ALL_COHORTS, url: `${ALL_COHORTS.url}:id/` } as const;

/** A route below one cohort, such as `:id/persons/`. */
export const ofCohort = <P extends string>(path: P) => ({ ...ONE_COHORT, url: `${ONE_COHORT.url}${path}/` }) as const;

/** With their creators, loaded together. */
export async function presentCohorts({ metadata }: { metadata: MetadataStore }, cohorts: readonly Cohort[]) {
  const users = await usersById(
    metadata,
    cohorts.map((cohort) => cohort.createdBy),
  );
  return cohorts.map((cohort) => presentCohort(cohort, users));
}

export const presentOneCohort = async (deps: { metadata: MetadataStore }, cohort: Cohort) =>
  (await presentCohorts(deps, [cohort]))[0];
