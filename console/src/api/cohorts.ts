import type { Static } from '@sinclair/typebox';
import type { CohortSchema, CohortWriteSchema } from '../../../src/features/cohorts/api/cohort-schemas.ts';
import type { PersonList } from './persons.ts';
import { get, type Paged, patch, post, projectPath, type Query, withQuery } from './request.ts';

export type Cohort = Static<typeof CohortSchema>;
export type CohortWrite = Static<typeof CohortWriteSchema>;

export const listCohorts = (projectId: number, query: Query, signal?: AbortSignal): Promise<Paged<Cohort>> =>
  get<Paged<Cohort>>(projectPath(projectId, 'cohorts'), query, signal);
export const getCohort = (projectId: number, id: string | number, signal?: AbortSignal): Promise<Cohort> =>
  get<Cohort>(projectPath(projectId, 'cohorts', id), undefined, signal);
export const createCohort = (projectId: number, body: CohortWrite): Promise<Cohort> =>
  post<Cohort>(projectPath(projectId, 'cohorts'), body);
export const updateCohort = (projectId: number, id: number, body: CohortWrite): Promise<Cohort> =>
  patch<Cohort>(projectPath(projectId, 'cohorts', id), body);

export const listCohortPersons = (
  projectId: number,
  id: number,
  query: Query,
  signal?: AbortSignal,
): Promise<PersonList> => get<PersonList>(projectPath(projectId, 'cohorts', id, 'persons'), query, signal);
export const cohortCsvPath = (projectId: number, id: number): string =>
  withQuery(projectPath(projectId, 'cohorts', id, 'persons'), { format: 'csv' });
export const removeFromCohort = (projectId: number, id: number, personUuid: string): Promise<unknown> =>
  post(projectPath(projectId, 'cohorts', id, 'remove_person_from_static_cohort'), { person_id: personUuid });
