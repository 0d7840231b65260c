/** What release conditions can refer to: cohorts, group properties, persons. */
import { get, type Paged, projectPath } from './request.ts';

export interface CohortName {
  id: number;
  name: string;
  count: number | null;
  is_static: boolean;
}

export const listCohortNames = async (projectId: number, signal?: AbortSignal): Promise<CohortName[]> =>
  (await get<Paged<CohortName>>(projectPath(projectId, 'cohorts'), { limit: 1000 }, signal)).results;

export const findGroupProperties = async (
  projectId: number,
  groupTypeIndex: number,
  search: string,
  signal?: AbortSignal,
): Promise<string[]> => {
  const path = projectPath(projectId, 'groups', 'property_definitions');
  const all = await get<Record<string, { name: string }[]>>(path, undefined, signal);
  const text = search.toLowerCase();
  return (all[String(groupTypeIndex)] ?? [])
    .map(({ name }) => name)
    .filter((name) => name.toLowerCase().includes(text));
};

export const findGroupValues = async (
  projectId: number,
  groupTypeIndex: number,
  key: string,
  value: string,
  signal?: AbortSignal,
): Promise<string[]> => {
  const path = projectPath(projectId, 'groups', 'property_values');
  const found = await get<{ name: string }[]>(path, { group_type_index: groupTypeIndex, key, value }, signal);
  return found.map(({ name }) => name);
};

/** Distinct IDs to test a flag with, and the person's name. */
export const findDistinctIds = async (
  projectId: number,
  search: string,
  signal?: AbortSignal,
): Promise<{ id: string; name: string }[]> => {
  type Found = { name: string; distinct_ids: string[] };
  const query = { search, limit: 20 };
  const { results } = await get<{ results: Found[] }>(projectPath(projectId, 'persons'), query, signal);
  return results.flatMap(({ name, distinct_ids: [id] }) => (id === undefined ? [] : [{ id, name }]));
};
