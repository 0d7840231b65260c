import type { Static } from '@sinclair/typebox';
import type { CohortsOfPersonSchema } from '../../../src/features/cohorts/api/cohort-schemas.ts';
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
import { get, type Paged, post, projectPath, type Query, remove, withQuery } from './request.ts';

export type Person = Static<typeof PersonSchema>;
export type ListedPerson = Static<typeof ListedPersonSchema>;
export type PersonList = Static<typeof PersonListSchema>;
type PersonSummary = Static<typeof PersonSummarySchema>;
export type PropertyChange = Static<typeof PropertyHistorySchema>;
export type Merge = Static<typeof MergeSchema>;
type UndoneMerge = Static<typeof UndoneMergeSchema>;
export type Deletion = Static<typeof DeletionSchema>;

export const listPersons = (projectId: number, query: Query, signal?: AbortSignal): Promise<PersonList> =>
  get<PersonList>(projectPath(projectId, 'persons'), query, signal);

/** All pages of the same list. */
export const personsCsvPath = (projectId: number, query: Query): string =>
  withQuery(`/api/projects/${projectId}/persons.csv`, query);

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** By UUID or distinct ID. Anonymous distinct IDs look like UUIDs, so a UUID without a person is tried as one. */
export async function getPerson(projectId: number, key: string, signal?: AbortSignal): Promise<Person> {
  if (UUID.test(key)) {
    try {
      return await getPersonByUuid(projectId, key, signal);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 404) throw error;
    }
  }
  const [found] = (await listPersons(projectId, { distinct_id: key }, signal)).results;
  if (found) return getPersonByUuid(projectId, found.uuid, signal);
  throw new ApiError(
    `No person with the distinct ID ${key} was found. They may have been deleted, or belong to another project.`,
    {
      status: 404,
    },
  );
}

const getPersonByUuid = (projectId: number, uuid: string, signal?: AbortSignal): Promise<Person> =>
  get<Person>(projectPath(projectId, 'persons', uuid), undefined, signal);

export const getPersonSummary = (
  projectId: number,
  uuid: string,
  signal?: AbortSignal,
  distinctIds?: readonly string[],
): Promise<PersonSummary> => {
  const query = distinctIds && { distinct_ids: JSON.stringify(distinctIds) };
  return get<PersonSummary>(projectPath(projectId, 'persons', uuid, 'summary'), query, signal);
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
): Promise<Paged<PropertyChange>> =>
  get<Paged<PropertyChange>>(projectPath(projectId, 'persons', uuid, 'property_history'), { key }, signal);

export const listCohortsOfPerson = (
  projectId: number,
  uuid: string,
  signal?: AbortSignal,
): Promise<Static<typeof CohortsOfPersonSchema>> =>
  get(projectPath(projectId, 'persons', 'cohorts'), { person_id: uuid }, signal);

export const listMerges = (
  projectId: number,
  uuid: string,
  query: Query,
  signal?: AbortSignal,
): Promise<Paged<Merge>> => get<Paged<Merge>>(projectPath(projectId, 'persons', uuid, 'merges'), query, signal);
export const undoMerge = (projectId: number, mergeId: number): Promise<UndoneMerge> =>
  post<UndoneMerge>(projectPath(projectId, 'persons', 'merges', mergeId, 'undo'));
export const splitPerson = (projectId: number, uuid: string, mainDistinctId: string): Promise<Person> =>
  post<Person>(projectPath(projectId, 'persons', uuid, 'split'), { main_distinct_id: mainDistinctId });

/** Returns the background deletion when events are deleted too; null when everything is done at once. */
export async function deletePerson(
  projectId: number,
  uuid: string,
  { withEvents, withNames }: { withEvents: boolean; withNames: boolean },
): Promise<Deletion | null> {
  const names = withEvents && withNames ? { delete_names: true } : {};
  await remove(projectPath(projectId, 'persons', uuid), { delete_events: withEvents, ...names });
  if (!withEvents) return null;
  const { results } = await get<Paged<Deletion>>(projectPath(projectId, 'persons', 'deletions'), { limit: 20 });
  return results.find((deletion) => deletion.person_uuid === uuid) ?? null;
}
export const getDeletion = (projectId: number, id: string, signal?: AbortSignal): Promise<Deletion> =>
  get<Deletion>(projectPath(projectId, 'persons', 'deletions', id), undefined, signal);
