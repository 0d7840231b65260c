/** Whom a flag can be released to, and what its conditions can look at: cohorts, roles, properties of groups, persons. */
import { get, projectPath } from './request.ts';
import type { FlagRoleAccess, Page } from './types.ts';

export interface CohortName {
  id: number;
  name: string;
  count: number | null;
  is_static: boolean;
}

type Role = FlagRoleAccess['role'];

const ALL = { limit: 1000 };

export const listCohortNames = async (projectId: number, signal?: AbortSignal): Promise<CohortName[]> =>
  (await get<Page<CohortName>>(projectPath(projectId, 'cohorts'), ALL, signal)).results;

export const listRoles = async (organizationId: string, signal?: AbortSignal): Promise<Role[]> =>
  (await get<Page<Role>>(`/api/organizations/${organizationId}/roles/`, ALL, signal)).results;

/** Names of properties that groups of a kind have. */
export const findGroupProperties = async (
  projectId: number,
  kind: number,
  search: string,
  signal?: AbortSignal,
): Promise<string[]> => {
  const path = projectPath(projectId, 'groups', 'property_definitions');
  const all = await get<Record<string, { name: string }[]>>(path, undefined, signal);
  const text = search.toLowerCase();
  return (all[String(kind)] ?? []).map(({ name }) => name).filter((name) => name.toLowerCase().includes(text));
};

export const findGroupValues = async (
  projectId: number,
  kind: number,
  key: string,
  value: string,
  signal?: AbortSignal,
): Promise<string[]> => {
  const path = projectPath(projectId, 'groups', 'property_values');
  const found = await get<{ name: string }[]>(path, { group_type_index: kind, key, value }, signal);
  return found.map(({ name }) => name);
};

/** Somebody to try a flag with: a distinct id, and the name of whose it is. */
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
