/** Persons: who they are, what became of them, and how to change that. */
import type { Static } from '@sinclair/typebox';
import type { CohortsOfPersonSchema } from '../../../src/features/cohorts/api/cohort-schemas.ts';
import type { EvaluationReasonsSchema } from '../../../src/features/flags/api/flag-evaluation-schemas.ts';
import type {
  PersonSummarySchema,
  PropertyHistorySchema,
} from '../../../src/features/persons/api/person-history-schemas.ts';
import type {
  DeletionSchema,
  MergeSchema,
  UndoneMergeSchema,
} from '../../../src/features/persons/api/person-identity-schemas.ts';
import type {
  ListedPersonSchema,
  PersonListSchema,
  PersonSchema,
} from '../../../src/features/persons/api/person-schemas.ts';
import { ApiError } from './api-error.ts';
import { get, post, projectPath, type Query, remove, withQuery } from './request.ts';
import type { Page } from './types.ts';

export type Person = Static<typeof PersonSchema>;
export type ListedPerson = Static<typeof ListedPersonSchema>;
export type PersonList = Static<typeof PersonListSchema>;
export type PersonSummary = Static<typeof PersonSummarySchema>;
export type PropertyChange = Static<typeof PropertyHistorySchema>;
export type Merge = Static<typeof MergeSchema>;
export type UndoneMerge = Static<typeof UndoneMergeSchema>;
export type Deletion = Static<typeof DeletionSchema>;
export type Evaluations = Static<typeof EvaluationReasonsSchema>;
export type Evaluation = Evaluations[string];

export const listPersons = (projectId: number, query: Query, signal?: AbortSignal): Promise<PersonList> =>
  get<PersonList>(projectPath(projectId, 'persons'), query, signal);

/** Everybody whom the same question finds, on all pages. */
export const personsCsvPath = (projectId: number, query: Query): string =>
  withQuery(`/api/projects/${projectId}/persons.csv`, query);

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** By UUID or distinct id: browsers' own distinct ids look like UUIDs, so one that names no person is tried as an id. */
export async function readPerson(projectId: number, key: string, signal?: AbortSignal): Promise<Person> {
  if (UUID.test(key)) {
    try {
      return await personByUuid(projectId, key, signal);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 404) throw error;
    }
  }
  const [found] = (await listPersons(projectId, { distinct_id: key }, signal)).results;
  if (found) return personByUuid(projectId, found.uuid, signal);
  throw new ApiError(`Nobody here is called ${key}. They may have been deleted, or belong to another project.`, {
    status: 404,
  });
}

const personByUuid = (projectId: number, uuid: string, signal?: AbortSignal): Promise<Person> =>
  get<Person>(projectPath(projectId, 'persons', uuid), undefined, signal);

export const readSummary = (
  projectId: number,
  uuid: string,
  signal?: AbortSignal,
  distinctIds?: readonly string[],
): Promise<PersonSummary> => {
  const only = distinctIds && { distinct_ids: JSON.stringify(distinctIds) };
  return get<PersonSummary>(projectPath(projectId, 'persons', uuid, 'summary'), only, signal);
};

export const setProperty = (projectId: number, uuid: string, key: string, value: unknown): Promise<Person> =>
  post<Person>(projectPath(projectId, 'persons', uuid, 'update_property'), { key, value });
export const deleteProperty = (projectId: number, uuid: string, key: string): Promise<Person> =>
  post<Person>(projectPath(projectId, 'persons', uuid, 'delete_property'), { $unset: key });
export const listPropertyHistory = (
  projectId: number,
  uuid: string,
  key: string,
  signal?: AbortSignal,
): Promise<Page<PropertyChange>> =>
  get<Page<PropertyChange>>(projectPath(projectId, 'persons', uuid, 'property_history'), { key }, signal);

export const evaluateFlags = (projectId: number, distinctId: string, signal?: AbortSignal): Promise<Evaluations> =>
  get<Evaluations>(projectPath(projectId, 'feature_flags', 'evaluation_reasons'), { distinct_id: distinctId }, signal);

export const cohortsOfPerson = (
  projectId: number,
  uuid: string,
  signal?: AbortSignal,
): Promise<Static<typeof CohortsOfPersonSchema>> =>
  get(projectPath(projectId, 'persons', 'cohorts'), { person_id: uuid }, signal);

export const listMerges = (projectId: number, uuid: string, query: Query, signal?: AbortSignal): Promise<Page<Merge>> =>
  get<Page<Merge>>(projectPath(projectId, 'persons', uuid, 'merges'), query, signal);
export const undoMerge = (projectId: number, mergeId: number): Promise<UndoneMerge> =>
  post<UndoneMerge>(projectPath(projectId, 'persons', 'merges', mergeId, 'undo'));
export const splitPerson = (projectId: number, uuid: string, mainDistinctId: string): Promise<Person> =>
  post<Person>(projectPath(projectId, 'persons', uuid, 'split'), { main_distinct_id: mainDistinctId });

/** Gives the deletion to watch where events go too; null where all is done at once. */
export async function deletePerson(projectId: number, uuid: string, withEvents: boolean): Promise<Deletion | null> {
  await remove(projectPath(projectId, 'persons', uuid), { delete_events: withEvents });
  if (!withEvents) return null;
  const { results } = await get<Page<Deletion>>(projectPath(projectId, 'persons', 'deletions'), { limit: 20 });
  return results.find((deletion) => deletion.person_uuid === uuid) ?? null;
}
export const readDeletion = (projectId: number, id: string, signal?: AbortSignal): Promise<Deletion> =>
  get<Deletion>(projectPath(projectId, 'persons', 'deletions', id), undefined, signal);
